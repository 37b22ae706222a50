import { setTimeout as sleep } from 'node:timers/promises';
import {
  Api,
  type Customer,
  demo,
  newKey,
  openSymbol,
  ownings,
  register,
} from '@fairtick/kit/clients/api.ts';
import { Installation } from '@fairtick/kit/processes/server-process.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const installation = new Installation();
let api: Api;
/** A second API process on the same database. */
let other: Api;
let symbol: string;

beforeAll(async () => {
  api = await Api.open((await installation.startReady()).origin);
  other = await Api.open((await installation.startReady({ ROLE: 'api' })).origin);
  const { token } = await register(api);
  symbol = await openSymbol(api);
  // After a start orders are accepted once there are prices; only an order can tell.
  for (let tries = 0; ; tries += 1) {
    const { body } = await api.post('order/create', { ...ORDER, symbol }, { token, key: newKey() });
    if (body.code === 1) break;
    expect(body.error).toBe('PRICE_UNAVAILABLE');
    expect(tries).toBeLessThan(200);
    await sleep(100);
  }
}, 150_000);
afterAll(() => installation.close());

const ORDER = { direction: 'up', minutes: '1', amount: '100', asset: 'DEMO' };
const order = (customer: Customer, fields: Record<string, string> = {}, key = newKey(), at = api) =>
  at.post('order/create', { ...ORDER, symbol, ...fields }, { token: customer.token, key });

describe.concurrent('a customer of the API', () => {
  test('registers, buys for a minute, sees the order open and settle, and is paid exactly its result', async () => {
    const customer = await register(api);
    expect(await demo(api, customer)).toEqual({ available: '10000.000000', held: '0.000000' });
    const placed = (await order(customer, { amount: '123.456789' })).body.data;
    expect(placed).toMatchObject({
      status: 'unsettled',
      amount: '123.456789',
      openPrice: null,
      result: null,
    });
    expect(placed.settlesAt % 1000).toBe(0);
    expect(placed.settlesAt - placed.createdAt).toBeGreaterThanOrEqual(60_000);
    expect(placed.settlesAt - placed.createdAt).toBeLessThan(61_000);
    expect(await demo(other, customer)).toEqual({ available: '9876.543211', held: '123.456789' });

    const detail = async () =>
      (await other.get('order/detail', { id: placed.id }, { token: customer.token })).body.data;
    let seen = await detail();
    for (let tries = 0; seen.openPrice === null && seen.status === 'unsettled'; tries += 1) {
      expect(tries).toBeLessThan(100);
      await sleep(100);
      seen = await detail();
    }
    while (seen.status === 'unsettled') {
      expect(seen.openPrice).not.toBeNull();
      await sleep(Math.max(100, Math.min(5_000, seen.settlesAt - Date.now())));
      expect(Date.now()).toBeLessThan(placed.settlesAt + 5_000);
      seen = await detail();
    }
    expect(seen.acceptance).toEqual(placed.acceptance);
    const moved = Number(seen.settlePrice) - Number(seen.openPrice);
    expect(seen.result).toBe(
      seen.voidReason !== null || moved === 0 ? 'none' : moved > 0 ? 'profit' : 'loss',
    );
    // floor(123.456789 × 0.8) in millionths of a DEMO.
    const income = 98_765_431n;
    const profit = { profit: income, loss: -123_456_789n, none: 0n }[seen.result as string] as bigint;
    const millionths = (text: string) => BigInt(text.replace('.', ''));
    expect(seen.payoutRate).toBe('0.8');
    expect(millionths(seen.profit)).toBe(profit);
    const after = await demo(api, customer);
    expect([millionths(after.available), after.held]).toEqual([10_000_000_000n + profit, '0.000000']);
    const log = (await api.get('fund/log', {}, { token: customer.token })).body.data.items;
    expect(log.map(({ type, ref }: { type: string; ref: string }) => [type, ref.split(':')[0]])).toEqual([
      ['settlement', 'order'],
      ['purchase', 'order'],
      ['deposit', 'demo'],
    ]);
  }, 120_000);

  test('sends one key twenty times at once to two processes and gets one order and one acceptance', async () => {
    const customer = await register(api);
    const key = newKey();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, place) => order(customer, {}, key, place % 2 ? api : other)),
    );
    expect(answers.map(({ body }) => body.code)).toEqual(Array(20).fill(1));
    expect(new Set(answers.map(({ body }) => body.data.id)).size).toBe(1);
    expect(new Set(answers.map(({ body }) => JSON.stringify(body.data.acceptance))).size).toBe(1);
    expect(await demo(api, customer)).toEqual({ available: '9900.000000', held: '100.000000' });
    const list = await api.get('order/list', {}, { token: customer.token });
    expect(list.body.data.items).toHaveLength(1);
    // Fields in another order, as JSON and in another language are the same request.
    const again = await other.post(
      'order/create',
      {},
      {
        token: customer.token,
        key,
        type: 'application/json',
        body: JSON.stringify({
          asset: 'DEMO',
          amount: '100',
          minutes: 1,
          lang: 'zh',
          direction: 'up',
          symbol,
        }),
      },
    );
    expect(again.body.data.id).toBe(answers[0]?.body.data.id);
  });

  test('is refused on either process when a key comes with other fields, and no money moves', async () => {
    const customer = await register(api);
    const key = newKey();
    expect((await order(customer, {}, key)).body.code).toBe(1);
    const before = await ownings(api, customer);
    const others = [
      { amount: '101' },
      { amount: '100.0' },
      { direction: 'down' },
      { minutes: '3' },
      { notAfter: '9999999999999' },
    ];
    for (const fields of others) {
      for (const at of [api, other]) {
        expect([fields, (await order(customer, fields, key, at)).body.error]).toEqual([
          fields,
          'IDEMPOTENCY_MISMATCH',
        ]);
      }
    }
    const elsewhere = await api.post('fund/resetDemo', {}, { token: customer.token, key });
    expect(elsewhere.body.error).toBe('IDEMPOTENCY_MISMATCH');
    expect(await ownings(api, customer)).toBe(before);
    // The key is this customer's only.
    const somebody = await register(api);
    expect((await order(somebody, { amount: '55' }, key)).body.data.amount).toBe('55.000000');
  });

  test('may use a key again after a refusal', async () => {
    const customer = await register(api);
    const key = newKey();
    for (const fields of [{ amount: '1' }, { amount: '99999' }, { symbol: 'NOTHING' }, { minutes: '2' }]) {
      expect((await order(customer, fields, key)).body.code).toBe(0);
    }
    expect((await order(customer, {}, key)).body.code).toBe(1);
  });

  test('may use keys of 1 to 64 visible ASCII characters, and is refused with others', async () => {
    const customer = await register(api);
    for (const key of ['a', '~'.repeat(64), '!"#$%&()*+,-./:;<=>?@[]^_`{|}']) {
      expect([key, (await order(customer, { amount: '10' }, key)).body.code]).toEqual([key, 1]);
      expect([key, (await order(customer, { amount: '11' }, key)).body.error]).toEqual([
        key,
        'IDEMPOTENCY_MISMATCH',
      ]);
    }
    const before = await ownings(api, customer);
    for (const key of ['', 'a b', 'x'.repeat(65), 'é', 'a\tb']) {
      expect([key, (await order(customer, {}, key)).body.error]).toEqual([key, 'INVALID_IDEMPOTENCY_KEY']);
    }
    expect(await ownings(api, customer)).toBe(before);
  });
});
