import { points } from '@fairtick/money';
import { expect, test } from 'vitest';
import { unfitSource } from './ask-markets.ts';

const prices = (...values: readonly (bigint | null)[]) =>
  new Map(values.map((value, place) => [`source-${place}`, value === null ? null : points(value)]));

test.each([
  [prices(14_520n, 14_530n), null],
  [prices(14_520n, null), 'source-1'],
  [prices(null, 14_520n), 'source-0'],
  // 2 % of the first is 290 points.
  [prices(14_520n, 14_810n), null],
  [prices(14_520n, 14_811n), 'source-1'],
  [prices(14_520n, 14_229n), 'source-1'],
  [prices(999n, 999n), 'source-0'],
  [prices(10n ** 13n + 1n), 'source-0'],
])('of %s, the source that does not fit is %s', (found, unfit) => {
  expect(unfitSource(found)).toBe(unfit);
});
