import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';

/**
 * HTTP load from a separate process, as cheap as possible: each connection is kept alive and sends its next request after its
 * answer. Each request is for another customer. Arguments: port, kind, connections, ms, token file, symbols with a comma between.
 * Prints the result as JSON. Refusals are counted that depend on the
 * moment; another one ends it.
 */
const [port, kind, connections, durationMs, tokenFile, symbols = ''] = process.argv.slice(2);
const tokens = readFileSync(tokenFile as string, 'utf8').split('\n');
const SYMBOLS = symbols.split(',');
const times: number[] = [];
let refused = 0;
let next = Math.floor(Math.random() * tokens.length);
const untilMs = performance.now() + Number(durationMs);

await Promise.all(Array.from({ length: Number(connections) }, customerLine));
times.sort((a, b) => a - b);
const at = (share: number) => times[Math.floor(times.length * share)] ?? 0;
console.log(JSON.stringify({ answers: times.length, refused, p50Ms: at(0.5), p99Ms: at(0.99) }));

function customerLine(): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const socket = connect(Number(port), '127.0.0.1');
  socket.setNoDelay(true);
  let sentMs = 0;
  let received = '';
  const send = () => {
    sentMs = performance.now();
    socket.write(requestText());
  };
  socket.on('connect', send);
  socket.on('error', reject);
  socket.on('data', (data) => {
    received += data.toString('latin1');
    const body = wholeBody(received);
    if (body === null) return;
    received = '';
    times.push(performance.now() - sentMs);
    if (!body.startsWith('{"code":1,')) {
      if (!/"(LATE|PRICE_UNAVAILABLE)"/.test(body))
        throw new Error(`a request was refused: ${body.slice(0, 200)}`);
      refused += 1;
    }
    if (performance.now() < untilMs) send();
    else end(socket, resolve);
  });
  return promise;
}

function end(socket: Socket, resolve: () => void): void {
  socket.destroy();
  resolve();
}

/** The body of a complete answer; null while it is incomplete. */
function wholeBody(text: string): string | null {
  const head = text.indexOf('\r\n\r\n');
  if (head < 0) return null;
  const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? Number.NaN);
  if (Number.isNaN(length)) throw new Error(`an answer without a length: ${text.slice(0, 200)}`);
  return text.length >= head + 4 + length ? text.slice(head + 4) : null;
}

function requestText(): string {
  next = (next + 1) % tokens.length;
  const body =
    kind === 'order'
      ? `symbol=${encodeURIComponent(SYMBOLS[next % SYMBOLS.length] as string)}&direction=${next % 8 < 4 ? 'up' : 'down'}&minutes=60&amount=10&asset=DEMO&lang=en`
      : 'lang=en';
  return [
    `POST /api/${kind === 'order' ? 'order/create' : 'user/logout'} HTTP/1.1`,
    'host: bench.invalid',
    `token: ${tokens[next]}`,
    'language: en',
    `idempotency-key: ${randomBytes(16).toString('hex')}`,
    'content-type: application/x-www-form-urlencoded',
    `content-length: ${body.length}`,
    '',
    body,
  ].join('\r\n');
}
