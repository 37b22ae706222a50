import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readLogHead } from '../market/log/log-head.ts';
import { type Rotation, rotateSigningKeys } from '../market/log/rotation.ts';
import { createPool, openDatabase } from '../platform/db/database.ts';
import { waitForLease } from '../platform/db/lease.ts';

/**
 * `npm run rotate-signing-key`: hands over from the keys that sign the log and its acceptances to new ones, in the log
 * itself. All processes must be stopped, because they read the keys when they start.
 */
const WRITER_MS = 6_000;

try {
  const { until, kept, verifierKeys } = await run();
  console.log(`The log has new keys. The old ones are valid up to its size of ${until} and are kept in
  ${kept}
The new ones, for everybody who pins them:
  ${verifierKeys.checkpoints}
  ${verifierKeys.acceptances}
Copy the key file to every machine before the house starts again.`);
} catch (error) {
  console.error(`The log keeps its keys: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}

async function run(): Promise<Rotation> {
  const databaseUrl = process.env.DATABASE_URL || null;
  const dataDir = resolve(process.env.DATA_DIR || './data');
  if (databaseUrl === null && !existsSync(join(dataDir, 'postgres', 'PG_VERSION'))) {
    throw new Error(`there is no database under ${dataDir}; set DATA_DIR or DATABASE_URL`);
  }
  const backupDir = process.env.BACKUP_DIR ? resolve(process.env.BACKUP_DIR) : null;
  const database = await openDatabase({ databaseUrl, dataDir, backupDir }, () => {});
  const pool = createPool(database.admin, { max: 2, name: 'rotate-signing-key' });
  try {
    const deadline = performance.now() + WRITER_MS;
    // A dead writer's beat stands still; a live one would go on with the old keys.
    const sight = await waitForLease(
      () => readLogHead(pool),
      () => performance.now() > deadline,
    );
    const { rows } = await pool.query<{ epoch: string | null }>('select log_acquire($1, $2, $3) as epoch', [
      'rotate-signing-key',
      sight?.epoch ?? -1,
      sight?.beat ?? -1,
    ]);
    if (rows[0]?.epoch == null)
      throw new Error('somebody writes this log: stop every process of the house first');
    try {
      const keyFile = resolve(process.env.SIGNING_KEY_FILE || join(dataDir, 'signing.key'));
      return await rotateSigningKeys(pool, keyFile, await readLogHead(pool));
    } finally {
      await pool.query('select log_release($1)', [rows[0].epoch]);
    }
  } finally {
    await pool.end();
    await database.embedded?.stop();
  }
}
