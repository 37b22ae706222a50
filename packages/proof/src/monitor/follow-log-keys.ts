import { type Checkpoint, checkpointIn } from '../checkpoint.ts';
import { leafHash, verifyInclusion } from '../merkle.ts';
import { openNote } from '../note.ts';
import { followKey, isValidAt, type KeyInTime, type PinnedKey, rangedVerifier } from '../rotation.ts';
import { type LogSource, ServerTrouble } from './log-source.ts';
import { LogFault } from './monitor.ts';

export interface FollowedLog {
  readonly checkpoint: Required<Checkpoint>;
  readonly note: string;
  /** The pinned keys and those that followed, each with its range. */
  readonly keys: readonly KeyInTime[];
}

/**
 * The keys that a log has today, starting from pinned ones. Each hand-over must be signed by the key before it and must be at the
 * index that the server states, in the log of a checkpoint that the last of these keys signed.
 * @throws LogFault if a hand-over or the checkpoint fails a check
 * @throws ServerTrouble if the server did not answer usably, so nothing was checked
 */
export async function followLogKeys(
  source: Pick<LogSource, 'keys' | 'checkpoint' | 'inclusion'>,
  pinned: readonly PinnedKey[],
): Promise<FollowedLog> {
  const [told, note] = [await source.keys(), await source.checkpoint()];
  const checkpoint = checkpointIn(note);
  if (!checkpoint) throw new ServerTrouble('what the server shows is no checkpoint');
  const { size, root } = checkpoint;
  const names = pinned.map(({ key }) => key.slice(0, key.indexOf('+') + 1));
  const handOvers = told.rotations.filter(
    ({ index, oldKey }) => index < size && names.some((name) => oldKey.startsWith(name)),
  );
  const evidence = { now: note, rotations: handOvers };
  const keys: KeyInTime[] = [];
  for (const each of pinned) {
    const chain = followKey(each, handOvers);
    if (chain === null)
      throw new LogFault('a new key of the log was not handed over by the one before it', evidence);
    keys.push(...chain.filter(({ key }) => !keys.some((known) => known.key === key)));
  }
  const verifiers = keys.flatMap((key) => rangedVerifier(key) ?? []);
  const valid = verifiers.filter((key) => isValidAt(key, size));
  if (!openNote(note, valid)?.verified.some(({ name }) => name === checkpoint.origin))
    throw new LogFault('the checkpoint is not signed by the key of the log', evidence);
  for (const { index, entry } of handOvers) {
    const claim = { index, size, leaf: leafHash(entry), root };
    if (!verifyInclusion({ ...claim, proof: await source.inclusion(index, size) }))
      throw new LogFault(`the key that is said to stand at ${index} does not stand there`, evidence);
  }
  return { checkpoint, note, keys };
}
