import { HeldCommits, untilBlocked } from '@fairtick/kit/database/pools.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { closeAudited, pricedHouse } from '@fairtick/kit/fixtures/houses.ts';
import type { FundEntry } from '@fairtick/protocol';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Pool } from '../../platform/db/database.ts';
import { type FundFilter, readFundLog } from './fund-log.ts';
import { fundHandlers } from './routes.ts';

let customer: string;
const still = forFile(() => pricedHouse({ quietMs: 300_000 }), closeAudited);
beforeEach(async () => {
  customer = await still.house.customer();
});

const log = (filter: Partial<FundFilter> = {}): Promise<FundEntry[]> =>
  readFundLog(still.house.db.server, { customerId: customer, limit: 100, ...filter });

/** The lines as a customer reads them, newest first. */
const linesOf = (entries: readonly FundEntry[]) =>
  entries.map(({ type, result, amount, balance }) => `${type} ${result} ${amount} = ${balance}`);

/** Resets practice money as the API does. */
async function resetDemo(
  key: string,
  options: { fields?: Record<string, unknown>; pool?: Pool } = {},
): Promise<string> {
  const { pool = still.house.db.server, fields = {} } = options;
  const handlers = fundHandlers({ pool, assets: still.house.assets });
  const context = { session: { customerId: customer }, idempotencyKey: key, path: 'fund/resetDemo', fields };
  try {
    await handlers.resetDemo({} as never, context as never);
    return 'done';
  } catch (error) {
    return (error as { code?: string }).code ?? String(error);
  }
}

async function settle(orderId: number, price: string): Promise<void> {
  await still.tick('EUR/USD', '1.08400');
  await still.leapTo((await still.order(orderId)).settlesAtMs - 250);
  await still.tick('EUR/USD', price);
  await still.stepBy(250);
  await still.settle();
}

describe('the fund log', () => {
  test('the fund log shows practice credit, purchases and settlements with the balance after each (S4-10, S4-12, S4-13, S4-17)', async () => {
    const won = await still.buy(customer, { symbol: 'EUR/USD', amount: '100' });
    const lost = await still.buy(customer, { symbol: 'EUR/USD', amount: '50', direction: 'down' });
    await settle(won, '1.08401');
    await still.buy(customer, { symbol: 'EUR/USD', amount: '25.5' });
    const entries = await log();
    expect(linesOf(entries)).toEqual([
      'purchase success -25.500000 = 10004.500000',
      'settlement success 0.000000 = 10030.000000',
      'settlement success 180.000000 = 10030.000000',
      'purchase success -50.000000 = 9850.000000',
      'purchase success -100.000000 = 9900.000000',
      'deposit success 10000.000000 = 10000.000000',
    ]);
    expect(entries.slice(1, 5).map(({ ref }) => ref)).toEqual(
      [lost, won, lost, won].map((orderId) => `order:${orderId}`),
    );
    expect(entries.at(-1)?.ref).toMatch(/^demo:\d+$/);
    const order = { symbol: 'EUR/USD', minutes: 1 };
    expect(entries.map((entry) => entry.order)).toEqual([
      { ...order, direction: 'up' },
      { ...order, direction: 'down' },
      { ...order, direction: 'up' },
      { ...order, direction: 'down' },
      { ...order, direction: 'up' },
      null,
    ]);
  });

  test('a void order that was logged late returns its stake and a tenth of it in one line', async () => {
    const held = new HeldCommits(still.placement.pool);
    const request = still.house.request(customer, { symbol: 'EUR/USD', amount: '100' });
    const placing = still.place([request], { pool: held.pool });
    await held.reached;
    await still.stepBy(2_250);
    held.release();
    await placing;
    await still.stepBy(8_000);
    expect(await still.settle()).toBe(1);
    expect(linesOf(await log()).slice(0, 2)).toEqual([
      'settlement success 110.000000 = 10010.000000',
      'purchase success -100.000000 = 9900.000000',
    ]);
  });

  test('pages of any size add up to the whole log', async () => {
    const ids: number[] = [];
    for (let order = 0; order < 6; order += 1) {
      const direction = order % 2 ? 'up' : 'down';
      ids.push(await still.buy(customer, { symbol: 'EUR/USD', amount: '10', direction }));
    }
    await settle(ids.at(-1) as number, '1.08402');
    const whole = await log();
    expect(whole).toHaveLength(13);
    for (const limit of [1, 2, 5, 13]) {
      const paged: FundEntry[] = [];
      for (let page = await log({ limit }); page.length > 0; ) {
        paged.push(...page);
        page = await log({ limit, cursor: page.at(-1)?.id });
      }
      expect(paged).toEqual(whole);
    }
  });

  test('can be narrowed by type, asset and time', async () => {
    await still.buy(customer, { symbol: 'EUR/USD', amount: '10' });
    await still.buy(customer, { symbol: 'EUR/USD', amount: '20' });
    expect(linesOf(await log({ type: 'purchase' }))).toEqual([
      'purchase success -20.000000 = 9970.000000',
      'purchase success -10.000000 = 9990.000000',
    ]);
    expect(linesOf(await log({ type: 'deposit' }))).toEqual(['deposit success 10000.000000 = 10000.000000']);
    expect(await log({ type: 'withdrawal' })).toEqual([]);
    expect(await log({ assetId: 2 })).toEqual([]);
    const [newest, middle] = await log();
    expect((await log({ from: newest?.time ?? 0 })).length).toBeGreaterThan(0);
    expect(await log({ from: (newest?.time ?? 0) + 1 })).toEqual([]);
    expect((await log({ to: middle?.time ?? 0 })).some(({ id }) => id === middle?.id)).toBe(true);
    expect(await log({ to: 0 })).toEqual([]);
  });
});

describe('a reset of practice money', () => {
  test('a reset of practice money from below is a deposit, from above a withdrawal, each with its reference (S4-10, S4-11)', async () => {
    const orderId = await still.buy(customer, { symbol: 'EUR/USD', amount: '100' });
    await settle(orderId, '1.08401');
    expect(await resetDemo('down')).toBe('done');
    expect(await still.house.balance(customer)).toEqual({ available: 10_000_000_000n, held: 0n });
    const lost = await still.buy(customer, { symbol: 'EUR/USD', amount: '30' });
    await settle(lost, '1.08399');
    expect(await resetDemo('up')).toBe('done');
    const entries = await log();
    expect(linesOf(entries).slice(0, 4)).toEqual([
      'deposit success 30.000000 = 10000.000000',
      'settlement success 0.000000 = 9970.000000',
      'purchase success -30.000000 = 9970.000000',
      'withdrawal success -80.000000 = 10000.000000',
    ]);
    for (const place of [0, 3]) expect(entries[place]?.ref).toMatch(/^demo:\d+$/);
  });

  test('a reset with the key of another reset or of an order is refused', async () => {
    expect(await resetDemo('mine')).toBe('done');
    expect(await resetDemo('mine', { fields: { more: '1' } })).toBe('IDEMPOTENCY_MISMATCH');
    const order = { symbol: 'EUR/USD', amount: '10', key: 'an order’s' };
    await still.buy(customer, order);
    expect(await resetDemo('an order’s')).toBe('IDEMPOTENCY_MISMATCH');
    expect(await still.place([still.house.request(customer, { ...order, key: 'mine' })])).toEqual([
      { kind: 'known', orderId: 0, isSame: false },
    ]);
    expect(await still.house.balance(customer)).toEqual({ available: 9_990_000_000n, held: 10_000_000n });
  });

  test('a reset waits for an order with the same key that is about to commit, and is then refused', async () => {
    const held = new HeldCommits(still.placement.pool);
    const request = still.house.request(customer, { symbol: 'EUR/USD', amount: '10', key: 'both' });
    const placing = still.place([request], { pool: held.pool });
    await held.reached;
    const resetting = resetDemo('both');
    await untilBlocked(still.house.db.owner);
    held.release();
    expect((await placing)[0]?.kind).toBe('accepted');
    expect(await resetting).toBe('IDEMPOTENCY_MISMATCH');
    expect(await still.house.balance(customer)).toEqual({ available: 9_990_000_000n, held: 10_000_000n });
  });

  test('an order waits for a reset with the same key that is about to commit, and is then known as a different request', async () => {
    const held = new HeldCommits(still.house.db.server);
    const resetting = resetDemo('both', { pool: held.pool });
    await held.reached;
    const request = still.house.request(customer, { symbol: 'EUR/USD', amount: '10', key: 'both' });
    const placing = still.place([request]);
    await untilBlocked(still.house.db.owner);
    held.release();
    expect(await resetting).toBe('done');
    expect(await placing).toEqual([{ kind: 'known', orderId: 0, isSame: false }]);
    expect(await still.house.balance(customer)).toEqual({ available: 10_000_000_000n, held: 0n });
  });
});
