import type pg from 'pg';
import { expect } from 'vitest';
import type { Pool } from '../../../apps/server/src/platform/db/database.ts';
import { runChecks } from '../../../apps/server/src/transparency/audit/audit-checks.ts';

/** What `read` finds after these changes, made with the owner's rights and rolled back. Each must change something. */
export async function afterChanges<T>(
  owner: Pool,
  changes: readonly string[],
  read: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await owner.connect();
  try {
    await client.query('begin');
    for (const change of changes) expect((await client.query(change)).rowCount).not.toBe(0);
    return await read(client);
  } finally {
    await client.query('rollback');
    client.release();
  }
}

/** Names of the audit's checks that find something after such changes. */
export const foundAfter = (owner: Pool, changes: readonly string[]): Promise<string[]> =>
  afterChanges(owner, changes, async (client) =>
    (await runChecks(client)).filter(({ count }) => count > 0).map(({ name }) => name),
  );
