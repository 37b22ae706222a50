import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { EarningsHouse } from '@fairtick/kit/installation/earnings-house.ts';
import { foundAfter } from '@fairtick/kit/judges/planted-changes.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { EARNINGS_CHECKS } from './audit-earnings-checks.ts';

/** A few savers over some days with a change of the rate; then each defect that the audit must find. */
const house = forFile(() => EarningsHouse.open());
beforeAll(async () => {
  const ann = await house.saver(5_000_000_000n);
  await house.move(ann, 3_000_000_000n);
  await house.crowd(3, 70_000n);
  await house.setRate(44_000, '2027-03-04');
  await house.goTo('2027-03-06');
  await house.accrue();
  await house.move(ann, -1_000_000_000n);
});

const foundIn = async (...changes: string[]) =>
  (await foundAfter(house.db.owner, ['alter table earning_rates disable trigger user', ...changes])).filter(
    (name) => CHECKS.includes(name),
  );

const LEDGER = 'the ledger adds up';
const CHECKS = [LEDGER, ...EARNINGS_CHECKS.map(({ name }) => name)];
const [CHAIN, RATE, PAID, ACCOUNT, AGREED, TURN] = EARNINGS_CHECKS.map(({ name }) => name) as [
  string,
  string,
  string,
  string,
  string,
  string,
];

test('the audit finds nothing in data that the functions wrote', async () => {
  expect(await foundIn('select 1')).toEqual([]);
});

const ONE = `where ctid = (select ctid from earning_interest where day = '2027-03-03' and interest > 0 limit 1)`;
const PLANTED: readonly (readonly [what: string, changes: string[], names: string[]])[] = [
  ['money in earnings from nowhere', ['update ledger.balances set earning = earning + 1'], [LEDGER, ACCOUNT]],
  ['a principal that was higher', [`update earning_interest set principal = principal * 2 ${ONE}`], [CHAIN]],
  [
    'a remainder that is lost',
    [`update earning_interest set carry = 0 where day = '2027-03-05' and carry > 0`],
    [CHAIN, ACCOUNT],
  ],
  ['another rate than was agreed to', [`update earning_interest set annual_ppm = 9 ${ONE}`], [CHAIN, RATE]],
  ['a day that is gone', [`delete from earning_interest ${ONE}`], [PAID, CHAIN, ACCOUNT]],
  [
    'a smallest unit more than was paid',
    [
      `update earning_interest set interest = interest + 1, annual_ppm = annual_ppm + 1, principal = principal + 1 ${ONE}`,
    ],
    [CHAIN, RATE, PAID, ACCOUNT],
  ],
  [
    'a day of interest paid for another',
    [
      `update ledger.postings set ref = ref + 1 where ref = 20270303 and transfer_id in
         (select id from ledger.transfers where kind = 'interest')`,
    ],
    [PAID],
  ],
  ['an account that is gone', ['delete from earning_accounts where carry > 0'], [ACCOUNT]],
  ['an account that says more', ['update earning_accounts set accumulated = accumulated + 1'], [ACCOUNT]],
  [
    'an account that could be booked again',
    [`update earning_accounts set accrued_through = accrued_through - 1, low_day = low_day - 1`],
    [ACCOUNT],
  ],
  [
    'an account whose last move counts for a day after one that is not booked',
    ['update earning_accounts set low_day = accrued_through + 2 where carry > 0'],
    [TURN],
  ],
  [
    'an account that the accrual has left behind',
    [
      `update earning_accounts set accrued_through = accrued_through - 5, low_day = low_day - 5 where carry > 0`,
    ],
    [ACCOUNT, TURN],
  ],
  [
    'an account that is set aside',
    [
      `insert into earning_set_aside (customer_id, asset_id, problem) select customer_id, asset_id, 'INTEREST_OUT_OF_TURN' from earning_accounts limit 1`,
    ],
    [TURN],
  ],
  [
    'a rate that says something else than what was agreed to',
    ['update earning_rates set annual_ppm = annual_ppm + 1 where proposal_id is not null'],
    [RATE, AGREED],
  ],
  ['a rate that nobody agreed to', [`delete from approvals where kind = 'earning_rate'`], [AGREED]],
];

describe('the audit finds', () => {
  test.each(PLANTED)('%s', async (_what, changes, names) => {
    expect((await foundIn(...changes)).sort()).toEqual(names.toSorted());
  });

  test('at least one defect with each of its checks', () => {
    const proven = new Set(PLANTED.flatMap(([, , names]) => names));
    expect([...proven].sort()).toEqual(CHECKS.toSorted());
  });
});
