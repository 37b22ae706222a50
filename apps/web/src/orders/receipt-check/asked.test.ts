import { type Acceptance, formatAcceptance, hashAsked, toHex } from '@fairtick/proof';
import { expect, test } from 'vitest';
import { isAsAsked } from './asked.ts';

const asked = {
  symbol: 'BTC/USDT',
  direction: 'up',
  minutes: 1,
  asset: 'DEMO',
  amount: '100',
  opensAt: 1_800_000_003_000,
  nonce: '00112233445566778899aabbccddeeff',
} as const;
const terms: Acceptance = {
  symbol: asked.symbol,
  direction: asked.direction,
  minutes: asked.minutes,
  asset: asked.asset,
  opensAt: asked.opensAt,
  orderId: '1025',
  batch: 1,
  asked: toHex(hashAsked({ ...asked, amount: '100.000000' })),
  amount: '100.000000',
  payoutRate: '0.8000',
  rulesHash: 'a'.repeat(64),
  acceptedAt: 1_800_000_000_000,
  settlesAt: 1_800_000_063_000,
  logSize: 10,
  logRoot: 'b'.repeat(64),
  seenSize: null,
  seenRoot: null,
};

const answered = (change: Partial<Acceptance>, opensAt: number = asked.opensAt) => {
  const text = formatAcceptance({ ...terms, ...change });
  return { opensAt, acceptance: { text, index: 0, size: 1, proof: [], signed: '' } };
};

test('an acceptance that names the order by its hash, with its opening time, is what was asked for', () => {
  expect(isAsAsked(asked, answered({}))).toBe(true);
});

test('another opening time is not: in the acceptance, beside it, or in both', () => {
  const later = asked.opensAt + 1_000;
  expect(isAsAsked(asked, answered({ opensAt: later }))).toBe(false);
  expect(isAsAsked(asked, answered({}, later))).toBe(false);
  expect(isAsAsked(asked, answered({ opensAt: later }, later))).toBe(false);
  const rehashed = toHex(hashAsked({ ...asked, amount: '100.000000', opensAt: later }));
  expect(isAsAsked(asked, answered({ opensAt: later, asked: rehashed }, later))).toBe(false);
});

test.each([{ direction: 'down' }, { symbol: 'ETH/USDT' }, { minutes: 5 }, { asset: 'USDT' }] as const)(
  'another order under the hash of this one is not: %o',
  (change) => {
    expect(isAsAsked(asked, answered(change))).toBe(false);
  },
);

test('nor is one without the hash, with another, or for another amount', () => {
  expect(isAsAsked(asked, answered({ asked: null }))).toBe(false);
  expect(isAsAsked(asked, answered({ asked: 'c'.repeat(64) }))).toBe(false);
  const rehashed = toHex(hashAsked({ ...asked, amount: '1000.000000' }));
  expect(isAsAsked(asked, answered({ amount: '1000.000000', asked: rehashed }))).toBe(false);
});

test('a text that is no acceptance is not', () => {
  const order = answered({});
  expect(isAsAsked(asked, { ...order, acceptance: { ...order.acceptance, text: 'accepted' } })).toBe(false);
});
