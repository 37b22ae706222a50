import { checkpointIn, inclusionProofFrom, toHex } from '@fairtick/proof';
import type { LoggedEntry } from '@fairtick/protocol';
import type { Queryable } from '../../platform/db/database.ts';
import { handOversWithin, readHandOvers } from '../keys/hand-overs.ts';
import { readLastCheckpoint } from './log-head.ts';
import type { LogReader } from './log-reader.ts';

/** An entry with its proof in the log of the newest checkpoint; null while no checkpoint covers it. */
export async function readLoggedEntry(
  { db, reader }: { db: Queryable; reader: LogReader },
  index: number,
): Promise<LoggedEntry | null> {
  const checkpoint = await readLastCheckpoint(db);
  const log = checkpoint === null ? null : checkpointIn(checkpoint);
  if (checkpoint === null || log === null || log.size <= index) return null;
  const { size } = log;
  const prove = async (place: number) => (await inclusionProofFrom(reader, place, size)).map(toHex);
  const handOvers = handOversWithin(await readHandOvers(db), log);
  const keys = await Promise.all(
    handOvers.map(async (each) => ({ index: each.index, entry: each.entry, proof: await prove(each.index) })),
  );
  return { index, entry: await reader.text(index), proof: await prove(index), checkpoint, keys };
}
