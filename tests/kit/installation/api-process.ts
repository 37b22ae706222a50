import { tmpdir } from 'node:os';
import type { TestDatabase } from '../database/database.ts';
import { NodeProcess } from '../processes/node-process.ts';

/** An API in its own process, so that a test can really kill it. */
export class ApiProcess {
  readonly origin: string;
  readonly #process: NodeProcess;

  private constructor(child: NodeProcess, origin: string) {
    this.#process = child;
    this.origin = origin;
  }

  static async start({ name, ownerAddress, serverAddress }: TestDatabase): Promise<ApiProcess> {
    const address = JSON.stringify({ name, ownerAddress, serverAddress });
    const child = new NodeProcess('tests/kit/installation/loud-api.ts', { args: [address, tmpdir()] });
    const served = () => /^serving (\S+)$/m.exec(child.output())?.[1];
    await child.untilTrue(() => served() !== undefined, 60_000);
    return new ApiProcess(child, served() as string);
  }

  kill(): Promise<void> {
    return this.#process.kill();
  }
}
