import { execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isReady, placeFirstOrder } from '@fairtick/kit/clients/first-order.ts';
import { Buildah } from '@fairtick/kit/processes/buildah.ts';
import { ensurePackages } from '@fairtick/kit/processes/debian-postgres.ts';
import { freePort } from '@fairtick/kit/processes/processes.ts';
import { until } from '@fairtick/kit/waiting/until.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';

/** The image of `ops/Dockerfile`, from a clone of the last commit. Its base is made of Debian's packages, because no registry of images is asked. */
const ROOT = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'image-'));
const checkout = join(folder, 'checkout');
const images = new Buildah(folder);
let commit: string;

beforeAll(() => {
  ensurePackages('/usr/bin/buildah', 'buildah');
  ensurePackages('/usr/sbin/debootstrap', 'debootstrap');
  execFileSync('git', ['clone', '--quiet', ROOT, checkout]);
  commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: checkout, encoding: 'utf8' }).trim();
  execFileSync('npm', ['install', '--prefix', folder, '--no-bin-links', 'npm@11'], { stdio: 'ignore' });
  const [, base = ''] = /^FROM (\S+)$/m.exec(readFileSync(join(checkout, 'ops/Dockerfile'), 'utf8')) ?? [];
  expect(base).toBe('node:24-bookworm-slim');
  const tools = { node: process.execPath, npm: join(folder, 'node_modules/npm') };
  images.makeBase(`docker.io/library/${base}`, { suite: 'bookworm', ...tools });
  images.build(checkout, join(checkout, 'ops/Dockerfile'), 'fairtick', { COMMIT: commit });
}, 1_800_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('the image has its own user, and no settings of the machine that built it', () => {
  const { User, Env } = images.configOf('fairtick');
  expect(User).toBe('fairtick');
  expect(Env.map((one) => one.split('=')[0]).sort()).toEqual(['DATA_DIR', 'HOST', 'NODE_ENV', 'PATH']);
});

test('it starts as that user, takes an order, names its commit, has no test in it, and stops when it is told to', async () => {
  const [port, officePort] = [await freePort(), await freePort()];
  const running = images.start('fairtick', { PORT: String(port), OFFICE_PORT: String(officePort) });
  const origin = `http://localhost:${port}`;
  const { server } = running;
  await until(async () => !server.isRunning || (await isReady(origin)), 120_000).catch(() => {});
  expect([await isReady(origin), server.output()]).toEqual([true, expect.any(String)]);
  // The apps were built with the image.
  expect(server.output()).not.toContain('building the app');
  await placeFirstOrder(origin);
  expect(await (await fetch(`${origin}/healthz`)).text()).toContain(`(${commit.slice(0, 12)})`);

  const inside = join(running.folder, 'opt/fairtick');
  expect(globSync('{tests,bench,scripts/*,{apps,packages}/**/*.test.ts}', { cwd: inside })).toEqual([
    'scripts/node',
  ]);
  const packages = readdirSync(join(inside, 'node_modules'));
  for (const name of ['vitest', 'playwright-core']) expect(packages).not.toContain(name);
  const npmrc = join(running.folder, 'usr/local/etc/npmrc');
  expect(existsSync(npmrc) ? readFileSync(npmrc, 'utf8') : '').toBe('');
  expect(existsSync(join(running.folder, 'root/.npm'))).toBe(false);

  running.terminate();
  expect([await server.ended, server.output()]).toEqual([0, expect.stringContaining('stopping')]);
  expect(existsSync(join(running.folder, 'var/lib/fairtick/postgres/PG_VERSION'))).toBe(true);
  expect(existsSync(join(running.folder, 'var/lib/fairtick/postgres/postmaster.pid'))).toBe(false);
}, 600_000);
