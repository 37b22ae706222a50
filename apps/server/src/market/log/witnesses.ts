import { formatSignature, openNote, parseCheckpoint, splitNoteText } from '@fairtick/proof';
import type { Witness } from '../../config/witness-setting.ts';
import type { Queryable } from '../../platform/db/database.ts';

/**
 * Stores the cosignatures that a witness sends on one of the log's checkpoints. Stores only lines that verify, because a verifier
 * that pins the witness rejects a whole note for one false line.
 * @returns whether the text was a checkpoint of this log with a valid cosignature
 */
export async function takeCosignatures(
  db: Queryable,
  witnesses: readonly Witness[],
  sent: string,
): Promise<boolean> {
  const text = splitNoteText(sent);
  const size = text === null ? null : (parseCheckpoint(text)?.size ?? null);
  if (size === null) return false;
  const { rows } = await db.query<{ note: string }>('select note from log_checkpoints where size = $1', [
    size,
  ]);
  const note = rows[0]?.note;
  if (note === undefined || splitNoteText(note) !== text) return false;
  const opened = openNote(sent, witnesses);
  if (!opened) return false;
  for (const line of opened.verified)
    await db.query('select log_cosign($1, $2, $3)', [size, line.name, formatSignature(line)]);
  return true;
}

/** How long the server offers the same checkpoint, so that witnesses that look at different moments cosign the same one. */
const SAME_FOR_MS = 10_000;

/** The checkpoint that witnesses are to cosign now, null before the first. */
export async function checkpointToCosign(db: Queryable): Promise<string | null> {
  const { rows } = await db.query<{ note: string }>({
    name: 'checkpoint-to-cosign',
    text: `select note from log_checkpoints where time_ms <= log_now() / ${SAME_FOR_MS} * ${SAME_FOR_MS}
      order by time_ms desc, size desc limit 1`,
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
