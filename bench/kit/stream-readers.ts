import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Readers of a stream, in a separate process so that their CPU is not counted as the sender's: they subscribe to their topics and
 * discard what they get. Arguments: port, path, how many, topics. Prints `ready` when all have subscribed.
 */
const [port, path, count, ...topics] = process.argv.slice(2);
/** Delay between readers, ms, so that they come at different times, as people do, and have different numbers. */
const APART_MS = 2;

for (let reader = 0; reader < Number(count); reader += 1) {
  const socket = await join();
  for (const topic of topics) socket.write(masked(JSON.stringify({ op: 'sub', topic })));
  await sleep(APART_MS);
}
console.log('ready');

async function join(): Promise<Socket> {
  const socket = connect(Number(port), '127.0.0.1');
  await once(socket, 'connect');
  socket.write(
    [
      `GET ${path} HTTP/1.1`,
      'Host: bench.invalid',
      'Upgrade: websocket',
      'Connection: Upgrade',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      'Sec-WebSocket-Version: 13',
      '\r\n',
    ].join('\r\n'),
  );
  await once(socket, 'data');
  return socket.resume();
}

/** A client's frame must be masked; a mask of zeros leaves the text unchanged. */
function masked(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text)]);
}
