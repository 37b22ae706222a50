import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import pg from 'pg';
import { auditLog } from '../market/log/log-audit.ts';
import { openDatabase } from '../platform/db/database.ts';
import { audit, type CodeCheck } from '../transparency/audit/audit-checks.ts';
import { REPLAY_CHECK } from '../transparency/audit/audit-replay-check.ts';
import { scopeOfAudit } from '../transparency/audit/audit-scope.ts';

/**
 * `npm run audit [-- --log]`: checks the money, the orders and the log of an installation, running or not, and changes
 * nothing. The database is that of DATABASE_URL, else the embedded one under DATA_DIR. Exits with 0 when all is well, 1
 * when something is wrong, 2 when the check could not run. With `--log` it also hashes all entries of the log again,
 * which takes a while, and reports at the end what it has checked and what it has not.
 */
const AUDIT_OF_THE_LOG: CodeCheck = {
  name: 'the log’s entries give the roots of its head and its newest checkpoint',
  run: async (client) => {
    scope.push(...(await scopeOfAudit(client)));
    return auditLog(client);
  },
};
const scope: string[] = [];

try {
  process.exitCode = await run();
} catch (error) {
  console.error(`The audit could not look: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 2;
}

async function run(): Promise<number> {
  const databaseUrl = process.env.DATABASE_URL || null;
  const dataDir = resolve(process.env.DATA_DIR || './data');
  // Opening would create a missing database, which an audit must not do.
  if (databaseUrl === null && !existsSync(join(dataDir, 'postgres', 'PG_VERSION'))) {
    throw new Error(`there is no database under ${dataDir}; set DATA_DIR or DATABASE_URL`);
  }
  const database = await openDatabase(
    { databaseUrl, dataDir, backupDir: process.env.BACKUP_DIR ? resolve(process.env.BACKUP_DIR) : null },
    () => {},
  );
  const client = new pg.Client({ ...database.server, application_name: 'fairtick audit' });
  try {
    await client.connect();
    const further = process.argv.includes('--log') ? [REPLAY_CHECK, AUDIT_OF_THE_LOG] : [REPLAY_CHECK];
    const findings = await audit(client, further);
    for (const { name, count, details } of findings) {
      console.log(count === 0 ? `ok    ${name}` : `WRONG ${name}: ${count}`);
      for (const detail of details) console.log(`        ${detail}`);
    }
    for (const line of scope) console.log(line);
    return findings.some(({ count }) => count > 0) ? 1 : 0;
  } finally {
    await client.end();
    await database.embedded?.stop();
  }
}
