import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DebianPostgres } from '@fairtick/kit/processes/debian-postgres.ts';
import { childrenOf, programOf } from '@fairtick/kit/processes/processes.ts';
import { until } from '@fairtick/kit/waiting/until.ts';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';

/** The backups of the compose file, by its own script, with Debian's PostgreSQL. */
const OPS = join(import.meta.dirname, '../../ops');
const SCRIPT = join(OPS, 'keep-dumps');
const BIN = '/usr/lib/postgresql/15/bin';

let database: DebianPostgres;
let home: string;
let files: string;
let backups: string;

beforeAll(async () => {
  database = await DebianPostgres.create();
  database.start();
  const client = new pg.Client(database.admin);
  await client.connect();
  await client.query('create table kept as select * from generate_series(1, 1000) number');
  await client.end();
  home = mkdtempSync(join(tmpdir(), 'fairtick-keep-dumps-'));
  files = join(home, 'files');
  backups = join(home, 'backups');
  mkdirSync(files);
  mkdirSync(backups);
  writeFileSync(join(files, 'signing.key'), 'the key');
}, 120_000);
afterAll(() => {
  database?.close();
  rmSync(home, { recursive: true, force: true });
});

const running = (): ChildProcess =>
  spawn('bash', [SCRIPT], {
    stdio: 'ignore',
    detached: true,
    env: {
      PATH: `${BIN}:${process.env.PATH}`,
      PGHOST: '127.0.0.1',
      PGPORT: String(database.port),
      PGUSER: 'postgres',
      PGDATABASE: 'postgres',
      FILES: files,
      BACKUPS: backups,
    },
  });
const marker = () => join(files, 'last-backup');
const complete = () => readdirSync(backups).filter((name) => !name.endsWith('.partial'));

/** One successful day: the script has made its backup, removed the oldest ones, and waits. */
async function succeed(): Promise<void> {
  // Names are seconds.
  await sleep(1_000);
  rmSync(marker(), { force: true });
  const before = new Set(complete());
  const script = running();
  const waits = () =>
    existsSync(marker()) &&
    complete().some((name) => !before.has(name)) &&
    childrenOf(script.pid as number).some((pid) => programOf(pid) === 'sleep');
  await until(() => waits(), 30_000);
  process.kill(-(script.pid as number), 'SIGKILL');
  await once(script, 'exit');
}

/** A try that fails, as the container's start would repeat it. */
async function fail(): Promise<void> {
  await sleep(1_000);
  rmSync(marker(), { force: true });
  const [code] = await once(running(), 'exit');
  expect(code).not.toBe(0);
}

test('a house without all its keys, as while it is made, gets no backup that would count for the day', async () => {
  await fail();
  expect([existsSync(marker()), readdirSync(backups)]).toEqual([false, []]);
  writeFileSync(join(files, 'encryption.keys'), 'other keys');
}, 60_000);

test('ten failed tries remove none of seven good backups, and the next success keeps seven', async () => {
  for (let day = 0; day < 7; day += 1) await succeed();
  const good = complete();
  expect(good).toHaveLength(7);

  database.stop();
  for (let failure = 0; failure < 10; failure += 1) await fail();
  expect(complete()).toEqual(good);
  // Each try sweeps the one before it.
  expect(readdirSync(backups)).toHaveLength(8);

  // A folder with a complete backup's name and no dump is not among the seven.
  mkdirSync(join(backups, '20300101T000000'));
  database.start();
  await succeed();
  const kept = complete().filter((name) => existsSync(join(backups, name, 'fairtick.dump')));
  expect(kept).toHaveLength(7);
  expect(kept.slice(0, 6)).toEqual(good.slice(1));
  for (const name of kept)
    expect(readFileSync(join(backups, name, 'files/signing.key'), 'utf8')).toBe('the key');
}, 240_000);

test('a restart within a day makes no further backup', async () => {
  const before = readdirSync(backups);
  const script = running();
  await sleep(2_000);
  process.kill(-(script.pid as number), 'SIGKILL');
  await once(script, 'exit');
  expect(readdirSync(backups)).toEqual(before);
});

test('the compose file runs this script', () => {
  const service = readFileSync(join(OPS, 'compose.yml'), 'utf8').split(/^ {2}backup:$/m)[1] ?? '';
  expect(service).toContain('./keep-dumps:/usr/local/bin/keep-dumps:ro');
  expect(service).toContain('entrypoint: [bash, /usr/local/bin/keep-dumps]');
});
