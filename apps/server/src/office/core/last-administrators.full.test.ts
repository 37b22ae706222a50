import { createTestDatabase } from '@fairtick/kit/database/database.ts';
import { answerOrFailure } from '@fairtick/kit/database/failures.ts';
import { forTest } from '@fairtick/kit/fixtures/fixture.ts';
import { installStaff } from '@fairtick/kit/people/staff.ts';
import { beforeEach, describe, expect, test } from 'vitest';

let people: readonly [string, string, string, string];
/** Two people who are administrators always remain, and one alone turns off no other; called with the server's role. */
const db = forTest(() => createTestDatabase());
beforeEach(async () => {
  const install = () => installStaff(db.owner, 'administrator');
  people = [await install(), await install(), await install(), await install()];
});

const call = (text: string, values: readonly unknown[]) => answerOrFailure(db.server, text, values);
type Kind = 'turn_off' | 'revoke';
const propose = (by: string, kind: Kind, whom: string) =>
  call('select staff_propose($1, $2, $3, $4)', [by, kind, whom, kind === 'revoke' ? 'administrator' : null]);
const carryOut = (by: string, change: string) =>
  call(`select proposal_approve($1, '{staff_change}', $2)`, [by, change]);
const may = (staff: string) => call(`select staff_may($1, 'administrator')`, [staff]);

describe('an administrator', () => {
  test('is turned off only by two other administrators', async () => {
    const [ann, bob, cid] = people;
    for (const whom of [bob, cid])
      expect(await call('select staff_disable($1, $2, $3)', [ann, whom, 'ill'])).toBe('APPROVALS_MISSING');
    expect(await call('select staff_disable($1, $1, $2)', [ann, 'me'])).toBe('ABOUT_ONESELF');
    // An administrator may not turn off another account of their own either.
    const second = await installStaff(db.owner, 'support');
    await db.owner.query('update staff set person = (select person from staff where id = $1) where id = $2', [
      ann,
      second,
    ]);
    expect(await call('select staff_disable($1, $2, $3)', [ann, second, 'mine'])).toBe('ABOUT_ONESELF');
    const change = await propose(ann, 'turn_off', bob);
    expect(await carryOut(ann, change)).toBe('OWN_EDIT');
    expect(await carryOut(bob, change)).toBe('ABOUT_ONESELF');
    expect(await may(bob)).toBe('true');
    await db.owner.query(
      `insert into staff_sessions (token_hash, staff_id, proved_until, is_strong, user_agent) values (sha256('t'), $1, now(), true, '')`,
      [bob],
    );
    expect(await carryOut(cid, change)).toBe('done');
    expect(await may(bob)).toBe('false');
    expect((await db.server.query('select 1 from staff_sessions where staff_id = $1', [bob])).rowCount).toBe(
      0,
    );
    expect(await propose(ann, 'turn_off', bob)).toBe('NOTHING_NEW');
  });

  test.each<Kind>(['turn_off', 'revoke'])('stays if only two people remain (%s)', async (kind) => {
    const [ann, bob, cid, dan] = people;
    expect(await carryOut(bob, await propose(ann, kind, dan))).toBe('done');
    // Of two concurrent changes that would leave one administrator, only one is carried out.
    const [one, other] = [await propose(ann, kind, bob), await propose(bob, kind, ann)];
    const told = await Promise.all([carryOut(cid, one), carryOut(cid, other)]);
    expect(told.sort()).toEqual(['TOO_FEW_ADMINISTRATORS', 'done']);
  });

  test.each<Kind>(['turn_off', 'revoke'])('with two accounts counts as one person (%s)', async (kind) => {
    const [ann, bob, cid, dan] = people;
    await db.owner.query('update staff set person = (select person from staff where id = $1) where id = $2', [
      ann,
      dan,
    ]);
    const [one, other] = [await propose(ann, kind, bob), await propose(bob, kind, cid)];
    expect(await carryOut(cid, one)).toBe('done');
    expect(await carryOut(ann, other)).toBe('TOO_FEW_ADMINISTRATORS');
    expect(await may(cid)).toBe('true');
  });
});
