import { spawn, spawnSync } from 'node:child_process';
import {
  chownSync,
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { archivingSettings, prepareArchive } from './archiving.ts';
import { type Disguise, prepareBinaries } from './embedded-binaries.ts';
import { isAlive, isOwnedByAnother, releaseStaleLocks, runningPostmaster, writeOwner } from './pid-files.ts';
import { keepFilePrivate, keepFolderPrivate, prepareSocketDir } from './private-files.ts';
import { superuserOf, withClient } from './with-client.ts';

export interface EmbeddedPostgres {
  readonly socketDir: string;
  /** True when this process started the server, or took it over from a process that died; only then it also stops it. */
  readonly isOwner: boolean;
  stop(): Promise<void>;
}

const START_TIMEOUT_MS = 30_000;
const LOOK_EVERY_MS = 500;
const FAULT_CHARS = 500;
const LOG_MAX_BYTES = 20 * 1024 * 1024;

export const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: '',
  // Two processes of each role open at most 196 (docs/OPERATIONS.md, Capacity); the rest is for operators.
  max_connections: '220',
  shared_buffers: '256MB',
  max_wal_size: '2GB',
  min_wal_size: '128MB',
  checkpoint_timeout: '15min',
  wal_compression: 'off',
  jit: 'off',
  // Notices dead clients, and bounds transactions that are left open on a lock.
  idle_in_transaction_session_timeout: '30s',
  log_min_messages: 'warning',
  // The log shows statements with $1. Their values, and the rows and keys in an error's details, are personal data.
  log_error_verbosity: 'terse',
  log_parameter_max_length: '0',
  log_parameter_max_length_on_error: '0',
};

/**
 * Starts the embedded PostgreSQL of `dataDir`, or joins the one that already runs.
 * @param backupDir where it archives its WAL; null: nowhere
 * @throws Error when it runs already and archives elsewhere or not at all
 */
export async function startEmbedded(
  dataDir: string,
  say: (text: string) => void = () => {},
  settings: Readonly<Record<string, string>> = {},
  backupDir: string | null = null,
): Promise<EmbeddedPostgres> {
  const cluster = join(dataDir, 'postgres');
  const socketDir = socketDirOf(cluster);
  const ownerFile = join(dataDir, 'owner.pid');
  keepFolderPrivate(dataDir);
  const { initdb, postgres, disguise } = await prepareBinaries(dataDir);
  prepareSocketDir(socketDir, disguise);
  if (backupDir !== null) prepareArchive(backupDir, disguise.ids);

  const start = async (isStopped: () => boolean) => {
    await launch(
      { cluster, socketDir, disguise, postgres, log: join(dataDir, 'postgres.log') },
      { ...SETTINGS, ...(backupDir === null ? {} : archivingSettings(backupDir)), ...settings },
      isStopped,
    );
    // Before the checkpoint, which may take a while: a process that finds a database without an owner takes it.
    writeOwner(ownerFile);
    // The checkpointer falls asleep before the start is over, and looks at archive_timeout from its first checkpoint on, 15 minutes later.
    if (backupDir !== null && !isStopped())
      await withClient(superuserOf(socketDir), 'start', (client) => client.query('checkpoint'));
  };
  const owned = () => {
    writeOwner(ownerFile);
    const stopKeeping = keepRunning(cluster, start, say);
    const stop = async () => {
      await stopKeeping();
      await stopPostmaster(cluster);
      rmSync(ownerFile, { force: true });
    };
    return { socketDir, isOwner: true, stop };
  };
  // A unit with ProtectProc= does not see the processes of other units, so an answer counts more than /proc.
  const patienceMs = runningPostmaster(cluster) === null ? 0 : 3_000;
  if (await isAnswering(socketDir, patienceMs)) {
    if (backupDir !== null) await expectArchiving(socketDir, backupDir);
    return isOwnedByAnother(ownerFile) ? { socketDir, isOwner: false, stop: async () => {} } : owned();
  }
  if (existsSync(join(cluster, 'PG_VERSION'))) {
    claimCluster(cluster, socketDir, disguise);
  } else {
    say('creating the database');
    initialise(cluster, initdb, disguise);
  }
  say('starting PostgreSQL');
  await start(() => false);
  return owned();
}

/** A full or broken disk ends the server; once there is space again it must start without an operator. @returns a function that ends this */
function keepRunning(
  cluster: string,
  start: (isStopped: () => boolean) => Promise<void>,
  say: (text: string) => void,
): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  const keep = async () => {
    while (!signal.aborted) {
      await sleep(LOOK_EVERY_MS, undefined, { ref: false, signal }).catch(() => {});
      if (signal.aborted || runningPostmaster(cluster) !== null) continue;
      say('PostgreSQL has ended; it is started again');
      await start(() => signal.aborted).catch((error: Error) => say(error.message));
    }
  };
  const keeping = keep();
  return async () => {
    stopping.abort();
    await keeping;
  };
}

/** The program and arguments of a server. */
export function commandOf(
  place: { cluster: string; socketDir: string; postgres: string; disguise: Disguise },
  settings: Readonly<Record<string, string>>,
): readonly [program: string, args: string[]] {
  const set = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const words = [
    ...place.disguise.command,
    place.postgres,
    '-D',
    place.cluster,
    '-k',
    place.socketDir,
    ...set,
  ];
  return [words[0] as string, words.slice(1)];
}

/** The folder of a cluster's socket: beside the cluster, so that no other user can be there first. */
export const socketDirOf = (cluster: string): string => join(dirname(cluster), 'socket');

/** PostgreSQL refuses files that others may read or that belong to another user, as in a copy of the data folder. */
function claimCluster(cluster: string, socketDir: string, { ids }: Disguise): void {
  keepFolderPrivate(cluster);
  const { uid, gid } = ids ?? { uid: process.getuid?.(), gid: process.getgid?.() };
  if (process.getuid?.() === 0 && statSync(cluster).uid !== uid)
    spawnSync('chown', ['-R', `${uid}:${gid}`, cluster, socketDir]);
}

function initialise(cluster: string, initdb: string, disguise: Disguise): void {
  // Created under another name and renamed, so that a kill in between leaves no half-made cluster.
  const draft = `${cluster}.new`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { mode: 0o700 });
  if (disguise.ids) chownSync(draft, disguise.ids.uid, disguise.ids.gid);
  const args = '-U postgres -A trust -E UTF8 --locale=C.UTF-8 --no-instructions'.split(' ');
  const [program, ...rest] = [...disguise.command, initdb, '-D', draft, ...args] as [string, ...string[]];
  const made = spawnSync(program, rest, { encoding: 'utf8', ...(disguise.ids ?? {}) });
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr || made.error?.message}`);
  renameSync(draft, cluster);
}

async function launch(
  place: { cluster: string; socketDir: string; postgres: string; disguise: Disguise; log: string },
  settings: Readonly<Record<string, string>>,
  isStopped: () => boolean,
): Promise<void> {
  const { cluster, socketDir, disguise, log: logFile } = place;
  if (existsSync(logFile) && statSync(logFile).size > LOG_MAX_BYTES) truncateSync(logFile);
  const [program, rest] = commandOf(place, settings);
  const deadline = performance.now() + START_TIMEOUT_MS;
  let end = 'it did not answer';
  let logged: number | null = null;
  while (!isStopped()) {
    releaseStaleLocks(cluster, socketDir);
    const log = openLog(logFile);
    logged ??= fstatSync(log).size;
    // Detached, so that a Ctrl-C in the terminal does not reach it before the last request is answered.
    const child = spawn(program, rest, {
      stdio: ['ignore', log, log],
      detached: true,
      ...(disguise.ids ?? {}),
    });
    closeSync(log);
    child.unref();
    let ended = false;
    child.once('exit', (code, signal) => {
      ended = true;
      end = `it ended with ${code ?? signal}`;
    });
    child.once('error', (error) => {
      ended = true;
      end = error.message;
    });
    while (!ended && !isStopped() && performance.now() < deadline) {
      if (await isAnswering(socketDir, 0)) return;
      await sleep(30);
    }
    // A killed server's remains hold the shared memory for a while; retry until they are gone.
    if (performance.now() >= deadline) {
      throw new Error(
        `PostgreSQL did not start within ${START_TIMEOUT_MS / 1000} s (${end}): ${lastFault(logFile, logged)} (${logFile})`,
      );
    }
    await sleep(250);
  }
}

function lastFault(logFile: string, from: number): string {
  const lines = readFileSync(logFile).subarray(from).toString().trim().split('\n');
  const last = lines.findLast((line) => /\b(FATAL|PANIC): /.test(line)) ?? lines.at(-1) ?? '';
  return last.replace(/^.*?(?=(FATAL|PANIC): )/, '').slice(0, FAULT_CHARS) || 'it wrote nothing into its log';
}

export function openLog(file: string): number {
  const log = openSync(file, 'a', 0o600);
  keepFilePrivate(file);
  return log;
}

/** Archiving is set at the server's start, so a process that joins later can't turn it on. */
function expectArchiving(socketDir: string, backupDir: string): Promise<void> {
  return withClient(superuserOf(socketDir), 'start', async (client) => {
    const { rows } = await client.query<{ archive_command: string }>('show archive_command');
    if (rows[0]?.archive_command !== archivingSettings(backupDir).archive_command) {
      throw new Error(
        `the database runs already and does not archive into BACKUP_DIR=${backupDir}: stop every process of this data folder, and start all with the same BACKUP_DIR`,
      );
    }
  });
}

export async function isAnswering(socketDir: string, patienceMs: number): Promise<boolean> {
  const deadline = performance.now() + patienceMs;
  do {
    const client = new pg.Client(superuserOf(socketDir));
    client.on('error', () => {});
    try {
      await client.connect();
      await client.query('select 1');
      return true;
    } catch {
      if (patienceMs > 0) await sleep(50);
    } finally {
      await client.end().catch(() => {});
    }
  } while (performance.now() < deadline);
  return false;
}

async function stopPostmaster(cluster: string): Promise<void> {
  const pid = runningPostmaster(cluster);
  if (pid !== null) {
    process.kill(pid, 'SIGINT');
    const deadline = performance.now() + 15_000;
    while (isAlive(pid) && performance.now() < deadline) await sleep(20);
  }
}
