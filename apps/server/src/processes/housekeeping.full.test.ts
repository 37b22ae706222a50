import { StillHouse } from '@fairtick/kit/installation/still-house.ts';
import { fullTest } from '@fairtick/kit/size.ts';
import { until } from '@fairtick/kit/waiting/until.ts';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DELETE_STEP } from '../market/candles/candle-pruning.ts';
import { startDecidingRole } from './threads/deciding-roles.ts';

const DAY_MS = 86_400_000;
/** Days of one-minute candles that the house has, and days that are kept. */
const DAYS = 12;
const KEPT_DAYS = 10;

let still: StillHouse;
/** Candles that begin before this time, in Unix ms, are old when the engines start. */
let oldMs: number;
beforeAll(async () => {
  still = await StillHouse.open({ quietMs: 300_000 });
  await still.tick('EUR/USD', '1.08400');
  oldMs = still.nowMs - KEPT_DAYS * DAY_MS;
  const firstMs = Math.floor(still.nowMs / 60_000) * 60_000 - DAYS * DAY_MS;
  const endMs = still.nowMs - DAY_MS / 24;
  // Day by day: a slow machine does not insert two million rows before the timeout of a statement.
  for (let ms = firstMs; ms <= endMs; ms += DAY_MS)
    await still.house.db.owner.query(
      `insert into candles (product_id, period, time_ms, open, high, low, close, volume, turnover)
       select p.id, 1, t, 100, 100, 100, 100, 1, 100
       from products p, generate_series($1::bigint, $2::bigint, 60000) t order by p.id, t`,
      [ms, Math.min(ms + DAY_MS - 60_000, endMs)],
    );
}, 180_000);
afterAll(() => still.close());

const minutes = async (isOld: boolean): Promise<number> => {
  const { rows } = await still.house.db.owner.query<{ count: string }>(
    `select count(*) from candles where period = 1 and (time_ms < $1) = $2`,
    [oldMs, isOld],
  );
  return Number(rows[0]?.count);
};

const lease = async () =>
  (await still.house.db.owner.query(`select epoch, lost from leases where name = 'engine'`)).rows[0];

fullTest(
  'the engine deletes candles older than ten days, keeps its lead, and settles meanwhile',
  async () => {
    const [kept, old] = [await minutes(false), await minutes(true)];
    expect(kept).toBeGreaterThan(500_000);
    expect(old).toBeGreaterThan(50_000);
    const customers = await still.customers(8);
    const files = { signingKeyFile: '', encryptionKeyFile: '' };
    const feed = { kind: 'simulated' } as const;
    const settings = { feed, chains: [], mode: 'demo', natsUrl: null, ...files, logLevel: 'silent' } as const;
    const options = { role: 'engine', settings, server: still.house.db.serverAddress } as const;
    const log = pino({ level: 'silent' });
    const engines = await Promise.all([startDecidingRole(options, log), startDecidingRole(options, log)]);
    try {
      for (const customer of customers) {
        await still.tick('EUR/USD', '1.08400');
        const id = await still.buy(customer, { symbol: 'EUR/USD', amount: '10' });
        await still.tick('EUR/USD', '1.08427');
        await still.leapTo((await still.order(id)).settlesAtMs - 250);
        await still.tick('EUR/USD', '1.08428');
        await still.stepBy(250);
        await until(async () => (await still.order(id)).settledAtMs !== null);
      }
      await until(async () => (await minutes(true)) === 0);
      // A lead that was lost while candles were deleted would have a second epoch.
      expect(await lease()).toEqual({ epoch: '1', lost: '0' });
      // The time goes on by a minute for each order, so that a few more minutes of each product may have become old.
      expect(await minutes(false)).toBeGreaterThan(0.99 * kept);
    } finally {
      for (const engine of engines) await engine.stop();
    }
  },
  60_000,
);

test('a step reads the index between its bounds, and no clock for each row', async () => {
  const { rows } = await still.house.db.owner.query<{ 'QUERY PLAN': string }>(
    `explain ${DELETE_STEP.replaceAll(/\$\d/g, '1')}`,
  );
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
  expect(plan).toMatch(/Index Cond: .*product_id = 1.*period = 1.*time_ms < LEAST/);
  expect(plan).not.toMatch(/Seq Scan|log_now/);
});
