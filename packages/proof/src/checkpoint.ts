import { fromBase64, hasControl, isWellFormed, parseWholeNumber, toBase64 } from './encoding.ts';
import { MAX_NOTE_BYTES, splitNoteText } from './note.ts';
import { HASH_BYTES } from './sha256.ts';
import { isTreeSize } from './tree-size.ts';

/** A log's state, the body of a C2SP tlog-checkpoint. */
export interface Checkpoint {
  readonly origin: string;
  readonly size: number;
  /** The root of the tree of that size, 32 bytes. */
  readonly root: Uint8Array;
  /** Lines after the third. None of them is empty. */
  readonly extensions?: readonly string[];
}

/** C2SP tlog-checkpoint, "Note text". @throws RangeError for what {@link parseCheckpoint} would refuse */
export function formatCheckpoint(checkpoint: Checkpoint): string {
  const { origin, size, root, extensions = [] } = checkpoint;
  if (!isTreeSize(size) || root.length !== HASH_BYTES || ![origin, ...extensions].every(isLine)) {
    throw new RangeError('malformed checkpoint');
  }
  return `${[origin, String(size), toBase64(root), ...extensions].join('\n')}\n`;
}

/** Null when it is malformed, or the size is beyond what this package handles. */
export function parseCheckpoint(text: string): Required<Checkpoint> | null {
  if (text.length > MAX_NOTE_BYTES || !text.endsWith('\n')) return null;
  const lines = text.slice(0, -1).split('\n');
  if (lines.length < 3 || !lines.every(isLine)) return null;
  const [origin = '', decimal = '', base64 = '', ...extensions] = lines;
  const size = parseWholeNumber(decimal);
  const root = fromBase64(base64);
  if (size === null || root?.length !== HASH_BYTES) return null;
  return { origin, size, root, extensions };
}

/** The checkpoint in a signed note, without checking its signatures; null when it is malformed. */
export const checkpointIn = (note: string): Required<Checkpoint> | null =>
  parseCheckpoint(splitNoteText(note) ?? '');

/** The only extension line of a log's checkpoint; those of its acceptances have none. */
export const timeExtension = (timeMs: number): string => `time ${timeMs}`;

/** The time that a checkpoint of the log states, Unix ms; null unless its only extension is a time. */
export function checkpointTime({ extensions = [] }: Pick<Checkpoint, 'extensions'>): number | null {
  const [line = '', ...others] = extensions;
  return others.length === 0 && line.startsWith('time ') ? parseWholeNumber(line.slice(5)) : null;
}

function isLine(text: string): boolean {
  return text !== '' && isWellFormed(text) && !hasControl(text);
}
