import {
  checkpointIn,
  consistencyProofFrom,
  fromHex,
  inclusionProofFrom,
  leafHash,
  MerkleTree,
  toHex,
} from '@fairtick/proof';
import type { Data } from '@fairtick/protocol';
import { type HandOver, handOversWithin } from '../../market/keys/hand-overs.ts';
import type { LogReader } from '../../market/log/log-reader.ts';
import type { Queryable } from '../../platform/db/database.ts';
import type { EntryPlace } from './receipt-entries.ts';

export const hexes = (hashes: readonly Uint8Array[]): string[] => hashes.map(toHex);

/** The size of the log that a checkpoint states. */
export const sizeOf = (note: string): number => checkpointIn(note)?.size ?? 0;

/** The proof of a batch's root under the root of its `orders` entry. */
export async function proveBatch(
  db: Queryable,
  number: number,
  entryIndex: number,
): Promise<{ proof: string[] }> {
  const { rows } = await db.query<{ number: string; root: Buffer }>({
    name: 'batch-roots',
    text: `select b.number, b.root from logged_batches l
      join order_batches b on b.number between l.first_batch and l.last_batch
      where l.first_batch = (select max(first_batch) from logged_batches where first_batch <= $1) and l.entry_index = $2
      order by b.number`,
    values: [number, entryIndex],
  });
  const tree = new MerkleTree(rows.map(({ root }) => leafHash(root)));
  const place = rows.findIndex((row) => Number(row.number) === number);
  return { proof: hexes(tree.inclusionProof(place)) };
}

/** The hand-overs from a key that the customer has kept to the keys that sign today. */
export function keysWithin(handOvers: readonly HandOver[], checkpoint: string): EntryPlace[] {
  const log = checkpointIn(checkpoint);
  const within = log === null ? [] : handOversWithin(handOvers, log);
  return within.map(({ index, entry: text }) => ({ index, text }));
}

/** The proof that the log of `from` is the beginning of that of `size`. */
export async function proveGrowth(
  reader: LogReader,
  from: { readonly size: number; readonly root: string },
  size: number,
): Promise<Data<'orderReceipt'>['consistency']> {
  if (fromHex(from.root) === null) throw new Error('a root that is no hash');
  const proof = await consistencyProofFrom(reader, from.size, size);
  return { fromSize: from.size, fromRoot: from.root, proof: hexes(proof) };
}

/** An entry with the proof that it is in the log of `size`. */
export async function proveEntry(
  reader: LogReader,
  { index, text }: EntryPlace,
  size: number,
): Promise<{ index: number; entry: string; proof: string[] }> {
  const proof = await inclusionProofFrom(reader, index, size);
  return { index, entry: text, proof: hexes(proof) };
}
