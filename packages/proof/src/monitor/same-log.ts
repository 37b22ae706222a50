import { equalBytes, fromHex } from '../encoding.ts';
import { verifyConsistency } from '../merkle.ts';
import type { LogSource } from './log-source.ts';

/** A state of a log; its root in hex. */
export interface StateOfLog {
  readonly size: number;
  readonly root: string;
}

/**
 * Whether the shorter of two states of a log is the beginning of the longer one, by a proof from the server. A server that shows
 * a customer a different log than before, or than it shows others, has no such proof.
 * @throws ServerTrouble if the server did not answer usably
 */
export async function tellsSameLog(
  one: StateOfLog,
  other: StateOfLog,
  source: Pick<LogSource, 'consistency'>,
): Promise<boolean> {
  const [older, newer] = one.size <= other.size ? [one, other] : [other, one];
  const [oldRoot, newRoot] = [fromHex(older.root), fromHex(newer.root)];
  if (!oldRoot || !newRoot) return false;
  if (older.size === newer.size) return equalBytes(oldRoot, newRoot);
  const proof = older.size === 0 ? [] : await source.consistency(older.size, newer.size);
  return verifyConsistency({ oldSize: older.size, oldRoot, newSize: newer.size, newRoot, proof });
}
