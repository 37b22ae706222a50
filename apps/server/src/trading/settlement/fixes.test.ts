import { closeAudited } from '@fairtick/kit/fixtures/houses.ts';
import { StillHouse } from '@fairtick/kit/installation/still-house.ts';
import { readTexts } from '@fairtick/kit/installation/writers.ts';
import type { ProductRules } from '@fairtick/trading';
import { afterEach, describe, expect, test } from 'vitest';
import { voidUnopenedOrders } from './settle-orders.ts';

let still: StillHouse;
let customer: string;
let orderId: number;
afterEach(() => closeAudited(still));

/** EUR/USD has a price, and a customer has just staked 100.000009 on it, whose tenth is rounded down. Prices are fresh for a minute unless told otherwise. Returns when it opens. */
async function buy(rules: Partial<ProductRules> = {}): Promise<number> {
  still = await StillHouse.open({ staleMs: 60_000, ...rules });
  await still.tick('EUR/USD', '1.08400');
  customer = await still.house.customer();
  orderId = await still.buy(customer, { symbol: 'EUR/USD', amount: '100.000009' });
  return (await still.order(orderId)).opensAtMs;
}

/** Checks that the order is void for this reason, its stake and a tenth are back, and its customer sees both. */
async function expectVoid(reason: string): Promise<void> {
  expect(await still.order(orderId)).toMatchObject({
    result: 'none',
    credited: 110_000_009n,
    voidReason: reason,
    openPrice: null,
    settlePrice: null,
  });
  expect(await still.house.balance(customer)).toEqual({ available: 10_010_000_000n, held: 0n });
  expect(await still.shown(customer, orderId)).toMatchObject({
    status: 'settled',
    result: 'none',
    profit: '10.000000',
    voidReason: reason,
  });
}

describe('an order that finds no opening price', () => {
  test('is void 5 s after its opening time, and not a grid time earlier (S4-04, S4-35)', async () => {
    const opensAtMs = await buy();
    await still.runTo(opensAtMs + 4_750);
    expect(await still.settle()).toBe(0);
    await still.stepBy(250);
    expect(await still.settle()).toBe(1);
    await expectVoid('no_open');
  });

  test('is void when prices were interrupted, though they come back in time', async () => {
    const opensAtMs = await buy({ staleMs: 500 });
    await still.runTo(opensAtMs + 500);
    await still.tick('EUR/USD', '1.08427');
    await still.runTo(opensAtMs + 5_250);
    expect(await still.settle()).toBe(1);
    await expectVoid('gap');
  });

  test('stands when another product is interrupted', async () => {
    const opensAtMs = await buy();
    await still.tick('EUR/USD', '1.08427');
    await still.tick('GBP/USD', '1.27000');
    still.feed.ended.add(still.house.product('GBP/USD').id);
    await still.runTo(opensAtMs + 5_250);
    expect((await readTexts(still.house)).some((text) => text.startsWith('gap|3|GBP/USD|'))).toBe(true);
    expect(await still.settle()).toBe(0);
    expect(await still.shown(customer, orderId)).toMatchObject({ openPrice: '1.08427' });
  });
});

describe('the stake of a void order comes back early', () => {
  test('before the settlement time, through voidUnopenedOrders alone', async () => {
    const opensAtMs = await buy();
    await still.runTo(opensAtMs + 5_250);
    expect(await voidUnopenedOrders(still.settlement)).toBe(1);
    await expectVoid('no_open');
    const { settledAtMs, settlesAtMs } = await still.order(orderId);
    expect(settledAtMs).toBe(opensAtMs + 5_250);
    expect(settlesAtMs).toBeGreaterThan(opensAtMs + 60_000 - 1);
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
    await still.runTo(still.nowMs + 7_250);
    expect(await voidUnopenedOrders(still.settlement)).toBe(1);
    expect(await still.house.balance(ann)).toEqual({ available: 9_900_000_000n, held: 100_000_000n });
    expect(await still.house.balance(bob)).toEqual({ available: 10_010_000_000n, held: 0n });
    const shown = await still.shown(ann, answers[0]?.kind === 'accepted' ? answers[0].orderId : 0);
    expect(shown).toMatchObject({ status: 'unsettled', openPrice: '1.08427' });
  });

  test('for a hundred batches in one call, which stops at the first undecided batch', async () => {
    still = await StillHouse.open({ staleMs: 60_000 });
    await still.tick('EUR/USD', '1.08400');
    const customers = await still.customers(101);
    const old = customers.slice(0, 100);
    for (const one of old) await still.buy(one, { symbol: 'EUR/USD', amount: '10' });
    await still.runTo(still.nowMs + 1_000);
    const young = await still.buy(customers[100] as string, { symbol: 'EUR/USD', amount: '10' });
    await still.runTo(still.nowMs + 6_250);
    expect(await voidUnopenedOrders(still.settlement)).toBe(100);
    expect(await still.order(young)).toMatchObject({ result: null });
    for (const one of old)
      expect(await still.house.balance(one)).toEqual({ available: 10_001_000_000n, held: 0n });
    await still.runTo(still.nowMs + 1_000);
    expect(await voidUnopenedOrders(still.settlement)).toBe(1);
  });
});
