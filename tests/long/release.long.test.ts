import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isReady, placeFirstOrder } from '@fairtick/kit/clients/first-order.ts';
import { freePort } from '@fairtick/kit/processes/processes.ts';
import { until } from '@fairtick/kit/waiting/until.ts';
import { afterAll, expect, test } from 'vitest';

/** Makes a release of the last commit as its maintainer does, and installs it as an operator does. */
const ROOT = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'release-'));
const checkout = join(folder, 'checkout');
const files = join(checkout, 'release');
const run = (cwd: string, command: string) =>
  execFileSync('bash', ['-ec', command], { cwd, encoding: 'utf8' });

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** With this checkout's packages, which git does not see there. */
function clone(): void {
  execFileSync('git', ['clone', '--quiet', ROOT, checkout]);
  symlinkSync(join(ROOT, 'node_modules'), join(checkout, 'node_modules'));
  appendFileSync(join(checkout, '.git/info/exclude'), '/node_modules\n');
}

function releaseTwice(): void {
  clone();
  run(checkout, 'npm run release -- --tested');
  const [first] = readFileSync(join(files, 'SHA256SUMS'), 'utf8').split('\n');
  run(checkout, 'npm run release -- --tested');
  expect(readFileSync(join(files, 'SHA256SUMS'), 'utf8')).toContain(first);
}

test('a release is the same when it is made again, and its sums are right', () => {
  releaseTwice();
  expect(run(files, 'sha256sum --check --quiet SHA256SUMS')).toBe('');
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  expect(readdirSync(files).sort()).toEqual([
    'NOTICE',
    'SHA256SUMS',
    `fairtick-${version}.tar.gz`,
    `fairtick-verifier-${version}.tgz`,
    'notes.md',
    'sbom.cdx.json',
  ]);
  const sbom = JSON.parse(readFileSync(join(files, 'sbom.cdx.json'), 'utf8'));
  const names = sbom.components.map(({ name }: { name: string }) => name);
  expect(names).toEqual(expect.arrayContaining(['fastify', 'react', 'pg']));
  expect(names).not.toContain('vitest');
  const notice = readFileSync(join(files, 'NOTICE'), 'utf8');
  expect(notice).toMatch(/^fastify [\d.]+ \(MIT\)\n\n.*Permission is hereby granted/ms);
}, 900_000);

test('in an empty folder it is installed and started by the lines of its page, takes an order and names its commit', async () => {
  const empty = join(folder, 'empty');
  mkdirSync(empty);
  const [tarball] = globSync('fairtick-*.tar.gz', { cwd: files }) as [string];
  run(empty, `tar xzf ${join(files, tarball)}`);
  const installed = join(empty, tarball.replace('.tar.gz', ''));
  expect(globSync('{tests,bench,scripts/*,**/*.test.ts}', { cwd: installed })).toEqual(['scripts/node']);
  run(installed, 'npm ci --omit=dev');
  expect(readdirSync(join(installed, 'node_modules'))).not.toContain('vitest');

  const [port, officePort] = [await freePort(), await freePort()];
  const server = spawn('npm', ['start'], {
    cwd: installed,
    env: {
      ...process.env,
      MODE: 'demo',
      PORT: String(port),
      OFFICE_PORT: String(officePort),
      DATA_DIR: join(folder, 'data'),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let told = '';
  server.stdout.on('data', (data) => {
    told += String(data);
  });
  const origin = `http://localhost:${port}`;
  await until(async () => server.exitCode !== null || (await isReady(origin)), 120_000);
  // The apps are in the tarball already.
  expect(told).not.toContain('building the app');
  const page = await (await fetch(origin)).text();
  const [asset = ''] = /\/assets\/[\w-]+\.js/.exec(page) ?? [];
  expect((await fetch(`${origin}${asset}`)).status).toBe(200);
  await placeFirstOrder(origin);
  const commit = run(checkout, 'git rev-parse HEAD').trim();
  const { version } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  const build = `fairtick ${version} (${commit.slice(0, 12)})\n`;
  expect(await (await fetch(`${origin}/healthz`)).text()).toBe(`ok\n${build}`);
  expect(run(installed, 'npm run -s admin -- --version')).toBe(build);
  const ended = once(server, 'close');
  server.kill('SIGTERM');
  expect((await ended)[0]).toBe(0);
}, 600_000);
