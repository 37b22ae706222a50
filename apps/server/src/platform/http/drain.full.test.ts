import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, post, type Registered, register } from '@fairtick/kit/clients/api-client.ts';
import { StreamClient } from '@fairtick/kit/clients/stream-client.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { Balancer } from '@fairtick/kit/installation/balancer.ts';
import { LiveHouse, SYMBOL } from '@fairtick/kit/installation/live-house.ts';
import { seen } from '@fairtick/kit/waiting/until.ts';
import { expect, test } from 'vitest';

const CUSTOMERS = 6;
/** Long enough for the checks during the drain, also on a slow machine. */
const DRAIN_SECONDS = 10;
const house = forFile(() => LiveHouse.open({ drainSeconds: DRAIN_SECONDS }));
const balancer = forFile(() => Balancer.open(house.apis.map(({ origin }) => origin)));

const order = { symbol: SYMBOL, direction: 'up', minutes: '1', amount: '10', asset: 'DEMO' };

/** Refusals of a slow machine. NOT_READY is not among them: it would be a request that the drain lost. */
const FOR_NOW: ReadonlySet<string | undefined> = new Set(['LATE', 'PRICE_UNAVAILABLE']);

/** Places an order, and again with the same key until the answer is not one of `FOR_NOW`, as the app does. */
function buy(origin: string, { token }: Registered): Promise<Answer> {
  const key = randomUUID();
  return seen(async () => {
    const answer = await post(origin, 'order/create', order, { token, key });
    return FOR_NOW.has(answer.body.error) ? null : answer;
  });
}

/** Places orders through the balancer until aborted; returns each answer. */
async function trade(customer: Registered, signal: AbortSignal): Promise<string[]> {
  const told: string[] = [];
  while (!signal.aborted) {
    const { status, body } = await buy(balancer.origin, customer);
    told.push(body.code === 1 ? (body.data.id as string) : `${status} ${body.error}`);
    // A customer can pay for at most 1 000 stakes of 10.
    await sleep(30);
  }
  return told;
}

test('an API that stops while customers trade through a balancer loses no request and no order', async () => {
  const customers = await Promise.all(Array.from({ length: CUSTOMERS }, () => register(balancer.origin)));
  // Opened at the processes in turn: a balancer spreads them evenly only while both are ready.
  const streams = await Promise.all(
    customers.map(({ token }, place) => StreamClient.open(house.origin(place), token)),
  );
  for (const stream of streams) await stream.sub('orders');
  const [leaving] = house.apis;
  const stop = new AbortController();
  const trading = customers.map((customer) => trade(customer, stop.signal));
  await sleep(300);

  const startedMs = performance.now();
  const stopping = leaving.stop({ drain: true });
  const readiness = async () => {
    const ready = await fetch(`${leaving.origin}/readyz`);
    return [ready.status, await ready.json()];
  };
  await expect.poll(readiness).toEqual([503, { database: true, feed: true, settlement: true, prices: true }]);
  expect((await fetch(`${leaving.origin}/healthz`)).status).toBe(503);
  // A client that does not know of the drain is still served, and told to close this connection.
  const { status, headers, body } = await buy(leaving.origin, customers[0] as Registered);
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
});
