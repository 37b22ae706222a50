import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import pg from 'pg';
import { readDatabaseUrl } from '../config/config.ts';
import { moveDatabase } from '../platform/backup/move-database.ts';
import { openDatabase } from '../platform/db/database.ts';
import { refuseOtherVersions } from '../platform/db/migrate.ts';
import { refuseMoved, writeMoved } from '../platform/db/moved.ts';
import { refuseFork } from '../platform/db/restored.ts';
import { giveServerLogin, serverAddressOf } from '../platform/db/server-login.ts';
import { printAudit } from './audit.ts';
import type { Arguments, Command } from './command.ts';
import { keyFilesOf } from './installation.ts';

export const MOVE_DATABASE: Command = {
  name: 'move-database',
  options: { to: { type: 'string' } },
  usage: '--to URL|FILE',
  does: 'Copies the embedded database under DATA_DIR into an empty one of your own server, and audits it there',
  help: `Stop every process first. --to is the owner's address of the new database, as DATABASE_URL has it, or a file that holds it (other
users of the machine see the arguments of a command). The old database stays as it is; after a move without findings the server refuses
to start on it. Exits with 0 when the audit of the new database has no finding, 1 when it has, 2 when nothing was moved.`,
  failure: 'Nothing is moved',
  run,
};

async function run({ values: { to } }: Arguments): Promise<number> {
  const url = typeof to === 'string' ? readTarget(to) : null;
  if (url === null) throw new Error('say --to URL, or --to FILE with a file that holds it');
  if (process.env.DATABASE_URL || process.env.DATABASE_URL_FILE || process.env.DATABASE_SERVER_URL)
    throw new Error(
      'this is for the embedded database: unset DATABASE_URL, DATABASE_URL_FILE and DATABASE_SERVER_URL',
    );
  const dataDir = resolve(process.env.DATA_DIR || './data');
  if (!existsSync(join(dataDir, 'postgres', 'PG_VERSION')))
    throw new Error(`there is no database under ${dataDir}; set DATA_DIR`);
  refuseFork(dataDir);
  refuseMoved(dataDir);
  const say = (text: string) => console.log(`  ${text}`);
  const target = { connectionString: url };
  const startedMs = performance.now();
  const old = await openDatabase(
    { databaseUrl: null, dataDir, backupDir: process.env.BACKUP_DIR || null },
    say,
  );
  try {
    await refuseOtherVersions(old.admin);
    const { tables, rows } = await moveDatabase(old.admin, target, say);
    const seconds = (performance.now() - startedMs) / 1_000;
    console.log(
      `${rows} rows of ${tables} tables were copied in ${seconds.toFixed(0)} s. The audit of the new database:`,
    );
  } finally {
    await old.embedded?.stop();
  }
  const server = serverAddressOf(url);
  await giveServerLogin(target, server);
  const { host, database } = new pg.Client(target);
  if (!(await printAudit(server, keyFilesOf(dataDir).signingKeyFile, true))) {
    console.log(
      'The new database has findings: go on with the old one, which is as it was, and drop the new one.',
    );
    return 1;
  }
  writeMoved(dataDir, `${database} at ${host}`);
  console.log(`Go on with DATABASE_URL set to the new address and the same DATA_DIR, which has the keys and customers' pictures.
The embedded database stays in ${join(dataDir, 'postgres')}, and is no longer started: keep it until the new one has a backup.`);
  return 0;
}

function readTarget(to: string): string | null {
  return readDatabaseUrl(
    'DATABASE_URL',
    /^postgres/.test(to) ? { DATABASE_URL: to } : { DATABASE_URL_FILE: to },
  );
}
