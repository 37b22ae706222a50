import { closeAudited } from '@fairtick/kit/fixtures/houses.ts';
import { StillHouse } from '@fairtick/kit/installation/still-house.ts';
import { readTexts } from '@fairtick/kit/installation/writers.ts';
import type { ProductRules } from '@fairtick/trading';
import { afterEach, describe, expect, test } from 'vitest';

const FIRST = 10_000_000_000n;

let still: StillHouse;
afterEach(() => closeAudited(still));

interface Bought {
  readonly customer: string;
  readonly orderId: number;
}
/** One order up and one down, accepted at the same moment, a stake of 100 each. */
interface Pair {
  readonly up: Bought;
  readonly down: Bought;
  readonly opensAtMs: number;
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
  const { acceptedAtMs, opensAtMs, settlesAtMs } = await still.order(up.orderId);
  expect([acceptedAtMs, opensAtMs, settlesAtMs]).toEqual([
    still.nowMs,
    still.nowMs + 2_000,
    still.nowMs + 62_000,
  ]);
  return { up, down, opensAtMs, settlesAtMs };
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
  await still.openAt(pair.opensAtMs, 'EUR/USD', '1.08427');
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
      openMs: pair.opensAtMs,
      settlePrice: BigInt(price.replace('.', '')),
      settleMs: pair.settlesAtMs,
      voidReason: null,
    });
  });

  test('settles with the tick of its settlement time, and not before (S4-01, S4-35)', async () => {
    const pair = await buyBoth();
    await still.openAt(pair.opensAtMs, 'EUR/USD', '1.08427');
    await still.stepTo(pair.settlesAtMs - 250);
    expect(await still.settle()).toBe(0);
    expect(await outcomes(pair)).toEqual(['null 0', 'null 0']);
    await still.tick('EUR/USD', '1.08428');
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
    await still.openAt(pair.opensAtMs, 'EUR/USD', '1.08427');
    expect(await still.shown(customer, orderId)).toMatchObject({
      status: 'unsettled',
      openPrice: '1.08427',
      openedAt: pair.opensAtMs,
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
    expect(texts[shown.openIndex as number]).toContain('|1.08427|');
    expect(texts[shown.settleIndex as number]).toContain(`|${pair.settlesAtMs}|1.08451|`);
  });

  test('a tick after the settlement time changes nothing, however soon it comes', async () => {
    const pair = await buyBoth();
    await still.openAt(pair.opensAtMs, 'EUR/USD', '1.08427');
    await still.stepTo(pair.settlesAtMs - 250);
    await still.tick('EUR/USD', '1.08428');
    await still.tick('EUR/USD', '1.08400');
    expect(await still.settle()).toBe(2);
    expect(await outcomes(pair)).toEqual(['profit 180', 'loss 0']);
  });

  test('settles by the price of its settlement time if no quote has come since long before', async () => {
    const pair = await buyBoth({ staleMs: 5_000 });
    await still.openAt(pair.opensAtMs, 'EUR/USD', '1.08427');
    await still.stepTo(pair.settlesAtMs - 4_000);
    await still.tick('EUR/USD', '1.08426');
    await still.runTo(pair.settlesAtMs + 250);
    expect(await still.settle()).toBe(2);
    expect(await outcomes(pair)).toEqual(['loss 0', 'profit 180']);
    expect((await still.order(pair.up.orderId)).settleMs).toBe(pair.settlesAtMs);
  });

  test('is not void because of a gap after its opening', async () => {
    const pair = await buyBoth();
    await still.openAt(pair.opensAtMs, 'EUR/USD', '1.08427');
    await still.stepBy(6_000);
    expect((await readTexts(still.house)).some((text) => text.startsWith('gap|3|EUR/USD|'))).toBe(true);
    await still.stepTo(pair.settlesAtMs - 250);
    await still.tick('EUR/USD', '1.08428');
    await still.stepBy(250);
    expect(await still.settle()).toBe(2);
    expect(await outcomes(pair)).toEqual(['profit 180', 'loss 0']);
  });
});

describe('without a current price at exactly the settlement time', () => {
  test.each([
    ['prices have stopped', { staleMs: 3_000 }, '1.08428'],
    ['prices have stopped', { staleMs: 3_000 }, '1.08426'],
    ['quotes are too old', { staleMs: 10_000, freshMs: 3_000 }, '1.08426'],
  ])(
    'because %s (%j), both directions win, whatever the last price was: %3$s',
    async (_case, rules, price) => {
      const pair = await buyBoth(rules);
      await still.openAt(pair.opensAtMs, 'EUR/USD', '1.08427');
      await still.runTo(pair.settlesAtMs - 4_000);
      await still.tick('EUR/USD', price);
      await still.runTo(pair.settlesAtMs - 250);
      expect(await still.settle()).toBe(0);
      // A tick that is too old, or the gap that is logged every second.
      await still.stepBy(250);
      expect(await still.settle()).toBe(2);
      expect(await outcomes(pair)).toEqual(['profit 180', 'profit 180']);
      expect(await still.order(pair.up.orderId)).toMatchObject({
        openPrice: 108_427n,
        settlePrice: null,
        settleMs: null,
      });
      expect(await still.shown(pair.up.customer, pair.up.orderId)).toMatchObject({
        status: 'settled',
        result: 'profit',
        profit: '80.000000',
        openPrice: '1.08427',
        settlePrice: null,
        settleTickAt: null,
        settleIndex: null,
        voidReason: null,
      });
    },
  );

  test('because the session or the recording has ended, orders win at their settlement time', async () => {
    const pair = await buyBoth();
    await still.openAt(pair.opensAtMs, 'EUR/USD', '1.08427');
    still.feed.ended.add(still.house.product('EUR/USD').id);
    await still.runTo(pair.settlesAtMs);
    expect(await still.settle()).toBe(2);
    expect(await outcomes(pair)).toEqual(['profit 180', 'profit 180']);
  });
});

describe('where a source is missing, each direction gets the quote that is best for it', () => {
  const prices = (low: string, high: string) => {
    const product = still.house.product('EUR/USD');
    for (const [source, price] of [
      ['a', low],
      ['b', high],
    ] as const)
      still.feed.quote(product, source, price, still.nowMs + 1);
  };

  test('at the opening the lowest for up and the highest for down, at the settlement the other way round', async () => {
    const pair = await buyBoth({ staleMs: 2_000 });
    await still.runTo(pair.opensAtMs - 250);
    prices('1.08420', '1.08430');
    await still.stepBy(250);
    const { customer, orderId } = pair.down;
    expect(await still.shown(customer, orderId)).toMatchObject({ openPrice: '1.08430' });
    await still.stepTo(pair.settlesAtMs - 250);
    prices('1.08429', '1.08441');
    await still.stepBy(250);
    expect(await still.settle()).toBe(2);
    expect(await outcomes(pair)).toEqual(['profit 180', 'profit 180']);
    expect(await still.order(pair.up.orderId)).toMatchObject({ openPrice: 108_420n, settlePrice: 108_441n });
    expect(await still.order(pair.down.orderId)).toMatchObject({
      openPrice: 108_430n,
      settlePrice: 108_429n,
    });
  });
});
