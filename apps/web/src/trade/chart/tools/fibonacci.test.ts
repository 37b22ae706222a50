import { expect, test } from 'vitest';
import { retracements } from './drawing-geometry.ts';

const point = (price: number) => ({ time: 0, price });

test('a retracement begins at the end of the move, and ends at its beginning', () => {
  const levels = retracements([point(100), point(200)]);
  expect(levels.map(({ ratio, price }) => [ratio, Math.round(price * 10) / 10])).toEqual([
    [0, 200],
    [0.236, 176.4],
    [0.382, 161.8],
    [0.5, 150],
    [0.618, 138.2],
    [0.786, 121.4],
    [1, 100],
  ]);
  expect(retracements([point(200), point(100)])[2]?.price).toBeCloseTo(138.2);
  expect(retracements([point(100)])).toEqual([]);
});
