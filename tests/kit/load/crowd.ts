import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { CrowdFigures, CrowdTask } from './stream-crowd.ts';

/** Readers of a stream in a process of their own. */
export class Crowd {
  readonly pid: number;
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  private constructor(child: ChildProcess) {
    this.#child = child;
    this.pid = child.pid as number;
    this.#lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
  }

  /** Resolves when all have joined. */
  static async join(task: CrowdTask): Promise<Crowd> {
    const script = fileURLToPath(new URL('stream-crowd.ts', import.meta.url));
    const crowd = new Crowd(
      spawn(process.execPath, [script, JSON.stringify(task)], { stdio: ['pipe', 'pipe', 'inherit'] }),
    );
    await crowd.#line();
    return crowd;
  }

  /** All follow their topics. */
  subscribe(): Promise<CrowdFigures> {
    return this.figures('subscribe');
  }

  async figures(line = ''): Promise<CrowdFigures> {
    this.#child.stdin?.write(`${line}\n`);
    return JSON.parse(await this.#line()) as CrowdFigures;
  }

  async leave(): Promise<void> {
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }

  async #line(): Promise<string> {
    const { value, done } = await this.#lines.next();
    if (done) throw new Error('the readers have ended');
    return value;
  }
}
