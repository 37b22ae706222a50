import { expect, test } from 'vitest';
import { durationText } from './durations.ts';

test.each([
  [0, '0 ms'],
  [999, '999 ms'],
  [1_000, '1 sec'],
  [60_000, '1 min'],
  [61_500, '1 min 1 sec'],
  [3_600_000, '1 hr'],
  [90_000_000, '1 day 1 hr'],
  [-5, '0 ms'],
])('%d ms is %s', (ms, text) => {
  expect(durationText(ms, 'en-US')).toBe(text);
});

test('it is written out in each language, with no unit that is zero', () => {
  expect(durationText(60_000, 'en-US', 'long')).toBe('1 minute');
  expect(durationText(5_400_000, 'en-US', 'long')).toBe('1 hour 30 minutes');
  expect(durationText(900_000, 'zh-CN', 'long')).toBe('15 分钟');
  expect(durationText(7_200_000, 'zh-TW', 'long')).toBe('2 小時');
});
