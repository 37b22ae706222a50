import { type ChildProcess, spawn } from 'node:child_process';
import { chownSync, closeSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { restoreCommand } from '../db/archiving.ts';
import { commandOf, isAnswering, openLog, SETTINGS, socketDirOf } from '../db/embedded.ts';
import { type Disguise, prepareBinaries } from '../db/embedded-binaries.ts';
import { prepareSocketDir } from '../db/private-files.ts';
import type { RecoveredPoint } from '../db/restored.ts';
import { superuserOf, withClient } from '../db/with-client.ts';

export interface RecoveryOptions {
  readonly dataDir: string;
  readonly cluster: string;
  readonly backupDir: string;
  readonly toMs: number | null;
  readonly lostWal: string | null;
}

/** Replays the archive over a copied cluster. @throws Error with PostgreSQL's message when it can't */
export async function recover(options: RecoveryOptions): Promise<RecoveredPoint> {
  const { dataDir, cluster } = options;
  const { postgres, disguise } = await prepareBinaries(dataDir);
  const socketDir = socketDirOf(cluster);
  prepareSocketDir(socketDir, disguise);
  writeFileSync(join(cluster, 'recovery.signal'), '', { mode: 0o600 });
  if (disguise.ids) giveTo(cluster, disguise.ids);
  const logFile = join(dataDir, 'restore.log');
  writeFileSync(logFile, '', { mode: 0o600 });
  const server = startServer(options, { postgres, disguise, socketDir, logFile });
  try {
    // PostgreSQL accepts connections only once the recovery has ended; the time depends on the archive's length.
    while (isRunning(server) && !(await isAnswering(socketDir, 0))) await sleep(50);
    if (!isRunning(server)) throw new Error(whyNot(logFile, options));
    return await readPoint(socketDir);
  } finally {
    if (isRunning(server)) {
      const ended = new Promise((resolve) => server.once('exit', resolve));
      server.kill('SIGINT');
      await ended;
    }
  }
}

function startServer(
  { cluster, backupDir, toMs, lostWal }: RecoveryOptions,
  how: { postgres: string; disguise: Disguise; socketDir: string; logFile: string },
): ChildProcess {
  const settings: Record<string, string> = {
    ...SETTINGS,
    hot_standby: 'off',
    restore_command: restoreCommand(backupDir, lostWal),
    recovery_target_timeline: 'latest',
    recovery_target_action: 'promote',
    // The new timeline's WAL is kept until the restored server archives it, but is not archived now, because the
    // recovery must not write into the archive.
    archive_mode: 'on',
    archive_command: '',
  };
  // PostgreSQL knows no zone abbreviations here, not even Z, so the time has an offset.
  if (toMs !== null) settings.recovery_target_time = new Date(toMs).toISOString().replace('Z', '+00');
  const [program, rest] = commandOf({ cluster, ...how }, settings);
  const log = openLog(how.logFile);
  try {
    return spawn(program, rest, { stdio: ['ignore', log, log], ...(how.disguise.ids ?? {}) });
  } finally {
    closeSync(log);
  }
}

const isRunning = (child: ChildProcess): boolean => child.exitCode === null && child.signalCode === null;

function readPoint(socketDir: string): Promise<RecoveredPoint> {
  return withClient(superuserOf(socketDir, 'fairtick'), 'restore', async (client) => {
    const { rows } = await client.query<{ last: Date | null; size: string; root: string }>(
      `select pg_last_xact_replay_timestamp() as last, size::text, encode(root, 'hex') as root from log_head`,
    );
    const row = rows[0];
    if (!row) throw new Error('the restored database has no log');
    return { lastCommit: row.last?.toISOString() ?? null, logSize: Number(row.size), logRoot: row.root };
  });
}

function whyNot(logFile: string, { toMs }: RecoveryOptions): string {
  const fatal = readFileSync(logFile, 'utf8')
    .split('\n')
    .filter((line) => /FATAL|PANIC|can't be restored/.test(line));
  if (toMs !== null && fatal.some((line) => line.includes('before configured recovery target was reached'))) {
    return `the archive ends before ${new Date(toMs).toISOString()}: restore without --to for all that there is`;
  }
  const file = fatal.find((line) => line.includes("can't be restored"));
  return `PostgreSQL could not recover: ${file ?? fatal.at(-1) ?? 'it does not say why'} (see ${logFile})`;
}

function giveTo(folder: string, ids: { uid: number; gid: number }): void {
  chownSync(folder, ids.uid, ids.gid);
  for (const entry of readdirSync(folder, { recursive: true })) {
    chownSync(join(folder, String(entry)), ids.uid, ids.gid);
  }
}
