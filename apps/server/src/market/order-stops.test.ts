import { get } from '@fairtick/kit/clients/api-client.ts';
import { StreamClient } from '@fairtick/kit/clients/stream-client.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { TradingFloor } from '@fairtick/kit/installation/trading-floor.ts';
import { ask } from '@fairtick/kit/people/money.ts';
import { installStaff } from '@fairtick/kit/people/staff.ts';
import { seen } from '@fairtick/kit/waiting/until.ts';
import type { Closed } from '@fairtick/protocol';
import { beforeEach, describe, expect, test } from 'vitest';

/** The state of a product as customers get it: in lists, in its detail, and on the stream. */
const floor = forFile(() => TradingFloor.open());
const eurusd = () => floor.house.product('EUR/USD').id;
const detail = async (symbol = 'EUR/USD') =>
  (await get(floor.origin, 'product/detail', { symbol })).body.data;
/** Without what the assets that nobody funded say. */
const because = (closed: Closed | null, asset = 'DEMO') =>
  closed?.assets && !closed.assets.includes(asset) ? null : (closed?.because ?? null);

/** Ticks until the product is in this state. */
async function until(state: Closed['because'] | null, symbol = 'EUR/USD'): Promise<Closed> {
  await seen(
    async () => {
      await floor.tick({ 'EUR/USD': '1.08400', 'GBP/USD': '1.27000' });
      return because((await detail(symbol)).closed) === state;
    },
    { what: `the state ${state} of ${symbol}` },
  );
  return (await detail(symbol)).closed;
}

beforeEach(async () => {
  await until(null);
});

test('a halt of one product is on the stream within a second with its time and reason, and ends there', async () => {
  const [clerk, approver] = [
    await installStaff(floor.house.db.owner, 'catalogue'),
    await installStaff(floor.house.db.owner, 'approver'),
  ];
  const reader = await StreamClient.open(floor.origin);
  for (const topic of ['quote:EUR/USD', 'quotes']) await reader.sub(topic);
  const isHalted = (quote: { symbol: string; closed: Closed | null }) =>
    quote.symbol === 'EUR/USD' && quote.closed?.because === 'halt';
  const beginMs = performance.now();
  const id = await ask(floor.house.db, 'trading_halt', [clerk, 'its sources err', eurusd()]);
  const told = await reader.next(({ topic, data }) => topic === 'quote:EUR/USD' && isHalted(data));
  await reader.next(({ topic, data }) => topic === 'quotes' && data.some(isHalted));
  expect(performance.now() - beginMs).toBeLessThan(1_000);
  expect(told.data.closed).toEqual({
    because: 'halt',
    since: expect.any(Number),
    until: null,
    reason: 'its sources err',
    sources: null,
    assets: null,
  });
  // Prices go on, in the halted product too, and other products take orders.
  expect(await until('halt')).toEqual(told.data.closed);
  await until(null, 'GBP/USD');
  expect((await detail()).price).toBe('1.08400');
  const { body } = await get(floor.origin, 'product/list', {});
  const row = body.data.find(({ symbol }: { symbol: string }) => symbol === 'EUR/USD');
  expect([row.isOpen, row.closed]).toEqual([false, told.data.closed]);

  const content = await ask(floor.house.db, 'trading_propose_lift', [clerk, id, 'they are right again']);
  const proposal = await ask(floor.house.db, 'trading_lift_proposed', [id]);
  await ask(floor.house.db, 'proposal_approve', [approver, ['halt_lift'], proposal, content]);
  await until(null);
  await reader.close();
});

describe('the server tells why a product takes no orders', () => {
  test('because all of them are halted', async () => {
    const clerk = await installStaff(floor.house.db.owner, 'catalogue');
    const id = await ask(floor.house.db, 'trading_halt', [clerk, 'all sources err']);
    for (const symbol of ['EUR/USD', 'GBP/USD'])
      expect(await until('halt', symbol)).toMatchObject({ reason: 'all sources err' });
    await floor.house.db.owner.query('delete from log_halts where halt_id = $1', [id]);
    await floor.house.db.owner.query('delete from trading_halts where id = $1', [id]);
    await floor.house.db.owner.query('update placement_head set is_halted = false');
  });

  test('because the house can take not even the least stake, in the assets that it names', async () => {
    const limit = (value: string) =>
      floor.house.db.owner.query(
        `update promised_income set product_limit = ${value} where asset_id = (select id from ledger.assets where code = 'DEMO')`,
      );
    const { rows } = await floor.house.db.owner.query(
      `select product_limit from promised_income i join ledger.assets a on a.id = i.asset_id where a.code = 'DEMO'`,
    );
    await limit('0');
    const closed = await until('full');
    expect(closed.assets).toContain('DEMO');
    expect((await detail()).isOpen).toBe(true);
    await limit(rows[0].product_limit);
    await until(null);
  });

  test('because its sources disagree, and then because too few of them have a price', async () => {
    floor.feed.stops.set(eurusd(), 'halt');
    await until('disagreement');
    floor.feed.stops.delete(eurusd());
    const closed = await until('no_price');
    expect(closed.since).toBeGreaterThan(0);
  });
});
