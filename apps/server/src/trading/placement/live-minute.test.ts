import { get, register } from '@fairtick/kit/clients/api-client.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { ManualFeed } from '@fairtick/kit/installation/manual-feed.ts';
import { TradingFloor } from '@fairtick/kit/installation/trading-floor.ts';
import { expect, test } from 'vitest';

/** A product with a source of a real market: its cycle of one minute takes practice money only. */
const floor = forFile(async () => {
  const feed = new ManualFeed({ licences: { a: 'simulated', b: 'public', c: 'simulated' } });
  const opened = await TradingFloor.open({ feed });
  await opened.tick({ 'EUR/USD': '1.08400' });
  return opened;
});

const OTHERS = ['USDT', 'USD', 'BTC', 'ETH'];

test('product/list and product/detail offer the minute of live prices for practice money only', async () => {
  type Cycle = { readonly minutes: number; readonly limits: readonly { readonly asset: string }[] };
  const offered = (cycles: readonly Cycle[]) =>
    cycles.map(({ minutes, limits }) => [minutes, limits.map(({ asset }) => asset)]);
  const expected = [1, 3, 5, 15, 30, 60].map((minutes) => [
    minutes,
    minutes === 1 ? ['DEMO'] : ['DEMO', ...OTHERS],
  ]);
  const { body: detail } = await get(floor.origin, 'product/detail', { symbol: 'EUR/USD' });
  expect(offered(detail.data.cycles)).toEqual(expected);
  const { body: list } = await get(floor.origin, 'product/list');
  const listed = list.data.find(({ symbol }: { symbol: string }) => symbol === 'EUR/USD');
  expect(offered(listed.cycles)).toEqual(expected);
});

test('an order of a minute of live prices is taken in practice money, and refused in any other asset', async () => {
  const { token } = await register(floor.origin);
  expect((await floor.order(token, { minutes: '1' })).body.error).toBeUndefined();
  const { body } = await floor.order(token, { minutes: '1', asset: 'USDT' });
  expect([body.error, body.msg]).toEqual(['CYCLE_NOT_OFFERED', 'This cycle is not offered for this asset']);
  // Without money in this asset, the next bound refuses the longer one.
  expect((await floor.order(token, { minutes: '3', asset: 'USDT' })).body.error).toBe('INSUFFICIENT_BALANCE');
});

test('the database has no terms of such an order', async () => {
  const { rows } = await floor.house.db.server.query<{ code: string; minutes: number[] }>(
    `select a.code, array_agg(t.minutes order by t.minutes) as minutes from rule_terms t join rules r on r.id = t.rules_id
     join ledger.assets a on a.id = t.asset_id where r.product_id = $1 group by a.id order by a.id`,
    [floor.house.product('EUR/USD').id],
  );
  const longer = [3, 5, 15, 30, 60];
  expect(Object.fromEntries(rows.map(({ code, minutes }) => [code, minutes]))).toEqual({
    DEMO: [1, ...longer],
    ...Object.fromEntries(OTHERS.map((code) => [code, longer])),
  });
});
