import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ownDatabase, temporaryFolder } from '@fairtick/kit/fixtures/fixtures.ts';
import { COSIGNATURE_TYPE, generateNoteKey } from '@fairtick/proof';
import { expect, test } from 'vitest';
import { writeRestored } from '../platform/db/restored.ts';

/** Starts and commands that another attempt can't help: one line, and exit code 2, after which systemd does not try again. */
const db = ownDatabase();
const dataDir = temporaryFolder('unfit');

function addressOf({ user = 'fairtick_owner', database = db.name } = {}): string {
  return `postgres:///${database}?host=${encodeURIComponent(String(db.ownerAddress.host))}&user=${user}`;
}

/** Runs a program of this folder. `lines` are those after the start's own steps. */
async function run(
  file: 'start.ts' | 'admin.ts',
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<{ code: number | null; lines: string[] }> {
  const settings = { DATABASE_URL: addressOf(), DATA_DIR: dataDir, ROLE: 'engine' };
  const program = spawn(process.execPath, [join(import.meta.dirname, file), ...args], {
    env: { PATH: process.env.PATH, ...settings, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let text = '';
  program.stderr.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  const [code] = (await once(program, 'close')) as [number | null];
  return { code, lines: text.trimEnd().split('\n') };
}

const WITNESS = generateNoteKey('w.example', new Uint8Array(32).fill(7), COSIGNATURE_TYPE).verifierKey;

test.each([
  [
    'a refused login',
    () => ({ DATABASE_URL: addressOf({ user: 'nobody_here' }) }),
    /refuses the login \(.*nobody_here.*\): mend DATABASE_URL$/,
  ],
  [
    'a database that does not exist',
    () => ({ DATABASE_URL: addressOf({ database: 'none' }) }),
    /refuses the login \(.*"none" does not exist\)/,
  ],
  [
    'a password that is not encoded',
    () => ({ DATABASE_URL: 'postgres://owner:p@ss/w#rd@localhost/fairtick' }),
    /DATABASE_URL must be .*%40/,
  ],
  [
    'a misspelt setting',
    () => ({ METRIC_PORT: '9100' }),
    /METRIC_PORT is no setting\. Is METRICS_PORT meant\?$/,
  ],
  [
    'a server that lets in too few connections',
    () => ({
      NEWS_FEEDS: 'en:market=https://example.com/feed.xml',
      WITNESSES: `${WITNESS}=https://w.example/`,
    }),
    /max_connections is 200, and two processes of each role open up to 204: set it to 214 or more/,
  ],
])(
  'a start with %s ends with one line and exit code 2',
  async (_what, settings, reason) => {
    const { code, lines } = await run('start.ts', [], settings());
    expect(lines).toEqual([expect.stringMatching(reason)]);
    expect(code).toBe(2);
  },
  60_000,
);

test('a start on data that a restore may have forked ends with one line and exit code 2', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'fairtick-forked-'));
  writeRestored(folder, {
    restoredAt: '2026-01-01T00:00:00Z',
    backupDir: '/backup',
    backup: 'a',
    to: null,
    lastCommit: null,
    logSize: 12,
    logRoot: '00',
    isComplete: false,
    newLog: null,
  });
  const { code, lines } = await run('start.ts', [], { DATA_DIR: folder });
  expect(lines).toEqual([expect.stringMatching(/log size 12.*would fork the public log/)]);
  expect(code).toBe(2);
  rmSync(folder, { recursive: true });
});

test('a port in use is named with its setting', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  const { code, lines } = await run('start.ts', [], { METRICS_PORT: String(port) });
  taken.close();
  expect(lines.at(-1)).toContain(`listens at the port ${port}: end it, or set METRICS_PORT to a free one`);
  expect(code).toBe(1);
}, 60_000);

test('neither the start nor any command works on a database of a newer version that refuses this one', async () => {
  const state = async () => (await db.owner.query('select origin, epoch from log_head')).rows;
  await db.owner.query(
    `insert into migrations.applied (name, run_on) values ('9999-later', now());
     update migrations.oldest_beside set version = '0.10.0'`,
  );
  const before = await state();
  for (const args of [
    ['audit'],
    ['new-log', '--yes'],
    ['rotate-keys', '--yes'],
    ['erase-customer', 'a', '--yes'],
  ]) {
    const { code, lines } = await run('admin.ts', args);
    expect([args, lines]).toEqual([
      args,
      [expect.stringMatching(/: the database is of a newer version \(9999-later\)/)],
    ]);
    expect(code).toBe(2);
  }
  const { code, lines } = await run('start.ts', []);
  expect(lines).toEqual([expect.stringMatching(/the database is of a newer version \(9999-later\)/)]);
  expect(code).toBe(2);
  expect(await state()).toEqual(before);
}, 60_000);
