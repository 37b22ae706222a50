import { PASSWORD, post, type Registered } from '@fairtick/kit/clients/api-client.ts';
import { dataOf } from '@fairtick/kit/clients/read-answers.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { ownApi, ownDatabase, ownOffice } from '@fairtick/kit/fixtures/fixtures.ts';
import { Claimants } from '@fairtick/kit/people/claimants.ts';
import type { Passkey } from '@fairtick/kit/people/passkey.ts';
import { codeOf } from '@fairtick/kit/people/totp.ts';
import { sample } from '@fairtick/kit/size.ts';
import { expect, test } from 'vitest';

/**
 * A thief has the owner's password and one more of what opened the account. The owner changes the password, renews the code sheet,
 * and removes or renews authenticator app and passkey, in any order. Whoever has what stood before can open a claim, and no more.
 */
const db = ownDatabase();
const api = ownOffice(db);
const other = ownApi(db);
const people = forFile(() => new Claimants(db, api.origin, other.origin));

const NEW = 'the owner’s own 1';
const ADDRESS = { USDT: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8' };
const CHANGES = [
  ['password changed'],
  ['sheet renewed'],
  ['app removed', 'app renewed'],
  ['passkey removed', 'passkey renewed'],
] as const;
type Change = (typeof CHANGES)[number][number];
const STOLEN = ['sheet', 'app', 'passkey'] as const;

/** Every order of every selection of the changes, with one form of each; not the empty one. */
function orders(from: readonly (readonly Change[])[]): Change[][] {
  return from.flatMap((forms) => {
    const rest = orders(from.filter((one) => one !== forms));
    return forms.flatMap((form) => [[form], ...rest.map((others) => [form, ...others])]);
  });
}

/** An old account with a password, a code sheet, an authenticator app and a passkey, and what its owner has of them now. */
async function newOwner() {
  const { who, factor } = await people.newOwner();
  const key = await people.addPasskey(who.token);
  await people.age(who);
  await dataOf(people.user(who.token, 'setAddress', ADDRESS));
  const former = { sheet: who.recoveryCodes[0] as string, app: factor, passkey: key };
  return { who, former, now: { password: PASSWORD, ...former } };
}
type Owner = Awaited<ReturnType<typeof newOwner>>;

/** Makes a change with the owner's proved session, and keeps in `now` what replaces it. */
async function make({ who: { token }, former, now }: Owner, change: Change): Promise<void> {
  const remove = (id: string) => dataOf(people.user(token, 'removeFactor', { id }));
  switch (change) {
    case 'password changed':
      await dataOf(
        people.user(token, 'setPassword', { oldPassword: PASSWORD, password: NEW, confirmPassword: NEW }),
      );
      now.password = NEW;
      return;
    case 'sheet renewed':
      now.sheet = (await dataOf(people.user(token, 'newRecoveryCodes'))).recoveryCodes[0];
      return;
    case 'app removed':
      return remove(former.app.id);
    case 'app renewed':
      await remove(former.app.id);
      now.app = await people.addFactor(token);
      return;
    case 'passkey removed':
      return remove(former.passkey.id);
    case 'passkey renewed':
      await remove(former.passkey.id);
      now.passkey = await people.addPasskey(token);
  }
}

async function proofOf(who: Registered, { former }: Owner, stolen: (typeof STOLEN)[number]) {
  if (stolen === 'sheet') return { otp: former.sheet };
  if (stolen === 'app') return { otp: await codeOf(former.app.secret, 1) };
  const passkey = await people.signClaim(who, former.passkey.passkey);
  expect(passkey).not.toBeNull();
  return { passkey: passkey as string };
}

/** Signs a login with a passkey. @returns the passkey's answer */
async function signLogin({ account }: Registered, password: string, passkey: Passkey): Promise<string> {
  const form = { account, password };
  return passkey.sign((await dataOf(post(other.origin, 'user/passkeyOptions', form))).options);
}

/** Changes, a claim with what was stolen, and what each side can do afterwards. */
async function play(order: readonly Change[], stolen: (typeof STOLEN)[number]): Promise<void> {
  const of = { order, stolen };
  const owner = await newOwner();
  const { who, former, now } = owner;
  for (const change of order) await make(owner, change);
  await people.waitHolds(who);
  const before = await people.keysOf(who);
  expect({ of, held: await people.isHeld(who) }).toEqual({ of, held: false });
  const proof = await proofOf(who, owner, stolen);
  expect({ of, ...(await people.takeBack(who, proof)).body }).toMatchObject({ of, code: 1 });
  const after = await people.keysOf(who);
  expect({ of, ...after }).toEqual({ of, ...before });
  expect({ of, status: await people.statusOf(who.token) }).toEqual({ of, status: 200 });
  expect({ of, held: await people.isHeld(who) }).toEqual({ of, held: true });
  // Former credentials serve once.
  expect({ of, ...(await people.takeBack(who, { otp: former.sheet })).body }).toMatchObject({
    of,
    error: 'TAKE_BACK_FAILED',
  });
  const has = (thing: 'app' | 'passkey') => !order.includes(`${thing} removed`);
  const isNew = (thing: Change) => order.includes(thing);
  const ways: Record<string, string>[] = [
    ...(isNew('sheet renewed') ? [{ otp: now.sheet }] : []),
    ...(isNew('app renewed') ? [{ otp: await codeOf(now.app.secret, 1) }] : []),
    ...(has('passkey') ? [{ passkey: await signLogin(who, now.password, now.passkey.passkey) }] : []),
  ];
  for (const way of ways)
    expect({
      of,
      way,
      ...(await people.login(who, { password: now.password, ...way })).body,
    }).toMatchObject({ of, way, code: 1 });
  if (isNew('password changed'))
    expect({ of, ...(await people.login(who, { password: PASSWORD })).body }).toMatchObject({
      of,
      error: 'LOGIN_FAILED',
    });
}

test('a claim with what stood before changes no credential, ends no session and holds withdrawals, and the owner’s ways in still work', async () => {
  const all = orders(CHANGES);
  expect(all).toHaveLength(200);
  const cases = all.flatMap((order) => STOLEN.map((stolen) => ({ order, stolen })));
  const left = sample(cases, 11);
  const lane = async () => {
    for (let next = left.pop(); next; next = left.pop()) await play(next.order, next.stolen);
  };
  await Promise.all([lane(), lane(), lane()]);
}, 900_000);
