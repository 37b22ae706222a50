import { expect, test } from 'vitest';
import { distanceToBox, distanceToLine, indexAt, movedBy, nearestPrice, timeAt } from './drawing-geometry.ts';

const MINUTE = 60_000;
/** Three minutes before a pause of the market, and two after it. */
const TIMES = [0, 1, 2, 100, 101].map((minute) => minute * MINUTE);

test('a point keeps its place among the candles, also between, before and after them', () => {
  expect(TIMES.map((time) => indexAt(time, TIMES, MINUTE))).toEqual([0, 1, 2, 3, 4]);
  expect(indexAt(90_000, TIMES, MINUTE)).toBe(1.5);
  expect(indexAt(51 * MINUTE, TIMES, MINUTE)).toBe(2.5);
  expect(indexAt(-3 * MINUTE, TIMES, MINUTE)).toBe(-3);
  expect(indexAt(103 * MINUTE, TIMES, MINUTE)).toBe(6);
  for (const index of [-2, 0, 0.5, 2, 2.25, 4, 7]) {
    expect(indexAt(timeAt(index, TIMES, MINUTE), TIMES, MINUTE)).toBeCloseTo(index, 9);
  }
  expect(indexAt(5 * MINUTE, [0], MINUTE)).toBe(5);
});

test('a drawing moves by candles, so a pause of the market does not bend it', () => {
  const moved = movedBy({ time: TIMES[2] as number, price: 10 }, { candles: 1, price: -2 }, TIMES, MINUTE);
  expect(moved).toEqual({ time: TIMES[3], price: 8 });
});

test('distances are to the drawn part of a line and to the outline of a rectangle', () => {
  const [from, to] = [
    { x: 0, y: 0 },
    { x: 10, y: 0 },
  ];
  expect(distanceToLine({ x: 5, y: 3 }, from, to)).toBe(3);
  expect(distanceToLine({ x: 13, y: 4 }, from, to)).toBe(5);
  expect(distanceToLine({ x: 3, y: 4 }, from, from)).toBe(5);
  expect(distanceToBox({ x: 5, y: 9 }, from, { x: 10, y: 10 })).toBe(1);
  expect(distanceToBox({ x: 5, y: 5 }, from, { x: 10, y: 10 })).toBe(5);
});

test('a magnet takes the price whose place is nearest, and none where no price has a place', () => {
  const place = (price: number) => 100 - price;
  expect(nearestPrice([10, 20, 30], 78, place)).toBe(20);
  expect(nearestPrice([], 78, place)).toBeUndefined();
  expect(nearestPrice([10], 78, () => null)).toBeUndefined();
});
