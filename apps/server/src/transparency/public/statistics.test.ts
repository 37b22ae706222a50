import { get } from '@fairtick/kit/clients/api-client.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { startApi } from '@fairtick/kit/installation/running-api.ts';
import { type OrderRecord, StillHouse } from '@fairtick/kit/installation/still-house.ts';
import { watch } from '@fairtick/kit/installation/writers.ts';
import { pino } from 'pino';
import { beforeAll, expect, test } from 'vitest';
import { readPublicStatistics } from './public-statistics.ts';
import { StatisticsRollUp } from './statistics-roll-up.ts';

const still = forFile(() => StillHouse.open({ quietMs: 70_000 }));
beforeAll(async () => {
  await still.stepBy(750);
  await still.tick('EUR/USD', '1.08400');
  await still.tick('GBP/USD', '1.27000');
  await watch(still.house, still.house.product('GBP/USD'));
  const [ann, bob] = (await still.customers(2)) as [string, string];
  await still.buy(ann, { symbol: 'EUR/USD', amount: '100' });
  await still.buy(ann, { symbol: 'EUR/USD', amount: '100' });
  await still.buy(bob, { symbol: 'EUR/USD', amount: '100', direction: 'down' });
  await still.place([still.house.request(bob, { symbol: 'EUR/USD', amount: '1000000' })]);
  const { opensAtMs, settlesAtMs } = (await still.orders())[0] as OrderRecord;
  await still.openAt(opensAtMs, 'EUR/USD', '1.08427');
  await still.runTo(settlesAtMs - 250);
  // Of one source nothing shows that its record at the settlement is the last one.
  still.feed.open.add('c');
  await still.tick('EUR/USD', '1.08470');
  still.feed.open.delete('c');
  // Void, because the records are too old when it opens; it would have won.
  await still.runTo(still.nowMs + 6_000);
  const voided = await still.buy(bob, { symbol: 'GBP/USD', amount: '100' });
  await still.runTo((await still.order(voided)).settlesAtMs - 250);
  await still.tick('GBP/USD', '1.27010');
  await still.settle();
  // By now ann has won and bob has lost.
  await still.place(
    [ann, bob].map((who) => still.house.request(who, { symbol: 'EUR/USD', amount: '1000000' })),
  );
  // Two minutes later all of it is final.
  await still.leapTo(still.nowMs + 120_000);
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
  const { practice, outcomes, refusals, delays, fixes, countedUntil } = await readPublicStatistics({
    ...parts(),
    mode: 'demo',
  });
  // Practice money counts nowhere else.
  expect(outcomes).toMatchObject({ won: 0, lost: 0, void: 0, products: [], voids: [], losers: [] });
  expect(practice).toMatchObject({ won: 2, unpriced: 0, lost: 1, tied: 0, void: 1, voidWon: 1, voidLost: 0 });
  expect(practice?.products).toEqual([
    expect.objectContaining({ symbol: 'EUR/USD', minutes: 1, won: 2, unpriced: 0, lost: 1 }),
    expect.objectContaining({ symbol: 'GBP/USD', minutes: 1, won: 0, lost: 0, void: 1 }),
  ]);
  const [row] = practice?.products ?? [];
  // 300 staked at a rate r: two wins cost 2r · 100, a loss brings 100.
  const { rows } = await still.house.db.owner.query('select payout_rate_bps as bps from orders limit 1');
  const rate = rows[0].bps / 10_000;
  expect(Number(row?.statedEdge)).toBeCloseTo((1 - rate) / 2, 3);
  expect(Number(row?.realisedEdge)).toBeCloseTo((100 - 200 * rate) / 300, 3);
  expect(practice?.losers).toEqual([{ asset: 'DEMO', customers: 2, lost: 1 }]);
  expect(refusals).toEqual([{ code: 'AMOUNT_TOO_LARGE', count: 3, won: 1, lost: 1 }]);
  expect(practice?.voids).toEqual([
    {
      reason: 'no_price',
      asset: 'DEMO',
      count: 1,
      won: 1,
      lost: 0,
      tied: 0,
      returned: '100.000000',
      wouldHavePaid: '180.000000',
    },
  ]);
  expect(delays.fix).toMatchObject({ count: 4, p50: 50 });
  expect(fixes).toEqual({ count: 4, open: 1, thin: 1 });
  expect(countedUntil).toBeGreaterThan(0);
  expect((await readPublicStatistics({ ...parts(), mode: 'live' })).practice).toBeNull();
});

test('an order that a close made better is counted anew', async () => {
  const { owner, server } = still.house.db;
  const { rows } = await owner.query<{ index: string; price: string; fix_ms: string }>(
    `select f.index, f.price, f.fix_ms from logged_fixes f join orders_and_results o on o.settle_index = f.index where o.result = -1`,
  );
  // The close says that the price had fallen: bob's order down was right.
  await owner.query('update logged_fixes set is_open = true, close_index = index + 1, close_price = 108400 where index = $1', [
    rows[0]?.index,
  ]);
  expect((await server.query('select orders_correct(10) as orders')).rows[0].orders).toBe(1);
  const { practice } = await readPublicStatistics({ ...parts(), mode: 'demo' });
  expect(practice).toMatchObject({ won: 3, corrected: 1, lost: 0 });
  const bps = (await owner.query('select payout_rate_bps as bps from orders limit 1')).rows[0].bps;
  expect(Number(practice?.products[0]?.realisedEdge)).toBeCloseTo(-bps / 10_000, 3);
  expect(practice?.losers).toEqual([{ asset: 'DEMO', customers: 2, lost: 0 }]);
});

test('the page’s figures, rules and liabilities are public, without a session', async () => {
  const stats = await get(api.origin, 'transparency/stats', {});
  expect(stats.body.data).toMatchObject({ practice: { won: 3 }, withdrawals: { paid: 0, pending: [] } });
  const rules = await get(api.origin, 'transparency/rules', {});
  expect(rules.body.data.current[0]).toMatchObject({
    quorum: expect.any(Number),
    cycles: expect.any(Array),
    limits: expect.arrayContaining([
      {
        asset: 'DEMO',
        minBalance: '10',
        minPurchase: '10',
        max: [
          { upToMinutes: 5, amount: '5000' },
          { upToMinutes: 60, amount: '10000' },
        ],
      },
    ]),
    levels: { bronze: 1, silver: 1, gold: 2, platinum: null },
  });
  expect(rules.body.data.history[0]).toMatchObject({ isChange: false, firstIndex: expect.any(Number) });
  expect((await get(api.origin, 'transparency/liabilities', {})).body).toMatchObject({ code: 1, data: [] });
  expect((await get(api.origin, 'transparency/holdings', {})).body).toMatchObject({ code: 1, data: [] });
  expect((await get(api.origin, 'fund/owed', {})).status).toBe(401);
});
