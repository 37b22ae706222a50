import { ACCEPTANCE_ORIGIN_SUFFIX, followKey, type KeyInTime, MAX_HAND_OVERS } from '@fairtick/proof';
import type { Queryable } from '../../platform/db/database.ts';

/** A hand-over from one key to the next, as the log has it. */
export interface HandOver {
  readonly index: number;
  readonly entry: string;
  /** The verifier key that handed over. */
  readonly oldKey: string;
}

/** All hand-overs, oldest first. */
export async function readHandOvers(db: Queryable): Promise<HandOver[]> {
  const { rows } = await db.query<HandOver>({
    name: 'hand-overs',
    text: 'select entry_index::float8 as index, entry, old_key as "oldKey" from log_keys order by entry_index limit 1000',
  });
  return rows;
}

/**
 * The newest of all hand-overs (oldest first) that are in the log of a checkpoint, in log order: they lead from a pinned key to
 * today's keys. Hand-overs under a former name of the log are left out.
 */
export function handOversWithin(
  all: readonly HandOver[],
  { origin, size }: { readonly origin: string; readonly size: number },
): HandOver[] {
  const names = [`${origin}+`, `${origin}${ACCEPTANCE_ORIGIN_SUFFIX}+`];
  return all
    .filter(({ index, oldKey }) => index < size && names.some((name) => oldKey.startsWith(name)))
    .slice(-MAX_HAND_OVERS);
}

/** Every key that the log has had under one name, with the log sizes for which it is valid; oldest first. */
export function keyRanges(handOvers: readonly HandOver[], current: string): KeyInTime[] {
  const name = current.slice(0, current.indexOf('+') + 1);
  const first = handOvers.find(({ oldKey }) => oldKey.startsWith(name))?.oldKey ?? current;
  const keys = followKey({ key: first, from: 0 }, handOvers);
  if (keys === null) throw new Error(`the hand-overs of ${name} do not follow one another`);
  return keys;
}
