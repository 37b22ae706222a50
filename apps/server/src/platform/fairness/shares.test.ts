import { expect, test } from 'vitest';
import { Shares } from './shares.ts';

test('a caller that takes as many places as it can leaves enough for others', () => {
  const shares = new Shares(1_000);
  const takeAll = (who: string) => {
    let taken = 0;
    while (shares.take(who)) taken += 1;
    return taken;
  };
  expect(takeAll('greedy')).toBe(200);
  for (let other = 0; other < 10; other += 1) expect(takeAll(`other ${other}`)).toBeLessThan(200);
  expect(takeAll('honest')).toBeGreaterThan(10);
  for (let place = 0; place < 200; place += 1) shares.giveBack('greedy');
  expect(takeAll('honest')).toBeGreaterThan(30);
  // When all places are taken, a place that is given back goes to the next caller.
  for (let other = 0; shares.hasRoom(`single ${other}`); other += 1) shares.take(`single ${other}`);
  expect(shares.take('late')).toBe(false);
  shares.giveBack('single 1');
  expect(shares.take('late')).toBe(true);
});
