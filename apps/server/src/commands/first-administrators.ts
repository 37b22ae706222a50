import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import pg from 'pg';
import { makeFirstAdministrators } from '../office/core/first-administrators.ts';
import { openDatabase } from '../platform/db/database.ts';

/**
 * `npm run staff:first-administrator ACCOUNT ACCOUNT`: creates the first two administrators of the office, each with a
 * password for the first login, whether the server runs or not. The database is that of DATABASE_URL, else the embedded
 * one under DATA_DIR.
 */
try {
  await run(process.argv.slice(2));
} catch (error) {
  console.error(
    `Nobody was made an administrator: ${error instanceof Error ? error.message : String(error)}`,
  );
  process.exitCode = 1;
}

async function run(accounts: readonly string[]): Promise<void> {
  const databaseUrl = process.env.DATABASE_URL || null;
  const dataDir = resolve(process.env.DATA_DIR || './data');
  if (databaseUrl === null && !existsSync(join(dataDir, 'postgres', 'PG_VERSION'))) {
    throw new Error(
      `there is no database under ${dataDir}; start the server once, or set DATA_DIR or DATABASE_URL`,
    );
  }
  const backupDir = process.env.BACKUP_DIR ? resolve(process.env.BACKUP_DIR) : null;
  const database = await openDatabase({ databaseUrl, dataDir, backupDir }, () => {});
  const owner = new pg.Client({ ...database.admin, application_name: 'fairtick first-administrators' });
  try {
    await owner.connect();
    for (const { account, oneTimePassword } of await makeFirstAdministrators(owner, accounts)) {
      console.log(`${account.padEnd(18)}  ${oneTimePassword}`);
    }
    console.log('Each is for one login, which asks for a password of one’s own. It is shown this once.');
  } finally {
    await owner.end();
    await database.embedded?.stop();
  }
}
