import { get, PASSWORD, post, type Registered, register } from '@fairtick/kit/clients/api-client.ts';
import { type OfficeClient, STAFF_PASSWORD, staffOf } from '@fairtick/kit/clients/office-client.ts';
import { dataOf, errorOf } from '@fairtick/kit/clients/read-answers.ts';
import { ownDatabase, ownOffice, ownStaff } from '@fairtick/kit/fixtures/fixtures.ts';
import { submitReal } from '@fairtick/kit/people/pictures.ts';

import { codeOf } from '@fairtick/kit/people/totp.ts';
import { describe, expect, test } from 'vitest';

/** Help before a login: a call for help, a review by two, two halves of a code, a new password. */
const db = ownDatabase();
const api = ownOffice(db);
const support = ownStaff(db, api, 'support');
const verification = ownStaff(db, api, 'verification');

const HOW = 'Video call; face and passport compared with what is on file.';

/** Sends a call for help for this account; returns its number. */
async function call(account: string): Promise<string> {
  const text = 'I lost phone and codes.';
  await dataOf(post(api.origin, 'user/recoverRequest', { account, contact: 'me@mail.example', text }));
  const { items } = await dataOf(support.get('recovery/queue', { limit: '100' }));
  return items.findLast((item: { account: string }) => item.account === account).id;
}
const detail = (staff: OfficeClient, id: string) => dataOf(staff.get('recovery/detail', { id }));
const propose = (id: string, how = HOW) => support.post('recovery/propose', { id, how });
/** Approves the content that is shown now. */
async function approve(id: string, staff: OfficeClient = verification) {
  const { content } = await detail(staff, id);
  return staff.post('recovery/approve', { id, content: content ?? '0'.repeat(64) });
}
const recover = (account: string, recoveryCode: string, password = 'recovered 1') =>
  post(api.origin, 'user/recover', { account, recoveryCode, password, confirmPassword: password });
const canLogin = async ({ account }: Registered, password: string) =>
  (await post(api.origin, 'user/login', { account, password })).body.code === 1;

test('claims stand first in the queue, marked, however many calls came before', async () => {
  const ann = await register(api.origin);
  for (let place = 0; place < 3; place += 1) await call(`stranger_${place}`);
  const { rows } = await db.owner.query<{ id: string }>(
    `insert into recovery_requests (account, sealed, lost_at) values ($1, '\\x0100000001', now()) returning id::text`,
    [ann.account],
  );
  const queue = async (cursor?: string) =>
    dataOf(support.get('recovery/queue', { limit: '2', ...(cursor === undefined ? {} : { cursor }) }));
  const first = await queue();
  expect(first.items[0]).toMatchObject({ id: rows[0]?.id, isClaim: true, holdsUntil: expect.any(Number) });
  expect(first.items[1]).toMatchObject({ isClaim: false, holdsUntil: null });
  const next = await queue(first.nextCursor);
  expect(Number(next.items[0].id)).toBeGreaterThan(Number(first.items[1].id));
  await db.owner.query('delete from recovery_requests');
});

describe('a call for help', () => {
  test('is queued without its text; opening it shows the text, and the customer sees that view', async () => {
    const ann = await register(api.origin);
    const id = await call(ann.account.toUpperCase());
    const queue = await dataOf(verification.get('recovery/queue', { limit: '100' }));
    expect(JSON.stringify(queue)).not.toContain('mail.example');
    const shown = await detail(support, id);
    expect(shown).toMatchObject({
      state: 'open',
      contact: 'me@mail.example',
      text: 'I lost phone and codes.',
      customer: { id: ann.id, realStatus: 'none', verificationId: null },
      content: null,
    });
    const views = await dataOf(get(api.origin, 'user/dataViews', {}, { token: ann.token }));
    expect(views.items.map(({ what, staff }: { what: string; staff: string }) => [what, staff])).toEqual([
      ['recovery', support.staffId],
    ]);
  });

  test('a call for help is answered by two: each has one half of a code, and only both halves set a new password, once (S2-43)', async () => {
    const ann = await register(api.origin);
    const id = await call(ann.account);
    const { half: first } = await dataOf(propose(id));
    const { half: second } = await dataOf(approve(id));
    expect(first).not.toBe(second);
    for (const wrong of [first, second, first + first, `${first}${second}X`]) {
      expect([wrong, await errorOf(recover(ann.account, wrong))]).toEqual([wrong, 'RECOVERY_FAILED']);
    }
    const bob = await register(api.origin);
    expect(await errorOf(recover(bob.account, first + second))).toBe('RECOVERY_FAILED');
    // The halves work in any order, case and spacing.
    await dataOf(recover(ann.account, ` ${second.toLowerCase()} ${first.replaceAll('-', ' ')}`));
    expect([await canLogin(ann, 'recovered 1'), await canLogin(ann, PASSWORD)]).toEqual([true, false]);
    expect(await errorOf(recover(ann.account, first + second, 'recovered 2'))).toBe('RECOVERY_FAILED');
    // Earlier sessions have ended, and the inbox says what happened.
    expect((await get(api.origin, 'user/getUserInfo', {}, { token: ann.token })).status).toBe(401);
    const session = await dataOf(
      post(api.origin, 'user/login', { account: ann.account, password: 'recovered 1' }),
    );
    const { items } = await dataOf(get(api.origin, 'notice/list', {}, { token: session.token }));
    const kinds = items.map(({ kind }: { kind: string }) => kind);
    expect(kinds).toEqual(expect.arrayContaining(['security.password', 'security.recovery']));
    const told = items.find(({ kind }: { kind: string }) => kind === 'security.recovery');
    expect(told.title).toBe('Password reset approved');
  });

  test('gets a code that lapses after a day', async () => {
    const ann = await register(api.origin);
    const id = await call(ann.account);
    const { half: first } = await dataOf(propose(id));
    const { half: second } = await dataOf(approve(id));
    await db.owner.query(
      `update recovery_codes set expires_at = expires_at - interval '24 hours 1 minute' where customer_id = $1 and expires_at is not null`,
      [ann.id],
    );
    expect(await errorOf(recover(ann.account, first + second))).toBe('RECOVERY_FAILED');
    expect((await recover(ann.account, ann.recoveryCodes[0] as string)).body.code).toBe(1);
  });

  test('can only be refused when its account is unknown, and stays refused', async () => {
    const id = await call('nobody_has_it');
    expect((await detail(support, id)).customer).toBeNull();
    expect(await errorOf(propose(id))).toBe('CUSTOMER_NOT_FOUND');
    await dataOf(support.post('recovery/refuse', { id, reason: 'unknown_account' }));
    expect(await detail(support, id)).toMatchObject({ state: 'refused', reason: 'unknown_account' });
    for (const again of [propose(id), support.post('recovery/refuse', { id, reason: 'duplicate' })])
      expect(await errorOf(again)).toBe('RECOVERY_CLOSED');
    const { items } = await dataOf(support.get('recovery/queue', { state: 'decided' }));
    expect(items[0].id).toBe(id);
  });

  test('that is refused is told to the account’s customer', async () => {
    const ann = await register(api.origin);
    await dataOf(support.post('recovery/refuse', { id: await call(ann.account), reason: 'not_proven' }));
    const { items } = await dataOf(get(api.origin, 'notice/list', {}, { token: ann.token }));
    expect(items[0]).toMatchObject({ kind: 'security.recoveryRefused', title: 'Password reset rejected' });
  });

  test('is refused for a closed account, also when the account is closed after the proposal', async () => {
    const close = (account: string) =>
      db.owner.query('update customers set closed_at = now() where account = $1', [account]);
    const [before, after] = [await register(api.origin), await register(api.origin)];
    const first = await call(before.account);
    await close(before.account);
    expect(await errorOf(propose(first))).toBe('CUSTOMER_NOT_FOUND');
    const second = await call(after.account);
    await dataOf(propose(second));
    await close(after.account);
    expect(await errorOf(approve(second))).toBe('CUSTOMER_NOT_FOUND');
    await dataOf(support.post('recovery/refuse', { id: second, reason: 'unknown_account' }));
  });
});

describe('the review by two', () => {
  test('needs both roles, two people, and a view of the proposed content', async () => {
    const ann = await register(api.origin);
    const id = await call(ann.account);
    expect(await errorOf(verification.post('recovery/propose', { id, how: HOW }))).toBe('ROLE_MISSING');
    expect(await errorOf(support.post('recovery/propose', { id, how: 'trust me' }))).toBe('HOW_TOO_SHORT');
    expect(await errorOf(approve(id))).toBe('NOTHING_PROPOSED');
    await dataOf(propose(id));
    expect(await errorOf(approve(id, support))).toBe('ROLE_MISSING');
    // A person with both roles is still one person; a view from before the proposal does not count.
    await db.owner.query(
      `insert into staff_roles (staff_id, role, usable_from) values ($1, 'verification', now()) on conflict do nothing`,
      [support.staffId],
    );
    expect(await errorOf(approve(id, support))).toBe('OWN_EDIT');
    await db.owner.query(`delete from staff_roles where staff_id = $1 and role = 'verification'`, [
      support.staffId,
    ]);
    const { content } = await detail(verification, id);
    await db.owner.query(`update personal_data_views set at = at - interval '1 hour'`);
    expect(await errorOf(verification.post('recovery/approve', { id, content }))).toBe('REVIEW_UNSEEN');
    // Content that was replaced can't be approved.
    await dataOf(propose(id, `${HOW} Again.`));
    await detail(verification, id);
    expect(await errorOf(verification.post('recovery/approve', { id, content }))).toBe('CONTENT_CHANGED');
    expect((await approve(id)).body.code).toBe(1);
    expect(await errorOf(approve(id))).toBe('RECOVERY_CLOSED');
  });

  test('is refused to staff who are the customer themselves, and so is their conversation', async () => {
    const ann = await register(api.origin);
    const id = await call(ann.account);
    await dataOf(post(api.origin, 'chat/send', { text: 'me' }, { token: ann.token }));
    const own = await staffOf(db, api.officeOrigin, 'support');
    await db.server.query('select staff_declare_customer($1, $2)', [own.staffId, ann.id]);
    for (const refused of [
      own.post('recovery/propose', { id, how: HOW }),
      own.post('recovery/refuse', { id, reason: 'duplicate' }),
      own.post('chat/claim', { id: ann.id }),
      own.post('chat/answer', { id: ann.id, key: 'k', text: 'to myself' }),
    ]) {
      expect(await errorOf(refused)).toBe('ABOUT_ONESELF');
    }
    await dataOf(support.post('chat/claim', { id: ann.id }));
    expect(await errorOf(support.post('chat/handOver', { id: ann.id, to: own.staffId }))).toBe(
      'COLLEAGUE_NOT_FOUND',
    );
    await db.server.query('select staff_declare_customer($1, $2)', [verification.staffId, ann.id]);
    await dataOf(propose(id));
    expect(await errorOf(approve(id))).toBe('ABOUT_ONESELF');
  });

  test('needs a view of the identity on file when the customer is verified', async () => {
    const ann = await register(api.origin);
    await dataOf(submitReal(api.origin, ann.token));
    const { rows } = await db.owner.query<{ id: string }>(
      `update verifications set state = 'verified', decided_at = now(), decided_by = $2 where customer_id = $1 returning id`,
      [ann.id, verification.staffId],
    );
    await db.owner.query(`update customers set real_status = 'verified' where id = $1`, [ann.id]);
    const id = await call(ann.account);
    await dataOf(propose(id));
    const { customer } = await detail(verification, id);
    expect(customer.verificationId).toBe(rows[0]?.id);
    expect(await errorOf(approve(id))).toBe('REVIEW_UNSEEN');
    await dataOf(verification.get('identity/detail', { id: customer.verificationId }));
    expect((await approve(id)).body.code).toBe(1);
  });

  test('needs a step-up of each person, and a hundred concurrent approvals count as one', async () => {
    const ann = await register(api.origin);
    const id = await call(ann.account);
    await db.owner.query('update staff_sessions set proved_until = now()');
    expect(await errorOf(propose(id))).toBe('REAUTH_REQUIRED');
    for (const staff of [support, verification])
      await dataOf(staff.post('session/stepUp', { password: STAFF_PASSWORD }));
    await dataOf(propose(id));
    const { content } = await detail(verification, id);
    const all = await Promise.all(
      Array.from({ length: 100 }, () => verification.post('recovery/approve', { id, content })),
    );
    expect(all.filter(({ body }) => body.code === 1)).toHaveLength(1);
    const { rows } = await db.owner.query(
      'select count(*)::int as n from recovery_codes where customer_id = $1 and expires_at is not null',
      [ann.id],
    );
    expect(rows).toEqual([{ n: 1 }]);
    const log = await db.owner.query('select action from audit_log where subject = $1 order by seq', [
      `recovery:${id}`,
    ]);
    expect(log.rows.map(({ action }) => action)).toEqual(['recovery.propose', 'recovery.approve']);
  });

  test('is enforced by the database: the server’s role can’t write a state or a code by itself', async () => {
    const ann = await register(api.origin);
    const id = await call(ann.account);
    await expect(db.server.query('update recovery_requests set decided_at = now()')).rejects.toThrow(
      /permission denied/,
    );
    await expect(
      db.server.query(
        `insert into recovery_requests (account, sealed, decided_at) values ('x', '\\x0100000001', now())`,
      ),
    ).rejects.toThrow(/permission denied/);
    await expect(
      db.server.query(`select proposal_approve($1, '{account_recovery}', recovery_proposed($2), $3, $4)`, [
        support.staffId,
        id,
        Buffer.alloc(32),
        '00',
      ]),
    ).rejects.toMatchObject({ constraint: 'NOTHING_PROPOSED' });
    await expect(
      db.server.query('select recovery_propose($1, $2, $3, $4, false)', [
        verification.staffId,
        id,
        HOW,
        Buffer.alloc(32),
      ]),
    ).rejects.toMatchObject({ constraint: 'ROLE_MISSING' });
    await expect(
      db.server.query(
        'insert into recovery_codes (customer_id, code_hash, takes_factor) values ($1, $2, true)',
        [ann.id, Buffer.alloc(32)],
      ),
    ).rejects.toMatchObject({ code: '42501' });
  });
});

describe('a second factor that is lost with the password (decision 092)', () => {
  const user = (who: Registered, path: string, fields: Record<string, string> = {}) =>
    post(api.origin, `user/${path}`, fields, { token: who.token });
  async function withFactor() {
    const ann = await register(api.origin);
    const { id, secret } = await dataOf(user(ann, 'beginTotp'));
    await dataOf(user(ann, 'confirmTotp', { id, otp: await codeOf(secret) }));
    return { ann, secret };
  }
  /** Both halves of a code that two people agreed to. */
  async function codeFor(ann: Registered, takesFactor: boolean): Promise<string> {
    const id = await call(ann.account);
    const { half } = await dataOf(
      support.post('recovery/propose', { id, how: HOW, takesFactor: String(takesFactor) }),
    );
    expect(await detail(verification, id)).toMatchObject({
      takesFactor,
      customer: { hasSecondFactor: true },
    });
    return half + (await dataOf(approve(id))).half;
  }
  const factsOf = async ({ id }: Registered) =>
    (
      await db.owner.query(
        `select has_second_factor as has, factor_taken_at is not null as taken from customers where id = $1`,
        [id],
      )
    ).rows[0];
  const kindsOf = async ({ id }: Registered) =>
    (await db.owner.query('select kind from notices where customer_id = $1 order by id', [id])).rows.map(
      ({ kind }) => kind,
    );

  test('stays on unless both reviewers agreed to remove it', async () => {
    const { ann, secret } = await withFactor();
    const code = await codeFor(ann, false);
    expect(await errorOf(recover(ann.account, code))).toBe('OTP_REQUIRED');
    await dataOf(
      post(api.origin, 'user/recover', {
        account: ann.account,
        recoveryCode: code,
        password: 'recovered 1',
        confirmPassword: 'recovered 1',
        otp: await codeOf(secret, 1),
      }),
    );
    expect(await factsOf(ann)).toEqual({ has: true, taken: false });
  });

  test('is removed when the code is used, not before; the inbox says so at once, and withdrawals wait', async () => {
    const { ann } = await withFactor();
    const code = await codeFor(ann, true);
    expect(await factsOf(ann)).toEqual({ has: true, taken: false });
    // A customer who is still logged in reads the notice while the code can still be voided; their own codes still work.
    expect(await kindsOf(ann)).toEqual(['security.factorAdded', 'security.recoveryFactor']);
    await dataOf(recover(ann.account, code));
    expect(await factsOf(ann)).toEqual({ has: false, taken: true });
    expect(await kindsOf(ann)).toEqual(
      expect.arrayContaining(['security.factorRemoved', 'security.codeUsed', 'security.password']),
    );
    expect(await canLogin(ann, 'recovered 1')).toBe(true);
    expect(await errorOf(recover(ann.account, code, 'recovered 2'))).toBe('RECOVERY_FAILED');
  });

  test('stays on when its owner makes new recovery codes, which void the agreed code', async () => {
    const { ann } = await withFactor();
    const code = await codeFor(ann, true);
    await dataOf(user(ann, 'newRecoveryCodes'));
    expect(await errorOf(recover(ann.account, code))).toBe('RECOVERY_FAILED');
    expect(await factsOf(ann)).toEqual({ has: true, taken: false });
  });

  test('has its removal in the approved content, so that a change of it needs another approval', async () => {
    const { ann } = await withFactor();
    const id = await call(ann.account);
    await dataOf(propose(id));
    const { content } = await detail(verification, id);
    await dataOf(support.post('recovery/propose', { id, how: HOW, takesFactor: 'true' }));
    await detail(verification, id);
    expect(await errorOf(verification.post('recovery/approve', { id, content }))).toBe('CONTENT_CHANGED');
    // The same words and the same half with another `takes_factor` are another content.
    const { rows } = await db.owner.query(
      `select content_hash(content) = content_hash(content || '{"takesFactor": false}') as same
       from proposals where id = recovery_proposed($1)`,
      [id],
    );
    expect(rows).toEqual([{ same: false }]);
  });
});
