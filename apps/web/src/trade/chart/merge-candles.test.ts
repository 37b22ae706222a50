import type { Candle } from '@fairtick/protocol';
import { expect, test } from 'vitest';
import { mergeCandles } from './merge-candles.ts';

/** A candle that begins at `time` and has `volume` ticks. */
const candle = (time: number, volume: number): Candle => ({
  time,
  open: '1',
  high: '1',
  low: '1',
  close: String(volume),
  volume: String(volume),
  turnover: '1',
  change: '0',
});

test('of two readings of a candle the later one stays, in whichever order they come', () => {
  const [early, late] = [candle(2, 9), candle(2, 10)];
  for (const [known, news] of [
    [[candle(1, 5), early], [late]],
    [[late], [candle(1, 5), early]],
  ] as const)
    expect(mergeCandles(known, news)).toEqual([candle(1, 5), late]);
});

test('candles that only one reading has are kept, oldest first', () => {
  const [one, two, three] = [candle(1, 5), candle(2, 5), candle(3, 1)];
  expect(mergeCandles([three], [one, two])).toEqual([one, two, three]);
  expect(mergeCandles([one, two], [three])).toEqual([one, two, three]);
  expect(mergeCandles([], [])).toEqual([]);
});
