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
/** Delay between readers, ms, so that they come at different times, as people do, and have different numbers. */
const APART_MS = 2;
const QUOTE = Buffer.from('"topic":"quote:');
const TIME = Buffer.from('"time":');
const TIME_DIGITS = 13;

let [bytes, frames, ended] = [0, 0, 0];
let ages: number[] = [];

/**
 * Readers of a stream, in a process of their own so that their processor time is not the sender's. They count bytes and parse nothing,
 * except that timed readers look for the times of prices. Prints `ready` when all have subscribed, and figures for each line that it reads.
 */
async function run(task: CrowdTask): Promise<void> {
  const { readers, first = 0, atOnce = 1 } = task;
  let next = 0;
  const joinSome = async () => {
    while (next < readers) {
      const number = first + next;
      next += 1;
      await join(task, number);
      await sleep(APART_MS);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, joinSome));
  console.log('ready');
  for await (const _ of createInterface({ input: process.stdin })) {
    console.log(JSON.stringify({ bytes, frames, ended, ages } satisfies CrowdFigures));
    [bytes, frames, ages] = [0, 0, []];
  }
}

async function join(task: CrowdTask, number: number): Promise<void> {
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
  if (!answer.toString('latin1').startsWith('HTTP/1.1 101')) throw new Error(answer.toString());
  socket.on('error', () => {}).on('close', () => (ended += 1));
  socket.on('data', task.isTimed ? timed() : (data) => (bytes += data.length));
  for (const topic of task.topics[number % Math.max(1, task.topics.length)] ?? []) subscribe(socket, topic);
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
