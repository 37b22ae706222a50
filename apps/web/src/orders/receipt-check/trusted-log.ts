import {
  checkpointIn,
  followKey,
  httpSource,
  type KeyInTime,
  type LoggedRoot,
  type PlacedKey,
  type RangedVerifier,
  rangedVerifier,
  ServerTrouble,
  type StateOfLog,
  tellsSameLog,
  toHex,
} from '@fairtick/proof';
import { get } from '../../api/client.ts';
import { type KeptLog, keepLog, keptLog } from './kept.ts';

/** The log as this device trusts it: the keys seen first, and those that the log handed over to from them. */
export interface TrustedLog {
  readonly kept: KeptLog;
  /** Whether this is the first look, so that the keys are trusted as given. */
  readonly isFirst: boolean;
  readonly log: readonly RangedVerifier[];
  readonly acceptances: readonly RangedVerifier[];
}

/** @throws RefusedError, NetworkError */
export async function trustedLog(): Promise<TrustedLog> {
  const told = await get('transparency/key', {}, { isSilent: true });
  const before = await keptLog(told.origin);
  const kept: KeptLog = before ?? {
    origin: told.origin,
    checkpointKey: told.ranges.checkpoints[0]?.key ?? told.checkpoints,
    acceptanceKey: told.ranges.acceptances[0]?.key ?? told.acceptances,
    checkpoint: null,
  };
  const verifiers = (keys: readonly KeyInTime[]) => keys.flatMap((key) => rangedVerifier(key) ?? []);
  const { log, acceptances } = rangesOf(kept);
  return { kept, isFirst: !before, log: verifiers(log), acceptances: verifiers(acceptances) };
}

function rangesOf({ keys, checkpointKey, acceptanceKey }: KeptLog): NonNullable<KeptLog['keys']> {
  const first = (key: string): KeyInTime[] => [{ key, from: 0, until: null }];
  return keys ?? { log: first(checkpointKey), acceptances: first(acceptanceKey) };
}

/**
 * Keeps a proved state of the log, signed by a trusted key, and the hand-overs of keys that the log contains.
 * @param checkpoint the state that was proved with these keys
 */
export async function keepProved(
  { kept }: TrustedLog,
  checkpoint: StateOfLog,
  handOvers: readonly PlacedKey[],
): Promise<void> {
  const follow = (keys: readonly KeyInTime[]): KeyInTime[] => {
    const current = keys.at(-1);
    const next = current && followKey(current, handOvers);
    return next ? [...keys.slice(0, -1), ...next] : [...keys];
  };
  const { log, acceptances } = rangesOf(kept);
  const isNewer = (kept.checkpoint?.size ?? 0) < checkpoint.size;
  await keepLog({
    ...kept,
    checkpoint: isNewer ? checkpoint : kept.checkpoint,
    keys: { log: follow(log), acceptances: follow(acceptances) },
  });
}

/** Whether this log is the one that this device last checked; null if that could not be determined. */
export async function isSameLog({ kept }: TrustedLog, checkpoint: StateOfLog): Promise<boolean | null> {
  if (kept.checkpoint === null) return true;
  try {
    return await tellsSameLog(kept.checkpoint, checkpoint, httpSource(location.origin));
  } catch (error) {
    if (error instanceof ServerTrouble) return null;
    throw error;
  }
}

/** Whether an entry was proved in a different log than this device has checked; if not, keeps the new state. */
export async function isFromFork(
  trusted: TrustedLog,
  logged: LoggedRoot | null | undefined,
): Promise<boolean> {
  const checkpoint = checkpointIn(logged?.checkpoint ?? '');
  if (!checkpoint) return false;
  const state = { size: checkpoint.size, root: toHex(checkpoint.root) };
  const isSame = await isSameLog(trusted, state);
  if (isSame) await keepProved(trusted, state, logged?.keys ?? []);
  return isSame === false;
}
