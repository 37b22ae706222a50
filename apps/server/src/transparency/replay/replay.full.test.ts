import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { HandLog } from '@fairtick/kit/installation/hand-log.ts';
import { startApi } from '@fairtick/kit/installation/running-api.ts';
import { afterChanges } from '@fairtick/kit/judges/planted-changes.ts';
import { receiptOf } from '@fairtick/kit/people/receipts.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { LogArchive } from '../../market/log/log-archive.ts';
import { settleAllDue } from '../../trading/settlement/settle-lanes.ts';
import { correctOrders, voidUnopenedOrders } from '../../trading/settlement/settle-orders.ts';
import { ordersOfDay } from './ledger-orders.ts';
import { type ReplayReport, replayOrders } from './replay-orders.ts';

const ALL = { first: 0, last: Number.MAX_SAFE_INTEGER };
const BIN = join(import.meta.dirname, '../../commands/fairtick.ts');
let customer: string;
const orders = new Map<string, number>();

async function settle(): Promise<void> {
  await voidUnopenedOrders(log.db.server);
  await settleAllDue(log.db.server);
  await correctOrders(log.db.server);
}

/** Orders that won, lost, tied, were void, one that a close made better after its settlement, and one that is still open. */
const log = forFile(() => HandLog.open({ quietMs: 500 }, ['EUR/USD', 'GBP/USD']));
beforeAll(async () => {
  [customer] = (await log.customers(1)) as [string];
  const buy = async (name: string, direction: 'up' | 'down' = 'up', minutes = 1) => {
    orders.set(name, await log.buy(customer, { direction, minutes }));
  };
  const startMs = log.nowMs;
  await buy('won');
  await buy('lost', 'down');
  const second = (seconds: number) => startMs + seconds * 1_000;
  await log.orders(second(0.25));
  await buy('long', 'up', 3);
  await log.orders(second(0.5));
  await log.fix(second(2), '1.08427');
  await log.fix(second(3), '1.08427');
  await log.fix(second(62), '1.08470');
  await log.tick(second(62), '1.08470');
  await buy('unopened');
  await log.orders(second(62.25));
  await log.fix(second(64), '1.08470', { quotedMs: [second(62), second(62), second(62)] });
  await log.tick(second(65), '1.08470');
  await buy('not logged');
  await log.tick(second(66.25), '1.08470');
  await log.orders(second(66.25));
  await log.tick(second(68), '1.08470');
  await buy('tied');
  await buy('corrected', 'down');
  await log.orders(second(68.25));
  await log.fix(second(70), '1.08480', { open: 1 });
  await log.fix(second(130), '1.08480');
  await settle();
  await log.fix(second(70), '', {
    prices: ['1.08481', '1.08482', '1.08482'],
    open: 3,
    kind: 'close',
    timeMs: second(131),
  });
  await log.tick(second(133), '1.27000', { symbol: 'GBP/USD' });
  await settle();
});

/** Replays with the server's role, on one snapshot. */
async function replayed(range = ALL): Promise<ReplayReport> {
  const client = await log.db.server.connect();
  try {
    await client.query('begin isolation level repeatable read read only');
    return await replayOrders(client, range);
  } finally {
    await client.query('rollback');
    client.release();
  }
}

describe('a replay', () => {
  test('agrees with the ledger on every order', async () => {
    const { rows } = await log.db.owner.query(
      'select coalesce(void_reason, result::text) as came_to from orders_and_results',
    );
    const results = rows.map(({ came_to }) => came_to);
    expect(new Set(results)).toEqual(new Set(['1', '-1', '0', 'no_price', 'not_logged', null]));
    expect(await replayed()).toMatchObject({
      same: 6,
      open: 1,
      due: 0,
      voids: 2,
      differing: 0,
      differences: [],
    });
  });

  test('of one order or one day reads no other orders', async () => {
    const won = orders.get('won') as number;
    expect(await replayed({ first: won, last: won })).toMatchObject({ same: 1, open: 0, differing: 0 });
    expect((await replayed({ first: won, last: won })).decided).toMatchObject({
      orderId: won,
      result: 'profit',
      opening: {
        price: '1.08427',
        records: [{ source: 'a', use: 'use', record: { price: '1.08427' } }, {}, {}],
      },
      settlement: { price: '1.08470' },
    });
    expect((await replayed()).decided).toBeNull();
    const dayMs = log.nowMs - (log.nowMs % 86_400_000);
    const range = await ordersOfDay(log.db.server, dayMs);
    expect(await replayed(range ?? ALL)).toMatchObject({ same: 6, open: 1 });
    expect(await ordersOfDay(log.db.server, dayMs + 86_400_000)).toBeNull();
  });

  /** As an attacker with full access could. */
  const WITHOUT_CHECKS = [
    `do $$ declare c record; begin
       for c in select conrelid::regclass as of, conname from pg_constraint
         where conrelid in ('orders'::regclass, 'order_results'::regclass) and contype = 'c'
       loop execute format('alter table %s drop constraint %I', c.of, c.conname); end loop;
     end $$`,
    'alter table order_results disable trigger user',
  ];
  const result = (set: string) => `update order_results set ${set} where order_id = $id`;
  const terms = (set: string) => `update orders set ${set} where id = $id`;

  test.each([
    ['won', result('result = -1, credited = 0'), ['result', 'credited', 'paid']],
    ['lost', result('result = 0, credited = credited + 5'), ['result', 'credited', 'paid']],
    ['won', result('settle_price = settle_price + 1'), ['settlement price']],
    ['won', result('open_index = open_index + 1'), ['opening price']],
    ['unopened', result(`void_reason = 'not_logged'`), ['reason of the void']],
    ['corrected', result('result = -1, credited = 0'), ['result', 'credited', 'paid']],
    ['tied', terms('stake = stake + 1'), ['terms', 'credited', 'paid']],
    ['won', terms('payout_rate_bps = payout_rate_bps + 100'), ['terms', 'payout rate', 'credited', 'paid']],
    [
      'long',
      `insert into order_results (order_id, settled_at_ms, credited, result) select id, settles_at_ms, stake, 0 from orders where id = $id`,
      ['outcome'],
    ],
    ['won', 'delete from order_results where order_id = $id', ['outcome']],
  ])('finds an order (%s) that was changed: %s', async (name, change, found) => {
    const id = orders.get(name) as number;
    const changes = [...WITHOUT_CHECKS, change.replace('$id', String(id))];
    const { differing, differences } = await afterChanges(log.db.owner, changes, (client) =>
      replayOrders(client, ALL),
    );
    expect(differing).toBe(1);
    expect(differences.every(({ orderId }) => orderId === id)).toBe(true);
    for (const { what } of differences) expect(found).toContain(what);
    expect(differences).not.toEqual([]);
  });

  test('finds a fix that was changed in the log', async () => {
    const { owner } = log.db;
    const { rows } = await owner.query('select settle_index as index from orders_and_results where id = $1', [
      orders.get('won'),
    ]);
    const write = (from: string, to: string) =>
      owner.query(`update log_entries set body = replace(body, $2, $3) where index = $1`, [
        rows[0].index,
        from,
        to,
      ]);
    await write('|1.08470|', '|1.08410|');
    const report = await replayed();
    await write('|1.08410|', '|1.08470|');
    expect(report.differences.map(({ what }) => what)).toContain('settlement price');
    expect((await replayed()).differing).toBe(0);
  });

  test('finds a batch that the log carries twice, and one that it passes over', async () => {
    const { owner } = log.db;
    const { rows } = await owner.query<{ index: string; body: string }>(
      `select index, body from log_entries where body like 'orders|4|%|3|3|%'`,
    );
    const write = (body: string) =>
      owner.query('update log_entries set body = $2 where index = $1', [rows[0]?.index, body]);
    const body = rows[0]?.body as string;
    await write(body.replace('|3|3|', '|2|3|'));
    const twice = { kind: 'twice', firstBatch: 2, lastBatch: 2 };
    expect((await replayed()).batchFaults).toMatchObject([twice]);
    await write(body.replace('|3|3|', '|4|4|'));
    const missing = { kind: 'missing', firstBatch: 3, lastBatch: 3 };
    expect((await replayed()).batchFaults).toContainEqual(expect.objectContaining(missing));
    await write(body);
    expect((await replayed()).batchFaults).toEqual([]);
  });

  test('reads entries that only the archive has', async () => {
    const { db, products } = log;
    await log.ticks(log.nowMs + 250, log.nowMs + 150_000, '1.27000', { symbol: 'GBP/USD' });
    const long = await db.owner.query('select settles_at_ms as ms from orders where id = $1', [
      orders.get('long'),
    ]);
    await log.fix(Number(long.rows[0].ms), '1.08480');
    await settle();
    const { rows } = await db.owner.query<{ size: string }>('select size from log_head');
    expect(Number(rows[0]?.size)).toBeGreaterThan(512);
    await new LogArchive(db.server, products).work(Number(rows[0]?.size));
    await db.owner.query('delete from log_entries where index < 512');
    expect(await replayed()).toMatchObject({ same: 7, open: 0, differing: 0 });
  });
});

describe('the command', () => {
  async function run(args: readonly string[], env: Record<string, string> = {}) {
    const options = { env: { ...process.env, ...env } };
    const done = promisify(execFile)(process.execPath, [BIN, 'replay', ...args], options);
    return done.then(
      ({ stdout }) => ({ code: 0, said: stdout }),
      ({ code, stdout, stderr }) => ({ code: code as number, said: `${stdout}${stderr}` }),
    );
  }

  test('settles a receipt again from the log that a server publishes', async () => {
    const api = await startApi(log.db);
    try {
      const receipt = await receiptOf(log, { customer, orderId: orders.get('won') as number });
      const file = join(tmpdir(), `${log.db.name}.json`);
      await writeFile(file, JSON.stringify(receipt));
      const right = await run([file, '--url', api.origin]);
      expect(right).toMatchObject({ code: 0, said: expect.stringContaining('Nothing differs.') });
      await writeFile(
        file,
        JSON.stringify({ ...receipt, outcome: { ...receipt?.outcome, result: 'loss', payout: '0.000000' } }),
      );
      const wrong = await run([file, '--url', api.origin]);
      expect(wrong).toMatchObject({
        code: 1,
        said: expect.stringContaining('DIFFERS result: by the log profit'),
      });
    } finally {
      await api.stop();
    }
  });

  test('prints the prices that decide an order, also as JSON', async () => {
    const { host, user, database } = log.db.ownerAddress;
    const address = `postgres:///${database}?host=${encodeURIComponent(host as string)}&user=${user}`;
    const corrected = String(orders.get('corrected'));
    const { code, said } = await run(['--order', corrected], { DATABASE_URL: address });
    expect([code, said]).toEqual([0, expect.stringContaining(`Order ${corrected}: profit.`)]);
    expect(said).toMatch(
      /opening 1\.08482 at .*, entry \d+ of the log\n {4}a: 1\.08481, record \d+ of .*, use/,
    );
    const json = await run(['--order', corrected, '--json'], { DATABASE_URL: address });
    expect(JSON.parse(json.said).decided).toMatchObject({ opening: { price: '1.08482' } });
  });

  test('exits with 2 and names the missing input if it compares nothing', async () => {
    for (const day of ['yesterday', '2026-02-31', '0000-01-01'])
      expect(await run(['--day', day])).toMatchObject({ code: 2, said: expect.stringContaining('--day') });
    expect(await run([], { DATA_DIR: '/nowhere', DATABASE_URL: '' })).toMatchObject({
      code: 2,
      said: expect.stringContaining('there is no database'),
    });
  });
});
