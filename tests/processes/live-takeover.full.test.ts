import { setTimeout as sleep } from 'node:timers/promises';
import { Api, newKey, register } from '@fairtick/kit/clients/api.ts';
import { faultsOfLog, openSix, type Six, takeOver } from '@fairtick/kit/processes/six-processes.ts';
import { VenueMarket } from '@fairtick/kit/venues/venue-market.ts';
import { seen } from '@fairtick/kit/waiting/until.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';

/** Two feed processes under live prices: each receives all venues, and the one that takes over writes what its predecessor missed. */
const SYMBOL = 'BTC/USDT';
let market: VenueMarket;
let six: Six;
beforeAll(async () => {
  market = await VenueMarket.open();
  six = await openSix({ FEED: 'live', SOURCES_FILE: market.file, DRAIN_SECONDS: '1' });
}, 180_000);
afterAll(async () => {
  await six?.house.close();
  await market.close();
});

test('a killed feed is replaced, and no grid time of a traded product is missing', async () => {
  const api = await Api.open(six.apis[0]?.origin as string);
  const customer = await register(api);
  const order = { symbol: SYMBOL, direction: 'up', minutes: '15', amount: '100', asset: 'DEMO' };
  await seen(
    async () =>
      (await api.post('order/create', order, { token: customer.token, key: newKey() })).body.code === 1,
    { everyMs: 500, what: 'an order' },
  );
  await sleep(3_000);
  const { db } = six.house;
  const head = await db.query<{ time: string }>('select time_ms as time from log_head');
  await takeOver(six, 'feed', 'SIGKILL');
  await sleep(3_000);
  const { rows } = await db.query<{ kind: number; step: string; count: string }>(
    `select kind, step, count(*) from (
       select l.kind, l.time_ms - lag(l.time_ms) over (order by l.index) as step
       from log_entries l join products p on p.id = l.product_id where p.symbol = $1 and l.kind <= 2 and l.time_ms > $2
     ) steps where step is not null group by 1, 2`,
    [SYMBOL, Number(head.rows[0]?.time) - 2_000],
  );
  expect(rows.map(({ kind, step }) => [Number(kind), Number(step)])).toEqual([[1, 250]]);
  expect(await faultsOfLog(six.house)).toEqual([]);
}, 240_000);
