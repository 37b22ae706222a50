import type { ProductDetail, UsedLimit } from '@fairtick/protocol';
import { describe, expect, test } from 'vitest';
import {
  cyclesFor,
  movedFault,
  offeredMinutes,
  ownLeft,
  pauseFault,
  type ShownTerms,
  summarise,
  type TicketFacts,
} from './ticket-model.ts';

const NOW = Date.UTC(2026, 10, 22);
const TIMES = { nowMs: NOW, opensAtMs: NOW + 3_000, isClosed: false, ownLeft: null };

test('a break, an exclusion and a freeze are told with their ends, and not once they have ended', () => {
  const until = NOW + 60_000;
  for (const [kind, id] of [
    ['break', 'ticket.onBreak'],
    ['exclusion', 'ticket.excluded'],
  ] as const)
    expect(pauseFault({ kind, until }, NOW)).toEqual({ id, untilMs: until });
  expect(pauseFault({ kind: 'exclusion', until: null }, NOW)).toEqual({ id: 'ticket.excludedForGood' });
  expect(pauseFault({ what: 'orders', until, reason: 'at your request' }, NOW)).toEqual({
    id: 'ticket.frozen',
    untilMs: until,
  });
  expect(pauseFault({ kind: 'break', until: NOW }, NOW)).toBeNull();
  expect(pauseFault(null, NOW)).toBeNull();
});

test('of the customer’s own limits in an asset the tightest counts, and none on deposits', () => {
  const limit = (kind: 'deposit' | 'stake' | 'loss', asset: string, left: string) =>
    ({ kind, asset, left }) as UsedLimit;
  const limits = [
    limit('deposit', 'DEMO', '1'),
    limit('stake', 'DEMO', '30'),
    limit('loss', 'DEMO', '20.5'),
    limit('loss', 'USDT', '2'),
  ];
  expect(ownLeft(limits, 'DEMO')).toBe(limits[2]);
  expect(ownLeft(limits, 'BTC')).toBeNull();
});

test('a ticket names what has moved: the price by more than a thousandth, or the payout rate, with both values', () => {
  const before = { price: '60000.00', payoutRate: 0.85 };
  const moved = (now: Partial<ShownTerms>) => movedFault(before, { ...before, ...now });
  expect(['60060.00', '59940.00'].map((price) => moved({ price }))).toEqual([null, null]);
  expect(moved({ price: '60060.01' })).toEqual({
    id: 'ticket.priceMoved',
    values: { from: '60,000.00', to: '60,060.01' },
  });
  expect(moved({ price: '59939.99' })?.id).toBe('ticket.priceMoved');
  expect(moved({ payoutRate: 0.84 })).toEqual({ id: 'ticket.rateMoved', values: { from: '85%', to: '84%' } });
  expect(moved({ price: null })).toEqual({ id: 'ticket.priceGone' });
});

test('the settlement is one cycle after the opening', () => {
  const form = { direction: 'up', minutes: 1, amount: '10' } as const;
  const facts = { form, detail: null, asset: 'DEMO', available: null, ...TIMES, isStale: false };
  expect(summarise(facts).settlesAtMs).toBe(NOW + 63_000);
});

describe('what comes back, the stake included', () => {
  const limits = [
    { asset: 'DEMO', minBalance: '10.000000', minPurchase: '10.000000', maxPurchase: '5000.000000' },
  ];
  const detail = {
    isOpen: true,
    sessionEndsAt: null,
    cycles: [{ minutes: 5, payoutRate: '0.85', limits }],
  } as unknown as ProductDetail;
  const back = (amount: string) => {
    const form = { direction: 'up', minutes: 5, amount } as const;
    const facts = {
      form,
      detail,
      asset: 'DEMO',
      available: '100.00',
      ...TIMES,
      isStale: false,
    };
    const { ifRight, ifWrong, ifEven, ifUnlogged } = summarise(facts);
    return [ifRight, ifWrong, ifEven, ifUnlogged];
  };

  test('is stake and payout if right, nothing if wrong, the stake if equal or without an opening price, and a tenth more if not logged in time', () => {
    expect(back('50')).toEqual(['92.500000', '0.000000', '50.000000', '55.000000']);
    expect(back('10.01')).toEqual(['18.518500', '0.000000', '10.010000', '11.011000']);
  });

  test('is that of the amount that was typed, in any country’s way', () => {
    for (const amount of ['10.01', '10,01', '１０．０１', '٠١٠٫٠١', ' 10.01\u200b'])
      expect(back(amount)).toEqual(['18.518500', '0.000000', '10.010000', '11.011000']);
  });

  test('is not said of a stake out of bounds, or of none', () => {
    for (const amount of ['', '9', '5001', '10.001', '1.234', '1e3', '10x', 'x'])
      expect(back(amount)).toEqual([null, null, null, null]);
  });
});

test('only a fault that another amount would mend is the amount’s', () => {
  const limits = [{ asset: 'DEMO', minBalance: '10.00', minPurchase: '10.00', maxPurchase: '50.00' }];
  const detail = {
    sessionEndsAt: null,
    cycles: [{ minutes: 1, payoutRate: '0.8', limits }],
  } as unknown as ProductDetail;
  const form = { direction: 'up' as const, minutes: 1, amount: '99' };
  const facts = {
    form,
    detail,
    asset: 'DEMO',
    available: null,
    ...TIMES,
    isStale: false,
  };
  const found = (changed: Partial<TicketFacts>) => {
    const { fault, isAmountAtFault } = summarise({ ...facts, ...changed });
    return [fault?.id, isAmountAtFault];
  };
  expect(found({})).toEqual(['ticket.tooLarge', true]);
  expect(found({ isStale: true })).toEqual(['ticket.stale', false]);
  expect(found({ form: { ...form, amount: '20' }, ownLeft: '19.99' })).toEqual(['ticket.ownLimit', true]);
  // What closes it is told by the state, not as a fault of the amount.
  expect(found({ isClosed: true })).toEqual([undefined, false]);
  expect(summarise({ ...facts, form: { ...form, amount: '20' } }).isComplete).toBe(true);
  expect(summarise({ ...facts, form: { ...form, amount: '20' }, isClosed: true }).isComplete).toBe(false);
  expect(found({ asset: 'BTC' })).toEqual(['ticket.assetNotAccepted', false]);
  expect(found({ form: { ...form, amount: '20' } })).toEqual([undefined, false]);
});

test('a ticket shows the cycles that are offered for its asset, and begins with the shortest of them', () => {
  const limitsOf = (...assets: string[]) => assets.map((asset) => ({ asset }));
  const detail = {
    cycles: [
      { minutes: 1, limits: limitsOf('DEMO') },
      { minutes: 3, limits: limitsOf('DEMO', 'USDT') },
    ],
  } as unknown as ProductDetail;
  const minutesFor = (asset: string) => cyclesFor(detail, asset)?.map(({ minutes }) => minutes);
  expect([minutesFor('DEMO'), minutesFor('USDT'), minutesFor('BTC')]).toEqual([[1, 3], [3], [1, 3]]);
  expect(offeredMinutes(cyclesFor(detail, 'USDT'), 1)).toBe(3);
  expect(offeredMinutes(cyclesFor(detail, 'DEMO'), 1)).toBe(1);
  expect(offeredMinutes(cyclesFor(null, 'USDT'), 5)).toBe(5);
});
