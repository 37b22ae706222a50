import { existsSync, renameSync } from 'node:fs';
import { formatKeyEntry, nobleVerifier, openNote } from '@fairtick/proof';
import { type Pool, transaction } from '../../platform/db/database.ts';
import { type LogHead, readLastCheckpoint, readLogHead } from '../log/log-head.ts';
import { LogDraft } from '../writer/log-draft.ts';
import { LogWriter } from '../writer/log-writer.ts';
import { loadSigningKeys, makeKeyFile } from './signing-keys.ts';

export interface Rotation {
  /** The old keys are valid up to this size of the log. */
  readonly until: number;
  readonly kept: string;
  readonly verifierKeys: { readonly checkpoints: string; readonly acceptances: string };
}

/**
 * Hands over from the keys of a file to new ones, in one transaction: one entry per key, signed by the old key, and the first
 * checkpoint after them, signed by the new one. The new keys are in a second file until then, so that the next run completes an
 * interrupted one.
 * @param head of a log without a writer, as read when its lease was taken
 */
export async function rotateSigningKeys(pool: Pool, file: string, head: LogHead): Promise<Rotation> {
  const { origin } = head;
  const nextFile = `${file}.next`;
  const note = await readLastCheckpoint(pool);
  if (!existsSync(file)) throw new Error(`${file} is missing`);
  if (!existsSync(nextFile)) makeKeyFile(nextFile, origin);
  const next = loadSigningKeys(nextFile, origin);
  const verifier = nobleVerifier(next.verifierKeys.checkpoints);
  const isHandedOver = note !== null && verifier !== null && openNote(note, [verifier]) !== null;
  if (!isHandedOver) await handOver(pool, { head, old: loadSigningKeys(file, origin, note), next });
  const { size } = await readLogHead(pool);
  const { rows } = await pool.query<{ index: string }>('select max(entry_index) as index from log_keys');
  const until = Number(rows[0]?.index ?? size);
  const kept = `${file}.until-${until}`;
  renameSync(file, kept);
  renameSync(nextFile, file);
  return { until, kept, verifierKeys: next.verifierKeys };
}

type Keys = ReturnType<typeof loadSigningKeys>;

async function handOver(
  pool: Pool,
  { head, old, next }: { head: LogHead; old: Keys; next: Keys },
): Promise<void> {
  const writer = new LogWriter(pool, head, { epoch: head.epoch, signer: next.checkpoints });
  const draft = new LogDraft(new Map(), head.size);
  const pairs = [
    [old.acceptances, old.verifierKeys.acceptances, next.verifierKeys.acceptances],
    [old.checkpoints, old.verifierKeys.checkpoints, next.verifierKeys.checkpoints],
  ] as const;
  for (const [signer, , newKey] of pairs)
    draft.addText(head.timeMs, formatKeyEntry(head.timeMs, newKey, signer));
  await transaction(pool, async (client) => {
    await writer.append(
      draft.entries,
      { before: new Map(), after: [] },
      { timeMs: head.timeMs, offsetMs: head.offsetMs },
      client,
    );
    for (const [place, [, oldKey]] of pairs.entries())
      await client.query('insert into log_keys (entry_index, entry, old_key) values ($1, $2, $3)', [
        head.size + place,
        draft.entries[place]?.kind === 'text' ? draft.entries[place].text : '',
        oldKey,
      ]);
  });
}
