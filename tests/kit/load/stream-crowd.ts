import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

/** What a process of readers does; its first argument, as JSON. */
export interface CrowdTask {
  readonly port: number;
  readonly path: string;
  readonly readers: number;
  /** Number of the first reader: it gives each its address and its topics. */
  readonly first?: number;
  /** Each reader follows the topics of one of these lists. */
  readonly topics: readonly (readonly string[])[];
  /** How many join at the same time. */
  readonly atOnce?: number;
  /** Measures how old the prices are that arrive. */
  readonly isTimed?: boolean;
}

/** What all readers of the process got since the question before. */
export interface CrowdFigures {
  readonly bytes: number;
  readonly frames: number;
  /** Readers whose connection has ended. */
  readonly ended: number;
  /** Ages of prices at their arrival, ms. */
  readonly ages: readonly number[];
}

/** The server bounds readers of one address. All addresses from 127.0.0.0 to 127.255.255.255 are this machine's. */
const OF_ONE_ADDRESS = 150;
/** Delay between readers, ms. */
const APART_MS = 2;
const QUOTE = Buffer.from('"topic":"quote:');
const TIME = Buffer.from('"time":');
const TIME_DIGITS = 13;

/** The server closes who does not answer its pings, which come every 30 s. Readers do not look for them: each tells by itself that it lives. */
const ALIVE_EVERY_MS = 20_000;
/** A busy process refuses some who come, and they come again. */
const MOST_TRIES = 20;
const AGAIN_MS = 500;
const PONG = Buffer.from([0x8a, 0x80, 0, 0, 0, 0]);

let [bytes, frames, ended] = [0, 0, 0];
let ages: number[] = [];

/**
 * Readers of a stream, in a process of their own so that their processor time is not the sender's. They count bytes and parse nothing,
 * except that timed readers look for the times of prices. Prints `ready` when all have joined. At a line `subscribe` all follow their topics;
 * it answers each line with its figures.
 */
async function run(task: CrowdTask): Promise<void> {
  const { readers, first = 0, atOnce = 1 } = task;
  let next = 0;
  const sockets: Socket[] = [];
  const joinSome = async () => {
    while (next < readers) {
      const number = first + next;
      next += 1;
      sockets.push(await join(task, number));
      await sleep(APART_MS);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, joinSome));
  console.log('ready');
  for await (const line of createInterface({ input: process.stdin })) {
    if (line === 'subscribe') await subscribeAll(sockets, task.topics);
    console.log(JSON.stringify({ bytes, frames, ended, ages } satisfies CrowdFigures));
    [bytes, frames, ages] = [0, 0, []];
  }
}

async function join(task: CrowdTask, number: number, tries = 1): Promise<Socket> {
  const place = Math.floor(number / OF_ONE_ADDRESS);
  const socket = connect({
    port: task.port,
    host: '127.0.0.1',
    localAddress: `127.1.${Math.floor(place / 250)}.${(place % 250) + 1}`,
  });
  await once(socket, 'connect');
  socket.write(
    [
      `GET ${task.path} HTTP/1.1`,
      'Host: bench.invalid',
      'Upgrade: websocket',
      'Connection: Upgrade',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      'Sec-WebSocket-Version: 13',
      '\r\n',
    ].join('\r\n'),
  );
  const [answer] = (await once(socket, 'data')) as [Buffer];
  if (!answer.toString('latin1').startsWith('HTTP/1.1 101')) {
    if (tries >= MOST_TRIES) throw new Error(answer.toString());
    socket.destroy();
    await sleep(AGAIN_MS);
    return join(task, number, tries + 1);
  }
  const alive = setInterval(() => socket.write(PONG), ALIVE_EVERY_MS);
  socket
    .on('error', () => {})
    .on('close', () => {
      clearInterval(alive);
      ended += 1;
    });
  socket.on('data', task.isTimed ? timed() : (data) => (bytes += data.length));
  return socket;
}

/** Few at a time, as people do, so that they have different numbers. */
async function subscribeAll(sockets: readonly Socket[], topics: CrowdTask['topics']): Promise<void> {
  for (const [place, socket] of sockets.entries()) {
    for (const topic of topics[place % Math.max(1, topics.length)] ?? []) subscribe(socket, topic);
    if (place % 5 === 0) await sleep(APART_MS);
  }
}

/** A client's frame must be masked; a mask of zeros leaves the text unchanged. */
function subscribe(socket: Socket, topic: string): void {
  const text = JSON.stringify({ op: 'sub', topic });
  socket.write(Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text)]));
}

/** A price is timed once: a later frame of the same one tells of something else. */
function timed(): (data: Buffer) => void {
  let lastMs = 0;
  return (data) => {
    bytes += data.length;
    for (let at = data.indexOf(QUOTE); at >= 0; at = data.indexOf(QUOTE, at + 1)) {
      frames += 1;
      const digits = data.indexOf(TIME, at) + TIME.length;
      const timeMs = Number(data.toString('latin1', digits, digits + TIME_DIGITS));
      if (!(timeMs > lastMs)) continue;
      if (lastMs > 0) ages.push(Date.now() - timeMs);
      lastMs = timeMs;
    }
  };
}

if (import.meta.main) await run(JSON.parse(process.argv[2] ?? '{}') as CrowdTask);
