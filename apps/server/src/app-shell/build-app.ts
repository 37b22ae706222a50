import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

/** What the app is built from. */
const SOURCES = ['apps/web', 'packages', 'package-lock.json'];
const IGNORED = new Set(['node_modules', 'dist', 'test']);
const COMPRESSED = /\.(js|css|svg|json)$/;

/** Builds the web app if its sources have changed since it was built last. Returns the folder of the built app. */
export async function buildApp(root: string, say: (text: string) => void): Promise<string> {
  const dist = join(root, 'apps/web/dist');
  const stamp = join(dist, 'sources.sha256');
  const sources = hashSources(root);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === sources) return dist;
  say('building the app');
  // In processes of their own: what a build needs of memory is gone when it is done.
  await Promise.all([runVite(root, []), runVite(root, ['--ssr', 'src/prerender.tsx'])]);
  compress(join(dist, 'client/assets'));
  writeFileSync(stamp, sources);
  return dist;
}

async function runVite(root: string, options: readonly string[]): Promise<void> {
  const vite = join(root, 'node_modules/vite/bin/vite.js');
  const child = spawn(process.execPath, [vite, 'build', '--emptyOutDir', '--logLevel', 'error', ...options], {
    cwd: join(root, 'apps/web'),
    // Whatever this process is run for, what it serves is the production build.
    env: { ...process.env, NODE_ENV: 'production' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output: string[] = [];
  child.stdout.on('data', (data) => output.push(String(data)));
  child.stderr.on('data', (data) => output.push(String(data)));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`the app could not be built:\n${output.join('')}`);
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

/** The names in a folder; null for a file. */
function readdirSafe(path: string): string[] | null {
  try {
    return readdirSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return null;
    throw error;
  }
}

/** Assets never change, so they are compressed once and as hard as it goes. */
function compress(folder: string): void {
  for (const name of readdirSync(folder).filter((file) => COMPRESSED.test(file))) {
    const file = join(folder, name);
    const bytes = readFileSync(file);
    writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
    writeFileSync(
      `${file}.br`,
      brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
    );
  }
}
