import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { readChartSettings, USUAL_LENGTHS } from '../plot/chart-settings.ts';
import {
  type Drawing,
  MAX_DRAWINGS,
  MAX_DRAWN_PRODUCTS,
  readDrawings,
  storeDrawings,
  withDrawing,
} from './drawings.ts';

const kept = new Map<string, string>();
beforeEach(() => {
  kept.clear();
  vi.stubGlobal('document', {});
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
    removeItem: (key: string) => kept.delete(key),
  });
});
afterEach(() => vi.unstubAllGlobals());

const LEVEL = { kind: 'level', points: [{ time: 60_000, price: 1.1 }] } as const;

test('a product keeps its newest drawings, and storage those of the products that were drawn on last', () => {
  let all: readonly Drawing[] = [];
  for (let count = 0; count < MAX_DRAWINGS + 5; count += 1) all = withDrawing(all, LEVEL);
  expect(all.map(({ id }) => id)).toEqual(Array.from({ length: MAX_DRAWINGS }, (_, at) => at + 6));
  for (let product = 0; product <= MAX_DRAWN_PRODUCTS; product += 1) storeDrawings(`P${product}`, all);
  expect(readDrawings('P0')).toEqual([]);
  expect(readDrawings('P1')).toEqual(all);
  storeDrawings('P1', []);
  expect(readDrawings('P1')).toEqual([]);
  expect(readDrawings(`P${MAX_DRAWN_PRODUCTS}`)).toEqual(all);
});

const PLAIN = {
  ...{ period: '1m', style: 'candles', scale: 'normal', hasMagnet: false, compare: null },
  ...{ studies: [], lengths: USUAL_LENGTHS },
};

test('edited storage gives only valid drawings and settings', () => {
  const good = { ...LEVEL, id: 1 };
  const bad = [
    null,
    7,
    { ...good, kind: 'circle' },
    { ...good, points: [] },
    { ...good, points: [{ time: 'x' }] },
  ];
  kept.set('drawings', JSON.stringify([['EUR/USD', [...bad, good]], 'x', ['y']]));
  expect(readDrawings('EUR/USD')).toEqual([good]);
  kept.set('drawings', '{');
  expect(readDrawings('EUR/USD')).toEqual([]);
  kept.set('chart', JSON.stringify({ period: '2m', style: 'line', studies: ['macd', 'x', 'ma'] }));
  expect(readChartSettings()).toEqual({ ...PLAIN, style: 'line', studies: ['ma', 'macd'] });
  const lengths = { ma: [3, 7, 200], ema: [1, 26], boll: [20, 2.3], rsi: ['14'], macd: [26, 12, 9] };
  kept.set('chart', JSON.stringify({ lengths }));
  expect(readChartSettings().lengths).toEqual({ ...USUAL_LENGTHS, ma: [3, 7, 200] });
  for (const text of ['null', '[', '"x"', '5']) {
    kept.set('chart', text);
    expect(readChartSettings()).toEqual(PLAIN);
  }
});
