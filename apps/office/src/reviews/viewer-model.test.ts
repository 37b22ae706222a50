import { expect, test } from 'vitest';
import { fitOf, keyed, type Look, MAX_ZOOM, moved, opened, turned, WHOLE, zoomed } from './viewer-model.ts';

const after = (...keys: string[]): Look => keys.reduce((look, key) => keyed(look, key) ?? look, WHOLE);

test('a picture is enlarged within bounds and reset to its full view', () => {
  expect(after('+').zoom).toBe(1.5);
  expect(after(...Array<string>(20).fill('+')).zoom).toBe(MAX_ZOOM);
  expect(after('-').zoom).toBe(1);
  expect(after('+', '+', 'r', 'ArrowLeft', '0')).toEqual(WHOLE);
});

test('a picture turns by quarters in both directions, and four turns restore it', () => {
  expect(after('r').turns).toBe(1);
  expect(after('R').turns).toBe(3);
  expect(after('r', 'r', 'r', 'r').turns).toBe(0);
  expect(turned({ ...WHOLE, zoom: 2, x: 0.4 }, 1)).toMatchObject({ zoom: 2, turns: 1, x: 0, y: 0 });
});

test('a picture moves no further than its own edges', () => {
  expect(moved(WHOLE, 0.5, 0.5)).toEqual(WHOLE);
  expect(moved({ ...WHOLE, zoom: 2 }, 5, -5)).toEqual({ ...WHOLE, zoom: 2, x: 0.5, y: -0.5 });
  expect(zoomed({ ...WHOLE, zoom: 2, x: 0.5 }, 0.5)).toEqual(WHOLE);
  expect(after('+', 'ArrowLeft', 'ArrowUp')).toMatchObject({ x: 0.1, y: 0.1 });
  expect(after('+', 'ArrowRight', 'ArrowDown')).toMatchObject({ x: -0.1, y: -0.1 });
});

test('a long screenshot opens at its top with its whole width, and is read to its end', () => {
  const look = opened({ width: 540, height: 600 }, { width: 1080, height: 24_000 });
  // At this zoom the width of 27 px becomes 540, and the height of 600 px becomes 12 000.
  expect(look).toMatchObject({ zoom: 20, x: 0, y: 9.5 });
  expect(zoomed(look, 100).zoom).toBe(20 * MAX_ZOOM);
  const next = keyed(look, 'PageDown') as Look;
  expect(next).toMatchObject({ y: 8.6 });
  expect(keyed(next, 'End')).toMatchObject({ y: -9.5 });
  expect(keyed(next, 'Home')).toEqual(look);
  expect(keyed(look, '0')).toMatchObject({ zoom: 1, x: 0, y: 0 });
  expect(opened({ width: 540, height: 600 }, { width: 1080, height: 2400 }).zoom).toBe(1);
});

test('keys without a meaning for the viewer are ignored', () => {
  for (const key of ['a', 'j', 'Enter', 'Tab', ' ']) expect(keyed(WHOLE, key)).toBeNull();
});

test('a picture turned by a quarter still fits into the frame', () => {
  const frame = { width: 400, height: 200 };
  expect(fitOf(WHOLE, frame, { width: 100, height: 200 })).toBe(1);
  // Upright, the 1:2 picture is limited by the frame's height; turned to 2:1 it may be as wide as the frame.
  expect(fitOf({ ...WHOLE, turns: 1 }, frame, { width: 100, height: 200 })).toBe(2);
  expect(fitOf({ ...WHOLE, turns: 3 }, frame, { width: 0, height: 0 })).toBe(1);
});
