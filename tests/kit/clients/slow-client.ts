import { connect, type Socket } from 'node:net';

/** A connection that sends only the given bytes, at the test's pace; records what came back and whether it was closed. */
export class SlowClient {
  readonly #socket: Socket;
  #received = '';
  #isClosed = false;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => {
      this.#received += chunk.toString('latin1');
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      this.#isClosed = true;
    });
  }

  /** @param from one of this machine's loopback addresses, 127.0.0.0/8 */
  static async open(
    port: number,
    { bytes = '', from = '127.0.0.1' }: { bytes?: string; from?: string } = {},
  ): Promise<SlowClient> {
    const socket = connect({ port, host: '127.0.0.1', localAddress: from });
    const client = new SlowClient(socket);
    await new Promise((resolve) => {
      socket.once('connect', resolve);
      socket.once('close', resolve);
    });
    client.send(bytes);
    return client;
  }

  send(bytes: string | Uint8Array): void {
    if (bytes.length > 0 && this.#socket.writable) this.#socket.write(bytes);
  }

  /** Everything received so far. */
  get received(): string {
    return this.#received;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** The status of the first answer, or null while there is none. */
  get status(): number | null {
    const [, status] = /^HTTP\/1\.1 (\d{3})/.exec(this.#received) ?? [];
    return status === undefined ? null : Number(status);
  }

  close(): void {
    this.#socket.destroy();
  }
}

/** A request with its content-length and only the first bytes of its body. */
export function begunPost(
  path: string,
  { length = 100, body = 'a', headers = '' }: { length?: number; body?: string; headers?: string } = {},
): string {
  return `POST ${path} HTTP/1.1\r\nhost: x\r\nlanguage: en\r\ncontent-type: application/x-www-form-urlencoded\r\ncontent-length: ${length}\r\n${headers}\r\n${body}`;
}
