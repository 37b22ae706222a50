import { forTest } from '@fairtick/kit/fixtures/fixture.ts';
import { START_MS } from '@fairtick/kit/installation/house.ts';
import { ManualFeed } from '@fairtick/kit/installation/manual-feed.ts';
import { StillHouse } from '@fairtick/kit/installation/still-house.ts';
import type { ProductRules } from '@fairtick/trading';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { measurePriceAges, priceAges } from './price-ages.ts';

/** EUR/USD trades all day, GBP/USD from noon on, XAU/USD on Sundays. */
class SomeOpen extends ManualFeed {
  override rulesOf(product: Parameters<ManualFeed['rulesOf']>[0]): ProductRules | null {
    const rules = super.rulesOf(product);
    const on = (days: number[], from: string) => ({
      zone: 'UTC',
      windows: [{ days, from, to: '20:00' }],
      holidays: [],
    });
    const { symbol } = product;
    if (!rules || !['EUR/USD', 'GBP/USD', 'XAU/USD'].includes(symbol)) return null;
    if (symbol === 'EUR/USD') return rules;
    return { ...rules, schedule: symbol === 'GBP/USD' ? on([1], '12:00') : on([7], '12:00') };
  }
}

const still = forTest(
  () => StillHouse.open({}, START_MS, new SomeOpen()),
  (house) => house.close(),
);

const agesOf = () => {
  const { db, products, rules } = still.house;
  return priceAges({ db: db.server, products, rules });
};
const ages = async () => Object.fromEntries((await agesOf()()).map(({ symbol, ageMs }) => [symbol, ageMs]));

/** The log began before the first price, as it does in an installation. */
const begin = async () => {
  await still.house.db.owner.query('update log_head set begun_ms = $1', [START_MS - 3_600_000]);
  await still.tick('EUR/USD', '1.08400');
};

test('a price that was lost because its sources disagree grows old, although each of them has a price', async () => {
  await begin();
  const product = still.house.product('EUR/USD');
  for (let step = 0; step < 4; step += 1) {
    for (const [place, price] of ['1.00000', '1.10000', '1.20000'].entries())
      still.feed.quote(product, 'abc'.charAt(place), price, still.nowMs + 1);
    await still.stepBy(250);
  }
  const { rows } = await still.house.db.owner.query(
    'select gap_reason as reason from product_states where product_id = $1',
    [product.id],
  );
  expect(rows).toEqual([{ reason: 'quorum' }]);
  expect(await ages()).toMatchObject({ 'EUR/USD': 1_000 });
});

test('a product without any price is as old as its trading period, and a closed one has no age', async () => {
  await begin();
  await still.tick('EUR/USD', '1.08400');
  expect(await ages()).toEqual({ 'EUR/USD': 0, 'GBP/USD': 500 });
});

test('the metric has a series for each open product, in seconds, and none once it is closed', async () => {
  await begin();
  await still.stepBy(1_000);
  const registry = new Registry();
  measurePriceAges(registry, agesOf());
  const age = (symbol: string, seconds: string) =>
    `fairtick_product_price_age_seconds{symbol="${symbol}"} ${seconds}\n`;
  const text = await registry.metrics();
  expect(text).toContain(age('GBP/USD', '1.25'));
  expect(text).not.toContain('XAU/USD');
  await still.house.db.owner.query(`update product_states set gap_reason = 'end' where product_id = $1`, [
    still.house.product('GBP/USD').id,
  ]);
  expect(await registry.metrics()).not.toContain('GBP/USD');
});
