import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { get } from '@fairtick/kit/clients/api-client.ts';
import { placeFirstOrder } from '@fairtick/kit/clients/first-order.ts';
import { dataOf } from '@fairtick/kit/clients/read-answers.ts';
import { createTestDatabase, type TestDatabase } from '@fairtick/kit/database/database.ts';
import { aboutHouse, loadHouse } from '@fairtick/kit/installation/kept-house.ts';
import { Installation } from '@fairtick/kit/processes/server-process.ts';
import { seen } from '@fairtick/kit/waiting/until.ts';
import { afterAll, describe, expect, test } from 'vitest';
import { nameOfTables } from '../../apps/server/src/platform/db/schema-files.ts';

/** Houses that `npm run release -- freeze` kept, one of each released version, go on with this version. */
const ROOT = join(import.meta.dirname, '../..');
const KEPT = globSync('tests/releases/*.sql.br', { cwd: ROOT }).sort();
/** With room for what a busy machine takes for an order of a minute. */
const SETTLED_MS = 150_000;

test('there is a house to upgrade, and before the first release its tables are the present ones', () => {
  expect(KEPT.length).toBeGreaterThan(0);
  const unreleased = KEPT.filter((path) => basename(path).startsWith('0.')).map((path) =>
    aboutHouse(read(path)),
  );
  const old = unreleased.filter(({ tables }) => tables !== nameOfTables());
  expect(old, 'run `npm run release -- freeze`').toEqual([]);
});

const read = (path: string) => readFileSync(join(ROOT, path));

const urlOf = ({ name, ownerAddress }: TestDatabase) =>
  `postgres:///${name}?host=${encodeURIComponent(String(ownerAddress.host))}&user=fairtick_owner`;

describe.each(KEPT)('the house of %s', (path) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'upgraded-'));
  const installation = new Installation(dataDir);
  let db: TestDatabase;
  afterAll(async () => {
    await installation.close();
    await db?.drop();
  });

  const audit = () => {
    const env = { PATH: process.env.PATH, DATA_DIR: dataDir, DATABASE_URL: urlOf(db) };
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['apps/server/src/commands/admin.ts', 'audit', '--log'],
      { cwd: ROOT, env, encoding: 'utf8' },
    );
    return { status, stderr, found: stdout.split('\n').filter((line) => /^(WRONG|LOOK| {8})/.test(line)) };
  };
  const standing = async () => {
    const { rows } = await db.owner.query(
      `select (select count(*) from orders) as orders, (select count(*) from ledger.postings) as postings,
         (select sum(available + held + earning) from ledger.balances where asset_id <> 1) as money,
         (select size from log_head) as entries, (select count(*) from chain_deposits) as "chainDeposits",
         (select count(*) from payouts) as payouts, (select count(*) from orders_and_results where settled_at_ms is null) as open`,
    );
    return Object.fromEntries(Object.entries(rows[0]).map(([name, value]) => [name, Number(value)]));
  };

  test('goes on with its money, orders and log; its open orders and a new one settle, and the audit finds nothing', async () => {
    db = await createTestDatabase('template0');
    const kept = read(path);
    await loadHouse(db.ownerAddress, kept);
    for (const [name, base64] of Object.entries(aboutHouse(kept).files))
      writeFileSync(join(dataDir, name), Buffer.from(base64, 'base64'), { mode: 0o600 });
    const before = await standing();
    for (const what of ['orders', 'postings', 'money', 'entries', 'chainDeposits', 'payouts', 'open'])
      expect([what, before[what]]).toEqual([what, expect.toSatisfy((count) => count > 0)]);

    const server = await installation.startReady({ DATABASE_URL: urlOf(db) });
    const token = await placeFirstOrder(server.origin);
    const ends = async () => {
      const { items } = await dataOf(get(server.origin, 'order/list', {}, { token }));
      return items[0].status === 'settled' && (await standing()).open === 0;
    };
    await seen(ends, { everyMs: 1_000, withinMs: SETTLED_MS, what: 'all orders settled' });
    await server.stop();
    const after = await standing();
    expect(after).toMatchObject({
      orders: (before.orders as number) + 1,
      chainDeposits: before.chainDeposits,
      payouts: before.payouts,
    });
    expect(after.entries).toBeGreaterThan(before.entries as number);
    expect(audit()).toEqual({ status: 0, stderr: '', found: [] });
  }, 400_000);
});
