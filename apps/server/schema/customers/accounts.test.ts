import { failureIn } from '@fairtick/kit/database/failures.ts';
import { ownDatabase } from '@fairtick/kit/fixtures/fixtures.ts';
import { setMode } from '@fairtick/kit/installation/house.ts';
import { ask, usdt } from '@fairtick/kit/people/money.ts';
import { OwnRequests } from '@fairtick/kit/people/own-rules.ts';
import { installStaff } from '@fairtick/kit/people/staff.ts';
import { describe, expect, test } from 'vitest';

/** Rules of accounts that the database enforces, whatever the server asks for. */
const db = ownDatabase();

describe('an account', () => {
  test.each(['closed_at', 'erased_at'])('with a time in %s begins no session', async (column) => {
    const { payee } = await OwnRequests.of(db);
    const begin = (token: number) =>
      failureIn(
        db.server.query('select session_begin($1, $2, $3, null, false)', [
          Buffer.alloc(32, token),
          payee.id,
          'a browser',
        ]),
      );
    const isClosed = Number(column === 'closed_at');
    expect(await begin(isClosed)).toBeNull();
    await db.owner.query(`update customers set ${column} = now() where id = $1`, [payee.id]);
    expect(await begin(isClosed + 100)).toBe('CUSTOMER_INACTIVE');
  });

  test('in live mode opens only with a country and the risk accepted', async () => {
    let count = 0;
    const open = (country: string, risk: string) => {
      count += 1;
      return failureIn(
        db.server.query(
          `insert into customers (account, nickname, password_hash, country, risk_accepted_at)
           values ('opened_${count}', 'x', 'x', ${country}, ${risk})`,
        ),
      );
    };
    expect(await open('null', 'null')).toBeNull();
    await setMode(db.owner, 'live');
    try {
      const answers = [await open('null', 'now()'), await open(`'CH'`, 'null'), await open(`'CH'`, 'now()')];
      expect(answers).toEqual(['LIVE_CONDITIONS', 'LIVE_CONDITIONS', null]);
    } finally {
      await setMode(db.owner, 'demo');
    }
  });

  test('is not closed while a deposit is under review or money is left, and is closed once', async () => {
    const ann = await OwnRequests.of(db);
    const { payee } = ann;
    const close = async () => (await ask(db, 'customer_close', [payee.tokenHash])).refused;
    expect(await ann.deposit(usdt(20))).toBeNull();
    expect(await close()).toBe('ACCOUNT_UNDER_REVIEW');
    await ann.cancel('deposit', await ann.newest('deposit'));
    expect(await close()).toBe('ACCOUNT_NOT_EMPTY');
    await db.owner.query('update ledger.balances set available = 0 where owner_id = $1', [payee.id]);
    expect([await close(), await close()]).toEqual([null, 'REAUTH_REQUIRED']);
  });

  test('exports its data so often in 24 hours, and is told of each', async () => {
    const { payee } = await OwnRequests.of(db);
    const begin = () => ask(db, 'data_export_begin', [payee.id, 2]);
    expect([await begin(), await begin(), await begin()]).toEqual([true, true, false]);
    await db.owner.query(
      `update data_exports set at = now() - interval '23 hours 59 minutes' where customer_id = $1`,
      [payee.id],
    );
    expect(await begin()).toBe(false);
    await db.owner.query(
      `update data_exports set at = now() - interval '24 hours 1 second' where customer_id = $1`,
      [payee.id],
    );
    expect(await begin()).toBe(true);
    const { rows } = await db.owner.query(
      `select kind from notices where customer_id = $1 and kind = 'security.export'`,
      [payee.id],
    );
    expect(rows).toEqual(Array(3).fill({ kind: 'security.export' }));
  });
});

describe('the withdrawal password', () => {
  test('takes five tries, is locked for 24 hours then, and counts anew after a right one', async () => {
    const { payee } = await OwnRequests.of(db);
    const guess = async () => (await ask(db, 'withdrawal_password_try', [payee.id])).sealed !== null;
    const right = () => ask(db, 'withdrawal_password_right', [payee.id, 1]);
    for (let count = 0; count < 4; count += 1) expect(await guess()).toBe(true);
    expect(await right()).toBe(true);
    for (let count = 0; count < 5; count += 1) expect([count, await guess()]).toEqual([count, true]);
    expect(await guess()).toBe(false);
    const pass = (hours: string) =>
      db.owner.query(
        `update withdrawal_passwords set locked_until = locked_until - interval '${hours}' where customer_id = $1`,
        [payee.id],
      );
    await pass('23 hours 59 minutes');
    expect(await guess()).toBe(false);
    await pass('1 minute 1 second');
    expect(await guess()).toBe(true);
  });
});

test('a customer ends no session of another', async () => {
  const [ann, eve] = [await OwnRequests.of(db), await OwnRequests.of(db)];
  const live = async () => {
    const { rows } = await db.owner.query('select id from sessions where customer_id = $1', [ann.payee.id]);
    return rows.map(({ id }) => id);
  };
  const [session] = await live();
  expect(await ask(db, 'session_end', [eve.payee.id, session, null])).toBeNull();
  expect(await ask(db, 'session_end', [eve.payee.id, null, null])).toBeNull();
  expect(await live()).toEqual([session]);
  expect(await ask(db, 'session_end', [ann.payee.id, null, ann.payee.tokenHash])).toBeNull();
  expect(await live()).toEqual([session]);
  expect(await ask(db, 'session_end', [ann.payee.id, session, null])).toBe(
    ann.payee.tokenHash.toString('hex'),
  );
  expect(await live()).toEqual([]);
});

test('a recovery of a verified customer is approved by somebody who has looked at call and identity since it was proposed', async () => {
  const { payee } = await OwnRequests.of(db);
  const [support, verifier] = [
    await installStaff(db.owner, 'support'),
    await installStaff(db.owner, 'verification'),
  ];
  const { rows } = await db.owner.query(
    `insert into recovery_requests (account, sealed) select account, '\\x0100000001' from customers where id = $1 returning id`,
    [payee.id],
  );
  const call = rows[0].id;
  const look = (what: string) =>
    db.owner.query(
      'insert into personal_data_views (staff_id, customer_id, what, subject_id) values ($1, $2, $3, $4)',
      [verifier, payee.id, what, call],
    );
  await look('recovery');
  await look('identity');
  const half = Buffer.alloc(32, 5);
  expect(await ask(db, 'recovery_propose', [support, call, 'a video call, and the photo', half, false])).toBe(
    '',
  );
  const { rows: found } = await db.owner.query('select proposal_id from recovery_requests where id = $1', [
    call,
  ]);
  const approve = () =>
    ask(db, 'proposal_approve', [
      verifier,
      ['account_recovery'],
      found[0].proposal_id,
      null,
      half.toString('hex'),
    ]);
  expect(await approve()).toBe('REVIEW_UNSEEN');
  await look('recovery');
  expect(await approve()).toBe('REVIEW_UNSEEN');
  await look('identity');
  expect(await approve()).toBe('done');
});
