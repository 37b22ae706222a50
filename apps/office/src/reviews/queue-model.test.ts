import { describe, expect, test } from 'vitest';
import {
  ageOf,
  type DepositRow,
  filterCases,
  fromDeposit,
  fromIdentity,
  fromWithdrawal,
  type IdentityRow,
  NO_FILTER,
  neighbour,
  nextCase,
  type QueueCase,
  type WithdrawalRow,
} from './queue-model.ts';

const deposit: DepositRow = {
  id: '1000',
  customerId: '1',
  account: 'ann_one',
  level: 'bronze',
  realStatus: 'none',
  asset: 'USDT',
  amount: '100.000000',
  fee: '0.000000',
  submittedAt: 0,
  claim: null,
  editedBy: null,
  revision: 0,
  content: null,
  needed: null,
  given: null,
  decidedAt: null,
  reason: null,
  reasonText: null,
  network: 'TRC20',
  status: 'review',
  found: null,
  evidence: null,
  countsBefore: '0.000000',
  risk: { isFirst: false, lastDay: 1, earlierFailures: 0 },
};
const { network: _network, found: _found, evidence: _evidence, ...money } = deposit;
const withdrawal: WithdrawalRow = {
  ...money,
  status: 'review',
  arrives: '99.000000',
  destination: { id: '5', label: 'TRC20 TJRabP…RTv8', isGone: false, isSeen: false },
  payableAt: 0,
  waitsForClaim: false,
  sending: null,
  instructions: null,
  reference: null,
  risk: {
    isFirst: false,
    isNewDestination: false,
    sharedWith: [],
    lastDay: 1,
    lastDayAmount: '100.000000',
    deposited: '100.000000',
  },
};
const identity: IdentityRow = {
  id: '7',
  customerId: '1',
  account: 'ann_one',
  state: 'pending',
  submittedAt: 0,
  claim: null,
  risk: { isRestricted: false, sameDocument: [], sameName: [], earlierFailures: 0, isExcluded: false },
  decidedAt: null,
  decidedBy: null,
  reason: null,
  note: null,
};
const colleague = { by: { id: '9', name: 'bob' }, isMine: false, until: 1 };
const own = { ...colleague, isMine: true };
const cases = (...changes: Partial<QueueCase>[]): QueueCase[] =>
  changes.map((change, place) => ({ ...fromDeposit({ ...deposit, id: String(place) }), ...change }));

describe('a case in its queue', () => {
  test('is open, waits for approval, waits for payout, or is decided', () => {
    expect(fromDeposit(deposit).stage).toBe('open');
    expect(fromDeposit({ ...deposit, content: 'ab' }).stage).toBe('approval');
    expect(fromDeposit({ ...deposit, content: 'ab', decidedAt: 1 }).stage).toBe('decided');
    expect(fromWithdrawal({ ...withdrawal, content: 'ab' }, 0).stage).toBe('approval');
    expect(fromWithdrawal({ ...withdrawal, content: 'ab', status: 'approved' }, 0).stage).toBe('payout');
    expect(fromIdentity(identity).stage).toBe('open');
    expect(fromIdentity({ ...identity, decidedAt: 1 }).stage).toBe('decided');
  });

  test('lists the risks that call for a closer look, and none when there are none', () => {
    expect(fromDeposit(deposit).risks).toEqual([]);
    const risky = { isFirst: true, lastDay: 3, earlierFailures: 2 };
    expect(fromDeposit({ ...deposit, risk: risky }).risks).toEqual([
      { name: 'noDeposit' },
      { name: 'lastDay', count: 3 },
      { name: 'failures', count: 2 },
    ]);
    expect(fromWithdrawal(withdrawal, 0).risks).toEqual([]);
    const unpaid = { ...withdrawal.risk, isFirst: true, lastDay: 2 };
    expect(fromWithdrawal({ ...withdrawal, risk: unpaid }, 0).risks).toEqual([
      { name: 'noPayout' },
      { name: 'lastDay', count: 2 },
    ]);
    const shared = { ...withdrawal.risk, sharedWith: ['bob_two'], isNewDestination: true };
    const held = { ...withdrawal, payableAt: 10, risk: shared };
    expect(fromWithdrawal(held, 5).risks.map(({ name }) => name)).toEqual([
      'hold',
      'shared',
      'newDestination',
    ]);
    expect(fromWithdrawal(held, 10).risks.map(({ name }) => name)).toEqual(['shared', 'newDestination']);
    const gone = { ...withdrawal, payableAt: null, destination: { ...withdrawal.destination, isGone: true } };
    expect(fromWithdrawal(gone, 5).risks).toEqual([{ name: 'gone' }]);
    const double = { ...identity.risk, sameDocument: ['8'], isRestricted: true, isExcluded: true };
    expect(fromIdentity({ ...identity, risk: double }).risks).toEqual([
      { name: 'excluded' },
      { name: 'restricted' },
      { name: 'sameDocument', count: 1 },
    ]);
  });
});

describe('the filters', () => {
  const queue = cases(
    { account: 'Ann_one' },
    { claim: own, risks: [{ name: 'noDeposit' }] },
    { stage: 'approval', asset: 'BTC' },
    { stage: 'decided' },
  );
  const ids = (change: Partial<typeof NO_FILTER>) =>
    filterCases(queue, { ...NO_FILTER, ...change }).map(({ id }) => id);

  test('show the matching cases in the order of the queue', () => {
    expect(ids({})).toEqual(['0', '1', '2']);
    expect(ids({ view: 'mine' })).toEqual(['1']);
    expect(ids({ view: 'approval' })).toEqual(['2']);
    expect(ids({ view: 'payout' })).toEqual([]);
    expect(ids({ view: 'decided' })).toEqual(['3']);
    expect(ids({ asset: 'BTC' })).toEqual(['2']);
    expect(ids({ account: ' ANN_ ' })).toEqual(['0', '1', '2']);
    expect(ids({ account: 'bob' })).toEqual([]);
    expect(ids({ isRisky: true })).toEqual(['1']);
  });
});

describe('moving through the queue', () => {
  const queue = cases({}, { claim: colleague }, { claim: own });

  test('goes up or down by one case and stops at the ends', () => {
    expect(neighbour(queue, null, 1)).toBe('0');
    expect(neighbour(queue, null, -1)).toBe('2');
    expect(neighbour(queue, '0', 1)).toBe('1');
    expect(neighbour(queue, '2', 1)).toBe('2');
    expect(neighbour(queue, '0', -1)).toBe('0');
    expect(neighbour([], null, 1)).toBeNull();
  });

  test('goes on after a decision to the next case that no colleague has claimed', () => {
    expect(nextCase(queue, '0')).toBe('2');
    expect(nextCase(queue, '2')).toBe('0');
    // A case that is no longer in the queue.
    expect(nextCase(queue, 'gone')).toBe('0');
    expect(nextCase(cases({}, { claim: colleague }), '0')).toBeNull();
  });
});

test('an age is shown in minutes, hours or days, and is never below zero', () => {
  const minute = 60_000;
  expect(ageOf(-5)).toEqual({ unit: 'minute', count: 0 });
  expect(ageOf(59 * minute)).toEqual({ unit: 'minute', count: 59 });
  expect(ageOf(119 * minute)).toEqual({ unit: 'minute', count: 119 });
  expect(ageOf(120 * minute)).toEqual({ unit: 'hour', count: 2 });
  expect(ageOf(48 * 60 * minute)).toEqual({ unit: 'day', count: 2 });
});
