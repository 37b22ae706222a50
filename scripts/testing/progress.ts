import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Reporter, TestModule, Vitest } from 'vitest/node';

/**
 * A line for each test file that ended: how far the run is, its result and seconds; for a failure each failed test with its message. A hook
 * that failed is one line, whatever the number of tests that it kept from running; the file `TEST_HOOKS` gets them by test file,
 * because vitest's own report leaves them out.
 */
export default class Progress implements Reporter {
  #root = '';
  #startedMs = performance.now();
  #files = 0;
  #ended = 0;
  readonly #hooks: Record<string, string[]> = {};

  onInit(vitest: Vitest): void {
    this.#root = vitest.config.root;
  }

  onTestRunStart(specifications: readonly unknown[]): void {
    this.#startedMs = performance.now();
    this.#files = specifications.length;
  }

  onTestModuleEnd(module: TestModule): void {
    this.#ended += 1;
    const path = relative(this.#root, module.moduleId);
    const seconds = Math.round((performance.now() - this.#startedMs) / 1000);
    const tests = [...module.children.allTests()];
    const failed = tests.filter((test) => test.result().state === 'failed');
    const isFine = module.ok() && failed.length === 0;
    const took = (module.diagnostic().duration / 1000).toFixed(1);
    console.log(
      `${String(seconds).padStart(4)} s  ${process.env.TEST_RUN ?? 'tests'} ${this.#ended}/${this.#files}  ${isFine ? '✓' : '✗'} ${path} (${tests.length} tests, ${took} s)`,
    );
    const groups = [...module.children.allSuites()].flatMap((group) =>
      group.errors().map(({ message }) => `in "${group.fullName}": ${message}`),
    );
    const hooks = [...module.errors().map(({ message }) => message), ...groups];
    if (hooks.length > 0) this.#hooks[path] = hooks;
    for (const message of hooks) console.log(`       ${message}`);
    for (const test of failed)
      console.log(`       ✗ ${test.fullName}\n         ${test.result().errors?.[0]?.message ?? ''}`);
  }

  onTestRunEnd(): void {
    if (process.env.TEST_HOOKS) writeFileSync(process.env.TEST_HOOKS, JSON.stringify(this.#hooks));
  }
}
