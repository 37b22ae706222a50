import { resolve } from 'node:path';
import { Temporal } from 'temporal-polyfill';
import { restore } from '../platform/backup/restore.ts';
import type { Arguments, Command } from './command.ts';

export const RESTORE: Command = {
  name: 'restore',
  needs: ['BACKUP_DIR'],
  options: { data: { type: 'string' }, to: { type: 'string' }, wal: { type: 'string' } },
  usage: '--data DATA_DIR [--to 2026-01-31T12:00:00Z] [--wal PG_WAL]',
  does: 'Makes the embedded database of a new data folder from a backup, with all that was archived or up to a moment',
  help: `It overwrites nothing: DATA_DIR must not hold a database. --wal names the pg_wal folder of the lost database, for what was
not archived yet.`,
  warning: () =>
    'A restore to the past forks the public log unless nothing was committed after it (docs/OPERATIONS.md).',
  failure: 'Nothing is restored',
  run,
};

async function run({ values, positionals: [backupDir = ''] }: Arguments): Promise<number> {
  const [data, to, wal] = [values.data, values.to, values.wal].map((value) =>
    typeof value === 'string' ? value : null,
  );
  if (!data) throw new Error('say --data DATA_DIR: the new data folder');
  if (to && wal) throw new Error('--wal is for all that there is, --to for less: take one of them');
  const dataDir = resolve(data);
  const startedMs = performance.now();
  const restored = await restore(
    {
      backupDir: resolve(backupDir),
      dataDir,
      toMs: to ? readTime(to) : null,
      lostWal: wal ? resolve(wal) : null,
    },
    (text) => console.log(`  ${text}`),
  );
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  console.log(`restored into ${dataDir} in ${seconds} s, up to the commit of ${restored.lastCommit ?? 'the backup'}
log size ${restored.logSize}, root ${restored.logRoot}

Look at it:     DATA_DIR=${dataDir} npm run admin -- audit --log
${
  restored.isComplete
    ? `Go on with it:  DATA_DIR=${dataDir} npm start`
    : `Nothing was lost only if nothing was committed after that. To go on with it (docs/OPERATIONS.md, "After a restore"):
                DATA_DIR=${dataDir} npm run admin -- new-log --yes && DATA_DIR=${dataDir} npm start`
}`);
  return 0;
}

function readTime(text: string): number {
  try {
    return Temporal.Instant.from(text).epochMilliseconds;
  } catch {
    throw new Error(`--to must be a time with its zone, as 2026-01-31T12:00:00Z, not "${text}"`);
  }
}
