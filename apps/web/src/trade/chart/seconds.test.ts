import { expect, test } from 'vitest';
import { secondsOf } from './seconds.ts';

const at = (ms: number, price: string) => ({ time: 1_000_000 + ms, price });
const shown = (points: Parameters<typeof secondsOf>[0]) =>
  secondsOf(points).map(({ time, close }) => [time - 1_000_000, close]);

test('a second has its last price, which lasts until the next one', () => {
  expect(shown([at(0, '1'), at(750, '2'), at(3_250, '3')])).toEqual([
    [0, '2'],
    [1_000, '2'],
    [2_000, '2'],
    [3_000, '3'],
  ]);
});

test('a time without prices is left out', () => {
  expect(shown([at(500, '1'), at(60_000, '2')])).toEqual([
    [0, '1'],
    [60_000, '2'],
  ]);
  expect(secondsOf([])).toEqual([]);
});
