import { describe, expect, test } from 'vitest';
import { layOut } from './tick-plot-layout.ts';

const SPAN = { openPrice: '1.08400', fromMs: 1_000, toMs: 61_000 };

describe('the plot of an order', () => {
  test('spans opening to settlement, with higher prices above lower ones', () => {
    const plot = layOut(
      [
        { time: 1_000, price: '1.08400' },
        { time: 61_000, price: '1.08450' },
      ],
      SPAN,
    );
    expect(plot.line).toBe('5.0,98.0 265.0,14.0');
    expect([plot.openY, plot.lastX, plot.lastY].map(Math.round)).toEqual([98, 265, 14]);
  });

  test('draws a move of less than two hundredths of a percent as small as it is', () => {
    const { openY, lastY } = layOut(
      [
        { time: 1_000, price: '1.08400' },
        { time: 2_000, price: '1.08410' },
      ],
      SPAN,
    );
    expect(openY - lastY).toBeCloseTo((84 * 0.0001) / (1.084 * 0.0002));
    expect(openY + lastY).toBeCloseTo(2 * 56);
  });

  test('keeps its two labels a readable distance apart, and shows one label for equal prices', () => {
    const near = layOut(
      [
        { time: 1_000, price: '1.08400' },
        { time: 2_000, price: '1.08500' },
        { time: 3_000, price: '1.08405' },
      ],
      SPAN,
    );
    expect(Math.abs((near.openLabelY ?? 0) - near.lastLabelY)).toBeGreaterThanOrEqual(14);
    expect(near.openLabelY).toBeGreaterThan(near.lastLabelY);
    const still = layOut(
      [
        { time: 1_000, price: '1.08400' },
        { time: 2_000, price: '1.08400' },
      ],
      SPAN,
    );
    expect(still.openLabelY).toBeNull();
    expect(still.lastY).toBe(56);
  });
});
