import { auditedDatabase } from '@fairtick/kit/fixtures/fixtures.ts';
import {
  approveRequest,
  ask,
  contentOf,
  deposit,
  moneyOf,
  newPayee,
  statusOf,
  submitWithdrawal,
  usdt,
  withdrawal,
} from '@fairtick/kit/people/money.ts';
import { installStaff } from '@fairtick/kit/people/staff.ts';
import { pino } from 'pino';
import { beforeAll, describe, expect, test } from 'vitest';
import { RequestLapse } from './request-lapse.ts';

let cashier: string;
let approver: string;
/** Requests that are not decided in time end by themselves, once, and release what they held. */
const db = auditedDatabase();
beforeAll(async () => {
  cashier = await installStaff(db.owner, 'cashier');
  approver = await installStaff(db.owner, 'approver');
});

type Kind = 'deposit' | 'withdrawal';
const lapse = () => new RequestLapse(db.server, pino({ level: 'silent' }));

/** Moves all events of a request into the past. No role may write this, so the triggers are off. */
async function age(kind: Kind, id: string, by = '14 days 1 second'): Promise<void> {
  const client = await db.owner.connect();
  try {
    await client.query('begin');
    for (const table of [`${kind}_requests`, 'request_events'])
      await client.query(`alter table ${table} disable trigger user`);
    await client.query(
      `update ${kind}_requests set submitted_at = submitted_at - $2::interval where id = $1`,
      [id, by],
    );
    await client.query(
      'update request_events set at = at - $3::interval where kind = $1 and request_id = $2',
      [kind, id, by],
    );
    for (const table of [`${kind}_requests`, 'request_events'])
      await client.query(`alter table ${table} enable trigger user`);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  } finally {
    client.release();
  }
}

const notices = async (customerId: string) =>
  (
    await db.server.query(
      `select kind, parameters from notices where customer_id = $1 and kind not like 'security.%' order by id`,
      [customerId],
    )
  ).rows;

describe('a request that nobody decides', () => {
  test('an undecided deposit is ignored after 14 days, and its customer gets a notice', async () => {
    const payee = await newPayee(db);
    const [old, young] = [await deposit(db, payee, usdt(50)), await deposit(db, payee, usdt(60))];
    await age('deposit', old);
    await age('deposit', young, '13 days 23 hours');
    expect(await lapse().run()).toEqual([`deposit:${old}`]);
    expect(await statusOf(db, 'deposit', old)).toBe('ignored');
    expect(await statusOf(db, 'deposit', young)).toBe('review');
    expect(await notices(payee.id)).toEqual([
      {
        kind: 'deposit.ignored',
        parameters: { id: old, asset: 2, amount: '50000000', reason: 'lapsed' },
      },
    ]);
    const { rows } = await db.server.query(
      `select step, actor, staff_id, to_status, reason from request_events where kind = 'deposit' and request_id = $1 order by id`,
      [old],
    );
    expect(rows[1]).toEqual({
      step: 'lapsed',
      actor: 'house',
      staff_id: null,
      to_status: 'ignored',
      reason: 'lapsed',
    });
    const { rowCount } = await db.server.query(
      `select from audit_log where action = 'deposit.lapsed' and subject = $1`,
      [`deposit:${old}`],
    );
    expect(rowCount).toBe(1);
  });

  test('an undecided withdrawal releases its held money, also after a proposal without an approval', async () => {
    const payee = await newPayee(db, usdt(100));
    const [first, second] = [await withdrawal(db, payee, usdt(30)), await withdrawal(db, payee, usdt(40))];
    await ask(db, 'withdrawal_propose', [cashier, second, '']);
    await age('withdrawal', first);
    await age('withdrawal', second);
    expect(await moneyOf(db, payee.id)).toEqual({ available: 30, held: 70 });
    expect(await lapse().run()).toEqual([`withdrawal:${first}`, `withdrawal:${second}`]);
    expect(await moneyOf(db, payee.id)).toEqual({ available: 100, held: 0 });
    expect((await notices(payee.id)).map(({ kind }) => kind)).toContain('withdrawal.ignored');
    expect(await ask(db, 'withdrawal_cancel', [payee.tokenHash, first])).toBe('REQUEST_DECIDED');
    expect(await approveRequest(db, 'withdrawal', [approver, second, Buffer.alloc(32)])).toBe(
      'REQUEST_CLOSED',
    );
  });

  test('each request lapses once under concurrent runs, and a later run continues after an interruption', async () => {
    const payee = await newPayee(db, usdt(100));
    const ids: string[] = [];
    for (let place = 0; place < 10; place += 1) {
      const id = await withdrawal(db, payee, usdt(10));
      await age('withdrawal', id);
      ids.push(`withdrawal:${id}`);
    }
    // The first run was stopped after one request, which stays done.
    expect(await ask(db, 'request_lapse_one', [])).toBe(ids[0]);
    const done = await Promise.all(Array.from({ length: 20 }, () => lapse().run()));
    // Runs that met another run at work ended without a result.
    const rest = await lapse().run();
    expect([...done.flat(), ...rest].sort()).toEqual(ids.slice(1).sort());
    expect(await moneyOf(db, payee.id)).toEqual({ available: 100, held: 0 });
    expect((await notices(payee.id)).filter(({ kind }) => kind === 'withdrawal.ignored')).toHaveLength(10);
  });
});

describe('a request that staff acted on', () => {
  test('a request that is found, claimed or approved once does not lapse', async () => {
    const payee = await newPayee(db, usdt(100));
    const found = await deposit(db, payee, usdt(6_000));
    await ask(db, 'deposit_find', [cashier, found, usdt(6_000), 'tx-lapse']);
    const claimed = await deposit(db, payee, usdt(70));
    const approved = await withdrawal(db, payee, usdt(20));
    await ask(db, 'withdrawal_propose', [cashier, approved, '']);
    await approveRequest(db, 'withdrawal', [approver, approved, await contentOf(db, 'withdrawal', approved)]);
    const backAgain = await withdrawal(db, payee, usdt(10));
    await ask(db, 'withdrawal_propose', [cashier, backAgain, '']);
    await approveRequest(db, 'withdrawal', [
      approver,
      backAgain,
      await contentOf(db, 'withdrawal', backAgain),
    ]);
    await ask(db, 'withdrawal_propose', [cashier, backAgain, 'differently']);
    const proposedLately = await withdrawal(db, payee, usdt(15));
    await age('withdrawal', proposedLately);
    await ask(db, 'withdrawal_propose', [cashier, proposedLately, '']);
    for (const id of [found, claimed]) await age('deposit', id);
    for (const id of [approved, backAgain]) await age('withdrawal', id);
    await ask(db, 'request_claim', [cashier, 'deposit', claimed]);
    expect(await lapse().run()).toEqual([]);
    const lapsesAt = (kind: Kind, id: string) => ask(db, 'request_lapses_at', [kind, id]);
    expect(await lapsesAt('deposit', found)).toBeNull();
    expect(await lapsesAt('withdrawal', approved)).toBeNull();
    expect(await lapsesAt('withdrawal', backAgain)).toBeNull();
    const left = (await lapsesAt('withdrawal', proposedLately)).getTime() - Date.now();
    expect(left / 86_400_000).toBeGreaterThan(13.9);
    // The claim expires, and then the deposit lapses.
    await db.owner.query(`update deposit_requests set claimed_until = now() where id = $1`, [claimed]);
    expect(await lapse().run()).toEqual([`deposit:${claimed}`]);
  });

  test('staff can’t end a request with the reason of a lapse', async () => {
    const payee = await newPayee(db, usdt(100));
    const [one, other] = [await deposit(db, payee, usdt(50)), await withdrawal(db, payee, usdt(20))];
    expect(await ask(db, 'deposit_refuse', [cashier, one, 'ignored', 'lapsed', null])).toBe('INVALID_REASON');
    expect(await ask(db, 'withdrawal_refuse', [cashier, other, 'lapsed', null])).toBe('INVALID_REASON');
  });
});

describe('terms', () => {
  const setTerms = (min: string, fee: string) =>
    db.owner.query(`update withdrawal_terms set min = $1, fee = $2 where asset_id = 2 returning min`, [
      min,
      fee,
    ]);

  test('a withdrawal is refused and holds nothing when the fee that its customer saw is not the current one', async () => {
    const payee = await newPayee(db, usdt(100));
    const submit = (seenFee: bigint | null) =>
      ask(db, 'withdrawal_submit', [
        payee.tokenHash,
        Buffer.alloc(32, String(seenFee)),
        payee.address,
        'TRC20',
        2,
        usdt(20),
        1,
        seenFee,
      ]);
    await setTerms('10000000', '2000000');
    try {
      expect(await submit(usdt(1))).toEqual({ request_id: null, refused: 'TERMS_CHANGED' });
      expect(await moneyOf(db, payee.id)).toEqual({ available: 100, held: 0 });
      expect((await submit(usdt(2))).refused).toBeNull();
      // A customer who does not send the fee that they saw is charged the current one.
      expect((await submitWithdrawal(db, payee, usdt(20))).refused).toBeNull();
    } finally {
      await setTerms('10000000', '1000000');
    }
  });

  test('a fee is at most a fifth of the minimum, and a withdrawal’s minimum is at most 500 USDT', async () => {
    await expect(setTerms('10000000', '2000001')).rejects.toMatchObject({ code: '23514' });
    await expect(setTerms('500000001', '1')).rejects.toMatchObject({ code: '23514' });
    const propose = (min: bigint, fee: bigint) =>
      ask(db, 'withdrawal_terms_propose', [cashier, 2, min, usdt(50_000), fee]);
    expect(await propose(usdt(10), usdt(2) + 1n)).toBe('23514');
    expect(await propose(usdt(501), usdt(1))).toBe('23514');
    expect(await propose(usdt(500), usdt(100))).toMatch(/^\d+$/);
    await expect(
      db.owner.query(
        `insert into deposit_channels (id, version, asset_id, network, address, min, max, fee, is_enabled)
         select 77, 1, asset_id, network, address, 10, 20, 3, true from deposit_channels where id = 1 and version = 1`,
      ),
    ).rejects.toMatchObject({ code: '23514' });
  });

  test('worse terms of a channel apply a day later, and better terms apply at once', async () => {
    const payee = await newPayee(db);
    const version = (number: number, fee: string, min: string, createdAt: string) =>
      db.owner.query(
        `insert into deposit_channels (id, version, asset_id, network, address, min, max, fee, is_enabled, created_at)
         select 78, $1, asset_id, network, address, $3, max, $2, true, now() - $4::interval
         from deposit_channels where id = 1 and version = 1`,
        [number, fee, min, createdAt],
      );
    const feeOf = async (id: string) =>
      (await db.server.query('select fee from deposit_requests where id = $1', [id])).rows[0].fee;
    await version(1, '0', '10000000', '9 days');
    await version(2, '1000000', '20000000', '25 hours');
    // Version 1 was replaced more than a day ago.
    expect((await db.server.query('select * from channel_best(78)')).rows).toEqual([
      { fee: '1000000', min: '20000000' },
    ]);
    await version(3, '2000000', '30000000', '23 hours');
    expect(await feeOf(await deposit(db, payee, usdt(20), 78))).toBe('1000000');
    // Better terms apply at once.
    await version(4, '500000', '5000000', '1 minute');
    expect(await feeOf(await deposit(db, payee, usdt(5), 78))).toBe('500000');
  });
});
