import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import type pg from 'pg';
import { type ListEntry, listEntries } from '../customers/screening/list-files.ts';
import { withClient } from '../platform/db/with-client.ts';
import type { Command } from './command.ts';
import { withInstallation } from './installation.ts';

const MOST_BYTES = 200_000_000;

export const SCREENING_LOAD: Command = {
  name: 'screening-load',
  needs: ['FILE'],
  options: { list: { type: 'string' } },
  usage: '[--list NAME]',
  does: 'Loads a public sanctions list with which customers are compared',
  help: `FILE is OFAC's SDN list (XML or CSV), or a CSV with the columns kind (name or address), reference, text. It takes the place of
the list of that NAME (sdn). Running servers compare all customers anew, which holds payouts for minutes.`,
  failure: 'The list stays as it was',
  run: async ({ positionals: [file = ''], values }) => {
    if (statSync(file).size > MOST_BYTES) throw new Error('the file is too large');
    const bytes = readFileSync(file);
    const entries = listEntries(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    const list = String(values.list ?? 'sdn');
    await withInstallation(({ database }) =>
      withClient(database.admin, 'screening-load', (db) =>
        loadList(db, { list, hash: createHash('sha256').update(bytes).digest(), entries }),
      ),
    );
    console.log(`list ${list} has ${entries.length} names and addresses`);
    return 0;
  },
};

/** @param db a connection of the owner's */
export async function loadList(
  db: Pick<pg.ClientBase, 'query'>,
  { list, hash, entries }: { list: string; hash: Buffer; entries: readonly ListEntry[] },
): Promise<void> {
  await db.query('begin');
  try {
    await db.query('delete from screening_entries where list = $1', [list]);
    await db.query(
      `insert into screening_lists (name, file_hash) values ($1, $2) on conflict (name)
       do update set version = default, file_hash = excluded.file_hash, loaded_at = clock_timestamp()`,
      [list, hash],
    );
    await db.query(
      `insert into screening_entries (list, kind, reference, text)
       select $1, e.kind, e.reference, e.text from unnest($2::text[], $3::text[], $4::text[]) e (kind, reference, text)`,
      [list, ...(['kind', 'reference', 'text'] as const).map((name) => entries.map((one) => one[name]))],
    );
    await db.query(`select audit_append(null, 'screening.load', 'list:' || $1::text, $2::jsonb)`, [
      list,
      JSON.stringify({ count: entries.length }),
    ]);
    await db.query('commit');
  } catch (error) {
    await db.query('rollback');
    throw error;
  }
}
