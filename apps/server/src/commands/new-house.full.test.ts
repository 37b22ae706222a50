import { spawnSync } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ownDatabase, temporaryFolder } from '@fairtick/kit/fixtures/fixtures.ts';
import { expect, test } from 'vitest';

/** `npm run admin -- new-house`, and a live start that lacks something. */
const ROOT = join(import.meta.dirname, '../../../..');
const db = ownDatabase();
const folder = temporaryFolder('new-house');

function run(file: 'admin.ts' | 'start.ts', args: readonly string[], settings: Record<string, string>) {
  const env = { PATH: process.env.PATH, DATA_DIR: join(folder, 'data'), ...settings };
  const done = spawnSync(process.execPath, [join(import.meta.dirname, file), ...args], {
    env,
    encoding: 'utf8',
  });
  return { code: done.status, out: done.stdout, err: done.stderr };
}

const file = (name: string) => join(folder, name);
const COMPLETE = () => ({
  MODE: 'live',
  FEED: 'live',
  PUBLIC_ORIGIN: 'https://trade.example',
  OFFICE_ORIGIN: 'https://office.trade.example',
  SIGNING_KEY_FILE: file('signing.key'),
  ENCRYPTION_KEY_FILE: file('encryption.keys'),
  OPERATOR_PROFILE: join(ROOT, 'ops/operator-profile.example.json'),
  SOURCES_FILE: file('sources.json'),
});

test('a live start names all that is missing, a line each, and ends with 2; so does the command, without a start', () => {
  const wrong = {
    MODE: 'live',
    PORT: 'x',
    SOURCES_FILE: file('none.json'),
    FEED: 'live',
    SIGNING_KEY_FILE: file('none.key'),
  };
  const faults = [
    'PORT must be a whole number',
    'MODE=live needs ENCRYPTION_KEY_FILE',
    'MODE=live needs OPERATOR_PROFILE',
    'MODE=live needs PUBLIC_ORIGIN with https',
    'MODE=live needs OFFICE_ORIGIN with https',
    `SIGNING_KEY_FILE ${file('none.key')} does not exist`,
    'SOURCES_FILE: ENOENT',
  ];
  const started = run('start.ts', [], wrong);
  expect(started.code).toBe(2);
  const lines = started.err.trimEnd().split('\n');
  expect(lines).toEqual(faults.map((fault) => expect.stringContaining(`Fairtick could not start: ${fault}`)));
  const { code, out } = run('admin.ts', ['new-house'], wrong);
  expect(code).toBe(1);
  for (const fault of faults) expect(out).toContain(`missing  ${fault}`);
  expect(out).toContain('There is no database yet');
  expect(out).toMatch(/open {5}funds of the house.*EXPOSURE_LIMIT/);
});

test('--keys makes both key files once, for their owner alone, and changes none that is there', () => {
  writeFileSync(file('sources.json'), '{}');
  const { PUBLIC_ORIGIN: _, ...without } = COMPLETE();
  expect(run('admin.ts', ['new-house', '--keys'], without)).toMatchObject({
    code: 2,
    err: /set .*PUBLIC_ORIGIN/,
  });
  const first = run('admin.ts', ['new-house', '--keys'], COMPLETE());
  expect(first.out).not.toContain('missing');
  expect(first.out).toContain('open with live prices: 0 products');
  for (const name of ['signing.key', 'encryption.keys']) {
    expect(first.out).toContain(`made     ${file(name)}`);
    expect(statSync(file(name)).mode & 0o777).toBe(0o600);
  }
  const before = readFileSync(file('signing.key'), 'utf8');
  expect(before).toContain('trade.example/api/transparency');
  expect(run('admin.ts', ['new-house', '--keys'], COMPLETE()).out).toContain(
    `kept     ${file('signing.key')}`,
  );
  expect(readFileSync(file('signing.key'), 'utf8')).toBe(before);
});

test('a database that was a demo is refused, all at once, and its steps are done or open', () => {
  const host = encodeURIComponent(String(db.ownerAddress.host));
  const DATABASE_URL = `postgres:///${db.name}?host=${host}&user=fairtick_owner`;
  const { code, out } = run('admin.ts', ['new-house'], { ...COMPLETE(), DATABASE_URL });
  expect(code).toBe(1);
  expect(out).toContain('missing  MODE=live refuses demo channels that are on: 1, 2, 3, 4, 5');
  expect(out).toContain("missing  MODE=live refuses the demo's capital (USDT, USD, BTC, ETH)");
  expect(out).toMatch(/^done {5}channels/m);
  expect(out).toMatch(/^open {5}first administrators/m);
});
