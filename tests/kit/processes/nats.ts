import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './processes.ts';

/** A server of NATS (Debian's package `nats-server`), which a test kills and starts again on the same port. */
export class NatsServer {
  readonly url: string;
  readonly #port: number;
  #child: ChildProcess | null = null;

  private constructor(port: number) {
    this.#port = port;
    this.url = `nats://127.0.0.1:${port}`;
  }

  static async open(): Promise<NatsServer> {
    const server = new NatsServer(await freePort());
    await server.start();
    return server;
  }

  async start(): Promise<void> {
    const child = spawn('nats-server', ['-a', '127.0.0.1', '-p', String(this.#port)], { stdio: 'ignore' });
    this.#child = child;
    let failure: Error | null = null;
    child.on('error', (error) => {
      failure = new Error('this needs NATS: install the package nats-server', { cause: error });
    });
    while (!(await canConnect(this.#port))) {
      if (failure) throw failure;
      if (child.exitCode !== null) throw new Error(`nats-server ended with ${child.exitCode}`);
      await sleep(5);
    }
  }

  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal);
  }

  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }
}

function canConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });
}
