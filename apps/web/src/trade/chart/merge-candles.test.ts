import type { Candle } from '@fairtick/protocol';
import { expect, test } from 'vitest';
import { withAnswer, withStreamed } from './merge-candles.ts';

const candle = (time: number, volume: number, close = String(volume)): Candle => ({
  time,
  open: '1',
  high: '1',
  low: '1',
  close,
  volume: String(volume),
  turnover: '1',
  change: '0',
});

const ended = candle(1, 20);

test('of two readings of a candle the one with the higher volume stays, in whichever order they come', () => {
  const [early, late] = [candle(2, 9), candle(2, 10)];
  expect(withStreamed([ended, early], late)).toEqual([ended, late]);
  expect(withStreamed([ended, late], early)).toEqual([ended, late]);
  expect(withAnswer([early], [ended, late])).toEqual([ended, late]);
  expect(withAnswer([late], [ended, early])).toEqual([ended, late]);
});

test('of two readings with one volume the stream’s stays, because it sends every later one', () => {
  const [answered, streamed] = [candle(2, 9, '5'), candle(2, 9, '6')];
  expect(withStreamed([ended, answered], streamed)).toEqual([ended, streamed]);
  expect(withAnswer([streamed], [ended, answered])).toEqual([ended, streamed]);
});

test('a candle that an answer shows as ended replaces what the stream sent of it before it broke', () => {
  const [before, whole] = [candle(1, 20, '5'), candle(1, 20, '6')];
  expect(withAnswer([before], [whole, candle(2, 1)])).toEqual([whole, candle(2, 1)]);
  expect(withStreamed([whole, candle(2, 1)], before)).toEqual([whole, candle(2, 1)]);
});

test('after an absence older candles are kept if the answer reaches back to the newest of them, else dropped', () => {
  const known = [candle(1, 5), candle(2, 5), candle(9, 1)];
  const answer = [candle(7, 5), candle(8, 5), candle(9, 2)];
  expect(withAnswer(known, answer, 2)).toEqual(answer);
  expect(withAnswer(known, answer, 7)).toEqual([...known.slice(0, 2), ...answer]);
  expect(withAnswer(known, [candle(2, 5), ...answer], 2)).toEqual([...known.slice(0, 2), ...answer]);
});

test('candles that only one reading has are kept, oldest first', () => {
  const [one, two, three] = [candle(1, 5), candle(2, 5), candle(3, 1)];
  expect(withAnswer([three], [one, two])).toEqual([one, two, three]);
  expect(withAnswer([one, two], [three])).toEqual([one, two, three]);
  expect(withStreamed([one, two], three)).toEqual([one, two, three]);
  expect(withAnswer([], [])).toEqual([]);
  expect(withStreamed([], one)).toEqual([one]);
});
