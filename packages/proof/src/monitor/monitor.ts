/**
 * Follows a log: every checkpoint must be signed by the log's key and extend everything seen before, and every entry must be one
 * that the log's rules allow. The monitor keeps only its state, so a caller can store it and resume later.
 */
import { checkpointIn, checkpointTime } from '../checkpoint.ts';
import { equalBytes, fromBase64, fromHex, toBase64, toHex } from '../encoding.ts';
import { Frontier } from '../frontier.ts';
import { leafHash, verifyConsistency } from '../merkle.ts';
import { nobleVerifier, openNote } from '../note.ts';
import type { TimedCheckpoint } from '../receipt/log-steps.ts';
import { TILE_WIDTH } from '../tile.ts';
import { beginJudging, EntryJudge, type JudgeListeners, type JudgeState } from './entry-judge.ts';
import { frontierFromTiles } from './frontier-from-tiles.ts';
import { type LogSource, ServerTrouble } from './log-source.ts';
import type { SampleState } from './source-sample.ts';

/** The log contradicts its rules, its signatures, or what the server said of it before. */
export class LogFault extends Error {
  /** The documents that show the fault to others. */
  readonly evidence: object;

  constructor(message: string, evidence: object) {
    super(message);
    this.evidence = evidence;
  }
}

/** The server denied, twice in a row, a proof that two logs that it signed are one: no fault that others could check, and no answer. */
export class ProofDenied extends LogFault {}

/** Of the state alone: a change of the log's or the receipts' format has a version of its own. */
export const MONITOR_STATE_VERSION = 4;

/** The full state of a monitor; plain JSON. */
export interface MonitorState {
  readonly version: typeof MONITOR_STATE_VERSION;
  readonly origin: string;
  /** The newest signed checkpoint whose entries were all read. */
  note: string | null;
  size: number;
  root: string;
  /** The right edge of the tree, base64. */
  frontier: string;
  judge: JudgeState;
  /** The time of `note`, Unix ms. */
  noteMs: number;
  /** Checkpoints in a row that were shorter than what had been signed before. */
  shorter: number;
  /** A shorter checkpoint whose proof the server denied; the next look asks for it again. */
  denied: string | null;
  /** What the exchanges said of a sample of the fixes; absent where they were never asked. */
  sources?: SampleState;
}

/** A newest checkpoint further than this from the monitor's clock is reported: the log stands still, or a clock is wrong. */
export const MOST_DRIFT_MS = 2_000;
/** Number of entries read ahead before they are checked against a signature. */
const CHUNK = 64 * TILE_WIDTH;
/** A server of several processes may show a checkpoint that is some seconds old; after this many in a row the log was cut off. */
const MOST_SHORTER = 6;

/** Begins at the log's first entry, or at its present end, where it accepts everything before unchecked. */
export async function beginMonitor(
  source: LogSource,
  options: { origin: string; keys: readonly string[]; isFromNow: boolean },
): Promise<MonitorState> {
  const { origin, keys, isFromNow } = options;
  const begin = (from: number, frontier: Frontier, note: string | null): MonitorState => ({
    version: MONITOR_STATE_VERSION,
    origin,
    note,
    size: from,
    root: toHex(frontier.root()),
    frontier: toBase64(frontier.toBytes()),
    judge: beginJudging(from, keys),
    noteMs: 0,
    shorter: 0,
    denied: null,
  });
  if (!isFromNow) return begin(0, new Frontier(), null);
  const note = await source.checkpoint();
  const checkpoint = openCheckpoint(note, { origin, keys });
  const frontier = await frontierFromTiles(checkpoint, (tile) => source.tile(tile));
  if (!frontier)
    throw new LogFault('the tiles of the log have not the root that it signed', { checkpoint: note });
  return begin(checkpoint.size, frontier, note);
}

/**
 * Takes one checkpoint and reads all entries up to it. The state advances as far as reading got, even if this throws.
 * @param options.keep called from time to time with a state that is fully checked against a signature
 * @throws LogFault if the log is faulty
 * @throws ServerTrouble if the server did not answer usably, so nothing was checked
 */
export async function lookOnce(
  source: LogSource,
  state: MonitorState,
  options: {
    note?: string;
    keep?: (state: MonitorState) => void;
  } & JudgeListeners = {},
): Promise<TimedCheckpoint> {
  const note = options.note ?? (await source.checkpoint());
  const checkpoint = parseOwn(note, state.origin);
  const evidence = { before: state.note, now: note };
  const isSigned = () => isSignedBy(note, Object.values(state.judge.keys));
  const look = { checkpoint, evidence };
  if (state.denied !== null) await proveShorter(source, state, state.denied);
  if (checkpoint.size < state.size) {
    if (!isSigned()) throw notSigned(evidence);
    await checkShorter(source, state, { note, size: checkpoint.size });
    return checkpoint;
  }
  state.shorter = 0;
  const wasSigned = isSigned();
  const isLonger = checkpoint.size > state.size;
  try {
    checkSameSize(state, look);
    await readEntries(source, state, { ...look, keep: options.keep, listeners: options });
  } catch (error) {
    // A fault under an unsigned checkpoint proves only that it is unsigned. The signature is tested again after reading, because
    // the entry of a new key may be among the unread ones.
    throw error instanceof LogFault && !wasSigned ? notSigned(evidence) : error;
  }
  if (!isSigned()) throw notSigned(evidence);
  if (isLonger) checkTime(state, checkpoint.timeMs, evidence);
  state.note = note;
  state.noteMs = Math.max(state.noteMs, checkpoint.timeMs);
  options.keep?.(state);
  return checkpoint;
}

/** Checks that the checkpoint's time is neither before its newest entry's nor before that of an older checkpoint. */
function checkTime(state: MonitorState, timeMs: number, evidence: object): void {
  if (timeMs < state.judge.timeMs)
    throw new LogFault('the checkpoint says an earlier time than its newest entry', evidence);
  if (timeMs < state.noteMs)
    throw new LogFault('the checkpoint says an earlier time than one with fewer entries', evidence);
}

interface Look {
  readonly checkpoint: TimedCheckpoint;
  readonly evidence: object;
}

/** Two checkpoints of one size have one root. A longer log is read, so that its root follows from the entries alone. */
function checkSameSize(state: MonitorState, { checkpoint: { size, root }, evidence }: Look): void {
  if (size === state.size && !equalBytes(root, fromHex(state.root) as Uint8Array))
    throw fork(`two logs of ${size} entries were signed`, evidence);
}

async function checkShorter(
  source: LogSource,
  state: MonitorState,
  { note, size }: { note: string; size: number },
): Promise<void> {
  state.shorter += 1;
  if (size > 0) await proveShorter(source, state, note);
  if (state.shorter >= MOST_SHORTER)
    throw new LogFault(`the log was cut off: ${size} entries where ${state.size} had been signed`, {
      before: state.note,
      now: note,
    });
}

/**
 * Checks by the server's proof that a shorter log is the beginning of what was read. A server that lost part of its log can't prove it,
 * which alone is no fault, so it is asked once more the next time.
 */
async function proveShorter(source: LogSource, state: MonitorState, note: string): Promise<void> {
  const evidence = { before: state.note, now: note };
  const { size, root } = parseOwn(note, state.origin);
  const proof = await proofOf(source, size, state.size);
  if (proof === null) {
    if (state.denied !== null)
      throw new ProofDenied(
        `the server signed a log of ${state.size} entries, then one of ${size}, and denies the proof that one is the beginning of the other`,
        evidence,
      );
    state.denied = note;
    return;
  }
  const claim = {
    oldSize: size,
    oldRoot: root,
    newSize: state.size,
    newRoot: fromHex(state.root) as Uint8Array,
  };
  if (!verifyConsistency({ ...claim, proof }))
    throw fork(`the log of ${size} entries is not the beginning of the one of ${state.size}`, evidence);
  state.denied = null;
}

async function proofOf(source: LogSource, from: number, size: number): Promise<Uint8Array[] | null> {
  try {
    return await source.consistency(from, size);
  } catch (error) {
    if (error instanceof ServerTrouble) return null;
    throw error;
  }
}

const fork = (what: string, evidence: object): LogFault =>
  new LogFault(`${what}: the log was changed, or you are shown another one than others are`, evidence);

/** Reads the new entries, checks them against the signed root, and judges each. */
async function readEntries(
  source: LogSource,
  state: MonitorState,
  {
    checkpoint,
    evidence,
    keep,
    listeners,
  }: Look & { keep: ((state: MonitorState) => void) | undefined; listeners: JudgeListeners },
): Promise<void> {
  const target = checkpoint.size;
  const known = new Map<number, string>();
  while (state.size < target) {
    const until = endOf(state.size, target);
    const frontier = Frontier.fromBytes(fromBase64(state.frontier) ?? new Uint8Array(0));
    if (frontier?.size !== state.size || toHex(frontier.root()) !== state.root)
      throw new Error('the state of the monitor is broken');
    const texts = await readTexts(source, state.size, until, target);
    frontier.appendMany(texts.map((text) => leafHash(text)));
    await checkRead(source, frontier, { before: state, known }, { checkpoint, evidence });
    // Only entries under a signature are judged: unsigned bytes are no fault of the log.
    const judge = new EntryJudge(state.judge, listeners);
    for (const [at, text] of texts.entries()) {
      const wrong = judge.take(text);
      const index = state.size + at;
      if (wrong !== null)
        throw new LogFault(`entry ${index} of the log: ${wrong}`, { ...evidence, index, entry: text });
    }
    state.size = until;
    state.root = toHex(frontier.root());
    state.frontier = toBase64(frontier.toBytes());
    keep?.(state);
  }
}

/** Where a chunk that begins at an entry ends. */
const endOf = (from: number, target: number): number =>
  Math.min(target, (Math.floor(from / TILE_WIDTH) + 1) * TILE_WIDTH + CHUNK);

async function readTexts(source: LogSource, from: number, until: number, size: number): Promise<string[]> {
  const texts: string[] = [];
  for (let number = Math.floor(from / TILE_WIDTH); number * TILE_WIDTH < until; number += 1) {
    const start = number * TILE_WIDTH;
    const bundle = await source.bundle(number, Math.min(TILE_WIDTH, size - start));
    texts.push(...bundle.slice(Math.max(0, from - start), until - start));
  }
  return texts;
}

/**
 * Checks that the entries read are the signed ones. A part of them is checked by the server's consistency proof; without one, by reading on
 * to the end once.
 * @param known roots, in hex, at the ends of the chunks read so; by size
 */
async function checkRead(
  source: LogSource,
  frontier: Frontier,
  { before, known }: { before: MonitorState; known: Map<number, string> },
  { checkpoint: { size, root }, evidence }: Look,
): Promise<void> {
  const read = { size: frontier.size, root: frontier.root() };
  if (known.get(read.size) === toHex(read.root)) return;
  const proof = read.size < size ? await proofOf(source, read.size, size) : null;
  const claim = { oldSize: read.size, oldRoot: read.root, newSize: size, newRoot: root };
  if (proof !== null && verifyConsistency({ ...claim, proof })) return;
  const whole = frontier.clone();
  const found: [number, string][] = [];
  while (whole.size < size) {
    const texts = await readTexts(source, whole.size, endOf(whole.size, size), size);
    whole.appendMany(texts.map((text) => leafHash(text)));
    found.push([whole.size, toHex(whole.root())]);
  }
  if (equalBytes(whole.root(), root)) {
    for (const [end, its] of found) known.set(end, its);
    return;
  }
  const older = {
    oldSize: before.size,
    oldRoot: fromHex(before.root) as Uint8Array,
    newSize: size,
    newRoot: root,
  };
  const grown = before.size === 0 ? [] : await proofOf(source, before.size, size);
  if (grown === null || !verifyConsistency({ ...older, proof: grown }))
    throw fork(`the log of ${before.size} entries is not the beginning of the one of ${size}`, {
      ...evidence,
      proof: grown?.map(toHex) ?? null,
    });
  throw new LogFault(
    `the entries up to ${size} are not those that were signed: the server shows other ones than it signed`,
    { ...evidence, read: { size: whole.size, root: toHex(whole.root()) } },
  );
}

/** Reads a checkpoint of this log from its text, without checking its signature. */
function parseOwn(note: string, origin: string): TimedCheckpoint {
  const checkpoint = checkpointIn(note);
  if (!checkpoint) throw new ServerTrouble('what the server shows is no checkpoint');
  if (checkpoint.origin !== origin)
    throw new LogFault(`the log is called ${checkpoint.origin} now, and was ${origin}`, { now: note });
  const timeMs = checkpointTime(checkpoint);
  if (timeMs === null)
    throw new LogFault('the checkpoint does not say its time, or says more', { now: note });
  return { ...checkpoint, timeMs };
}

function isSignedBy(note: string, keys: readonly string[]): boolean {
  const verifiers = keys.flatMap((key) => nobleVerifier(key) ?? []);
  const origin = note.slice(0, note.indexOf('\n'));
  return openNote(note, verifiers)?.verified.some(({ name }) => name === origin) ?? false;
}

const notSigned = (evidence: object): LogFault =>
  new LogFault('the checkpoint is not signed by the key of the log', evidence);

function openCheckpoint(
  note: string,
  { origin, keys }: { origin: string; keys: readonly string[] },
): TimedCheckpoint {
  const checkpoint = parseOwn(note, origin);
  if (!isSignedBy(note, keys)) throw notSigned({ now: note });
  return checkpoint;
}
