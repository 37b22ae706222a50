import { get, register } from '@fairtick/kit/clients/api-client.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { TradingFloor } from '@fairtick/kit/installation/trading-floor.ts';
import type { Tally } from '@fairtick/protocol';
import { beforeAll, describe, expect, test } from 'vitest';

const floor = forFile(() => TradingFloor.open());
const ann = forFile(() => register(floor.origin));
beforeAll(async () => {
  await floor.tick({ 'EUR/USD': '1.08400', 'USD/JPY': '150.000' });
  const order = async (fields: Record<string, string>) =>
    expect((await floor.order(ann.token, fields)).body.error).toBeUndefined();
  // Two orders win, two lose, one wins because nothing quotes its product at the settlement, and one stays open.
  await order({ amount: '100' });
  await order({ amount: '60' });
  await order({ amount: '40', direction: 'down' });
  await order({ amount: '50', direction: 'down' });
  await order({ amount: '30', symbol: 'USD/JPY' });
  await floor.openAt('EUR/USD', '1.08500');
  await floor.settleAt('EUR/USD', '1.08600');
  await order({ amount: '70', minutes: '5' });
});

const statistics = async (fields: Record<string, string> = {}, { token } = ann) =>
  (await get(floor.origin, 'statistics/own', { asset: 'DEMO', ...fields }, { token })).body;

describe('a customer’s own statistics', () => {
  test('statistics count settled orders by result, and show the win rate that breaks even', async () => {
    const { data } = await statistics();
    const { rows } = await floor.house.db.owner.query(
      `select sum(credited - stake)::text as result, count(*)::int as orders,
         (count(*) filter (where result = 1))::int as won, (count(*) filter (where result = -1))::int as lost,
         sum(stake) filter (where result <> 0) as staked, sum(stake + income) filter (where result <> 0) as could_be
       from orders_and_results where customer_id = $1 and settled_at_ms is not null`,
      [ann.id],
    );
    const row = rows[0];
    expect([data.orders, data.won, data.lost, data.none, data.open]).toEqual([
      row.orders,
      row.won,
      row.lost,
      row.orders - row.won - row.lost,
      1,
    ]);
    expect([data.orders, data.won]).toEqual([5, 2]);
    expect(Math.round(Number(data.result) * 1e6)).toBe(Number(row.result));
    expect(data.winRate).toBe((Math.floor((row.won / (row.won + row.lost)) * 1e4) / 1e4).toFixed(4));
    const breakEven = Number(row.staked) / Number(row.could_be);
    expect(Number(data.breakEven)).toBeGreaterThanOrEqual(breakEven);
    expect(Number(data.breakEven) - breakEven).toBeLessThan(0.0002);
    expect(data.isPartial).toBe(false);
  });

  test('figures by product and by cycle add up to the whole', async () => {
    const { data } = await statistics();
    expect(data.byProduct.map(({ symbol }: { symbol: string }) => symbol)).toEqual(['EUR/USD', 'USD/JPY']);
    expect(data.byCycle.map(({ minutes }: { minutes: number }) => minutes)).toEqual([1]);
    for (const parts of [data.byProduct, data.byCycle]) {
      const sum = (of: (part: Tally) => number) =>
        parts.reduce((total: number, part: Tally) => total + of(part), 0);
      expect(sum(({ orders }) => orders)).toBe(data.orders);
      expect(sum(({ won }) => won)).toBe(data.won);
      expect(Math.round(sum(({ result }) => Number(result)) * 1e6)).toBe(
        Math.round(Number(data.result) * 1e6),
      );
    }
  });

  test('statistics without orders show no rate instead of zero per cent, and assets are separate', async () => {
    const bob = await register(floor.origin);
    for (const body of [await statistics({}, bob), await statistics({ asset: 'USDT' })]) {
      expect(body.data).toMatchObject({
        orders: 0,
        open: 0,
        winRate: null,
        breakEven: null,
        byProduct: [],
        byCycle: [],
      });
    }
    expect((await statistics({ asset: 'EUR' })).error).toBe('ASSET_NOT_ACCEPTED');
  });

  test('statistics cover the requested number of days, by the log’s clock', async () => {
    await floor.house.db.owner.query(
      `update orders set accepted_at_ms = accepted_at_ms - 2 * 86400000, opens_at_ms = opens_at_ms - 2 * 86400000, settles_at_ms = settles_at_ms - 2 * 86400000
       where customer_id = $1 and stake = 100000000`,
      [ann.id],
    );
    expect((await statistics({ days: '1' })).data.orders).toBe(4);
    expect((await statistics({ days: '3' })).data.orders).toBe(5);
    expect((await statistics({ days: '366' })).error).toBe('INVALID_VALUE');
  });
});
