import {
  type Checkpoint,
  checkpointTime,
  followLogKeys,
  fromHex,
  httpSource,
  LogFault,
  nobleVerifier,
  openNote,
  type PinnedKey,
  parseCheckpoint,
  toHex,
  verifyConsistency,
} from '@fairtick/proof';
import { abortAfter } from '@fairtick/ui/time-limit';
import { get } from '../../api/client.ts';
import { serverClock } from '../../api/server-clock.ts';
import { serverNow } from '../../live/clock.ts';
import { type ClockWord, clockWord } from './clock-model.ts';

export interface LogCheck {
  readonly size: number;
  /** False: a signature that is not the log's, or a history that was changed. */
  readonly isRight: boolean;
  /** How the log's clock stands to this device's, if that is worth a word. */
  readonly clock: ClockWord | null;
}

const EVERY_MS = 10_000;

interface Seen {
  readonly size: number;
  readonly root: Uint8Array;
}

let keys: readonly PinnedKey[] | null = null;
let seen: Seen | null = null;
let last: LogCheck | null = null;
const listeners = new Set<(check: LogCheck) => void>();
let timer: ReturnType<typeof setInterval> | null = null;

/** Checks the log periodically while there are listeners. Returns how to stop. */
export function followLog(listener: (check: LogCheck) => void): () => void {
  listeners.add(listener);
  if (last) listener(last);
  else void check();
  timer ??= setInterval(() => void check(), EVERY_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0 || timer === null) return;
    clearInterval(timer);
    timer = null;
  };
}

async function check(): Promise<void> {
  try {
    last = await look();
  } catch {
    // No answer neither proves nor disproves anything: the last result stays.
    return;
  }
  for (const listener of listeners) listener(last);
}

/** Verifies the newest checkpoint's signature, and that the log extends the state seen before. */
async function look(): Promise<LogCheck> {
  keys ??= [{ key: (await get('transparency/key', {}, { isSilent: true })).checkpoints }];
  const answer = await fetch('/api/transparency/checkpoint', { signal: abortAfter(5_000) });
  const checkpoint = signedBy(keys, await answer.text()) ?? (await handedOver(keys));
  if (!checkpoint) return { size: seen?.size ?? 0, isRight: false, clock: null };
  const isRight = seen === null || (await extendsSeen(seen, checkpoint));
  if (isRight) seen = { size: checkpoint.size, root: checkpoint.root };
  const clock = clockWord({
    signedMs: checkpointTime(checkpoint),
    serverMs: serverNow(),
    errorMs: serverClock.errorMs,
    deviceMs: Date.now(),
  });
  return { size: checkpoint.size, isRight, clock };
}

function signedBy(known: readonly PinnedKey[], text: string): Checkpoint | null {
  const verifiers = known.flatMap(({ key }) => nobleVerifier(key) ?? []);
  const note = openNote(text, verifiers);
  return note && parseCheckpoint(note.text);
}

/** For a checkpoint signed by an unknown key: valid only if the log shows that a known key handed over to it. Null if not. */
async function handedOver(known: readonly PinnedKey[]): Promise<Checkpoint | null> {
  try {
    const followed = await followLogKeys(httpSource(location.origin), known);
    keys = followed.keys.filter(({ until }) => until === null);
    return followed.checkpoint;
  } catch (error) {
    if (error instanceof LogFault) return null;
    throw error;
  }
}

async function extendsSeen(before: Seen, now: Seen): Promise<boolean> {
  if (now.size === before.size) return toHex(now.root) === toHex(before.root);
  // A checkpoint may be a second old, so one with a smaller size is no fork.
  if (now.size < before.size) return true;
  const answer = await get(
    'transparency/proof',
    { fromSize: before.size, size: now.size },
    { isSilent: true },
  );
  const proof = answer.consistency.map((hash) => fromHex(hash));
  if (proof.includes(null)) return false;
  return verifyConsistency({
    oldSize: before.size,
    oldRoot: before.root,
    newSize: now.size,
    newRoot: now.root,
    proof: proof as Uint8Array[],
  });
}
