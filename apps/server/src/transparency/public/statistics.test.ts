import { get } from '@fairtick/kit/clients/api-client.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { startApi } from '@fairtick/kit/installation/running-api.ts';
import { StillHouse } from '@fairtick/kit/installation/still-house.ts';
import { pino } from 'pino';
import { beforeAll, expect, test } from 'vitest';
import { readPublicStatistics } from './public-statistics.ts';
import { StatisticsRollUp } from './statistics-roll-up.ts';

const still = forFile(() => StillHouse.open({ quietMs: 120_000 }));
beforeAll(async () => {
  await still.stepBy(750);
  await still.tick('EUR/USD', '1.08400');
  const [ann, bob] = (await still.customers(2)) as [string, string];
  await still.buy(ann, { symbol: 'EUR/USD', amount: '100' });
  await still.buy(ann, { symbol: 'EUR/USD', amount: '100' });
  await still.buy(bob, { symbol: 'EUR/USD', amount: '100', direction: 'down' });
  await still.place([still.house.request(bob, { symbol: 'EUR/USD', amount: '1000000' })]);
  const firstOpensAtMs = still.nowMs + 2_000;
  await still.openAt(firstOpensAtMs, 'EUR/USD', '1.08427');
  await still.leapTo(firstOpensAtMs + 60_000 - 250);
  await still.tick('EUR/USD', '1.08450');
  await still.tick('EUR/USD', '1.08470');
  // Void, because prices stop before it opens; it would have won. The other one opened before, and wins without a price.
  const opened = await still.buy(ann, { symbol: 'EUR/USD', amount: '100' });
  const { opensAtMs } = await still.order(opened);
  await still.openAt(opensAtMs - 500, 'EUR/USD', '1.08470');
  const orderId = await still.buy(bob, { symbol: 'EUR/USD', amount: '100' });
  const { settlesAtMs: voidAtMs } = await still.order(orderId);
  await still.runTo(opensAtMs);
  const { id } = still.house.product('EUR/USD');
  still.feed.ended.add(id);
  await still.leapTo(still.nowMs + 2_000);
  expect((await still.order(opened)).settlesAtMs).toBeLessThan(voidAtMs);
  still.feed.ended.delete(id);
  await still.tick('EUR/USD', '1.08470');
  await still.leapTo(still.nowMs + 1_000);
  still.feed.ended.add(id);
  await still.leapTo(voidAtMs - 250);
  still.feed.ended.delete(id);
  await still.tick('EUR/USD', '1.08490');
  await still.settle();
  // By now ann has won and bob has lost.
  await still.place(
    [ann, bob].map((who) => still.house.request(who, { symbol: 'EUR/USD', amount: '1000000' })),
  );
  // Two minutes later all of it is final.
  await still.leapTo(voidAtMs + 120_000);
  await still.tick('EUR/USD', '1.08490');
  await still.settle();
});
const api = forFile(() => startApi(still.house.db));

const parts = () => {
  const { db, assets, products } = still.house;
  return { db: db.server, assets, products };
};

test('each order and refusal is counted once, however often and in however many processes the count runs', async () => {
  const rollUps = [1, 2, 3].map(() => new StatisticsRollUp(still.house.db.server, pino({ level: 'silent' })));
  for (let turn = 0; turn < 2; turn += 1) await Promise.all(rollUps.map((one) => one.run()));
  const { practice, outcomes, refusals, delays, countedUntil } = await readPublicStatistics({
    ...parts(),
    mode: 'demo',
  });
  // Practice money counts nowhere else.
  expect(outcomes).toMatchObject({ won: 0, lost: 0, void: 0, products: [], voids: [], losers: [] });
  expect(practice).toMatchObject({ won: 3, unpriced: 1, lost: 1, tied: 0, void: 1, voidWon: 1, voidLost: 0 });
  expect(practice?.products).toEqual([
    expect.objectContaining({ symbol: 'EUR/USD', minutes: 1, won: 3, unpriced: 1, lost: 1 }),
  ]);
  const [row] = practice?.products ?? [];
  // 400 staked at a rate r: three wins cost 3r · 100, a loss brings 100.
  const { rows } = await still.house.db.owner.query('select payout_rate_bps as bps from orders limit 1');
  const rate = rows[0].bps / 10_000;
  expect(Number(row?.statedEdge)).toBeCloseTo((1 - rate) / 2, 3);
  expect(Number(row?.realisedEdge)).toBeCloseTo((100 - 300 * rate) / 400, 3);
  expect(practice?.losers).toEqual([{ asset: 'DEMO', customers: 2, lost: 1 }]);
  expect(refusals).toEqual([{ code: 'AMOUNT_TOO_LARGE', count: 3, won: 1, lost: 1 }]);
  expect(practice?.voids).toEqual([
    {
      reason: 'gap',
      asset: 'DEMO',
      count: 1,
      won: 1,
      lost: 0,
      tied: 0,
      returned: '100.000000',
      wouldHavePaid: '180.000000',
    },
  ]);
  expect(delays.open).toEqual({ count: 4, p50: 2_050, p99: 2_050 });
  expect(countedUntil).toBeGreaterThan(0);
  expect((await readPublicStatistics({ ...parts(), mode: 'live' })).practice).toBeNull();
});

test('the page’s figures, rules and liabilities are public, without a session', async () => {
  const stats = await get(api.origin, 'transparency/stats', {});
  expect(stats.body.data).toMatchObject({ practice: { won: 3 }, withdrawals: { paid: 0, pending: [] } });
  const rules = await get(api.origin, 'transparency/rules', {});
  expect(rules.body.data.current[0]).toMatchObject({ quorum: expect.any(Number), cycles: expect.any(Array) });
  expect(rules.body.data.history[0]).toMatchObject({ isChange: false, firstIndex: expect.any(Number) });
  expect((await get(api.origin, 'transparency/liabilities', {})).body).toMatchObject({ code: 1, data: [] });
  expect((await get(api.origin, 'fund/owed', {})).status).toBe(401);
});
