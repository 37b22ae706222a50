import { type ApiPayee, apiPayee, withdraw } from '@fairtick/kit/clients/money-api.ts';
import { FragilePool } from '@fairtick/kit/database/pools.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { auditedDatabase, ownApi } from '@fairtick/kit/fixtures/fixtures.ts';
import { encryptionKeyFile } from '@fairtick/kit/folder.ts';
import { PaymentProvider, payoutsAt } from '@fairtick/kit/installation/payment-provider.ts';
import {
  approveRequest,
  ask,
  contentOf,
  letADayPass,
  moneyOf,
  payByHand,
  statusOf,
  usdt,
} from '@fairtick/kit/people/money.ts';
import { installStaff, staffTokenHash } from '@fairtick/kit/people/staff.ts';
import { until } from '@fairtick/kit/waiting/until.ts';
import { pino } from 'pino';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { hashToken } from '../../customers/identity/passwords.ts';
import { Destinations } from '../../customers/personal-data/destinations.ts';
import { actingUnder } from '../../platform/db/acting-staff.ts';
import { failureOf, type Pool } from '../../platform/db/database.ts';
import { KeyRing } from '../../platform/sealing/key-ring.ts';
import { type PayoutParts, sendPayout } from './payouts.ts';

/** Each approved withdrawal is paid once, by hand or through a provider on loopback, whatever fails meanwhile. */
const db = auditedDatabase();
const api = ownApi(db);
const provider = forFile(() => PaymentProvider.open());
let parts: PayoutParts;
let ann: ApiPayee;
let cashier: string;
let other: string;
let approver: string;
beforeAll(async () => {
  ann = await apiPayee(api.origin, db, usdt(100_000));
  const keys = await KeyRing.load(db.server, encryptionKeyFile(db), { mayMake: false });
  parts = {
    pool: db.server,
    destinations: new Destinations({ pool: db.server, keys }),
    payouts: payoutsAt(provider.origin),
    log: pino({ level: 'silent' }),
  };
  cashier = await installStaff(db.owner, 'cashier');
  other = await installStaff(db.owner, 'cashier');
  approver = await installStaff(db.owner, 'approver');
});
afterEach(async () => {
  provider.manner = 'pays';
  provider.onAsked = () => {};
  provider.onPaid = () => {};
  await letADayPass(db);
});

async function approved(): Promise<string> {
  const { id } = (await withdraw(api.origin, ann, '20')).body.data;
  await ask(db, 'withdrawal_propose', [cashier, id, 'from the first account']);
  const content = await contentOf(db, 'withdrawal', id);
  expect(await approveRequest(db, 'withdrawal', [approver, id, content])).toBe('approved');
  return id;
}

/** What the cashier who presses the button reads: the status, or the name of the refusal. */
const send = (
  id: string,
  { by = cashier, pool = db.server, answerMs = 60_000 }: { by?: string; pool?: Pool; answerMs?: number } = {},
): Promise<string> =>
  actingUnder(staffTokenHash(by), () =>
    sendPayout(
      { ...parts, pool, payouts: payoutsAt(provider.origin, answerMs) },
      { staffId: by, id, way: 'provider' },
    ),
  ).catch((error) => failureOf(error) ?? 'broken');

const say = (id: string, wentOut: boolean, reference: string | null = null, by = cashier) =>
  ask(db, 'payout_end_propose', [by, id, wentOut, reference, 'the bank says so']);
const agree = (proposal: string, by = approver) =>
  ask(db, 'proposal_approve', [by, ['payout_end'], proposal]);

const stepsOf = async (id: string): Promise<string[]> =>
  (
    await db.owner.query(
      `select step from request_events where kind = 'withdrawal' and request_id = $1 and id >
         (select id from request_events where request_id = $1 and kind = 'withdrawal' and step = 'approved') order by id`,
      [id],
    )
  ).rows.map(({ step }) => step);

describe('a payout through a provider', () => {
  test('is booked for the cashier who sent it, with where it goes and how it was approved', async () => {
    const id = await approved();
    const { held } = await moneyOf(db, ann.id);
    let shown = {};
    provider.onAsked = async () => {
      // What the provider is asked for is committed before.
      expect(await statusOf(db, 'withdrawal', id)).toBe('sending');
      shown = provider.last;
    };
    expect(await send(id)).toBe('success');
    expect(shown).toMatchObject({
      id,
      asset: 'USDT',
      amount: '19.000000',
      destination: { kind: 'crypto', address: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8' },
      instructions: 'from the first account',
    });
    expect(await stepsOf(id)).toEqual(['taken', 'paid']);
    expect((await moneyOf(db, ann.id)).held).toBe(held - 20);
    expect(await send(id)).toBe('REQUEST_CLOSED');
    expect(provider.of(id)).toBe(1);
  });

  test('that does not answer stays being paid: nobody pays it by hand, refuses or proposes it; asked again, it is the same payment', async () => {
    const id = await approved();
    provider.manner = 'silent';
    expect(await send(id)).toBe('sending');
    expect(await payByHand(db, other, id, 'paid by hand')).toBe('PAYOUT_TAKEN');
    expect(await payByHand(db, cashier, id, 'paid by hand')).toBe('PAYOUT_TAKEN');
    expect(await ask(db, 'withdrawal_refuse', [other, id, 'security', null])).toBe('PAYOUT_TAKEN');
    expect(await ask(db, 'withdrawal_propose', [other, id, 'otherwise'])).toBe('PAYOUT_TAKEN');
    expect(await ask(db, 'withdrawal_cancel', [hashToken(ann.token), id])).toBe('REQUEST_DECIDED');
    provider.manner = 'pays';
    // Any cashier may ask again, because it is the same payment.
    expect(await send(id, { by: other })).toBe('success');
    expect(provider.of(id)).toBe(1);
  });

  test('that answers twice is booked once', async () => {
    const id = await approved();
    provider.manner = 'late';
    const first = send(id);
    await until(() => provider.waiting === 1);
    const second = send(id, { by: other });
    await until(() => provider.waiting === 2);
    provider.answer();
    expect(await Promise.all([first, second])).toEqual(['success', 'success']);
    expect(provider.of(id)).toBe(1);
    expect((await stepsOf(id)).filter((step) => step === 'paid')).toHaveLength(1);
  });

  test('that answers late is booked when it answers', async () => {
    const id = await approved();
    provider.manner = 'late';
    expect(await send(id, { answerMs: 1 })).toBe('sending');
    await until(() => provider.waiting === 1);
    provider.answer();
    await until(async () => (await statusOf(db, 'withdrawal', id)) === 'success');
    expect(await stepsOf(id)).toEqual(['taken', 'paid']);
  });

  test('that answers after two people said that it did not go out is not paid a second time', async () => {
    const id = await approved();
    provider.manner = 'late';
    expect(await send(id, { answerMs: 1 })).toBe('sending');
    await until(() => provider.waiting === 1);
    expect(await agree(await say(id, false))).toBe('done');
    expect(await statusOf(db, 'withdrawal', id)).toBe('approved');
    provider.answer();
    await until(async () => (await statusOf(db, 'withdrawal', id)) === 'sending');
    expect(await payByHand(db, other, id, 'paid by hand')).toBe('PAYOUT_TAKEN');
    expect(await stepsOf(id)).toEqual(['taken', 'not_sent', 'answered']);
    // The office shows the reference that the provider named; two people book it.
    const { rows } = await db.owner.query(
      `select facts ->> 'reference' as reference from request_events where request_id = $1 and step = 'answered'`,
      [id],
    );
    expect(await agree(await say(id, true, rows[0].reference))).toBe('done');
    expect(await statusOf(db, 'withdrawal', id)).toBe('success');
    expect(provider.of(id)).toBe(1);
  });

  test('whose answer can’t be booked keeps the answer', async () => {
    const [paid, id] = [await approved(), await approved()];
    expect(await payByHand(db, cashier, paid, 'used before')).toBe('');
    provider.reference = 'USED-before';
    expect(await send(id)).toBe('sending');
    provider.reference = null;
    const { rows } = await db.owner.query(
      `select facts from request_events where request_id = $1 and step = 'answered'`,
      [id],
    );
    expect(rows[0].facts).toMatchObject({ reference: 'USED-before', refused: 'EVIDENCE_USED' });
    expect(await agree(await say(id, true, 'the right one'))).toBe('done');
  });

  test('that answers when the cashier’s session has ended is kept for two people', async () => {
    const id = await approved();
    const gone = await installStaff(db.owner, 'cashier');
    provider.manner = 'late';
    expect(await send(id, { by: gone, answerMs: 1 })).toBe('sending');
    await until(() => provider.waiting === 1);
    await db.owner.query('delete from staff_sessions where staff_id = $1', [gone]);
    expect(await agree(await say(id, false))).toBe('done');
    provider.answer();
    await until(async () => (await statusOf(db, 'withdrawal', id)) === 'sending');
    expect(await payByHand(db, other, id, 'paid by hand')).toBe('PAYOUT_TAKEN');
    // Asked again under the same key, the provider says the same.
    provider.manner = 'pays';
    expect(await send(id)).toBe('success');
    expect(provider.of(id)).toBe(1);
  });

  test('whose line is cut at any statement is paid once when somebody asks again', async () => {
    const fragile = new FragilePool(db.server);
    const outcomes = new Set<string>();
    for (let statement = 1; ; statement += 1) {
      const before = provider.asked;
      for (const mishap of ['before', 'after'] as const) {
        const id = await approved();
        fragile.plan(statement, mishap);
        outcomes.add(await send(id, { pool: fragile.pool }));
        const standing = await statusOf(db, 'withdrawal', id);
        expect([statement, mishap, provider.of(id) === 0 || standing !== 'approved']).toEqual([
          statement,
          mishap,
          true,
        ]);
        if (standing !== 'success') expect(await send(id, { by: other })).toBe('success');
        expect([statement, mishap, provider.of(id)]).toEqual([statement, mishap, 1]);
        expect((await stepsOf(id)).filter((step) => step === 'paid')).toHaveLength(1);
      }
      await letADayPass(db);
      if (fragile.isPlanned) break;
      expect(provider.asked).toBeGreaterThan(before);
    }
    fragile.calm();
    expect(outcomes).toEqual(new Set(['broken', 'sending', 'success']));
  });
});

describe('a payout by hand', () => {
  test('two cashiers at once: one takes it, and the other can’t pay it', async () => {
    const id = await approved();
    const answers = await Promise.all(
      [cashier, other].map((by) => ask(db, 'withdrawal_send', [by, id, 'hand'])),
    );
    expect(answers.filter((answer) => answer === 'PAYOUT_TAKEN')).toHaveLength(1);
    const [taker, late] = answers[0] === 'PAYOUT_TAKEN' ? [other, cashier] : [cashier, other];
    expect(await ask(db, 'withdrawal_paid', [late, id, `by ${late}`])).toBe('PAYOUT_TAKEN');
    expect(await ask(db, 'withdrawal_paid', [taker, id, `by ${taker}`])).toBe('');
  });

  test('never lapses, and ends without its taker by two others alone', async () => {
    const id = await approved();
    await ask(db, 'withdrawal_send', [other, id, 'hand']);
    await db.owner.query(`alter table request_events disable trigger user`);
    await db.owner.query(`update request_events set at = at - interval '1 year' where request_id = $1`, [id]);
    await db.owner.query(`alter table request_events enable trigger user`);
    expect(await ask(db, 'request_lapses_at', ['withdrawal', id])).toBeNull();
    expect(await say(id, false, null, approver)).toBe('ROLE_MISSING');
    expect(await say(id, true)).toBe('EVIDENCE_UNCLEAR');
    const proposal = await say(id, false);
    expect(await agree(proposal, cashier)).toBe('ROLE_MISSING');
    await db.owner.query(
      `insert into staff_roles (staff_id, role, usable_from) select unnest($1::bigint[]), 'approver', now()`,
      [[cashier, other]],
    );
    // Neither who says it nor who took the payment agrees to it.
    expect(await agree(proposal, cashier)).toBe('OWN_EDIT');
    expect(await agree(proposal, other)).toBe('OWN_EDIT');
    await db.owner.query(
      `delete from staff_roles where staff_id = any ($1::bigint[]) and role = 'approver'`,
      [[cashier, other]],
    );
    expect(await agree(proposal)).toBe('done');
    expect(await statusOf(db, 'withdrawal', id)).toBe('approved');
    expect(await agree(proposal)).toBe('REQUEST_CLOSED');
    expect(await ask(db, 'withdrawal_paid', [other, id, 'too late'])).toBe('PAYOUT_NOT_TAKEN');
    expect(await payByHand(db, cashier, id, 'in the end')).toBe('');
  });

  test('what two people say of one payment does not count for the next', async () => {
    const id = await approved();
    await ask(db, 'withdrawal_send', [cashier, id, 'hand']);
    expect(await agree(await say(id, false))).toBe('done');
    await ask(db, 'withdrawal_send', [cashier, id, 'hand']);
    const stale = await say(id, false);
    expect(await ask(db, 'withdrawal_paid', [cashier, id, 'it went out'])).toBe('');
    expect(await agree(stale)).toBe('REQUEST_CLOSED');
    expect(await say(id, true, 'once more')).toBe('PAYOUT_NOT_TAKEN');
  });

  test('is not taken while a hold lasts that began after the approval', async () => {
    const id = await approved();
    await db.owner.query('update customers set password_changed_at = now() where id = $1', [ann.id]);
    await db.owner.query('update withdrawal_passwords set changed_at = now() where customer_id = $1', [
      ann.id,
    ]);
    expect(await ask(db, 'withdrawal_send', [cashier, id, 'hand'])).toBe('HOLD_LASTS');
    await db.owner.query(
      `update withdrawal_passwords set changed_at = now() - interval '1 year' where customer_id = $1`,
      [ann.id],
    );
    await db.owner.query(
      `update customers set password_changed_at = now() - interval '1 year' where id = $1`,
      [ann.id],
    );
    expect(await payByHand(db, cashier, id, `after the hold of ${id}`)).toBe('');
  });
});
