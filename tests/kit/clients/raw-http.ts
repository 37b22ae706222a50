import { connect } from 'node:net';
import { PATIENCE_MS } from '../waiting/until.ts';

/** Sends raw bytes and reads until the other side closes, or until `answers` answers have arrived. */
export async function rawHttp(
  port: number,
  bytes: string | Uint8Array,
  { answers = 1 }: { answers?: number } = {},
): Promise<readonly RawAnswer[]> {
  const socket = connect(port, '127.0.0.1');
  const chunks: Buffer[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  socket.setTimeout(PATIENCE_MS, () => reject(new Error('no answer in time')));
  socket.on('error', reject);
  socket.on('close', () => resolve());
  socket.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    if (readAnswers(Buffer.concat(chunks)).length >= answers) resolve();
  });
  socket.on('connect', () => socket.write(bytes));
  try {
    await promise;
  } finally {
    socket.destroy();
  }
  return readAnswers(Buffer.concat(chunks));
}

export interface RawAnswer {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/** The complete answers in a stream of bytes; each of the server's answers has a content-length. */
function readAnswers(bytes: Buffer): RawAnswer[] {
  const found: RawAnswer[] = [];
  let rest = bytes;
  for (;;) {
    const end = rest.indexOf('\r\n\r\n');
    if (end < 0) return found;
    const head = rest.subarray(0, end).toString('latin1');
    const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
    const body = rest.subarray(end + 4, end + 4 + length);
    if (body.length < length) return found;
    found.push({ status: Number(head.split(' ')[1]), head, body: body.toString('utf8') });
    rest = rest.subarray(end + 4 + length);
  }
}
