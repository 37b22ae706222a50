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
import { heard } from '@fairtick/kit/hostile/answers.ts';
import { Installation } from '@fairtick/kit/processes/server-process.ts';
import { PATIENCE_MS, seen, until } from '@fairtick/kit/waiting/until.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const installation = new Installation();
let api: Api;
/** A second API process on the same database. */
let other: Api;
let symbol: string;

beforeAll(async () => {
  api = await Api.open((await installation.startReady()).origin);
  other = await Api.open((await installation.startReady({ ROLE: 'api' })).origin);
  symbol = await openSymbol(api);
  // After a start orders are accepted once there are prices; only an order can tell.
  expect((await order(await register(api))).body.code).toBe(1);
}, 300_000);
afterAll(() => installation.close());

const ORDER = { direction: 'up', minutes: '1', amount: '100', asset: 'DEMO' };
const order = (customer: Customer, fields: Record<string, string> = {}, key = newKey(), at = api) =>
  heard(() => at.post('order/create', { ...ORDER, symbol, ...fields }, { token: customer.token, key }));

/** Of an order that moves nothing by itself during a test once it has opened or is void. */
const LONG = { minutes: '15' };

/** Everything that a customer owns, once each of the orders has opened or is void. */
async function owningsOnceOpen(customer: Customer): Promise<string> {
  await until(async () => {
    const { body } = await api.get('order/list', {}, { token: customer.token });
    return body.data.items.every(
      ({ openPrice, status }: { openPrice: string | null; status: string }) =>
        openPrice !== null || status === 'settled',
    );
  });
  return ownings(api, customer);
}

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
    expect(placed.opensAt % 1000).toBe(0);
    expect(placed.opensAt - placed.createdAt).toBeGreaterThanOrEqual(2_000);
    expect(placed.opensAt - placed.createdAt).toBeLessThan(3_000);
    expect(placed.settlesAt).toBe(placed.opensAt + 60_000);
    expect(await demo(other, customer)).toEqual({ available: '9876.543211', held: '123.456789' });

    const detail = async () =>
      (await other.get('order/detail', { id: placed.id }, { token: customer.token })).body.data;
    let last = await seen(
      async () => {
        const now = await detail();
        return (now.openPrice !== null || now.status !== 'unsettled') && now;
      },
      { everyMs: 100, what: 'the opening' },
    );
    while (last.status === 'unsettled') {
      expect(last.openPrice).not.toBeNull();
      await sleep(Math.max(100, Math.min(5_000, last.settlesAt - Date.now())));
      expect(Date.now()).toBeLessThan(placed.settlesAt + PATIENCE_MS);
      last = await detail();
    }
    expect(last.acceptance).toEqual(placed.acceptance);
    const moved = Number(last.settlePrice) - Number(last.openPrice);
    expect(last.result).toBe(
      last.voidReason !== null || moved === 0 ? 'none' : moved > 0 ? 'profit' : 'loss',
    );
    // floor(123.456789 × 0.8) in millionths of a DEMO.
    const income = 98_765_431n;
    // A void that was logged too late pays a tenth of the stake, rounded down.
    const none = last.voidReason === 'not_logged' ? 12_345_678n : 0n;
    const profit = { profit: income, loss: -123_456_789n, none }[last.result as string] as bigint;
    const millionths = (text: string) => BigInt(text.replace('.', ''));
    expect(last.payoutRate).toBe('0.8');
    expect(millionths(last.profit)).toBe(profit);
    const after = await demo(api, customer);
    expect([millionths(after.available), after.held]).toEqual([10_000_000_000n + profit, '0.000000']);
    const log = (await api.get('fund/log', {}, { token: customer.token })).body.data.items;
    expect(log.map(({ type, ref }: { type: string; ref: string }) => [type, ref.split(':')[0]])).toEqual([
      ['settlement', 'order'],
      ['purchase', 'order'],
      ['deposit', 'demo'],
    ]);
  }, 180_000);

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
    expect((await order(customer, LONG, key)).body.code).toBe(1);
    const before = await owningsOnceOpen(customer);
    const others = [
      { amount: '101' },
      { amount: '100.0' },
      { direction: 'down' },
      { minutes: '3' },
      { notAfter: '9999999999999' },
    ];
    for (const fields of others) {
      for (const at of [api, other]) {
        expect([fields, (await order(customer, { ...LONG, ...fields }, key, at)).body.error]).toEqual([
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
      expect([key, (await order(customer, { ...LONG, amount: '10' }, key)).body.code]).toEqual([key, 1]);
      expect([key, (await order(customer, { ...LONG, amount: '11' }, key)).body.error]).toEqual([
        key,
        'IDEMPOTENCY_MISMATCH',
      ]);
    }
    const before = await owningsOnceOpen(customer);
    for (const key of ['', 'a b', 'x'.repeat(65), 'é', 'a\tb']) {
      expect([key, (await order(customer, {}, key)).body.error]).toEqual([key, 'INVALID_IDEMPOTENCY_KEY']);
    }
    expect(await ownings(api, customer)).toBe(before);
  });
});
