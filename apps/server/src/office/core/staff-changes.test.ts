import { answerOrFailure } from '@fairtick/kit/database/failures.ts';
import { ownDatabase } from '@fairtick/kit/fixtures/fixtures.ts';
import { beginStaffSession, installStaff } from '@fairtick/kit/people/staff.ts';
import type { StaffRole } from '@fairtick/protocol/office';
import { beforeAll, describe, expect, test } from 'vitest';

let ann: string;
let bob: string;
const db = ownDatabase();
beforeAll(async () => {
  ann = await installStaff(db.owner, 'administrator');
  bob = await installStaff(db.owner, 'administrator');
});

const call = (text: string, values: readonly unknown[]) => answerOrFailure(db.server, text, values);
const propose = (by: string, kind: string, staff: string, role: StaffRole | null = null) =>
  call('select staff_propose($1, $2, $3, $4)', [by, kind, staff, role]);
const carryOut = (by: string, change: string, passwordHash: string | null = null) =>
  call(`select proposal_approve($1, '{staff_change}', $2, null, $3)`, [by, change, passwordHash]);
const refuse = (by: string, change: string) =>
  call(`select proposal_refuse($1, '{staff_change}', $2)`, [by, change]);
const may = (staff: string, role: StaffRole) => call('select staff_may($1, $2)', [staff, role]);

describe('a change of staff', () => {
  test('needs one administrator to propose it and another to carry it out, and is carried out once', async () => {
    const cid = await installStaff(db.owner, 'support');
    const change = await propose(ann, 'grant', cid, 'verification');
    expect(change).toMatch(/^\d+$/);
    expect(await propose(bob, 'grant', cid, 'verification')).toBe('NOTHING_NEW');
    expect(await carryOut(ann, change)).toBe('OWN_EDIT');
    expect(await carryOut(cid, change)).toBe('ROLE_MISSING');
    expect(await may(cid, 'verification')).toBe('false');
    expect(await carryOut(bob, change)).toBe('done');
    expect(await may(cid, 'verification')).toBe('true');
    expect(await carryOut(bob, change)).toBe('CHANGE_NOT_FOUND');
    expect(await propose(ann, 'grant', cid, 'verification')).toBe('NOTHING_NEW');
  });

  test('is refused about oneself, under whichever account', async () => {
    expect(await propose(ann, 'grant', ann, 'cashier')).toBe('ABOUT_ONESELF');
    const second = await installStaff(db.owner, 'support');
    await db.owner.query('update staff set person = (select person from staff where id = $1) where id = $2', [
      bob,
      second,
    ]);
    expect(await propose(bob, 'grant', second, 'cashier')).toBe('ABOUT_ONESELF');
    const change = await propose(ann, 'grant', second, 'cashier');
    expect(await carryOut(bob, change)).toBe('ABOUT_ONESELF');
  });

  test('can’t combine the role of administrator or auditor with another', async () => {
    expect(await propose(ann, 'grant', bob, 'cashier')).toBe('ROLES_CONFLICT');
    const auditor = await installStaff(db.owner, 'auditor');
    expect(await propose(ann, 'grant', auditor, 'approver')).toBe('ROLES_CONFLICT');
    const cashier = await installStaff(db.owner, 'cashier');
    expect(await propose(ann, 'grant', cashier, 'administrator')).toBe('ROLES_CONFLICT');
    // Even the schema's owner can't do it.
    await expect(
      db.owner.query(`insert into staff_roles (staff_id, role, usable_from) values ($1, 'cashier', now())`, [
        bob,
      ]),
    ).rejects.toMatchObject({ code: '23503' });
  });

  test('turns a new account on only after two administrators agree', async () => {
    const id = await call('select staff_create($1, $2, $3, $4, $5)', [
      ann,
      'new_cashier',
      'New',
      'p-17',
      'hash',
    ]);
    const { rows } = await db.server.query<{ id: string }>(
      `select id from proposals where kind = 'staff_change' and about_staff = $1`,
      [id],
    );
    const enable = rows[0]?.id as string;
    const grant = await propose(ann, 'grant', id, 'cashier');
    expect(await carryOut(bob, grant)).toBe('done');
    expect(await may(id, 'cashier')).toBe('false');
    expect(await carryOut(ann, enable)).toBe('OWN_EDIT');
    expect(await carryOut(bob, enable)).toBe('done');
    expect(await may(id, 'cashier')).toBe('true');
    expect(await call('select staff_disable($1, $2, $3)', [bob, id, 'left'])).toBe('');
    expect(await may(id, 'cashier')).toBe('false');
  });

  test('that resets a password ends factors and sessions', async () => {
    const id = await installStaff(db.owner, 'support');
    await db.owner.query(
      `insert into staff_sessions (token_hash, staff_id, proved_until, is_strong, user_agent) values (sha256('token'), $1, now(), true, '')`,
      [id],
    );
    await db.server.query(
      `insert into staff_second_factors (staff_id, kind, label, sealed_secret) values ($1, 'totp', 'phone', 'x')`,
      [id],
    );
    const change = await propose(bob, 'reset', id);
    expect(await carryOut(ann, change)).not.toBe('done');
    expect(await carryOut(ann, change, 'new hash')).toBe('done');
    const left = await db.server.query(
      `select 1 from staff_sessions where staff_id = $1 union all select 1 from staff_second_factors where staff_id = $1`,
      [id],
    );
    expect(left.rowCount).toBe(0);
  });

  test('that resets a password or turns an account on again puts a hold on the account’s roles', async () => {
    const hash = Buffer.alloc(32);
    const approve = (staff: string) => call(`select approve($1, 'correction', 1, $2)`, [staff, hash]);
    const edit = (staff: string) => call(`select record_edit($1, 'correction', 2, $2)`, [staff, hash]);
    const approver = await installStaff(db.owner, 'approver');
    const cashier = await installStaff(db.owner, 'cashier');
    const back = await installStaff(db.owner, 'cashier');
    expect(await edit(cashier)).toBe('');
    for (const id of [approver, cashier])
      expect(await carryOut(bob, await propose(ann, 'reset', id), 'hash')).toBe('done');
    await call('select staff_disable($1, $2, $3)', [bob, back, 'away']);
    expect(await carryOut(bob, await propose(ann, 'enable', back))).toBe('done');
    expect(await approve(approver)).toBe('APPROVER_TOO_NEW');
    expect(await edit(cashier)).toBe('APPROVER_TOO_NEW');
    expect(await edit(back)).toBe('APPROVER_TOO_NEW');
    // Both roles wait a day in live mode, as for a person who is new in the role.
    const { rows } = await db.server.query(
      `select 1 from staff_roles where staff_id = any($1) and usable_from > now() + hold_interval() - interval '10 seconds'`,
      [[approver, cashier, back]],
    );
    expect(rows).toHaveLength(3);
    await db.owner.query('update staff_roles set usable_from = now() where staff_id = any($1)', [
      [approver, cashier],
    ]);
    // The password reset ended their sessions.
    expect(await approve(approver)).toBe('SESSION_EXPIRED');
    for (const id of [approver, cashier]) await beginStaffSession(db.owner, id);
    expect(await approve(approver)).toMatch(/^\d+$/);
    expect(await edit(cashier)).toBe('');
  });

  test('can’t be carried out after it is refused', async () => {
    const cid = await installStaff(db.owner, 'support');
    const change = await propose(ann, 'revoke', cid, 'support');
    expect(await refuse(cid, change)).toBe('ROLE_MISSING');
    expect(await refuse(ann, change)).toBe('');
    expect(await carryOut(bob, change)).toBe('CHANGE_NOT_FOUND');
    expect(await may(cid, 'support')).toBe('true');
  });

  test('can’t be refused by the person it is about, under whichever account', async () => {
    const cid = await installStaff(db.owner, 'administrator');
    const change = await propose(ann, 'revoke', cid, 'administrator');
    const second = await installStaff(db.owner, 'administrator');
    await db.owner.query('update staff set person = (select person from staff where id = $1) where id = $2', [
      cid,
      second,
    ]);
    expect(await refuse(cid, change)).toBe('ABOUT_ONESELF');
    expect(await refuse(second, change)).toBe('ABOUT_ONESELF');
    expect(await carryOut(bob, change)).toBe('done');
    await db.owner.query('update staff set is_active = false where id = any($1)', [[cid, second]]);
  });

  test('is in the audit log with its proposer', async () => {
    const cid = await installStaff(db.owner, 'support');
    await carryOut(bob, await propose(ann, 'grant', cid, 'content'));
    const { rows } = await db.server.query<{ staff_id: string; action: string }>(
      'select staff_id, action from audit_log where subject = $1 order by seq',
      [`staff:${cid}`],
    );
    expect(rows.map((row) => [row.staff_id, row.action])).toEqual([
      [null, 'staff.install'],
      [ann, 'staff.propose'],
      [bob, 'staff.grant'],
    ]);
  });
});
