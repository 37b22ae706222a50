import { expect, test } from 'vitest';
import { judge } from './check-newest.ts';

const HASH = 'a'.repeat(64);
const gap = (symbol: string, n: number, timeMs: number) => `gap|4|${symbol}|${n}|${timeMs}|restart|${HASH}|`;
const log = [
  gap('EUR/USD', 7, 1_800_000_000_000),
  gap('BTC/USDT', 3, 1_800_000_000_000),
  gap('EUR/USD', 8, 1_800_000_000_250),
];

test('entries in the order of time, numbered without an omission, are right', () => {
  expect(judge(log)).toEqual({ count: 3, untilMs: 1_800_000_000_250, isRight: true });
});

test.each([
  ['a number left out', gap('EUR/USD', 10, 1_800_000_000_500)],
  ['a number twice', gap('EUR/USD', 8, 1_800_000_000_500)],
  ['an older time', gap('BTC/USDT', 4, 1_799_999_999_750)],
  ['another grammar', 'gap|4|EUR/USD|9'],
])('%s is not', (_, entry) => {
  expect(judge([...log, entry]).isRight).toBe(false);
});
