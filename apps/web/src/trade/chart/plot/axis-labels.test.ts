import { expect, test } from 'vitest';
import { hasRoom } from './axis-labels.ts';

test('a label of the price axis is left out within 16 px of a tag', () => {
  expect([80, 85, 100, 115, 116].map((y) => hasRoom(y, [100]))).toEqual([true, false, false, false, true]);
  expect(hasRoom(100, [])).toBe(true);
});

test('tags that overlap are moved apart, and labels that they reach then are left out, too', () => {
  expect(hasRoom(118, [100])).toBe(true);
  expect(hasRoom(118, [100, 90])).toBe(false);
  expect(hasRoom(124, [100, 90])).toBe(true);
});
