import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';

/** A TCP proxy whose answers come late by a time, as from a machine farther away. It has a process of its own, so that no test delays it. */
export class SlowLine {
  readonly port: number;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.port = port;
  }

  static async open(target: number, delayMs: number): Promise<SlowLine> {
    const child = spawn(process.execPath, [fileURLToPath(import.meta.url), String(target), String(delayMs)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [port] = (await once(child.stdout, 'data')) as [Buffer];
    return new SlowLine(child, Number(port));
  }

  close(): void {
    this.#child.kill('SIGKILL');
  }
}

function pass(from: Socket, to: Socket, delayMs: number): void {
  from.setNoDelay(true);
  from.on('data', (data: Buffer) => {
    if (delayMs === 0) to.write(data);
    else setTimeout(() => to.write(data), delayMs);
  });
  from.on('error', () => to.destroy()).on('close', () => to.destroy());
}

if (import.meta.main) {
  const [target, delayMs] = process.argv.slice(2).map(Number);
  const server = createServer((near) => {
    const far = connect(target as number, '127.0.0.1');
    pass(near, far, 0);
    pass(far, near, delayMs as number);
  });
  server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
}
