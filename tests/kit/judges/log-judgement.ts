import { createHash, createPublicKey, verify } from 'node:crypto';
import { seen } from '../waiting/until.ts';

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

/** A fix as the log states it, with the price that its records make, computed again. */
export interface LoggedFix {
  readonly index: number;
  readonly fixMs: number;
  readonly price: string;
  readonly medianOfUsed: string;
}

/** The fixes of a product at these times, and the index of the first `orders` entry after `acceptedMs`, as soon as a signed checkpoint covers them. */
export async function readFixes(
  origin: string,
  symbol: string,
  { acceptedMs, at }: { acceptedMs: number; at: readonly number[] },
): Promise<{ ordersIndex: number; fixes: readonly LoggedFix[] }> {
  return seen(
    async () => {
      const { checkpoint } = await readPublished(origin);
      const entries = (await readEntries(origin, checkpoint.size)).map((entry) => String(entry).split('|'));
      const fixes = entries.flatMap((fields, index) =>
        fields[0] === 'fix' && fields[2] === symbol && at.includes(Number(fields[5]))
          ? [
              {
                index,
                fixMs: Number(fields[5]),
                price: fields[6] as string,
                medianOfUsed: medianOf(fields[8] as string),
              },
            ]
          : [],
      );
      const ordersIndex = entries.findIndex(
        ([kind, , timeMs]) => kind === 'orders' && Number(timeMs) >= acceptedMs,
      );
      return fixes.length === at.length && { ordersIndex, fixes };
    },
    { what: 'a log with these prices', everyMs: 250 },
  );
}

/** The median of a fix's records of use, by digits without a point; of an even number the lower middle one is rounded as the log does. */
function medianOf(records: string): string {
  const used = records
    .split(';')
    .map((part) => part.split(','))
    .filter((part) => part[4] === 'use')
    .map((part) => part[3] as string);
  const places = (used[0] ?? '').split('.')[1]?.length ?? 0;
  const units = used.map((price) => BigInt(price.replace('.', ''))).sort((a, b) => Number(a - b));
  const half = units.length >> 1;
  const middle = units.length % 2 ? units[half] : ((units[half - 1] ?? 0n) + (units[half] ?? 0n)) / 2n;
  const digits = String(middle ?? 0n).padStart(places + 1, '0');
  return places === 0 ? digits : `${digits.slice(0, -places)}.${digits.slice(-places)}`;
}
