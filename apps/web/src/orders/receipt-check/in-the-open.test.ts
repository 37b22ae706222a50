import { formatEntry, hashAsked, toHex } from '@fairtick/proof';
import { expect, test } from 'vitest';
import { lookIn, openNames } from './in-the-open.ts';

const asked = {
  symbol: 'BTC/USDT',
  direction: 'up',
  minutes: 1,
  asset: 'DEMO',
  amount: '70.5',
  opensAt: 1_800_000_003_000,
  nonce: '00112233445566778899aabbccddeeff',
} as const;
const nameFor = (amount: string, nonce: string = asked.nonce) =>
  toHex(hashAsked({ ...asked, amount, nonce })).slice(0, 32);

const orders = (timeMs: number, ...names: string[]) =>
  formatEntry({
    kind: 'orders',
    timeMs,
    firstBatch: 1,
    lastBatch: 1,
    firstMs: timeMs - 100,
    lastMs: timeMs - 100,
    root: 'a'.repeat(64),
    asked: names.sort(),
  });
const gap = (timeMs: number) => `gap|4|BTC/USDT|1|${timeMs}|restart|${'b'.repeat(64)}|`;

const look = (...texts: string[]) => lookIn(texts, openNames(asked), asked.opensAt);

test('an order is found by the hash of what was asked, with the amount as its acceptance writes it', () => {
  for (const amount of ['70.5', '70.500000', '70.50000000'])
    expect(look(gap(asked.opensAt - 3_000), orders(asked.opensAt - 2_000, nameFor(amount)))).toBe(1);
  const others = [nameFor('70.500000', 'f'.repeat(32)), nameFor('70.500000'), nameFor('7.05')];
  expect(look(orders(asked.opensAt - 2_000, ...others))).toBe(0);
});

test('nothing is said before an entry later than its opening time, and no other order is taken for it', () => {
  const other = orders(asked.opensAt - 2_000, nameFor('70.500000', 'f'.repeat(32)), nameFor('705.000000'));
  expect(look(gap(asked.opensAt - 3_000), other, gap(asked.opensAt))).toBeNull();
  expect(look(other, gap(asked.opensAt + 250))).toBe('past');
  expect(look(gap(asked.opensAt + 250), orders(asked.opensAt + 500, nameFor('70.500000')))).toBe('past');
});
