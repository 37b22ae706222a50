import { forTest } from '@fairtick/kit/fixtures/fixture.ts';
import { House, START_MS } from '@fairtick/kit/installation/house.ts';
import { ManualFeed } from '@fairtick/kit/installation/manual-feed.ts';
import { installStaff } from '@fairtick/kit/people/staff.ts';
import type { OfficeData } from '@fairtick/protocol/office';
import { expect, test } from 'vitest';
import { priceAges } from '../../market/price-ages.ts';
import type { OfficeContext } from '../../platform/office-area.ts';
import { dashboardHandlers } from './office.ts';
import { Turnover } from './turnover.ts';

const HOUR_MS = 3_600_000;
const feed = forTest(() => new ManualFeed());
/** The start page's figures, compared with what was done. */
const house = forTest(() => House.open(feed));

/** Reads the figures as a newly started process. */
function look() {
  const { db, products, assets, rules } = house;
  const ages = priceAges({ db: db.server, products, rules });
  const handlers = dashboardHandlers({
    pool: db.server,
    products,
    assets,
    ages,
    facts: () => ({ hasMetrics: false, lastBackupMs: null }),
  });
  const context = {} as OfficeContext;
  return {
    house: () => handlers['dashboard/house']({}, context) as Promise<OfficeData<'dashboard/house'>>,
    queues: () => handlers['dashboard/queues']({}, context) as Promise<OfficeData<'dashboard/queues'>>,
  };
}

async function ticks(fromMs: number, toMs: number, price = '1.08400'): Promise<void> {
  for (let ms = fromMs; ms <= toMs; ms += 1_000) {
    feed.price(house.product('EUR/USD'), price, ms);
    await house.stepTo(ms);
  }
}

test('the house’s figures show stakes, possible losses and settled orders', async () => {
  const empty = await look().house();
  expect(empty).toMatchObject({
    turnover: [],
    exposure: [],
    settlement: {
      due: 0,
      oldestDueAt: null,
      open: 0,
      delayP50: null,
      delayP99: null,
      settledLately: 0,
      voids: [],
    },
    log: { batchesWaiting: 0, hasWriter: true, products: house.products.all.length, gaps: [] },
  });

  await ticks(START_MS + 1_000, START_MS + 16_000);
  const customer = await house.customer();
  const orders = [
    { direction: 'up', amount: '100' },
    { direction: 'down', amount: '30' },
  ] as const;
  for (const order of orders) {
    const [answer] = await house.place([
      house.request(customer, { symbol: 'EUR/USD', minutes: 1, ...order }),
    ]);
    expect(answer?.kind).toBe('accepted');
  }
  const open = await look().house();
  expect(open.turnover).toEqual([
    { date: '2026-06-01', asset: 'DEMO', isPractice: true, orders: 2, stakes: '130.000000' },
  ]);
  // Both may win: 130 × 0.8.
  expect(
    open.exposure.map(({ scope, isGroup, worstLoss, limit }) => [scope, isGroup, worstLoss, limit]),
  ).toEqual([
    ['EUR/USD', false, '104.000000', '500000.000000'],
    [house.product('EUR/USD').exposureGroup, true, '104.000000', '1500000.000000'],
  ]);
  expect(open.exposure[0]?.usedBps).toBe(2);
  expect(open.customers).toEqual([{ id: customer, asset: 'DEMO', orders: 2, worstLoss: '104.000000' }]);
  expect(open.money).toEqual([]);
  // Products without any price are as old as the log.
  expect(open.log.oldestPrice?.symbol).not.toBe('EUR/USD');
  expect(open.settlement).toMatchObject({ open: 2, due: 0 });
  expect(open.log.batchesWaiting).toBe(2);

  await ticks(START_MS + 17_000, START_MS + 81_000, '1.08500');
  expect((await look().house()).settlement).toMatchObject({ open: 2, due: 2, settledLately: 0 });
  expect(await house.settle()).toBe(2);
  const settled = await look().house();
  expect(settled.settlement).toMatchObject({
    open: 0,
    due: 0,
    oldestDueAt: null,
    settledLately: 2,
    voids: [],
  });
  expect(settled.settlement.delayP99).toBeGreaterThanOrEqual(0);
  expect(settled.turnover).toEqual(open.turnover);
  const { rows } = await house.db.owner.query(
    'select sum(stake - credited)::float8 / 1e6 as result from orders_and_results',
  );
  expect(settled.money).toEqual([
    {
      date: '2026-06-01',
      asset: 'DEMO',
      result: rows[0].result.toFixed(6),
      paidIn: '0.000000',
      paidOut: '0.000000',
    },
  ]);
  expect(settled.customers).toEqual([]);
});

test('turnover keeps the past hours and grows in the present one', async () => {
  const turnover = new Turnover(house.db.server);
  await ticks(START_MS + 1_000, START_MS + 16_000);
  const customer = await house.customer();
  const buy = async () => {
    const [answer] = await house.place([house.request(customer, { symbol: 'EUR/USD', amount: '10' })]);
    expect(answer?.kind).toBe('accepted');
  };
  const stakes = async () => (await turnover.read(house.clock.targetMs)).map((hour) => hour.stakes);
  await buy();
  expect(await stakes()).toEqual([10_000_000n]);
  await ticks(START_MS + 2 * HOUR_MS, START_MS + 2 * HOUR_MS + 16_000);
  expect(await stakes()).toEqual([10_000_000n]);
  await buy();
  expect(await stakes()).toEqual([10_000_000n, 10_000_000n]);
  await ticks(START_MS + 2 * HOUR_MS + 17_000, START_MS + 2 * HOUR_MS + 18_000);
  await buy();
  expect(await stakes()).toEqual([10_000_000n, 20_000_000n]);
  // Fifteen days later, all of it is older than the last 14 days.
  expect(await turnover.read(START_MS + 15 * 24 * HOUR_MS)).toEqual([]);
});

test('queues show how many items wait and since when', async () => {
  const waiting = async (name: string) => (await look().queues()).find(({ queue }) => queue === name);
  expect(await waiting('rules')).toEqual({ queue: 'rules', waiting: 0, oldestAt: null });
  const clerk = await installStaff(house.db.owner, 'catalogue');
  const before = Date.now();
  await house.db.server.query(
    `select * from rules_propose($1, 'payout_table', $2, 'n', array[1]::smallint[], $3)`,
    [clerk, START_MS + 7_200_000, JSON.stringify({ cycles: [{ minutes: 1, payoutRate: '0.81' }] })],
  );
  const found = await waiting('rules');
  expect(found?.waiting).toBe(1);
  expect(Math.abs((found?.oldestAt ?? 0) - before)).toBeLessThan(10_000);
});
