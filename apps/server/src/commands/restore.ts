import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { restore } from '../platform/backup/restore.ts';

/**
 * `npm run restore -- BACKUP_DIR --data DATA_DIR [--to TIME] [--wal PG_WAL]`: creates the embedded database of a new
 * data folder from a backup, with everything archived or up to a moment. It overwrites nothing.
 */
const USAGE = 'npm run restore -- BACKUP_DIR --data DATA_DIR [--to 2026-01-31T12:00:00Z] [--wal PG_WAL]';

try {
  await run();
} catch (error) {
  console.error(`Nothing is restored: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}

async function run(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { data: { type: 'string' }, to: { type: 'string' }, wal: { type: 'string' } },
  });
  const [backupDir] = positionals;
  if (!backupDir || positionals.length > 1 || !values.data) throw new Error(`say ${USAGE}`);
  if (values.to !== undefined && values.wal !== undefined) {
    throw new Error('--wal is for all that there is, --to for less: take one of them');
  }
  const dataDir = resolve(values.data);
  const startedMs = performance.now();
  const restored = await restore(
    {
      backupDir: resolve(backupDir),
      dataDir,
      toMs: values.to === undefined ? null : readTime(values.to),
      lostWal: values.wal === undefined ? null : resolve(values.wal),
    },
    (text) => console.log(`  ${text}`),
  );
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  console.log(`restored into ${dataDir} in ${seconds} s, up to the commit of ${restored.lastCommit ?? 'the backup'}
log size ${restored.logSize}, root ${restored.logRoot}

Look at it:     DATA_DIR=${dataDir} npm run audit -- --log
${
  restored.isComplete
    ? `Go on with it:  DATA_DIR=${dataDir} npm start`
    : `Nothing was lost only if nothing was committed after that. To go on with it (docs/OPERATIONS.md, "After a restore"):
                DATA_DIR=${dataDir} npm run new-log && DATA_DIR=${dataDir} npm start`
}`);
}

/** Parses a moment with its UTC offset; a local time without one is ambiguous. */
function readTime(text: string): number {
  try {
    return Temporal.Instant.from(text).epochMilliseconds;
  } catch {
    throw new Error(`--to must be a time with its zone, as 2026-01-31T12:00:00Z, not "${text}"`);
  }
}
