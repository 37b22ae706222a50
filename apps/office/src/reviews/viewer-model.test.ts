import { expect, test } from 'vitest';
import { fitOf, keyed, type Look, MAX_ZOOM, moved, turned, WHOLE, zoomed } from './viewer-model.ts';

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
  expect(turned({ ...WHOLE, zoom: 2, x: 0.4 }, 1)).toEqual({ zoom: 2, turns: 1, x: 0, y: 0 });
});

test('a picture moves no further than its own edges', () => {
  expect(moved(WHOLE, 0.5, 0.5)).toEqual(WHOLE);
  expect(moved({ ...WHOLE, zoom: 2 }, 5, -5)).toEqual({ ...WHOLE, zoom: 2, x: 0.5, y: -0.5 });
  expect(zoomed({ ...WHOLE, zoom: 2, x: 0.5 }, 0.5)).toEqual(WHOLE);
  expect(after('+', 'ArrowLeft', 'ArrowUp')).toMatchObject({ x: 0.1, y: 0.1 });
  expect(after('+', 'ArrowRight', 'ArrowDown')).toMatchObject({ x: -0.1, y: -0.1 });
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
