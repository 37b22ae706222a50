import { StillHouse } from '@fairtick/kit/installation/still-house.ts';
import { readTexts } from '@fairtick/kit/installation/writers.ts';
import type { ProductRules } from '@fairtick/trading';
import { afterEach, describe, expect, test } from 'vitest';
import { voidUnopenedOrders } from './settle-orders.ts';

const FIRST = { available: 10_000_000_000n, held: 0n };

let still: StillHouse;
let customer: string;
let orderId: number;
afterEach(async () => {
  expect(await still.house.violations()).toEqual([]);
  await still.close();
});

/** EUR/USD has a price, and a customer has just staked 100 on it. Prices are fresh for a minute unless told otherwise. */
async function buy(rules: Partial<ProductRules> = {}): Promise<number> {
  still = await StillHouse.open({ staleMs: 60_000, ...rules });
  await still.tick('EUR/USD', '1.08400');
  customer = await still.house.customer();
  orderId = await still.buy(customer, { symbol: 'EUR/USD', amount: '100' });
  return still.nowMs;
}

/** Checks that the order is void for this reason, its stake is back, and both directions get the same. */
async function expectVoid(reason: string): Promise<void> {
  expect(await still.order(orderId)).toMatchObject({
    result: 'none',
    credited: 100_000_000n,
    voidReason: reason,
    openPrice: null,
    settlePrice: null,
  });
  expect(await still.house.balance(customer)).toEqual(FIRST);
  expect(await still.shown(customer, orderId)).toMatchObject({
    status: 'settled',
    result: 'none',
    profit: '0.000000',
    voidReason: reason,
  });
}

const loggedAt = async () => {
  const entry = (await readTexts(still.house)).find((text) => text.startsWith('orders|'));
  return Number(entry?.split('|')[2]);
};

describe('an order whose acceptance is not logged in time', () => {
  test('is void when the entry comes a grid time too late', async () => {
    const acceptedAtMs = await buy();
    await still.stepTo(acceptedAtMs + 2_250);
    await still.tick('EUR/USD', '1.08427');
    await still.stepTo(acceptedAtMs + 5_250);
    expect(await loggedAt()).toBe(acceptedAtMs + 2_250);
    expect(await still.settle()).toBe(1);
    await expectVoid('not_logged');
  });

  test('stands when the entry comes at exactly two seconds', async () => {
    const acceptedAtMs = await buy();
    await still.stepTo(acceptedAtMs + 2_000);
    await still.tick('EUR/USD', '1.08427');
    expect(await still.shown(customer, orderId)).toMatchObject({ openPrice: '1.08427' });
  });

  test('stands when the entry’s time is at two seconds, even if the writer appends it later', async () => {
    const acceptedAtMs = await buy();
    await still.stepTo(acceptedAtMs + 2_100);
    expect(await loggedAt()).toBe(acceptedAtMs + 2_000);
    await still.tick('EUR/USD', '1.08427');
    await still.stepTo(acceptedAtMs + 6_000);
    expect(await still.settle()).toBe(0);
    expect(await still.shown(customer, orderId)).toMatchObject({ openPrice: '1.08427', status: 'unsettled' });
  });
});

describe('an order that finds no opening price', () => {
  test('is void once acceptance + D + 5 s have passed (S4-04, S4-35)', async () => {
    const acceptedAtMs = await buy({ delayMs: 1_000 });
    await still.stepBy(250);
    await still.stepTo(acceptedAtMs + 6_000);
    expect(await still.settle()).toBe(0);
    await still.stepBy(250);
    expect(await still.settle()).toBe(1);
    await expectVoid('no_open');
  });

  test('opens by a tick at exactly acceptance + D + 5 s', async () => {
    const acceptedAtMs = await buy({ delayMs: 1_000 });
    await still.stepBy(250);
    await still.stepTo(acceptedAtMs + 5_750);
    await still.tick('EUR/USD', '1.08427');
    await still.stepBy(250);
    expect(await still.settle()).toBe(0);
    expect(await still.shown(customer, orderId)).toMatchObject({
      openPrice: '1.08427',
      openedAt: acceptedAtMs + 6_000,
    });
  });

  test('is void if the tick at acceptance + D + 5 s rests on quotes from before acceptance + D', async () => {
    const acceptedAtMs = await buy({ delayMs: 1_000 });
    await still.stepBy(250);
    still.quote('EUR/USD', '1.08427', acceptedAtMs + 999);
    await still.stepTo(acceptedAtMs + 6_000);
    await still.stepBy(250);
    expect(await still.settle()).toBe(1);
    await expectVoid('no_open');
  });
});

describe('an order that meets a gap before it opens', () => {
  test('is void, though prices come back in time', async () => {
    const acceptedAtMs = await buy({ staleMs: 1_000 });
    await still.stepTo(acceptedAtMs + 1_500);
    await still.tick('EUR/USD', '1.08427');
    await still.stepTo(acceptedAtMs + 5_250);
    expect((await readTexts(still.house)).filter((text) => text.startsWith('gap|1|EUR/USD|'))).toHaveLength(
      2,
    );
    expect(await still.settle()).toBe(1);
    await expectVoid('gap');
  });

  test('is void when the writer was restarted', async () => {
    const acceptedAtMs = await buy();
    await still.stepBy(250);
    await still.restart(acceptedAtMs + 1_000);
    await still.tick('EUR/USD', '1.08427');
    await still.stepTo(acceptedAtMs + 5_250);
    expect(await still.settle()).toBe(1);
    await expectVoid('gap');
  });

  test('stands when another product has the gap', async () => {
    const acceptedAtMs = await buy();
    await still.tick('EUR/USD', '1.08427');
    await still.tick('GBP/USD', '1.27000');
    still.feed.ended.add(still.house.product('GBP/USD').id);
    await still.stepTo(acceptedAtMs + 5_250);
    expect((await readTexts(still.house)).some((text) => text.startsWith('gap|1|GBP/USD|'))).toBe(true);
    expect(await still.settle()).toBe(0);
    expect(await still.shown(customer, orderId)).toMatchObject({ openPrice: '1.08427' });
  });
});

describe('the stake of a void order comes back early', () => {
  test('before the settlement time, through voidUnopenedOrders alone', async () => {
    const acceptedAtMs = await buy();
    await still.stepBy(250);
    await still.stepTo(acceptedAtMs + 5_250);
    expect(await voidUnopenedOrders(still.settlement)).toBe(1);
    await expectVoid('no_open');
    const { settledAtMs, settlesAtMs } = await still.order(orderId);
    expect(settledAtMs).toBe(acceptedAtMs + 5_250);
    expect(settlesAtMs).toBeGreaterThan(acceptedAtMs + 60_000);
    // At its settlement time nothing is left to settle.
    await still.stepTo(settlesAtMs + 250);
    expect(await still.settle()).toBe(0);
  });

  test('for the unopened orders of a batch only', async () => {
    still = await StillHouse.open({ staleMs: 60_000 });
    await still.tick('EUR/USD', '1.08400');
    await still.tick('GBP/USD', '1.27000');
    const [ann, bob] = (await still.customers(2)) as [string, string];
    const answers = await still.place([
      still.house.request(ann, { symbol: 'EUR/USD', amount: '100' }),
      still.house.request(bob, { symbol: 'GBP/USD', amount: '100' }),
    ]);
    await still.tick('EUR/USD', '1.08427');
    await still.stepBy(5_250);
    expect(await voidUnopenedOrders(still.settlement)).toBe(1);
    expect(await still.house.balance(ann)).toEqual({ available: 9_900_000_000n, held: 100_000_000n });
    expect(await still.house.balance(bob)).toEqual(FIRST);
    const shown = await still.shown(ann, answers[0]?.kind === 'accepted' ? answers[0].orderId : 0);
    expect(shown).toMatchObject({ status: 'unsettled', openPrice: '1.08427' });
  });

  test('for a hundred batches in one call, which stops at the first undecided batch', async () => {
    still = await StillHouse.open({ staleMs: 60_000 });
    await still.tick('EUR/USD', '1.08400');
    const customers = await still.customers(101);
    const old = customers.slice(0, 100);
    for (const one of old) await still.buy(one, { symbol: 'EUR/USD', amount: '10' });
    await still.stepBy(1_000);
    const young = await still.buy(customers[100] as string, { symbol: 'EUR/USD', amount: '10' });
    await still.stepBy(4_250);
    expect(await voidUnopenedOrders(still.settlement)).toBe(100);
    expect(await still.order(young)).toMatchObject({ result: null });
    for (const one of old) expect(await still.house.balance(one)).toEqual(FIRST);
    await still.stepBy(1_000);
    expect(await voidUnopenedOrders(still.settlement)).toBe(1);
  });
});
