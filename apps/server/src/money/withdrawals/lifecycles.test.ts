import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { ownDatabase } from '@fairtick/kit/fixtures/fixtures.ts';
import { deposit, newPayee, usdt, withdrawal } from '@fairtick/kit/people/money.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { failureOf } from '../../platform/db/database.ts';
import {
  DEPOSIT_STATUSES,
  DEPOSIT_STEPS,
  type DepositStatus,
  nextDepositStatus,
} from '../deposits/deposit-lifecycle.ts';
import {
  nextWithdrawalStatuses,
  WITHDRAWAL_STATUSES,
  WITHDRAWAL_STEPS,
  type WithdrawalStatus,
} from './withdrawal-lifecycle.ts';

let depositId: string;
let withdrawalId: string;
/** The lifecycles in the code equal those in the database, for every pair of states. */
const db = ownDatabase();
const payee = forFile(() => newPayee(db, usdt(100)));
beforeAll(async () => {
  depositId = await deposit(db, payee, usdt(50));
  withdrawalId = await withdrawal(db, payee, usdt(50));
});

const SHAPES: Readonly<Record<'deposit' | 'withdrawal', Readonly<Record<string, string>>>> = {
  deposit: {
    review: 'decided_at = null, transfer_id = null, reason = null',
    success: `decided_at = now(), transfer_id = 1, reason = null, found_amount = 5, evidence = 'x', edited_by = 1, revision = 1`,
    failure: `decided_at = now(), transfer_id = null, reason = 'duplicate'`,
    ignored: `decided_at = now(), transfer_id = null, reason = 'duplicate'`,
  },
  withdrawal: {
    review: 'decided_at = null, approved_at = null, transfer_id = null, reason = null, reference = null',
    approved: `decided_at = null, approved_at = now(), transfer_id = null, reason = null, reference = null, instructions = '',
      edited_by = 1, revision = 1`,
    success: `decided_at = now(), approved_at = now(), transfer_id = 1, reason = null, reference = 'x', instructions = '',
      edited_by = 1, revision = 1`,
    failure: `decided_at = now(), transfer_id = 1, reason = 'security', reference = null`,
    ignored: `decided_at = now(), transfer_id = 1, reason = 'taken_back', reference = null`,
  },
};

/** Whether the schema's owner, who has every right, can move a request from one state to another. */
async function goes(kind: 'deposit' | 'withdrawal', from: string, to: string): Promise<boolean> {
  const id = kind === 'deposit' ? depositId : withdrawalId;
  const client = await db.owner.connect();
  const set = (status: string) =>
    client.query(
      `update ${kind}_requests set status = '${status}', ${SHAPES[kind][status]} where id = ${id}`,
    );
  try {
    await client.query('begin');
    await client.query(`alter table ${kind}_requests disable trigger ${kind}_requests_guard`);
    await set(from);
    await client.query(`alter table ${kind}_requests enable trigger ${kind}_requests_guard`);
    await set(to);
    return true;
  } catch (error) {
    expect(failureOf(error)).toBe('INVALID_REASON');
    return false;
  } finally {
    await client.query('rollback');
    client.release();
  }
}

describe('the database allows exactly the changes of state of the code’s lifecycle', () => {
  test.each(DEPOSIT_STATUSES)('a deposit from %s', async (from: DepositStatus) => {
    const drawn = new Set(DEPOSIT_STEPS.map((step) => nextDepositStatus(from, step)));
    for (const to of DEPOSIT_STATUSES)
      expect([from, to, await goes('deposit', from, to)]).toEqual([from, to, drawn.has(to)]);
  });

  test.each(WITHDRAWAL_STATUSES)('a withdrawal from %s', async (from: WithdrawalStatus) => {
    const drawn = new Set(WITHDRAWAL_STEPS.flatMap((step) => nextWithdrawalStatuses(from, step)));
    for (const to of WITHDRAWAL_STATUSES) {
      // A claim does not change the state: an approved request stays approved.
      const isClaim = from === 'approved' && to === 'approved';
      expect([from, to, await goes('withdrawal', from, to)]).toEqual([from, to, isClaim || drawn.has(to)]);
    }
  });
});

describe('the content of a request can’t be changed', () => {
  test.each([
    ['deposit', 'amount = amount + 1'],
    ['deposit', 'fee = fee + 1'],
    ['deposit', 'customer_id = customer_id + 1'],
    ['deposit', 'channel_id = 2'],
    ['deposit', 'proof_id = 1'],
    ['deposit', 'line = 1'],
    ['withdrawal', 'amount = amount + 1'],
    ['withdrawal', 'fee = fee + 1'],
    ['withdrawal', 'asset_id = 3'],
    ['withdrawal', 'destination_id = 1'],
    ['withdrawal', `destination_label = 'x'`],
    ['withdrawal', 'hold_transfer_id = 1'],
    ['withdrawal', 'submitted_at = now()'],
  ])('a %s refuses the update %s', async (kind, set) => {
    await expect(db.owner.query(`update ${kind}_requests set ${set}`)).rejects.toMatchObject({
      constraint: 'INVALID_REASON',
    });
  });

  test.each(['deposit_requests', 'withdrawal_requests', 'request_events', 'deposit_channels'])(
    'rows of %s can’t be deleted',
    async (table) => {
      await expect(db.owner.query(`delete from ${table}`)).rejects.toMatchObject({
        constraint: 'INVALID_REASON',
      });
      await expect(db.owner.query(`truncate ${table} cascade`)).rejects.toMatchObject({
        constraint: 'INVALID_REASON',
      });
    },
  );
});
