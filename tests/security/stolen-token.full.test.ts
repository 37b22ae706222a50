import { createHash, randomBytes } from 'node:crypto';
import { bodyOf, callOperation, fieldsOf } from '@fairtick/kit/clients/any-operation.ts';
import { get, PASSWORD, post } from '@fairtick/kit/clients/api-client.ts';
import { type ApiPayee, apiPayee, WITHDRAWAL_PASSWORD } from '@fairtick/kit/clients/money-api.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { ownApi, ownDatabase } from '@fairtick/kit/fixtures/fixtures.ts';
import { startApi } from '@fairtick/kit/installation/running-api.ts';
import { LEFT_OUT, PLAIN } from '@fairtick/kit/people/access.ts';
import { photo } from '@fairtick/kit/people/pictures.ts';
import { codeOf } from '@fairtick/kit/people/totp.ts';
import { type EndpointName, endpoints } from '@fairtick/protocol';
import { describe, expect, test } from 'vitest';
import { hashToken } from '../../apps/server/src/customers/identity/passwords.ts';

/**
 * A stolen token must not be enough to take an account: every operation of the customer's contract is called with a
 * token whose proof is older than five minutes and with everything else that a thief can read with it, and no
 * credential, destination or money of the account changes.
 */
const NEED_A_PROOF: readonly EndpointName[] = [
  'beginPasskey',
  'beginTotp',
  'closeAccount',
  'confirmPasskey',
  'confirmTotp',
  'exportData',
  'newRecoveryCodes',
  'objectToClaim',
  'removeBank',
  'removeFactor',
  'resetPayWord',
  'setAddress',
  'setBank',
  'setPayWord',
  'withdrawSubmit',
];
const ALL = Object.keys(endpoints) as EndpointName[];
const db = ownDatabase();
const api = ownApi(db);
const picture = new Uint8Array(await photo());

interface Victim extends ApiPayee {
  readonly cardId: string;
  readonly factor: { readonly id: string; readonly secret: string } | null;
}

async function newVictim(hasFactor: boolean): Promise<Victim> {
  const payee = await apiPayee(api.origin, db, 500_000_000n);
  const user = async (path: string, fields: Record<string, string> = {}) => {
    const { body } = await post(api.origin, `user/${path}`, fields, { token: payee.token });
    expect(body.error).toBeUndefined();
    return body.data;
  };
  const card = { holder: 'a', bank: 'b', branch: 'c', cardNumber: '6222029876543210987' };
  const { id: cardId } = await user('setBank', card);
  if (!hasFactor) return { ...payee, cardId, factor: null };
  const { id, secret } = await user('beginTotp');
  await user('confirmTotp', { id, otp: await codeOf(secret) });
  return { ...payee, cardId, factor: { id, secret } };
}

/** A session of the victim as a thief has it: in use, so fresh for an hour, but proved five minutes ago. */
async function stolenToken(victim: Victim, age = '5 minutes'): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  await db.owner.query(
    `insert into sessions (token_hash, customer_id, fresh_until, proved_at, user_agent)
     values ($1, $2, now() + interval '1 hour', now() - $3::interval, 'thief')`,
    [hashToken(token), victim.id, age],
  );
  return token;
}

/** The account's credentials, its destinations and what left it; an equal text means that no control was lost. */
async function accountOf(victim: Victim): Promise<string> {
  const { rows } = await db.owner.query(
    `select (select row_to_json(c) from (select account, password_hash, closed_at, has_second_factor from customers where id = $1) c) as customer,
       (select json_agg(f order by id) from customer_second_factors f where customer_id = $1) as factors,
       (select json_agg(r order by code_hash) from recovery_codes r where customer_id = $1) as codes,
       (select json_agg(w.version) from withdrawal_passwords w where customer_id = $1) as word,
       (select json_agg(b order by id) from bank_cards b where customer_id = $1) as cards,
       (select json_agg(a order by id) from crypto_addresses a where customer_id = $1) as addresses,
       (select json_agg(w order by id) from withdrawal_requests w where customer_id = $1) as withdrawals,
       (select json_agg(e order by id) from data_exports e where customer_id = $1) as exports`,
    [victim.id],
  );
  return JSON.stringify(rows[0]);
}

/** Number of the victim's other sessions: a token may end them, but never add one. */
async function sessionsOf(victim: Victim): Promise<number> {
  const { rowCount } = await db.owner.query(
    `select from sessions where customer_id = $1 and user_agent <> 'thief'`,
    [victim.id],
  );
  return rowCount ?? 0;
}

/**
 * The best forms that a thief can fill in: what the account's screens show, and invented values, but neither password
 * nor factor.
 */
function formsOf(name: EndpointName, victim: Victim): Record<string, string>[] {
  const known: Record<string, string> = {
    account: victim.account,
    destinationId: victim.destination,
    asset: 'USDT',
    amount: '50',
    payWord: name === 'withdrawSubmit' ? WITHDRAWAL_PASSWORD : '246801',
    confirmPayWord: '246801',
    oldPayWord: WITHDRAWAL_PASSWORD,
    kind: name === 'setBank' ? 'card' : (PLAIN.kind as string),
    password: 'the thief’s own 1',
    confirmPassword: 'the thief’s own 1',
    oldPassword: 'not the password',
  };
  const { pictures = [] } = endpoints[name] as { pictures?: readonly string[] };
  const names = fieldsOf(name).filter((field) => !LEFT_OUT.has(field) && !pictures.includes(field));
  // Only the right fee would pass the check; without the field it is not checked.
  const plain = Object.fromEntries(
    names.filter((field) => field !== 'fee').map((field) => [field, known[field] ?? PLAIN[field] ?? '1']),
  );
  if (!names.includes('id')) return [plain];
  const { id: _optional, ...without } = plain;
  const ids = [victim.cardId, victim.destination, victim.factor?.id ?? '1'];
  return [without, ...ids.map((id) => ({ ...plain, id }))];
}

const call = (name: EndpointName, fields: Record<string, string>, token: string) =>
  callOperation(api.origin, name, fields, { token, picture });

test('exactly the listed operations need a recent proof', () => {
  expect(ALL.filter((name) => endpoints[name].access === 'proved').sort()).toEqual(NEED_A_PROOF);
});

describe.each([
  ['without a second factor', false],
  ['with a second factor', true],
])('a stolen token %s', (_which, hasFactor) => {
  const victim = forFile(() => newVictim(hasFactor));

  test('can’t change the account through any operation', async () => {
    const before = await accountOf(victim);
    const sessions = await sessionsOf(victim);
    for (const name of ALL) {
      for (const form of formsOf(name, victim)) {
        const answer = await call(name, form, await stolenToken(victim));
        if (NEED_A_PROOF.includes(name))
          expect([name, bodyOf(answer).error]).toEqual([name, 'REAUTH_REQUIRED']);
        expect([name, form, await accountOf(victim)]).toEqual([name, form, before]);
        expect([name, (await sessionsOf(victim)) <= sessions]).toEqual([name, true]);
      }
    }
  });

  test('is not asked for a proof within five minutes of the last one, which proves the forms of the other test valid', async () => {
    const changed: EndpointName[] = [];
    // Closing the account comes last.
    const inOrder = NEED_A_PROOF.toSorted(
      (a, b) => Number(a === 'closeAccount') - Number(b === 'closeAccount'),
    );
    for (const name of inOrder) {
      const before = await accountOf(victim);
      for (const form of formsOf(name, victim)) {
        const answer = await call(name, form, await stolenToken(victim, '4 minutes 50 seconds'));
        expect([name, answer.text.includes('REAUTH_REQUIRED')]).toEqual([name, false]);
      }
      if ((await accountOf(victim)) !== before) changed.push(name);
    }
    expect(changed).toEqual(
      expect.arrayContaining([
        'beginTotp',
        'exportData',
        'newRecoveryCodes',
        'removeBank',
        'setAddress',
        'setBank',
      ]),
    );
    expect(changed.includes('removeFactor')).toBe(hasFactor);
  });
});

describe('a proof', () => {
  const renew = (token: string) => post(api.origin, 'user/newRecoveryCodes', {}, { token });

  test('is not renewed by use, only by the password and, where one is on, the second factor', async () => {
    const victim = await newVictim(true);
    const token = await stolenToken(victim);
    for (let use = 0; use < 3; use += 1)
      expect((await get(api.origin, 'user/getUserInfo', {}, { token })).body.code).toBe(1);
    expect((await renew(token)).body).toMatchObject({ code: 0, error: 'REAUTH_REQUIRED' });
    const reauth = (fields: Record<string, string>) => post(api.origin, 'user/reauth', fields, { token });
    expect((await reauth({ password: PASSWORD })).body.error).toBe('OTP_REQUIRED');
    expect((await renew(token)).body.error).toBe('REAUTH_REQUIRED');
    const otp = await codeOf(victim.factor?.secret as string, 1);
    expect((await reauth({ password: PASSWORD, otp })).body.code).toBe(1);
    expect((await renew(token)).body.code).toBe(1);
  });

  test('counts at another process at once', async () => {
    const other = await startApi(db);
    const victim = await newVictim(false);
    const token = await stolenToken(victim);
    expect((await post(other.origin, 'user/newRecoveryCodes', {}, { token })).body.error).toBe(
      'REAUTH_REQUIRED',
    );
    await post(api.origin, 'user/reauth', { password: PASSWORD }, { token });
    expect((await post(other.origin, 'user/newRecoveryCodes', {}, { token })).body.code).toBe(1);
    await other.stop();
  });

  test('is the old password when a new one is set, unless a second factor is on', async () => {
    const change = { oldPassword: PASSWORD, password: 'long enough 1', confirmPassword: 'long enough 1' };
    const set = (token: string) => post(api.origin, 'user/setPassword', change, { token });
    const withFactor = await newVictim(true);
    expect((await set(await stolenToken(withFactor))).body.error).toBe('REAUTH_REQUIRED');
    expect((await set(await stolenToken(withFactor, '1 minute'))).body.code).toBe(1);
    expect((await set(await stolenToken(await newVictim(false)))).body.code).toBe(1);
  });

  test('is also checked by the database when a withdrawal is submitted', async () => {
    const victim = await newVictim(false);
    const token = await stolenToken(victim);
    const { rows } = await db.server.query(
      `select refused from withdrawal_submit($1, $2, $3, 'x', 2::smallint, 50000000, 1)`,
      [hashToken(token), createHash('sha256').update('a key').digest(), victim.destination],
    );
    expect(rows).toEqual([{ refused: 'REAUTH_REQUIRED' }]);
  });
});
