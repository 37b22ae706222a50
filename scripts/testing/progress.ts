import { relative } from 'node:path';
import type { Reporter, TestModule, Vitest } from 'vitest/node';

/** A line for each test file that ended: how far the run is, its result and seconds; for a failure each failed test with its message. */
export default class Progress implements Reporter {
  #root = '';
  #startedMs = performance.now();
  #files = 0;
  #ended = 0;

  onInit(vitest: Vitest): void {
    this.#root = vitest.config.root;
  }

  onTestRunStart(specifications: readonly unknown[]): void {
    this.#startedMs = performance.now();
    this.#files = specifications.length;
  }

  onTestModuleEnd(module: TestModule): void {
    this.#ended += 1;
    const seconds = Math.round((performance.now() - this.#startedMs) / 1000);
    const tests = [...module.children.allTests()];
    const failed = tests.filter((test) => test.result().state === 'failed');
    const isFine = module.ok() && failed.length === 0;
    const took = (module.diagnostic().duration / 1000).toFixed(1);
    console.log(
      `${String(seconds).padStart(4)} s  ${process.env.TEST_RUN ?? 'tests'} ${this.#ended}/${this.#files}  ${isFine ? '✓' : '✗'} ${relative(this.#root, module.moduleId)} (${tests.length} tests, ${took} s)`,
    );
    for (const error of module.errors()) console.log(`       ${error.message}`);
    for (const test of failed)
      console.log(`       ✗ ${test.fullName}\n         ${test.result().errors?.[0]?.message ?? ''}`);
  }
}
