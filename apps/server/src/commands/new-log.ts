import { existsSync, renameSync } from 'node:fs';
import { join, resolve } from 'node:path';
import pg from 'pg';
import { readLogHead } from '../market/log/log-head.ts';
import { openDatabase } from '../platform/db/database.ts';
import { waitForLease } from '../platform/db/lease.ts';
import { readRestored, writeRestored } from '../platform/db/restored.ts';

/**
 * `npm run new-log`: gives the public log of a stopped server a new name and new keys, for when it can't continue under
 * the old name, because what was published last or the signing key is lost. Entries and orders stay unchanged; the old
 * name ends with its last published state, and no later entry contradicts that.
 */
const WRITER_MS = 6_000;

try {
  await run();
} catch (error) {
  console.error(`The log keeps its name: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}

async function run(): Promise<void> {
  const databaseUrl = process.env.DATABASE_URL || null;
  const dataDir = resolve(process.env.DATA_DIR || './data');
  if (databaseUrl === null && !existsSync(join(dataDir, 'postgres', 'PG_VERSION'))) {
    throw new Error(`there is no database under ${dataDir}; set DATA_DIR or DATABASE_URL`);
  }
  const backupDir = process.env.BACKUP_DIR ? resolve(process.env.BACKUP_DIR) : null;
  const database = await openDatabase({ databaseUrl, dataDir, backupDir }, () => {});
  const client = new pg.Client({ ...database.admin, application_name: 'fairtick new-log' });
  try {
    await client.connect();
    const name = await rename(client);
    const keyFile = resolve(process.env.SIGNING_KEY_FILE || join(dataDir, 'signing.key'));
    if (existsSync(keyFile)) renameSync(keyFile, `${keyFile}.before-${name.at}`);
    const restored = readRestored(dataDir);
    if (restored !== null) writeRestored(dataDir, { ...restored, newLog: name.new });
    console.log(`the log was  ${name.old}
and is now   ${name.new}
New keys are made at the next start. Tell those who follow the log: the old name, its last size, and the new name.`);
  } finally {
    await client.end();
    await database.embedded?.stop();
  }
}

async function rename(client: pg.Client): Promise<{ old: string; new: string; at: string }> {
  const deadline = performance.now() + WRITER_MS;
  // A dead writer's beat stands still; a live one would go on under the old name.
  const sight = await waitForLease(
    () => readLogHead(client),
    () => performance.now() > deadline,
  );
  if (sight === null) throw new Error('somebody writes this log: stop every process of the house first');
  const { origin } = await readLogHead(client);
  const at = new Date()
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replaceAll(/[-:]/g, '');
  const renamed = `${origin.replace(/\/\d{8}T\d{6}Z$/, '')}/${at}`;
  const { rowCount } = await client.query(
    'update log_head set origin = $1, epoch = epoch + 1, holder = null where epoch = $2 and beat = $3',
    [renamed, sight.epoch, sight.beat],
  );
  if (rowCount !== 1)
    throw new Error('somebody began to write this log: stop every process of the house first');
  return { old: origin, new: renamed, at };
}
