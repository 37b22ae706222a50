import type pg from 'pg';
import { functionsOfSchema } from './schema-files.ts';
import { UnfitDatabaseError } from './unfit-database.ts';

/** The indices that hold each payment once, with the requests of each. */
const INDICES: Readonly<Record<string, { table: string; column: string; noun: string }>> = {
  deposit_requests_by_evidence: { table: 'deposit_requests', column: 'evidence', noun: 'deposits' },
  withdrawal_requests_by_reference: {
    table: 'withdrawal_requests',
    column: 'reference',
    noun: 'withdrawals',
  },
};

/**
 * The error of a migration that could not make one of the indices, because two payments of an older version have references that
 * look alike, as one that names the two requests. Any other error stays as it is.
 */
export async function namedAlike(client: pg.Client, error: unknown): Promise<unknown> {
  const { code, constraint = '' } = error as pg.DatabaseError;
  const place = INDICES[constraint];
  if (code !== '23505' || !place) return error;
  const { table, column, noun } = place;
  // The migration was rolled back, and with it the function that compares.
  await client.query('begin; set local check_function_bodies = off');
  for (const { file, sql } of functionsOfSchema()) if (file === 'values') await client.query(sql);
  const { rows } = await client.query<{ id: string; other: string; one: string; two: string }>(
    `select a.id, b.id as other, a.${column} as one, b.${column} as two from ${table} a join ${table} b
       on b.asset_id = a.asset_id and reference_key(b.${column}) = reference_key(a.${column}) and b.id > a.id and b.status = 'success'
     where a.status = 'success' order by a.id, b.id limit 1`,
  );
  await client.query('rollback');
  const [pair] = rows;
  if (!pair) return error;
  return new UnfitDatabaseError(
    `the ${noun} ${pair.id} (reference ${pair.one}) and ${pair.other} (reference ${pair.two}) may be one payment that counts twice, because their references look alike: compare them with the bank's statement and give the later one a reference of its own (docs/OPERATIONS.md, References that look alike). The database is as it was`,
  );
}
