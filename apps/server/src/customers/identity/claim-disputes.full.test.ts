import { get, post, type Registered } from '@fairtick/kit/clients/api-client.ts';
import type { OfficeClient } from '@fairtick/kit/clients/office-client.ts';
import { dataOf } from '@fairtick/kit/clients/read-answers.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { ownDatabase, ownOffice, ownStaff } from '@fairtick/kit/fixtures/fixtures.ts';
import { Claimants } from '@fairtick/kit/people/claimants.ts';
import { describe, expect, test } from 'vitest';

/** An open claim: the holder of the account objects, both sides see that, and two members of staff refuse it or approve it. */
const db = ownDatabase();
const api = ownOffice(db);
const support = ownStaff(db, api, 'support');
const verification = ownStaff(db, api, 'verification');
const people = forFile(() => new Claimants(db, api.origin));

const HOW = 'Video call; face and passport compared with what is on file.';
const ADDRESS = { USDT: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8' };
const detail = (staff: OfficeClient, id: string) => dataOf(staff.get('recovery/detail', { id }));
const ask = (path: string, { token }: Registered) => dataOf(get(api.origin, path, {}, { token }));
const statusOf = (claimCode: string) => post(api.origin, 'user/claimStatus', { claimCode });
const kindsOf = async (who: Registered) =>
  (await ask('notice/list', who)).items.map(({ kind }: { kind: string }) => kind);

/** An owner with a payout address whose account is claimed with a former recovery code. */
async function claimed() {
  const { who } = await people.newOwner();
  await dataOf(people.user(who.token, 'setAddress', ADDRESS));
  await dataOf(people.user(who.token, 'newRecoveryCodes'));
  const { claimCode } = await dataOf(people.takeBack(who, { otp: who.recoveryCodes[0] as string }));
  await people.waitHolds(who);
  return { who, claimCode: claimCode as string, id: await people.claimOf(who) };
}

/** Support proposes to refuse the claim, and verification agrees. */
async function refuse(id: string) {
  await dataOf(support.post('recovery/refuse', { id, reason: 'not_proven' }));
  const { content } = await detail(verification, id);
  return dataOf(verification.post('recovery/approve', { id, content }));
}

describe('the refusal of a claim', () => {
  test('takes two members of staff, of whom one proposes and the other has seen it', async () => {
    const { who, claimCode, id } = await claimed();
    const before = await people.keysOf(who);
    const reason = 'not_proven';
    expect((await verification.post('recovery/refuse', { id, reason })).body.error).toBe('ROLE_MISSING');
    await dataOf(support.post('recovery/refuse', { id, reason }));
    const { content, state, refusal } = await detail(support, id);
    expect({ state, refusal }).toEqual({ state: 'proposed', refusal: reason });
    expect((await statusOf(claimCode)).body.data.state).toBe('open');
    expect((await support.post('recovery/approve', { id, content })).body.error).toBe('ROLE_MISSING');
    expect((await verification.post('recovery/approve', { id, content })).body.error).toBe('REVIEW_UNSEEN');
    await detail(verification, id);
    expect(await dataOf(verification.post('recovery/approve', { id, content }))).toEqual({ half: null });
    expect(await detail(support, id)).toMatchObject({ state: 'refused', reason });
    expect((await statusOf(claimCode)).body.data.state).toBe('refused');
    expect(await kindsOf(who)).toContain('security.claimRefused');
    expect(await people.keysOf(who)).toEqual(before);
    const { rows } = await db.owner.query('select action from audit_log where subject = $1 order by seq', [
      `recovery:${id}`,
    ]);
    expect(rows.map(({ action }) => action)).toEqual(['recovery.propose_refusal', 'recovery.refuse']);
  });

  test('is one of the proposals, so that a recovery may be proposed in its place', async () => {
    const { id } = await claimed();
    await dataOf(support.post('recovery/refuse', { id, reason: 'not_proven' }));
    const { content } = await detail(verification, id);
    await dataOf(support.post('recovery/propose', { id, how: HOW }));
    expect((await verification.post('recovery/approve', { id, content })).body.error).toBe('CONTENT_CHANGED');
    expect(await detail(verification, id)).toMatchObject({ how: HOW, refusal: null });
  });

  test('holds withdrawals for two holds more; an open claim holds them for a week, longer if staff keep it', async () => {
    const { who, id } = await claimed();
    const usableAt = async () => (await ask('withdraw/options', who)).destinations[0].usableAt;
    expect(await usableAt()).toBeNull();
    const holdsUntil = async () => (await detail(support, id)).holdsUntil;
    expect(Math.abs((await holdsUntil()) - Date.now() - 7 * 86_400_000)).toBeLessThan(60_000);
    await db.owner.query(
      `update recovery_requests set at = now() - case id when $1 then interval '8 days' else '1 hour' end where decided_at is null`,
      [id],
    );
    expect(await people.isHeld(who)).toBe(false);
    const kept = await verification.post('recovery/keep', { id });
    expect(kept.body.code).toBe(1);
    expect((await ask('notice/list', who)).items[0].kind).toBe('security.claimKept');
    expect(await people.isHeld(who)).toBe(true);
    expect(Math.abs((await holdsUntil()) - Date.now() - 7 * 86_400_000)).toBeLessThan(60_000);
    expect((await ask('user/factors', who)).claim).toMatchObject({ holdsUntil: await holdsUntil() });
    await refuse(id);
    expect(await usableAt()).toBeGreaterThan(Date.now() + 60_000);
    for (const [holds, held] of [
      [0, true],
      [1.9, true],
      [2.1, false],
    ] as const) {
      await db.owner.query(
        `update recovery_requests set decided_at = now() - $2 * make_interval(secs => (select hold_seconds from house_settings)) where id = $1`,
        [id, holds],
      );
      expect([holds, await people.isHeld(who)]).toEqual([holds, held]);
    }
  });
});

describe('an objection', () => {
  test('is shown to the staff, to the account and, without anything else, to the claimant', async () => {
    const { who, claimCode, id } = await claimed();
    expect((await ask('user/factors', who)).claim).toEqual({
      at: expect.any(Number),
      objectedAt: null,
      holdsUntil: expect.any(Number),
    });
    expect(await detail(support, id)).toMatchObject({ objectedAt: null });
    await dataOf(people.user(who.token, 'objectToClaim'));
    expect((await ask('user/factors', who)).claim).toEqual({
      at: expect.any(Number),
      objectedAt: expect.any(Number),
      holdsUntil: expect.any(Number),
    });
    expect(await detail(support, id)).toMatchObject({ state: 'open', objectedAt: expect.any(Number) });
    expect(await kindsOf(who)).toContain('security.claimDisputed');
    // In any case and spacing.
    const { body } = await statusOf(` ${claimCode.toLowerCase().replaceAll('-', ' ')}`);
    expect(body.data).toEqual({ state: 'disputed', at: expect.any(Number) });
    expect(await people.isHeld(who)).toBe(true);
    expect((await people.user(who.token, 'objectToClaim')).body.error).toBe('CLAIM_NOT_FOUND');
    await refuse(id);
    expect((await ask('user/factors', who)).claim).toBeNull();
  });

  test('needs a proved session and an open claim; nobody reads the state of a claim without its code', async () => {
    const { who, claimCode } = await claimed();
    const stranger = (await people.newOwner()).who;
    expect((await people.user(stranger.token, 'objectToClaim')).body.error).toBe('CLAIM_NOT_FOUND');
    await db.owner.query(
      `update sessions set proved_at = now() - interval '6 minutes' where customer_id = $1`,
      [who.id],
    );
    expect((await people.user(who.token, 'objectToClaim')).body.error).toBe('REAUTH_REQUIRED');
    const { rows: sessions } = await db.owner.query(
      'select token_hash from sessions where customer_id = $1',
      [who.id],
    );
    const { rows } = await db.server.query('select claim_object($1) as done', [sessions[0].token_hash]);
    expect(rows).toEqual([{ done: false }]);
    expect((await statusOf(claimCode)).body.data.state).toBe('open');
    for (const wrong of ['A', claimCode.slice(1), who.recoveryCodes[0] as string])
      expect((await statusOf(wrong)).body.error).toBe('CLAIM_NOT_FOUND');
  });

  test('has to be seen by whoever approves', async () => {
    const { who, id } = await claimed();
    await dataOf(support.post('recovery/propose', { id, how: HOW }));
    const { content } = await detail(verification, id);
    await dataOf(people.user(who.token, 'objectToClaim'));
    expect((await verification.post('recovery/approve', { id, content })).body.error).toBe('REVIEW_UNSEEN');
    await detail(verification, id);
    expect((await verification.post('recovery/approve', { id, content })).body.code).toBe(1);
  });
});

test('new recovery codes hold withdrawals like every change of what opens the account', async () => {
  const { who } = await people.newOwner();
  await dataOf(people.user(who.token, 'setAddress', ADDRESS));
  await people.waitHolds(who);
  expect(await people.isHeld(who)).toBe(false);
  await dataOf(people.user(who.token, 'newRecoveryCodes'));
  expect(await people.isHeld(who)).toBe(true);
});
