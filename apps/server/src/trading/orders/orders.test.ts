import { House } from '@fairtick/kit/installation/house.ts';
import { ManualFeed } from '@fairtick/kit/installation/manual-feed.ts';
import { afterEach, describe, expect, test } from 'vitest';

describe('an order from acceptance to settlement', () => {
  let house: House;
  afterEach(() => house?.close());

  test('opens at the first price after acceptance, settles at the last up to its settlement time, and pays stake and income', async () => {
    const feed = new ManualFeed();
    house = await House.open(feed);
    const eurusd = house.product('EUR/USD');
    const at = (ms: number) => house.clock.targetMs + ms;
    feed.price(eurusd, '1.08400', at(250));
    await house.stepBy(250);

    const customer = await house.customer();
    const [answer] = await house.place([house.request(customer, { symbol: 'EUR/USD', amount: '100' })]);
    expect(answer?.kind).toBe('accepted');
    expect(await house.balance(customer)).toEqual({ available: 9_900_000_000n, held: 100_000_000n });

    feed.price(eurusd, '1.08427', at(300));
    await house.stepBy(500);
    await house.stepBy(500);
    feed.price(eurusd, '1.08451', at(58_000));
    await house.stepBy(58_000);
    await house.runTo(at(5_000));
    expect(await house.settle()).toBe(1);
    expect(await house.balance(customer)).toEqual({ available: 10_080_000_000n, held: 0n });
    expect(await house.violations()).toEqual([]);
  });
});
