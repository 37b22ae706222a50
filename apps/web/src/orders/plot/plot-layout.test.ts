import { describe, expect, test } from 'vitest';
import { layOut } from './plot-layout.ts';

const ORDER = { id: '1', openPrice: '1.08400', openedAt: 21_000, endsAt: 81_000 };
const SPAN = { orders: [ORDER], fromMs: 1_000, toMs: 101_000 };
const at = (time: number, price: string) => ({ time, price });

describe('the plot of orders', () => {
  test('has what came before an order, its opening line and its end', () => {
    const plot = layOut([at(1_000, '1.08400'), at(81_000, '1.08450')], SPAN);
    expect(plot?.orders).toEqual([{ from: 20, to: 80, y: 86 }]);
    expect(plot?.last).toEqual({ x: 80, y: 14 });
    expect(plot?.line).toBe('0,86 80,14');
  });

  test('shows an opening line that the prices have left, and one whose order began before the left edge', () => {
    const plot = layOut([at(50_000, '1.09'), at(60_000, '1.09')], { ...SPAN, fromMs: 41_000, toMs: 61_000 });
    expect(plot?.orders).toEqual([{ from: 0, to: null, y: 86 }]);
    expect(plot?.last.y).toBeCloseTo(14);
  });

  test('draws a move of less than two hundredths of a percent as small as it is', () => {
    const plot = layOut([at(21_000, '1.08400'), at(22_000, '1.08410')], SPAN);
    const moved = (plot?.orders[0]?.y ?? 0) - (plot?.last.y ?? 0);
    expect(moved).toBeCloseTo((72 * 0.0001) / (1.0841 * 0.0002), 1);
  });

  test('is left out without two prices in its time', () => {
    expect(layOut([at(0, '1'), at(2_000, '1')], SPAN)).toBeNull();
  });
});
