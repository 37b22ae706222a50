import { setTimeout as sleep } from 'node:timers/promises';
import { post, type Registered, register } from '@fairtick/kit/clients/api-client.ts';
import { StreamClient } from '@fairtick/kit/clients/stream-client.ts';
import { Balancer } from '@fairtick/kit/installation/balancer.ts';
import { LiveHouse, SYMBOL } from '@fairtick/kit/installation/live-house.ts';
import { seen } from '@fairtick/kit/waiting/until.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';

const CUSTOMERS = 6;
/** Long enough for the checks during the drain, also on a slow machine. */
const DRAIN_SECONDS = 3;

let house: LiveHouse;
let balancer: Balancer;
beforeAll(async () => {
  house = await LiveHouse.open({ drainSeconds: DRAIN_SECONDS });
  balancer = await Balancer.open(house.apis.map(({ origin }) => origin));
});
afterAll(async () => {
  await balancer?.close();
  await house?.close();
});

const order = { symbol: SYMBOL, direction: 'up', minutes: '1', amount: '10', asset: 'DEMO' };

/** Places orders through the balancer without a pause until aborted; returns each answer. */
async function trade({ token }: Registered, signal: AbortSignal): Promise<string[]> {
  const told: string[] = [];
  while (!signal.aborted) {
    const { status, body } = await post(balancer.origin, 'order/create', order, { token });
    told.push(body.code === 1 ? (body.data.id as string) : `${status} ${body.error}`);
    // A customer can pay for at most 1 000 stakes of 10.
    await sleep(5);
  }
  return told;
}

test('an API that stops while customers trade through a balancer loses no request and no order', async () => {
  const customers = await Promise.all(Array.from({ length: CUSTOMERS }, () => register(balancer.origin)));
  const streams = await Promise.all(customers.map(({ token }) => StreamClient.open(balancer.origin, token)));
  for (const stream of streams) await stream.sub('orders');
  const [leaving] = house.apis;
  const stop = new AbortController();
  const trading = customers.map((customer) => trade(customer, stop.signal));
  await sleep(300);

  const startedMs = performance.now();
  const stopping = leaving.stop({ drain: true });
  const ready = await fetch(`${leaving.origin}/readyz`);
  expect([ready.status, await ready.json()]).toEqual([503, { database: true, feed: true, settlement: true }]);
  expect((await fetch(`${leaving.origin}/healthz`)).status).toBe(503);
  // A client that does not know of the drain is still served, and told to close this connection.
  const { status, headers, body } = await post(leaving.origin, 'order/create', order, {
    token: (customers[0] as Registered).token,
  });
  expect([status, body.code, headers.get('connection')]).toEqual([200, 1, 'close']);
  expect(streams.every(({ closed }) => closed === null)).toBe(true);
  await stopping;
  expect(performance.now() - startedMs).toBeGreaterThanOrEqual(DRAIN_SECONDS * 1_000);
  await expect(fetch(`${leaving.origin}/healthz`)).rejects.toThrow();
  await sleep(300);
  stop.abort();

  const told = (await Promise.all(trading)).flat();
  expect(balancer.failures).toEqual([]);
  expect(told.filter((one) => !/^\d+$/.test(one))).toEqual([]);
  expect(told.length).toBeGreaterThan(CUSTOMERS * 5);
  const { rows } = await house.db.owner.query<{ id: string }>('select id from orders');
  expect(new Set(rows.map(({ id }) => id))).toEqual(new Set([...told, body.data.id]));

  // Streams of the stopped process got a close frame and reconnect through the balancer; the others stay open.
  await seen(() => streams.filter(({ closed }) => closed !== null).length === CUSTOMERS / 2);
  for (const [place, stream] of streams.entries()) {
    if (!stream.closed) continue;
    expect(stream.closed.code).toBe(1001);
    const again = await StreamClient.open(balancer.origin, (customers[place] as Registered).token);
    expect((await again.sub('orders')).length).toBeGreaterThan(0);
    await again.close();
  }
  expect(await house.violations()).toEqual([]);
}, 60_000);
