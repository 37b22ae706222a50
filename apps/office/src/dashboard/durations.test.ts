import { expect, test } from 'vitest';
import { durationText } from './durations.ts';

test.each([
  [0, '0 ms'],
  [999, '999 ms'],
  [1_000, '1 sec'],
  [60_000, '1 min'],
  [61_500, '1 min 1 sec'],
  [3_600_000, '1 hr'],
  [90_000_000, '1 day 1 hr'],
  [-5, '0 ms'],
])('%d ms is %s', (ms, text) => {
  expect(durationText(ms, 'en-US')).toBe(text);
});
