import {
  type Answer,
  get,
  PASSWORD,
  post,
  type Registered,
  register,
} from '@fairtick/kit/clients/api-client.ts';
import { apiPayee, submitDeposit, withdraw } from '@fairtick/kit/clients/money-api.ts';
import { failureIn } from '@fairtick/kit/database/failures.ts';
import { ownApi, ownDatabase } from '@fairtick/kit/fixtures/fixtures.ts';
import { setMode } from '@fairtick/kit/installation/house.ts';
import type { RunningApi } from '@fairtick/kit/installation/running-api.ts';
import { photo } from '@fairtick/kit/people/pictures.ts';
import { beforeEach, describe, expect, test } from 'vitest';

const db = ownDatabase();
const api = ownApi(db);
const other = ownApi(db);
let ann: Registered;
beforeEach(async () => {
  ann = await register(api.origin);
});
const proof = await photo();

const DAY_MS = 86_400_000;
const ask = (path: string, fields: Record<string, string>, origin = api.origin): Promise<Answer> =>
  post(origin, `protection/${path}`, fields, { token: ann.token });
const limit = (kind: string, per: string, amount: string | null, asset = 'USDT') =>
  ask('setLimit', { asset, kind, per, ...(amount === null ? {} : { amount }) });
const state = async () => (await get(api.origin, 'protection/state', {}, { token: ann.token })).body.data;
const deposit = async (amount: string, origin = api.origin) =>
  (await submitDeposit(origin, ann.token, amount, { proof })).body;
/** Lets so many hours pass for what this customer has asked for. */
const later = (hours: number) =>
  db.owner.query(
    `with a as (update customer_limits set later_at = later_at - make_interval(hours => $2) where customer_id = $1),
       b as (update protected_customers set later_at = later_at - make_interval(hours => $2),
         closed_at = closed_at - make_interval(hours => $2), closed_until = closed_until - make_interval(hours => $2)
         where customer_id = $1)
     select`,
    [ann.id, hours],
  );

describe('a customer’s own limit', () => {
  test('a customer’s own limit applies at once, per asset, and shows what is left and until when (S5-10)', async () => {
    expect(await state()).toEqual({ limits: [], pause: null, reminder: { minutes: null, later: null } });
    const { body } = await limit('deposit', 'day', '120.5');
    expect(body.error).toBeUndefined();
    expect(body.data.limits).toEqual([
      {
        asset: 'USDT',
        kind: 'deposit',
        per: 'day',
        amount: '120.500000',
        used: '0.000000',
        left: '120.500000',
        resetsAt: expect.any(Number),
        later: null,
      },
    ]);
    const { resetsAt } = body.data.limits[0];
    expect([resetsAt % DAY_MS, Math.ceil((resetsAt - Date.now()) / DAY_MS)]).toEqual([0, 1]);
    expect((await deposit('100')).error).toBeUndefined();
    expect((await state()).limits[0]).toMatchObject({ used: '100.000000', left: '20.500000' });
    const refused = await deposit('20.500001');
    expect([refused.error, refused.fields]).toEqual(['DEPOSIT_LIMIT', { amount: refused.msg }]);
    expect(refused.msg).toContain('20.5 USDT');
    expect((await deposit('20.5')).error).toBeUndefined();
    // Each asset has its own limits.
    const channels = (await get(api.origin, 'recharge/channels', {}, { token: ann.token })).body.data;
    const usd = channels.find(({ asset }: { asset: string }) => asset === 'USD');
    const { body: dollars } = await submitDeposit(api.origin, ann.token, '5000', {
      proof,
      channelId: usd.id,
    });
    expect(dollars.error).toBeUndefined();
  });

  test('the narrowest of several limits applies, and a deposit that is taken back frees it again', async () => {
    await limit('deposit', 'month', '90');
    await limit('deposit', 'day', '200');
    const first = await deposit('80');
    expect((await deposit('15')).error).toBe('DEPOSIT_LIMIT');
    await post(api.origin, 'recharge/cancel', { id: first.data.id }, { token: ann.token });
    expect((await deposit('15')).error).toBeUndefined();
  });

  test('a lower limit applies at once, and a higher one or a removal a day later', async () => {
    await limit('deposit', 'week', '100');
    const raised = await limit('deposit', 'week', '500');
    const [row] = raised.body.data.limits;
    expect([row.amount, row.later.amount]).toEqual(['100.000000', '500.000000']);
    expect(Math.abs(row.later.at - Date.now() - DAY_MS)).toBeLessThan(60_000);
    expect((await deposit('101')).error).toBe('DEPOSIT_LIMIT');
    // Setting the current amount again cancels the requested increase.
    expect((await limit('deposit', 'week', '100')).body.data.limits[0].later).toBeNull();
    await limit('deposit', 'week', '500');
    await later(23);
    expect((await deposit('101')).error).toBe('DEPOSIT_LIMIT');
    await later(2);
    expect((await state()).limits[0]).toMatchObject({ amount: '500.000000', later: null });
    expect((await deposit('101')).error).toBeUndefined();
    const lowered = await limit('deposit', 'week', '60');
    expect(lowered.body.data.limits[0]).toMatchObject({ amount: '60.000000', left: '0.000000', later: null });
    expect((await deposit('10')).error).toBe('DEPOSIT_LIMIT');
    expect((await limit('deposit', 'week', null)).body.data.limits[0].later.amount).toBeNull();
    expect((await deposit('10')).error).toBe('DEPOSIT_LIMIT');
    await later(25);
    expect((await state()).limits).toEqual([]);
    expect((await deposit('10')).error).toBeUndefined();
  });

  test('concurrent deposits at two processes take no more than the limit leaves', async () => {
    await limit('deposit', 'day', '100');
    const answers = await Promise.all(
      [api, other, api, other, api, other].map(({ origin }) => deposit('40', origin)),
    );
    expect(answers.map(({ error }) => error ?? 'taken').sort()).toEqual([
      ...Array.from({ length: 4 }, () => 'DEPOSIT_LIMIT'),
      'taken',
      'taken',
    ]);
  });

  test('practice money has no limit on deposits, and invalid amounts are refused', async () => {
    expect((await limit('deposit', 'day', '100', 'DEMO')).body.error).toBe('ASSET_NOT_ACCEPTED');
    expect((await limit('stake', 'day', '100', 'DEMO')).body.error).toBeUndefined();
    for (const bad of ['0', '1e3', '0.0000001', '-5'])
      expect([bad, (await limit('stake', 'day', bad)).body.error]).toEqual([bad, 'INVALID_AMOUNT']);
  });

  test('the user info of every session shows the limits', async () => {
    await limit('loss', 'week', '250', 'DEMO');
    const { body } = await get(other.origin, 'user/getUserInfo', {}, { token: ann.token });
    expect(body.data.limits).toEqual([{ asset: 'DEMO', kind: 'loss', per: 'week', amount: '250.000000' }]);
    expect([body.data.pause, body.data.reminderMinutes]).toEqual([null, null]);
  });
});

describe('a break', () => {
  test('begins at once on every process, and nothing ends it early', async () => {
    const { body } = await ask('takeBreak', { hours: '48' });
    expect(body.data.pause.kind).toBe('break');
    expect(Math.abs(body.data.pause.until - Date.now() - 2 * DAY_MS)).toBeLessThan(60_000);
    for (const { origin } of [api, other]) expect((await deposit('50', origin)).error).toBe('ON_BREAK');
    expect((await ask('takeBreak', { hours: '24' })).body.error).toBe('BREAK_LASTS_LONGER');
    expect((await ask('takeBreak', { hours: '72' })).body.error).toBeUndefined();
    await later(71);
    expect((await deposit('50')).error).toBe('ON_BREAK');
    await later(2);
    expect((await deposit('50')).error).toBeUndefined();
    expect((await state()).pause).toBeNull();
  });

  test('a notice reports the break in the reader’s language', async () => {
    await ask('takeBreak', { hours: '24' });
    const { body } = await get(api.origin, 'notice/list', { lang: 'zh' }, { token: ann.token });
    expect(body.data.items[0]).toMatchObject({ kind: 'protection.break', title: '休息期已开始' });
    expect(body.data.items[0].text).toMatch(/\d{4}年.+ UTC 前不能下单或充值/);
  });

  test('lasts from 24 hours to 6 weeks; an exclusion from 6 months to 5 years, or for good', async () => {
    for (const hours of ['23', '1009', '24.5', ''])
      expect([hours, (await ask('takeBreak', { hours })).body.error]).not.toEqual([hours, undefined]);
    for (const months of ['5', '61', 'always'])
      expect([months, (await ask('selfExclude', { months })).body.error]).not.toEqual([months, undefined]);
    for (const [kind, hours, months] of [
      ['break', 23, null],
      ['break', 1009, null],
      ['exclusion', null, 5],
      ['exclusion', null, 61],
      ['other', 24, 6],
    ]) {
      const { rows } = await db.server.query('select break_take($1, $2, $3, $4) as refused', [
        await tokenHash(),
        kind,
        hours,
        months,
      ]);
      expect([kind, hours, months, rows[0].refused]).toEqual([kind, hours, months, 'INVALID_VALUE']);
    }
    expect((await state()).pause).toBeNull();
    expect((await ask('takeBreak', { hours: '1008' })).body.data.pause.kind).toBe('break');
    expect((await ask('selfExclude', { months: '60' })).body.data.pause.kind).toBe('exclusion');
    const forGood = (await ask('selfExclude', { months: 'forever' })).body.data.pause;
    expect([forGood.kind, forGood.until]).toEqual(['exclusion', null]);
    await later(10 * 366 * 24);
    expect((await deposit('50')).error).toBe('SELF_EXCLUDED');
    expect((await ask('selfExclude', { months: 'forever' })).body.error).toBe('BREAK_LASTS_LONGER');
  });

  test('a self-exclusion does not prevent withdrawals', async () => {
    const payee = await apiPayee(api.origin, db, 100_000_000n);
    ann = payee;
    await ask('selfExclude', { months: 'forever' });
    expect((await withdraw(api.origin, payee, '50')).body.error).toBeUndefined();
  });

  test('only the customer begins a break, and the server’s role can’t write or remove one', async () => {
    expect((await post(api.origin, 'protection/takeBreak', { hours: '24' })).body.error).toBe(
      'SESSION_EXPIRED',
    );
    const { rows } = await db.server.query(`select break_take(sha256('x'), 'break', 24, null) as refused`);
    expect(rows[0].refused).toBe('SESSION_EXPIRED');
    await ask('takeBreak', { hours: '24' });
    for (const attempt of [
      'update protected_customers set closed_until = now()',
      'delete from protected_customers',
      'delete from customer_limits',
      `insert into customer_limits values (${ann.id}, 2, 'stake', 'day', 1)`,
      'delete from protection_events',
    ])
      expect([attempt, await refusedWith(attempt)]).toEqual([attempt, '42501']);
    await expect(db.owner.query('update protection_events set at = now()')).rejects.toThrow('stay');
    // A deposit that is inserted without deposit_submit meets the same rule.
    await expect(
      db.owner.query(
        `insert into deposit_requests (customer_id, key_hash, channel_id, channel_version, asset_id, amount, fee, proof_id)
         values ($1, sha256('x'), 1, 1, 2, 10000000, 0, 1)`,
        [ann.id],
      ),
    ).rejects.toMatchObject({ constraint: 'ON_BREAK' });
  });
});

describe('a reminder', () => {
  test('a shorter interval applies at once, and a longer one a day later', async () => {
    const reminder = async (minutes: string) => (await ask('setReminder', { minutes })).body.data.reminder;
    expect(await reminder('60')).toEqual({ minutes: 60, later: null });
    expect(await reminder('30')).toEqual({ minutes: 30, later: null });
    expect(await reminder('0')).toMatchObject({ minutes: 30, later: { minutes: null } });
    expect(
      (await get(api.origin, 'user/getUserInfo', {}, { token: ann.token })).body.data.reminderMinutes,
    ).toBe(30);
    await later(25);
    expect((await state()).reminder).toEqual({ minutes: null, later: null });
    for (const bad of ['14', '241', '-1'])
      expect([bad, (await ask('setReminder', { minutes: bad })).body.error]).toEqual([bad, 'INVALID_VALUE']);
  });
});

describe('opening an account in live mode', () => {
  const form = { password: PASSWORD, confirmPassword: PASSWORD };
  const live = ownApi(db, { mode: 'live' });

  test('an account in live mode needs an accepted risk and a country that is not restricted; demo mode only warns (S1-25)', async () => {
    const signUp = async (account: string, fields: Record<string, string>, { origin }: RunningApi = live) =>
      (await post(origin, 'user/register', { ...form, account, ...fields })).body;
    expect((await signUp('live_one', { acceptRisk: 'true' })).fields).toHaveProperty('country');
    expect((await signUp('live_one', { country: 'CH' })).fields).toHaveProperty('acceptRisk');
    for (const country of ['US', 'CA', 'GB', 'DE', 'NO', 'IL', 'AU', 'JP', 'CN', 'HK']) {
      const { error } = await signUp('live_one', { country, acceptRisk: 'true' });
      expect([country, error]).toEqual([country, 'REGION_RESTRICTED']);
    }
    expect((await signUp('live_one', { country: 'CH', acceptRisk: 'true' })).error).toBeUndefined();
    expect((await signUp('demo_one', { country: 'US' }, api)).error).toBeUndefined();
  });

  test('the database enforces country and accepted risk', async () => {
    await setMode(db.owner, 'live');
    try {
      const account = (country: string, risk: string) =>
        refusedWith(
          `insert into customers (account, nickname, password_hash, country, risk_accepted_at) values ('by_hand1', 'x', 'x', ${country}, ${risk})`,
        );
      expect(await account('null', 'now()')).toBe('LIVE_CONDITIONS');
      expect(await account(`'CH'`, 'null')).toBe('LIVE_CONDITIONS');
      expect(await account(`'CH'`, 'now()')).toBeNull();
    } finally {
      await setMode(db.owner, 'demo');
    }
  });
});

async function tokenHash(): Promise<Buffer> {
  const { rows } = await db.owner.query('select token_hash from sessions where customer_id = $1', [ann.id]);
  return rows[0].token_hash;
}

/** The SQLSTATE that the server's role is refused with; null when it is allowed. */
const refusedWith = (statement: string) => failureIn(db.server.query(statement));
