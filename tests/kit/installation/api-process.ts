import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestDatabase } from '../database/database.ts';

/** An API in a process of its own, so that a test can really kill it. */
export class ApiProcess {
  readonly origin: string;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, origin: string) {
    this.#child = child;
    this.origin = origin;
  }

  static async start({ name, ownerAddress, serverAddress }: TestDatabase): Promise<ApiProcess> {
    const script = join(import.meta.dirname, 'loud-api.ts');
    const address = JSON.stringify({ name, ownerAddress, serverAddress });
    const child = spawn(process.execPath, [script, address, tmpdir()], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let said = '';
    for await (const chunk of child.stdout) {
      said += String(chunk);
      const origin = /^serving (\S+)$/m.exec(said)?.[1];
      if (origin === undefined) continue;
      return new ApiProcess(child, origin);
    }
    throw new Error(`the process ended before it served: ${said}`);
  }

  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }
}
