import { StillHouse } from '@fairtick/kit/installation/still-house.ts';
import { readTexts } from '@fairtick/kit/installation/writers.ts';
import type { ProductRules } from '@fairtick/trading';
import { afterEach, describe, expect, test } from 'vitest';

const FIRST = 10_000_000_000n;

let still: StillHouse;
afterEach(async () => {
  expect(await still.house.violations()).toEqual([]);
  await still.close();
});

interface Bought {
  readonly customer: string;
  readonly orderId: number;
}
/** One order up and one down, accepted at the same moment, a stake of 100 each. */
interface Pair {
  readonly up: Bought;
  readonly down: Bought;
  readonly acceptedAtMs: number;
  readonly settlesAtMs: number;
}

/** EUR/USD is at 1.08400, and two customers have just bought. */
async function buyBoth(rules: Partial<ProductRules> = {}): Promise<Pair> {
  still = await StillHouse.open(rules);
  await still.stepBy(750);
  await still.tick('EUR/USD', '1.08400');
  const [ann, bob] = (await still.customers(2)) as [string, string];
  const order = { symbol: 'EUR/USD', amount: '100' };
  const up = { customer: ann, orderId: await still.buy(ann, order) };
  const down = { customer: bob, orderId: await still.buy(bob, { ...order, direction: 'down' }) };
  const { acceptedAtMs, settlesAtMs } = await still.order(up.orderId);
  expect(acceptedAtMs).toBe(still.nowMs);
  expect(settlesAtMs).toBe(acceptedAtMs + 60_000);
  return { up, down, acceptedAtMs, settlesAtMs };
}

/** The result and reason of each side; checks the balances against them. */
async function outcomes({ up, down }: Pair): Promise<string[]> {
  return Promise.all(
    [up, down].map(async ({ customer, orderId }) => {
      const { result, credited, voidReason } = await still.order(orderId);
      const { available, held } = await still.house.balance(customer);
      expect(held).toBe(credited === null ? 100_000_000n : 0n);
      expect(available).toBe(FIRST - 100_000_000n + (credited ?? 0n));
      return `${result} ${(credited ?? 0n) / 1_000_000n}${voidReason ? ` ${voidReason}` : ''}`;
    }),
  );
}

/** Opens both at 1.08427 and sets the last price before the settlement time. */
async function openAndSettle(pair: Pair, price: string, lastTickMs = pair.settlesAtMs): Promise<void> {
  await still.tick('EUR/USD', '1.08427');
  await still.stepTo(lastTickMs - 250);
  await still.tick('EUR/USD', price);
  await still.stepTo(pair.settlesAtMs + 250);
  expect(await still.settle()).toBe(2);
}

describe('an order that opened', () => {
  test.each([
    ['1.08428', ['profit 180', 'loss 0']],
    ['1.08426', ['loss 0', 'profit 180']],
    ['1.08427', ['none 100', 'none 100']],
  ])('at 1.08427 pays by settlement price %s (S4-01, S4-02, S4-03, S4-04)', async (price, expected) => {
    const pair = await buyBoth();
    await openAndSettle(pair, price);
    expect(await outcomes(pair)).toEqual(expected);
    expect(await still.order(pair.up.orderId)).toMatchObject({
      openPrice: 108_427n,
      openMs: pair.acceptedAtMs + 250,
      settlePrice: BigInt(price.replace('.', '')),
      settleMs: pair.settlesAtMs,
      voidReason: null,
    });
  });

  test('settles once the log has passed its settlement time, and not before (S4-01, S4-35)', async () => {
    const pair = await buyBoth();
    await still.tick('EUR/USD', '1.08427');
    await still.stepTo(pair.settlesAtMs - 250);
    await still.tick('EUR/USD', '1.08428');
    // A tick at this very moment could still follow.
    expect(await still.settle()).toBe(0);
    expect(await outcomes(pair)).toEqual(['null 0', 'null 0']);
    await still.stepBy(250);
    expect(await still.settle()).toBe(2);
    expect(await outcomes(pair)).toEqual(['profit 180', 'loss 0']);
  });

  test('is shown open at once, and after settlement with its prices and their places in the log (S4-35)', async () => {
    const pair = await buyBoth();
    const { customer, orderId } = pair.up;
    expect(await still.shown(customer, orderId)).toMatchObject({
      status: 'unsettled',
      openPrice: null,
      result: null,
    });
    await still.tick('EUR/USD', '1.08427');
    expect(await still.shown(customer, orderId)).toMatchObject({
      status: 'unsettled',
      openPrice: '1.08427',
      openedAt: pair.acceptedAtMs + 250,
      settlePrice: null,
      profit: null,
    });
    await still.stepTo(pair.settlesAtMs - 250);
    await still.tick('EUR/USD', '1.08451');
    await still.stepBy(250);
    await still.settle();
    const shown = await still.shown(customer, orderId);
    expect(shown).toMatchObject({
      status: 'settled',
      result: 'profit',
      amount: '100.000000',
      expectedIncome: '80.000000',
      profit: '80.000000',
      openPrice: '1.08427',
      settlePrice: '1.08451',
      voidReason: null,
    });
    // The log has both prices at the places that the order names.
    const texts = await readTexts(still.house);
    expect(texts[shown.openIndex as number]).toContain('|1.08427|new|');
    expect(texts[shown.settleIndex as number]).toContain(`|${pair.settlesAtMs}|1.08451|new|`);
  });

  test('a tick after the settlement time changes nothing, however soon it comes', async () => {
    const pair = await buyBoth();
    await still.tick('EUR/USD', '1.08427');
    await still.stepTo(pair.settlesAtMs - 250);
    await still.tick('EUR/USD', '1.08428');
    await still.tick('EUR/USD', '1.08400');
    expect(await still.settle()).toBe(2);
    expect(await outcomes(pair)).toEqual(['profit 180', 'loss 0']);
  });

  test('settles by the price restated at its settlement time if no quote comes', async () => {
    const pair = await buyBoth({ staleMs: 5_000 });
    await still.tick('EUR/USD', '1.08427');
    await still.stepTo(pair.settlesAtMs - 4_000);
    await still.tick('EUR/USD', '1.08426');
    await still.runTo(pair.settlesAtMs + 250);
    expect(await still.settle()).toBe(2);
    expect(await outcomes(pair)).toEqual(['loss 0', 'profit 180']);
    expect((await still.order(pair.up.orderId)).settleMs).toBe(pair.settlesAtMs);
    expect(
      (await readTexts(still.house)).some((text) => text.includes(`|${pair.settlesAtMs}|1.08426|same|`)),
    ).toBe(true);
  });

  test('is not void because of a gap after its opening', async () => {
    const pair = await buyBoth();
    await still.tick('EUR/USD', '1.08427');
    await still.stepBy(6_000);
    expect((await readTexts(still.house)).some((text) => text.startsWith('gap|1|EUR/USD|'))).toBe(true);
    await still.stepTo(pair.settlesAtMs - 250);
    await still.tick('EUR/USD', '1.08428');
    await still.stepBy(250);
    expect(await still.settle()).toBe(2);
    expect(await outcomes(pair)).toEqual(['profit 180', 'loss 0']);
  });
});

describe('a settlement price that is too old pays a winning order and voids every other order', () => {
  // The bound of these rules is 2 s.
  test.each([
    ['exactly at the bound, up', '1.08428', 2_000, ['profit 180', 'loss 0']],
    ['exactly at the bound, down', '1.08426', 2_000, ['loss 0', 'profit 180']],
    ['past the bound, up', '1.08428', 2_250, ['profit 180', 'none 100 stale']],
    ['past the bound, down', '1.08426', 2_250, ['none 100 stale', 'profit 180']],
    ['past the bound, the same', '1.08427', 2_250, ['none 100 stale', 'none 100 stale']],
    ['unchanged since its opening', '1.08427', 59_500, ['none 100 stale', 'none 100 stale']],
  ])('%s', async (_case, price, ageMs, expected) => {
    const pair = await buyBoth();
    await openAndSettle(pair, price, pair.settlesAtMs - ageMs);
    expect(await outcomes(pair)).toEqual(expected);
  });

  test('the bound is that of the rules which the acceptance names', async () => {
    const pair = await buyBoth({ settleBoundMs: 10_000 });
    await openAndSettle(pair, '1.08426', pair.settlesAtMs - 10_000);
    expect(await outcomes(pair)).toEqual(['loss 0', 'profit 180']);
  });
});

describe('rule 3: an order opens', () => {
  test('at the first tick at or after acceptance + D, not at an earlier one', async () => {
    const pair = await buyBoth({ delayMs: 1_000 });
    await still.tick('EUR/USD', '1.08410');
    await still.tick('EUR/USD', '1.08420');
    await still.tick('EUR/USD', '1.08430');
    // Its quotes arrive at exactly acceptance + D.
    still.quote('EUR/USD', '1.08440', pair.acceptedAtMs + 1_000);
    await still.stepBy(250);
    await still.tick('EUR/USD', '1.08450');
    expect(await still.shown(pair.up.customer, pair.up.orderId)).toMatchObject({
      openPrice: '1.08440',
      openedAt: pair.acceptedAtMs + 1_000,
    });
  });

  test('at a tick of which most used quotes arrived at or after acceptance + D', async () => {
    const pair = await buyBoth({ delayMs: 1_000 });
    const product = still.house.product('EUR/USD');
    const from = pair.acceptedAtMs + 1_000;
    await still.stepTo(from - 250);
    still.feed.quote(product, 'a', '1.08441', from - 1);
    still.feed.quote(product, 'b', '1.08441', from - 1);
    still.feed.quote(product, 'c', '1.08441', from);
    await still.stepBy(250);
    expect(await still.shown(pair.up.customer, pair.up.orderId)).toMatchObject({ openPrice: null });
    still.feed.quote(product, 'a', '1.08442', from + 1);
    await still.stepBy(250);
    expect(await still.shown(pair.up.customer, pair.up.orderId)).toMatchObject({
      openPrice: '1.08441',
      openedAt: from + 250,
    });
  });

  test('by its own acceptance, even if one entry carries several orders', async () => {
    const pair = await buyBoth({ delayMs: 1_000 });
    // The log's time goes on, but no entry is written.
    await still.house.db.owner.query('update log_head set time_ms = time_ms + 100');
    const order = { symbol: 'EUR/USD', amount: '100' };
    const later = await still.buy(pair.up.customer, order);
    expect((await still.order(later)).acceptedAtMs).toBe(pair.acceptedAtMs + 100);
    await still.stepTo(pair.acceptedAtMs + 250);
    const carried = (await readTexts(still.house)).filter((text) => text.startsWith('orders|'));
    expect(carried).toHaveLength(1);
    for (const [after, price] of [
      [1_000, '1.08440'],
      [1_250, '1.08441'],
    ] as const) {
      await still.stepTo(pair.acceptedAtMs + after - 250);
      still.quote('EUR/USD', price, pair.acceptedAtMs + after);
      await still.stepBy(250);
    }
    await still.stepTo(pair.settlesAtMs + 1_250);
    expect(await still.settle()).toBe(3);
    const opened = await still.orders([pair.up.orderId, pair.down.orderId, later]);
    expect(opened.map(({ openPrice }) => openPrice)).toEqual([108_440n, 108_440n, 108_441n]);
  });

  test('at a tick that follows the order’s entry in the log', async () => {
    const pair = await buyBoth();
    // The `orders` entry is written at the next grid time, before the tick of that grid time.
    await still.tick('EUR/USD', '1.08427');
    const texts = await readTexts(still.house);
    const orders = texts.findLastIndex((text) => text.startsWith('orders|'));
    const shown = await still.shown(pair.up.customer, pair.up.orderId);
    expect(shown.openIndex as number).toBeGreaterThan(orders);
    expect(texts[shown.openIndex as number]).toContain('|1.08427|new|');
  });
});
