import {
  COSIGNED_WITHIN_S,
  checkpointTime,
  cosignedAt,
  formatSignature,
  type NoteSignature,
  openNote,
  parseCheckpoint,
  splitNoteText,
} from '@fairtick/proof';
import type { Witness } from '../../config/witness-setting.ts';
import type { Queryable } from '../../platform/db/database.ts';

/** Why no cosignature was taken. `NOT_TIMELY`: those that verify have a time too far from the checkpoint's own. */
export type CosignFault = 'NO_CHECKPOINT' | 'NO_COSIGNATURE' | 'NOT_TIMELY';

/** For how long cosignatures of a checkpoint are taken, ms. They may arrive later than the time that they state. */
const TAKEN_FOR_MS = 30_000;

/**
 * Stores the cosignatures that a witness sends on one of the log's checkpoints. Stores only lines that verify, because a verifier
 * that pins the witness rejects a whole note for one false line, and only those that count by their time.
 * @returns null when one was taken
 */
export async function takeCosignatures(
  db: Queryable,
  witnesses: readonly Witness[],
  sent: string,
): Promise<CosignFault | null> {
  const text = splitNoteText(sent);
  const checkpoint = text === null ? null : parseCheckpoint(text);
  if (checkpoint === null) return 'NO_CHECKPOINT';
  const { size } = checkpoint;
  const { rows } = await db.query<{ note: string }>({
    name: 'checkpoint-taken',
    text: `select note from log_checkpoints where size = $1 and time_ms > log_now() - ${TAKEN_FOR_MS}`,
    values: [size],
  });
  const note = rows[0]?.note;
  if (note === undefined || splitNoteText(note) !== text) return 'NO_CHECKPOINT';
  const opened = openNote(sent, witnesses);
  if (!opened) return 'NO_COSIGNATURE';
  const timely = opened.verified.filter((line) => isTimely(line, checkpointTime(checkpoint)));
  for (const line of timely)
    await db.query('select log_cosign($1, $2, $3)', [size, line.name, formatSignature(line)]);
  return timely.length > 0 ? null : 'NOT_TIMELY';
}

/** Whether a verifier counts the cosignature: its time is near the checkpoint's, Unix ms. */
function isTimely(line: NoteSignature, checkpointMs: number | null): boolean {
  const seconds = cosignedAt(line);
  if (seconds === null || checkpointMs === null) return false;
  return Math.abs(seconds * 1_000 - checkpointMs) <= COSIGNED_WITHIN_S * 1_000;
}

/** The newest checkpoint, for witnesses to cosign; null if a cosignature with the time of now would not count. */
export async function checkpointToCosign(db: Queryable): Promise<string | null> {
  const { rows } = await db.query<{ note: string }>({
    name: 'checkpoint-to-cosign',
    text: `select note from (select note, time_ms from log_checkpoints order by size desc limit 1) newest
      where time_ms > log_now() - ${COSIGNED_WITHIN_S * 1_000}`,
  });
  return rows[0]?.note ?? null;
}

/**
 * The checkpoint that most witnesses have cosigned (the newest of several), with their lines.
 * @param within inclusive bounds of its size
 */
export async function readWitnessed(
  db: Queryable,
  { least, most }: { least: number; most: number } = { least: 0, most: Number.MAX_SAFE_INTEGER },
): Promise<string | null> {
  const { rows } = await db.query<{ note: string }>({
    name: 'checkpoint-witnessed',
    text: `select c.note || string_agg(s.line, '' order by s.witness) as note
      from log_cosignatures s join log_checkpoints c on c.size = s.size where s.size between $1 and $2
      group by c.size, c.note order by count(*) desc, c.size desc limit 1`,
    values: [least, most],
  });
  return rows[0]?.note ?? null;
}

/**
 * The first checkpoint that covers an entry, with its cosignatures; null before there is one. It is kept for entries that carry
 * batches, so that evidence and receipts start from the same log.
 */
export async function readFirstCheckpoint(db: Queryable, index: number): Promise<string | null> {
  const { rows } = await db.query<{ note: string }>({
    name: 'checkpoint-first',
    text: 'select note || cosigned as note from log_checkpoints where size > $1 order by size limit 1',
    values: [index],
  });
  return rows[0]?.note ?? null;
}

/** Each accepted witness, with its last cosignature. */
export async function readWitnessStates(
  db: Queryable,
  witnesses: readonly Witness[],
): Promise<{ name: string; key: string; size: number | null; at: number | null }[]> {
  const { rows } = await db.query<{ witness: string; size: string; at: number }>({
    name: 'witness-states',
    text: `select distinct on (witness) witness, size, floor(extract(epoch from received_at) * 1000)::float8 as at
      from log_cosignatures where witness = any ($1) order by witness, size desc`,
    values: [witnesses.map(({ name }) => name)],
  });
  return witnesses.map(({ name, key }) => {
    const last = rows.find(({ witness }) => witness === name);
    return { name, key, size: last ? Number(last.size) : null, at: last?.at ?? null };
  });
}
