import { forTest } from '@fairtick/kit/fixtures/fixture.ts';
import { House } from '@fairtick/kit/installation/house.ts';
import { ManualFeed } from '@fairtick/kit/installation/manual-feed.ts';
import { openSimulatedWriter, readMarks, watch } from '@fairtick/kit/installation/writers.ts';
import { describe, expect, test } from 'vitest';
import { readCandles } from './candle-queries.ts';

describe('the volume of a minute', () => {
  /** A minute on a Wednesday, and a start just before it. */
  const FIRST_MS = Date.UTC(2026, 5, 3, 14, 38);
  const BEGUN_MS = FIRST_MS - 4_600;
  const house = forTest(() =>
    House.open(new ManualFeed({}, 'manual', new Set()), Math.ceil(BEGUN_MS / 250) * 250),
  );

  test('is the same before the start, watched, and with nobody there (S3-52)', async () => {
    const { writer, feed } = await openSimulatedWriter(house, BEGUN_MS);
    const products = ['EUR/USD', 'BTC/USDT'].map((symbol) => house.product(symbol));
    // Each append has the entries of a second.
    const runTo = async (timeMs: number) => {
      while (house.clock.targetMs < timeMs) {
        house.clock.stepTo(Math.min(house.clock.targetMs + 1_000, timeMs));
        await writer.step();
      }
    };
    await runTo(FIRST_MS + 80_000);
    for (const product of products) await watch(house, product);
    await runTo(FIRST_MS + 180_000);
    for (const product of products) {
      const simulated = feed.model.candles(product.symbol, FIRST_MS - 660_000, FIRST_MS - 60_000, 60_000);
      expect(simulated.map(({ ticks }) => ticks)).toEqual(simulated.map(() => 20));
      const minutes = await readCandles(house.db.server, {
        product,
        period: '1m',
        beforeMs: FIRST_MS + 180_000,
        limit: 3,
      });
      expect(minutes.map(({ timeMs, volume }) => [timeMs - FIRST_MS, volume])).toEqual([
        [0, 20n],
        [60_000, 20n],
        [120_000, 20n],
      ]);
      const marks = await readMarks(house, product.symbol);
      const perMinute = minutes.map(
        (minute) => marks.filter(({ timeMs }) => timeMs - (timeMs % 60_000) === minute.timeMs).length,
      );
      expect(perMinute).toEqual([product.symbol === 'EUR/USD' ? 20 : 40, expect.any(Number), 240]);
    }
  });
});
