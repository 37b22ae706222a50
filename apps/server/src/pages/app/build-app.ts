import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { makeFolder } from '../../platform/db/private-files.ts';

const SOURCES = ['apps/web', 'apps/office', 'packages', 'docs/receipt-vectors.json', 'package-lock.json'];
const IGNORED = new Set(['node_modules', 'dist', 'test']);
const COMPRESSED = /\.(js|css|svg|json)$/;

/** Older builds are kept for servers that still serve them. */
const KEPT_BUILDS = 3;
const KEPT_AT_LEAST_MS = 60 * 60 * 1000;

/**
 * Builds the app and the office (in its folder `office`) if neither `npm run build` nor an earlier start has built these sources.
 * Returns the output folder, named after a hash of the sources: a build never touches a folder that another server serves, and of
 * two concurrent builds one is discarded.
 * @param dataDir of a server, which puts its build there because its user may not be able to write into the checkout; null: ahead of
 * time, for every server that runs from this checkout
 */
export async function buildApp(
  root: string,
  dataDir: string | null,
  say: (text: string) => void,
): Promise<string> {
  const ahead = join(root, 'apps/web/dist');
  const builds = dataDir === null ? ahead : join(dataDir, 'app');
  const name = hashSources(root).slice(0, 16);
  const built = [ahead, builds].map((folder) => join(folder, name)).find(existsSync);
  if (built) return built;
  const dist = join(builds, name);
  say('building the app');
  if (dataDir === null) mkdirSync(ahead, { recursive: true });
  else makeFolder(builds);
  const draft = mkdtempSync(join(builds, 'draft-'));
  try {
    // Separate processes, so that the memory of a build is freed when it ends.
    await Promise.all([
      runVite(root, 'web', ['--outDir', join(draft, 'client')]),
      runVite(root, 'web', ['--outDir', join(draft, 'server'), '--ssr', 'src/prerender.tsx']),
      runVite(root, 'office', ['--outDir', join(draft, 'office')]),
    ]);
    // A data folder may lie below a package of another type.
    writeFileSync(join(draft, 'server/package.json'), '{"type":"module"}');
    await compress(join(draft, 'client/assets'));
    await compress(join(draft, 'office/assets'));
    // Only its owner can read a draft, but the server may run as another user.
    chmodSync(draft, 0o755);
    publish(draft, dist);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  removeOldBuilds(builds);
  return dist;
}

function publish(draft: string, dist: string): void {
  try {
    renameSync(draft, dist);
  } catch (error) {
    // Another process built the same sources meanwhile.
    if (!existsSync(dist)) throw error;
  }
}

/** Removes old builds, also drafts whose builder was killed. */
function removeOldBuilds(builds: string): void {
  const byAge = readdirSync(builds)
    .map((name) => ({ path: join(builds, name), builtMs: statSync(join(builds, name)).mtimeMs }))
    .sort((a, b) => b.builtMs - a.builtMs);
  const isOld = (builtMs: number) => Date.now() - builtMs > KEPT_AT_LEAST_MS;
  const old = byAge.slice(KEPT_BUILDS).filter(({ builtMs }) => isOld(builtMs));
  for (const { path } of old) rmSync(path, { recursive: true, force: true });
}

async function runVite(root: string, app: 'web' | 'office', options: readonly string[]): Promise<void> {
  const vite = join(root, 'node_modules/vite/bin/vite.js');
  // Node reads the settings itself; else Vite would write a bundle of them into node_modules.
  const args = ['build', '--configLoader', 'native', '--emptyOutDir', '--logLevel', 'error', ...options];
  const child = spawn(process.execPath, [vite, ...args], {
    cwd: join(root, 'apps', app),
    // The served build is a production build, whatever mode this process runs in.
    env: { ...process.env, NODE_ENV: 'production' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output: string[] = [];
  child.stdout.on('data', (data) => output.push(String(data)));
  child.stderr.on('data', (data) => output.push(String(data)));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`apps/${app} could not be built:\n${output.join('')}`);
}

function hashSources(root: string): string {
  const hash = createHash('sha256');
  for (const file of SOURCES.flatMap((source) => listFiles(join(root, source))).sort()) {
    hash.update(relative(root, file)).update('\0').update(readFileSync(file));
  }
  return hash.digest('hex');
}

function listFiles(path: string): string[] {
  if (!existsSync(path)) return [];
  const entries = readdirSafe(path);
  if (entries === null) return [path];
  return entries.filter((name) => !IGNORED.has(name)).flatMap((name) => listFiles(join(path, name)));
}

function readdirSafe(path: string): string[] | null {
  try {
    return readdirSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return null;
    throw error;
  }
}

/** One file at a time, because the lookup of a host name needs a thread of the same pool. */
export async function compress(folder: string): Promise<void> {
  for (const name of readdirSync(folder).filter((file) => COMPRESSED.test(file))) {
    const file = join(folder, name);
    const bytes = readFileSync(file);
    writeFileSync(`${file}.gz`, await promisify(gzip)(bytes, { level: 9 }));
    const params = { [constants.BROTLI_PARAM_QUALITY]: 11 };
    writeFileSync(`${file}.br`, await promisify(brotliCompress)(bytes, { params }));
  }
}
