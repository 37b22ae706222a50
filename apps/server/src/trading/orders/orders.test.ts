import { StillHouse } from '@fairtick/kit/installation/still-house.ts';
import { afterEach, describe, expect, test } from 'vitest';

describe('an order from acceptance to settlement', () => {
  let still: StillHouse;
  afterEach(() => still?.close());

  test('opens at the first price after acceptance, settles at the last up to its settlement time, and pays stake and income', async () => {
    still = await StillHouse.open();
    const { house } = still;
    const at = (ms: number) => still.nowMs + ms;
    still.quote('EUR/USD', '1.08400', at(250));
    await still.stepBy(250);

    const customer = await house.customer();
    const [answer] = await still.place([house.request(customer, { symbol: 'EUR/USD', amount: '100' })]);
    expect(answer?.kind).toBe('accepted');
    expect(await house.balance(customer)).toEqual({ available: 9_900_000_000n, held: 100_000_000n });

    still.quote('EUR/USD', '1.08427', at(300));
    await still.stepBy(500);
    await still.stepBy(500);
    still.quote('EUR/USD', '1.08451', at(58_000));
    await still.stepBy(58_000);
    await still.runTo(at(5_000));
    expect(await still.settle()).toBe(1);
    expect(await house.balance(customer)).toEqual({ available: 10_080_000_000n, held: 0n });
    expect(await house.violations()).toEqual([]);
  });
});
