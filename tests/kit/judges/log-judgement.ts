import { createHash, createPublicKey, verify } from 'node:crypto';
import { seen } from '../waiting/until.ts';
import { isMostlyFrom, openingPrice, readBatches, readPrices, settlementPrice } from './naive-settlement.ts';

/**
 * Reads the public log over HTTP as an outsider would, by the published formats (C2SP signed notes and tiles, RFC 9162 hashing),
 * with independent code.
 */
export interface PublishedLog {
  readonly name: string;
  readonly verifierKey: string;
  readonly checkpoint: Checkpoint;
}

export interface Checkpoint {
  readonly size: number;
  /** In base64, as published. */
  readonly root: string;
}

/** The log's name, key and newest checkpoint. @throws Error when its signature is not that key's */
export async function readPublished(origin: string): Promise<PublishedLog> {
  const { data } = (await (await fetch(`${origin}/api/transparency/key`)).json()) as {
    data: { origin: string; checkpoints: string };
  };
  const note = await (await fetch(`${origin}/api/transparency/checkpoint`)).text();
  const [text = '', signatures = ''] = note.split('\n\n');
  const [name = '', size, root = ''] = text.split('\n');
  const prefix = `— ${data.origin} `;
  const line = signatures.split('\n').find((each) => each.startsWith(prefix));
  if (name !== data.origin || !line) throw new Error(`the checkpoint is not of ${data.origin}: ${note}`);
  const key = Buffer.from(data.checkpoints.split('+').slice(2).join('+'), 'base64').subarray(1);
  const publicKey = createPublicKey({
    key: Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), key]),
    format: 'der',
    type: 'spki',
  });
  const signature = Buffer.from(line.slice(prefix.length), 'base64').subarray(4);
  if (!verify(null, Buffer.from(`${text}\n`), publicKey, signature)) throw new Error('a false signature');
  return { name, verifierKey: data.checkpoints, checkpoint: { size: Number(size), root } };
}

/** The bytes of every entry of the log up to a size. */
export async function readEntries(origin: string, size: number): Promise<Buffer[]> {
  const entries: Buffer[] = [];
  for (let bundle = 0; entries.length < size; bundle += 1) {
    const width = Math.min(256, size - entries.length);
    const path = String(bundle)
      .padStart(Math.ceil(String(bundle).length / 3) * 3, '0')
      .replace(/\d{3}(?=\d)/g, 'x$&/');
    const answer = await fetch(
      `${origin}/api/transparency/tile/entries/${path}${width < 256 ? `.p/${width}` : ''}`,
    );
    if (!answer.ok) throw new Error(`bundle ${bundle} of ${width}: ${answer.status}`);
    const bytes = Buffer.from(await answer.arrayBuffer());
    for (let at = 0; at < bytes.length; ) {
      const end = at + 2 + bytes.readUInt16BE(at);
      entries.push(bytes.subarray(at + 2, end));
      at = end;
    }
  }
  return entries;
}

/** The root of a tree over these entries, in base64. */
export function rootOfEntries(entries: readonly Buffer[]): string {
  const sha256 = (...parts: Buffer[]) => createHash('sha256').update(Buffer.concat(parts)).digest();
  const root = (from: number, to: number): Buffer => {
    if (to - from === 1) return sha256(Buffer.from([0]), entries[from] as Buffer);
    const half = 2 ** (Math.ceil(Math.log2(to - from)) - 1);
    return sha256(Buffer.from([1]), root(from, from + half), root(from + half, to));
  };
  return (entries.length === 0 ? sha256() : root(0, entries.length)).toString('base64');
}

interface LoggedTick {
  readonly index: number;
  readonly timeMs: number;
  readonly isCurrent: boolean;
  /** What it is worth to an order up when it opens it, and when it settles it. */
  readonly opensUpAt: string;
  readonly settlesUpAt: string;
  isMostlyFrom(ms: number): boolean;
}

export interface LoggedTicks extends Array<LoggedTick> {
  /** Index of the first `orders` entry at or after a time. */
  ordersEntryAfter(ms: number): number;
}

/** All ticks of a product, as soon as a signed checkpoint covers one after `untilMs`. */
export async function readLog(
  origin: string,
  symbol: string,
  { untilMs }: { untilMs: number },
): Promise<LoggedTicks> {
  return seen(
    async () => {
      const ticks = await readTicks(origin, symbol);
      return (ticks.at(-1)?.timeMs ?? 0) > untilMs && ticks;
    },
    { what: 'a log that reaches that far', everyMs: 250 },
  );
}

async function readTicks(origin: string, symbol: string): Promise<LoggedTicks> {
  const { checkpoint } = await readPublished(origin);
  const texts = (await readEntries(origin, checkpoint.size)).map(String);
  const orders = readBatches(texts);
  const ticks = readPrices(texts, symbol).flatMap((logged) => {
    const { index, timeMs, price, isCurrent } = logged;
    if (price === null) return [];
    const tick = { index, timeMs, isCurrent, isMostlyFrom: (ms: number) => isMostlyFrom(logged, ms) };
    const worth = isCurrent ? [openingPrice(logged, 'up'), settlementPrice(logged, 'up')] : [price, price];
    return [{ ...tick, opensUpAt: worth[0] as string, settlesUpAt: worth[1] as string }];
  });
  const ordersEntryAfter = (ms: number) =>
    orders.find(({ timeMs }) => timeMs >= ms)?.index ?? Number.POSITIVE_INFINITY;
  return Object.assign(ticks, { ordersEntryAfter });
}
