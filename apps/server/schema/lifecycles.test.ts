import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { ownDatabase } from '@fairtick/kit/fixtures/fixtures.ts';
import { deposit, newPayee, usdt, withdrawal } from '@fairtick/kit/people/money.ts';
import { installStaff } from '@fairtick/kit/people/staff.ts';
import { canTake, isFinal, LIFECYCLES, type Lifecycle, statusesOf } from '@fairtick/protocol/lifecycles';
import { beforeAll, describe, expect, test } from 'vitest';
import { failureOf } from '../src/platform/db/database.ts';

/** The database enforces the lifecycles of packages/protocol/src/lifecycles.ts, for every pair of statuses. */
const db = ownDatabase();
const payee = forFile(() => newPayee(db, usdt(100)));
beforeAll(async () => {
  await deposit(db, payee, usdt(50));
  await withdrawal(db, payee, usdt(50));
  const staff = await installStaff(db.owner, 'cashier');
  await installStaff(db.owner, 'approver');
  await db.owner.query(
    `insert into proposals (kind, content, proposed_by) values ('channel', '{"note": "x"}', ${staff})`,
  );
  await db.owner.query(
    `insert into chain_customers (customer_id) values (${payee.id});
     insert into chain_addresses (chain, number, address) select 'ethereum', number, 'own' from chain_customers;
     insert into chain_heads (chain, head, final) values ('ethereum', 9, 1);
     insert into chain_deposits (chain, txid, contract, address, position, value, asset_id, amount, state, reason)
     values ('ethereum', 'tx', '', 'own', 0, 5, 2, 5, 'unmatched', 'minimum')`,
  );
  await db.owner.query(
    `insert into payouts (chain, address, nonce, withdrawal_id, recipient, contract, value)
     select 'ethereum', 'hot', 1, min(id), 'to', 'token', 5 from withdrawal_requests`,
  );
  await db.owner.query(`insert into recovery_requests (account, sealed) values ('a', '\\x0100000001')`);
  await db.owner.query(
    `with picture as (
       insert into uploads (id, customer_id, purpose, file, key_id, width, height, bytes, sha256)
       values (nextval('personal_data_ids'), ${payee.id}, 'id_front', repeat('a', 32), '\\x00000001', 1, 1, 1, sha256('')) returning id
     )
     insert into verifications (id, customer_id, sealed, document_index, name_index, is_restricted_country, front_id)
     select nextval('personal_data_ids'), ${payee.id}, '\\x0100000001', sha256('d'), sha256('n'), false, id from picture`,
  );
});

const decided = 'decided_at = now(), decided_by = (select max(id) from staff)';
const untaken = 'sending_by = null, sending_at = null, sending_way = null, sending_key = null';
const taken = `sending_by = 1, sending_at = now(), sending_way = 'hand', sending_key = gen_random_uuid()`;
const undecided = 'decided_at = null, decided_by = null';
const proposed = `proposal_id = (select max(id) from proposals), customer_id = (select max(id) from customers)`;

const unmined = 'txid = null, height = null, hash = null, reason = null';
const mined = `txid = 't', height = 2, hash = 'b', reason = null`;
const inBlock = `height = 2, hash = 'b'`;
const credited = `${inBlock}, reason = null, request_id = (select min(id) from deposit_requests)`;

/** The table of each lifecycle, and what else a row needs to be in a status. */
const TABLES: Readonly<
  Partial<Record<Lifecycle, readonly [table: string, states: Readonly<Record<string, string>>]>>
> = {
  deposit: [
    'deposit_requests',
    {
      review: `status = 'review', decided_at = null, transfer_id = null, reason = null`,
      success: `status = 'success', decided_at = now(), transfer_id = 1, reason = null, found_amount = 5, evidence = 'x', edited_by = 1,
        revision = 1`,
      failure: `status = 'failure', decided_at = now(), transfer_id = null, reason = 'duplicate'`,
      ignored: `status = 'ignored', decided_at = now(), transfer_id = null, reason = 'duplicate'`,
    },
  ],
  withdrawal: [
    'withdrawal_requests',
    {
      review: `status = 'review', decided_at = null, approved_at = null, transfer_id = null, reason = null, reference = null, ${untaken}`,
      approved: `status = 'approved', decided_at = null, approved_at = now(), transfer_id = null, reason = null, reference = null,
        instructions = '', edited_by = 1, revision = 1, ${untaken}`,
      sending: `status = 'sending', decided_at = null, approved_at = now(), transfer_id = null, reason = null, reference = null,
        instructions = '', edited_by = 1, revision = 1, ${taken}`,
      success: `status = 'success', decided_at = now(), approved_at = now(), transfer_id = 1, reason = null, reference = 'x',
        instructions = '', edited_by = 1, revision = 1, ${taken}`,
      failure: `status = 'failure', decided_at = now(), transfer_id = 1, reason = 'security', reference = null, ${untaken}`,
      ignored: `status = 'ignored', decided_at = now(), transfer_id = 1, reason = 'taken_back', reference = null, ${untaken}`,
    },
  ],
  verification: [
    'verifications',
    {
      pending: `state = 'pending', reason = null, ${undecided}`,
      verified: `state = 'verified', reason = null, ${decided}`,
      failed: `state = 'failed', reason = 'mismatch', ${decided}`,
    },
  ],
  proposal: [
    'proposals',
    {
      proposed: `state = 'proposed', proposed_by = (select min(id) from staff), ${undecided}`,
      done: `state = 'done', proposed_by = (select min(id) from staff), ${decided}`,
      refused: `state = 'refused', ${decided}`,
    },
  ],
  chainDeposit: [
    'chain_deposits',
    {
      seen: `state = 'seen', height = null, hash = null, reason = null`,
      confirming: `state = 'confirming', ${inBlock}, reason = null`,
      credited: `state = 'credited', ${credited}`,
      held: `state = 'held', ${inBlock}, reason = 'closed'`,
      unmatched: `state = 'unmatched', ${inBlock}, reason = 'minimum'`,
      reverted: `state = 'reverted', height = null, hash = null, reason = null`,
      final: `state = 'final', ${credited}`,
    },
  ],
  payout: [
    'payouts',
    {
      prepared: `state = 'prepared', ${unmined}`,
      sending: `state = 'sending', ${unmined}`,
      sent: `state = 'sent', ${unmined}`,
      confirmed: `state = 'confirmed', ${mined}`,
      paid: `state = 'paid', ${mined}`,
      failed: `state = 'failed', txid = null, height = null, hash = null, reason = 'lost'`,
    },
  ],
  recovery: [
    'recovery_requests',
    {
      open: `reason = null, proposal_id = null, customer_id = null, ${undecided}`,
      proposed: `reason = null, ${proposed}, ${undecided}`,
      approved: `reason = null, ${proposed}, ${decided}`,
      refused: `reason = 'duplicate', ${decided}`,
    },
  ],
};

/** Whether the schema's owner, who has every right, can move a row from one status to another. */
async function goes(lifecycle: Lifecycle, from: string, to: string): Promise<boolean> {
  const [table, states] = TABLES[lifecycle]!;
  const client = await db.owner.connect();
  try {
    await client.query('begin');
    await client.query(`alter table ${table} disable trigger user`);
    await client.query(`update ${table} set ${states[from]}`);
    await client.query(`alter table ${table} enable trigger ${table}_lifecycle`);
    await client.query(`update ${table} set ${states[to]}`);
    return true;
  } catch (error) {
    expect(failureOf(error)).toBe('INVALID_REASON');
    return false;
  } finally {
    await client.query('rollback');
    client.release();
  }
}

describe('the database has exactly the lifecycles of the code', () => {
  test('the same statuses and steps', async () => {
    const { rows } = await db.owner.query('select lifecycles()');
    expect(rows[0].lifecycles).toEqual(LIFECYCLES);
  });

  test.each(
    Object.entries(TABLES).flatMap(([lifecycle, [, states]]) =>
      Object.keys(states).map((from) => [lifecycle as Lifecycle, from] as const),
    ),
  )('a %s goes from %s where the table says', async (lifecycle, from) => {
    const steps = LIFECYCLES[lifecycle] as Readonly<
      Record<string, Readonly<Record<string, readonly string[]>>>
    >;
    const drawn = new Set(Object.values(steps[from]!).flat());
    for (const to of Object.keys(steps)) {
      // A change that keeps the status is possible before the end; a decided verification is erased, and so is a call.
      const stays = from === to && (!isFinal(lifecycle, from as never) || /ver|rec/.test(lifecycle));
      expect([from, to, await goes(lifecycle, from, to)]).toEqual([from, to, stays || drawn.has(to)]);
    }
  });

  test.each(statusesOf('realName'))('a name is submitted from %s where the table says', async (status) => {
    await db.owner.query(`update customers set real_status = $1 where id = $2`, [status, payee.id]);
    const call = db.owner.query(
      `select verification_submit(1, $1, '', '', '', false, 0, null) as is_possible`,
      [payee.id],
    );
    // The pictures are looked at once the status allows a submission.
    const answer = await call.then(({ rows }) => rows[0].is_possible, failureOf);
    expect(answer).toBe(canTake('realName', status, 'submitted') ? 'UPLOAD_NOT_OWN' : false);
  });

  test.each([
    ['deposit', 'review', 'paid', 'success'],
    ['deposit', 'review', 'credited', 'failure'],
    ['withdrawal', 'review', 'paid', 'success'],
    ['withdrawal', 'approved', 'cancelled', 'ignored'],
    ['withdrawal', null, 'proposed', 'review'],
  ])('no event tells that a %s went from %s by %s to %s', async (kind, from, step, to) => {
    await expect(
      db.owner.query(
        `insert into request_events (kind, request_id, from_status, step, to_status, actor) values ($1, 1, $2, $3, $4, 'customer')`,
        [kind, from, step, to],
      ),
    ).rejects.toMatchObject({ code: '23514' });
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
