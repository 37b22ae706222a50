import { closeAudited } from '@fairtick/kit/fixtures/houses.ts';
import { StillHouse } from '@fairtick/kit/installation/still-house.ts';
import { readTexts } from '@fairtick/kit/installation/writers.ts';
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
async function buyBoth(): Promise<Pair> {
  still = await StillHouse.open();
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

/** Opens both at 1.08427. */
const open = (pair: Pair) => still.openAt(pair.opensAtMs, 'EUR/USD', '1.08427');

/** All sources say this price just before the settlement time, which then comes. */
async function end(pair: Pair, price: string): Promise<void> {
  await still.stepTo(pair.settlesAtMs - 250);
  await still.tick('EUR/USD', price);
}

describe('an order that opened', () => {
  test.each([
    ['1.08428', ['profit 180', 'loss 0']],
    ['1.08426', ['loss 0', 'profit 180']],
    ['1.08427', ['none 100', 'none 100']],
  ])('at 1.08427 pays by settlement price %s (S4-01, S4-02, S4-03, S4-04)', async (price, expected) => {
    const pair = await buyBoth();
    await open(pair);
    await end(pair, price);
    expect(await still.settle()).toBe(2);
    expect(await outcomes(pair)).toEqual(expected);
    expect(await still.order(pair.up.orderId)).toMatchObject({
      openPrice: 108_427n,
      settlePrice: BigInt(price.replace('.', '')),
      voidReason: null,
    });
  });

  test('settles with the fix of its settlement time, and not before (S4-01, S4-35)', async () => {
    const pair = await buyBoth();
    await open(pair);
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
    await open(pair);
    expect(await still.shown(customer, orderId)).toMatchObject({
      status: 'unsettled',
      openPrice: '1.08427',
      openedAt: pair.opensAtMs,
      settlePrice: null,
      profit: null,
    });
    await end(pair, '1.08451');
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
      settleTickAt: pair.settlesAtMs,
      voidReason: null,
    });
    // The log has both prices at the places that the order names.
    const texts = await readTexts(still.house);
    expect(texts[shown.openIndex as number]).toContain(`|${pair.opensAtMs}|1.08427|`);
    expect(texts[shown.settleIndex as number]).toContain(`|${pair.settlesAtMs}|1.08451|`);
  });

  test('a price after the settlement time changes nothing, however soon it comes', async () => {
    const pair = await buyBoth();
    await open(pair);
    await end(pair, '1.08428');
    await still.tick('EUR/USD', '1.08400');
    expect(await still.settle()).toBe(2);
    expect(await outcomes(pair)).toEqual(['profit 180', 'loss 0']);
  });

  test.each([4_000, 40_000])(
    'settles by the last records, %i ms old, if nothing has come since',
    async (ageMs) => {
      const pair = await buyBoth();
      await open(pair);
      await still.stepTo(pair.settlesAtMs - ageMs);
      await still.tick('EUR/USD', '1.08426');
      await still.runTo(pair.settlesAtMs);
      expect(await still.settle()).toBe(2);
      expect(await outcomes(pair)).toEqual(['loss 0', 'profit 180']);
    },
  );

  test('settles by its fix if the session or the recording has ended', async () => {
    const pair = await buyBoth();
    await open(pair);
    await still.tick('EUR/USD', '1.08428');
    still.feed.stops.set(still.house.product('EUR/USD').id, 'end');
    await still.runTo(pair.settlesAtMs);
    expect(await still.settle()).toBe(2);
    expect(await outcomes(pair)).toEqual(['profit 180', 'loss 0']);
  });

  test('has the prices that it would have had, if the writer was down at its opening and its settlement', async () => {
    const pair = await buyBoth();
    await still.stepBy(250);
    still.quote('EUR/USD', '1.08427', pair.opensAtMs);
    await still.restart(pair.opensAtMs + 30_000);
    await still.stepBy(250);
    expect(await still.shown(pair.up.customer, pair.up.orderId)).toMatchObject({ openPrice: '1.08427' });
    still.quote('EUR/USD', '1.08428', pair.settlesAtMs);
    still.quote('EUR/USD', '1.08400', pair.settlesAtMs + 1);
    await still.restart(pair.settlesAtMs + 90_000);
    await still.stepBy(250);
    expect(await still.settle()).toBe(2);
    expect(await outcomes(pair)).toEqual(['profit 180', 'loss 0']);
  });
});
