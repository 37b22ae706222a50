import { createHash } from 'node:crypto';
import { failureIn } from '@fairtick/kit/database/failures.ts';
import { ownDatabase } from '@fairtick/kit/fixtures/fixtures.ts';
import { installStaff } from '@fairtick/kit/people/staff.ts';
import { describe, expect, test } from 'vitest';

/** Promise 16: four eyes in the database, called with the server's role. */
const db = ownDatabase();

const content = (text: string) => createHash('sha256').update(text).digest();
let subjects = 0;
const newSubject = () => {
  subjects += 1;
  return subjects;
};

/** The SQLSTATE of a call with the server's role, or null. */
const call = (text: string, values: readonly unknown[]) => failureIn(db.server.query(text, [...values]));

const edit = (staff: string, subject: number, text: string, kind = 'correction') =>
  call('select record_edit($1, $2, $3, $4)', [staff, kind, subject, content(text)]);
const approve = (staff: string, subject: number, text: string, kind = 'correction') =>
  call('select approve($1, $2, $3, $4)', [staff, kind, subject, content(text)]);
const demand = (
  subject: number,
  text: string,
  {
    kind = 'correction',
    asset = null,
    amount = null,
  }: { kind?: string; asset?: number | null; amount?: string | null } = {},
) => call('select demand_approvals($1, $2, $3, $4, $5)', [kind, subject, content(text), asset, amount]);

describe('an approval', () => {
  test('counts only from another person in the approving role and for exactly this content', async () => {
    const cashier = await installStaff(db.owner, 'cashier');
    const approver = await installStaff(db.owner, 'approver');
    const subject = newSubject();
    expect(await edit(cashier, subject, 'ten')).toBeNull();
    expect(await demand(subject, 'ten')).toBe('APPROVALS_MISSING');
    expect(await approve(cashier, subject, 'ten')).toBe('ROLE_MISSING');
    expect(await approve(approver, subject, 'ten')).toBeNull();
    expect(await demand(subject, 'ten')).toBeNull();
    // The content changed after the approval, so the approval no longer counts.
    expect(await edit(cashier, subject, 'eleven')).toBeNull();
    expect(await demand(subject, 'eleven')).toBe('APPROVALS_MISSING');
    expect(await demand(newSubject(), 'ten')).toBe('APPROVALS_MISSING');
  });

  test('does not count from a person who edited any version, in whatever role', async () => {
    const both = await installStaff(db.owner, 'cashier');
    await db.owner.query(
      `insert into staff_roles (staff_id, role, usable_from) values ($1, 'approver', now())`,
      [both],
    );
    const cashier = await installStaff(db.owner, 'cashier');
    const subject = newSubject();
    expect(await edit(both, subject, 'mine')).toBeNull();
    expect(await approve(both, subject, 'mine')).toBe('OWN_EDIT');
    expect(await edit(cashier, subject, 'yours')).toBeNull();
    expect(await approve(both, subject, 'yours')).toBe('OWN_EDIT');
    // An approval by a person who edits afterwards no longer counts.
    const other = newSubject();
    expect(await approve(both, other, 'same')).toBeNull();
    expect(await demand(other, 'same')).toBeNull();
    expect(await edit(both, other, 'same')).toBeNull();
    expect(await demand(other, 'same')).toBe('APPROVALS_MISSING');
  });

  test('from the editor’s second account is refused as the editor’s own', async () => {
    const cashier = await installStaff(db.owner, 'cashier');
    const sameRole = await installStaff(db.owner, 'cashier');
    const second = await installStaff(db.owner, 'approver');
    await db.owner.query('update staff set person = (select person from staff where id = $1) where id = $2', [
      cashier,
      second,
    ]);
    const subject = newSubject();
    expect(await edit(cashier, subject, 'ten')).toBeNull();
    expect(await approve(sameRole, subject, 'ten')).toBe('ROLE_MISSING');
    expect(await approve(second, subject, 'ten')).toBe('OWN_EDIT');
  });

  test('counts once if two accounts of one person give it', async () => {
    const first = await installStaff(db.owner, 'approver');
    const second = await installStaff(db.owner, 'approver');
    const other = await installStaff(db.owner, 'approver');
    await db.owner.query('update staff set person = (select person from staff where id = $1) where id = $2', [
      first,
      second,
    ]);
    const subject = newSubject();
    const large = { kind: 'withdrawal', asset: 2, amount: '5000000001' };
    expect(await approve(first, subject, 'w', 'withdrawal')).toBeNull();
    expect(await approve(second, subject, 'w', 'withdrawal')).toBeNull();
    expect(await demand(subject, 'w', { ...large, amount: '5000000000' })).toBeNull();
    expect(await demand(subject, 'w', large)).toBe('APPROVALS_MISSING');
    expect(await approve(other, subject, 'w', 'withdrawal')).toBeNull();
    expect(await demand(subject, 'w', large)).toBeNull();
  });

  test('is refused until a new approver’s hold is over', async () => {
    const [proposer, decider] = [
      await installStaff(db.owner, 'administrator'),
      await installStaff(db.owner, 'administrator'),
    ];
    const cashier = await installStaff(db.owner, 'cashier');
    const { rows } = await db.server.query<{ id: string }>(
      `select staff_propose($1, 'grant', $2, 'approver') as id`,
      [proposer, cashier],
    );
    expect(
      await call(`select proposal_approve($1, '{staff_change}', $2)`, [decider, rows[0]?.id]),
    ).toBeNull();
    const subject = newSubject();
    expect(await approve(cashier, subject, 'early')).toBe('APPROVER_TOO_NEW');
    await db.owner.query(
      `update staff_roles set usable_from = now() - interval '1 second' where staff_id = $1 and role = 'approver'`,
      [cashier],
    );
    expect(await approve(cashier, subject, 'early')).toBeNull();
  });

  test('no longer counts once the approver’s account is turned off', async () => {
    const approver = await installStaff(db.owner, 'approver');
    const administrator = await installStaff(db.owner, 'administrator');
    const subject = newSubject();
    expect(await approve(approver, subject, 'x')).toBeNull();
    expect(await demand(subject, 'x')).toBeNull();
    expect(await call('select staff_disable($1, $2, $3)', [administrator, approver, 'left'])).toBeNull();
    expect(await demand(subject, 'x')).toBe('APPROVALS_MISSING');
    expect(await approve(approver, subject, 'y')).toBe('ROLE_MISSING');
  });

  test('is refused for a kind without a rule and from an unknown account', async () => {
    const approver = await installStaff(db.owner, 'approver');
    expect(await approve(approver, newSubject(), 'x', 'anything')).toBe('NO_RULE');
    expect(await edit(approver, newSubject(), 'x', 'anything')).toBe('NO_RULE');
    expect(await demand(newSubject(), 'x', { kind: 'anything' })).toBe('NO_RULE');
    expect(await approve('0', newSubject(), 'x')).toBe('ROLE_MISSING');
  });

  test('given a hundred times at once by each of two people is recorded twice', async () => {
    const people = [await installStaff(db.owner, 'approver'), await installStaff(db.owner, 'approver')];
    const subject = newSubject();
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, turn) => approve(people[turn % 2] as string, subject, 'once')),
    );
    expect(answers.filter((answer) => answer !== null)).toEqual([]);
    const { rows } = await db.server.query<{ staff_id: string }>(
      'select staff_id from approvals where subject_id = $1 and kind = $2',
      [subject, 'correction'],
    );
    expect(rows.map((row) => row.staff_id).sort()).toEqual(people.toSorted());
    const told = await db.server.query('select 1 from audit_log where subject = $1', [
      `correction:${subject}`,
    ]);
    expect(told.rowCount).toBe(2);
  });
});

test('the server can’t write the tables of four eyes except through their functions', async () => {
  const ways = [
    `insert into approvals (kind, subject_id, content_hash, staff_id, person) values ('correction', 1, sha256('x'), 101, 'x')`,
    `update four_eyes_rules set needed = 0`,
    `update staff_roles set usable_from = now()`,
    `insert into staff_roles (staff_id, role, usable_from) values (101, 'approver', now())`,
    `update staff set is_active = true`,
    `update staff set person = 'x'`,
    `delete from content_edits`,
    `update house_settings set hold_seconds = 0`,
    `select staff_install('mallory', 'm', 'x', 'approver', true)`,
    `select staff_end_sessions(101)`,
  ];
  for (const way of ways) expect([way, await call(way, [])]).toEqual([way, '42501']);
});
