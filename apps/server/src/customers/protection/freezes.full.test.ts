import { get, PASSWORD, post, type Registered, register } from '@fairtick/kit/clients/api-client.ts';
import { dataOf, errorOf } from '@fairtick/kit/clients/read-answers.ts';
import { ownApi, ownDatabase, ownOffice, ownStaff } from '@fairtick/kit/fixtures/fixtures.ts';
import { StillHouse } from '@fairtick/kit/installation/still-house.ts';
import { ask } from '@fairtick/kit/people/money.ts';
import { Passkey } from '@fairtick/kit/people/passkey.ts';
import { installStaff } from '@fairtick/kit/people/staff.ts';
import { seen } from '@fairtick/kit/waiting/until.ts';
import { expect, test } from 'vitest';

/** Freezes as a customer meets them over the API, and staff in the office; schema/customers/freezes.test.ts has each crossing. */
const db = ownDatabase();
const api = ownOffice(db);
const other = ownApi(db);
const support = ownStaff(db, api, 'support');
const verification = ownStaff(db, api, 'verification');
const approver = ownStaff(db, api, 'approver');

const login = ({ account }: Registered, fields: Record<string, string> = {}, origin = other.origin) =>
  post(origin, 'user/login', { account, password: PASSWORD, ...fields });
const freeze = (what: string, { id }: Registered) =>
  dataOf(
    support.post('restriction/freeze', {
      customerId: id,
      what,
      hours: '24',
      reason: 'security',
      note: 'a stranger has the phone',
    }),
  );
const lift = async (what: string, { id }: Registered) => {
  const fields = { customerId: id, what, reason: 'security', note: 'the customer called' };
  const proposal = await dataOf(verification.post('restriction/propose', fields));
  const decide = (by: typeof approver) =>
    by.post('restriction/decide', { id: proposal.id, verdict: 'agree' });
  expect(await errorOf(decide(verification))).toBe('ROLE_MISSING');
  expect(await dataOf(decide(approver))).toEqual({ status: 'done' });
};

test('a freeze of logins ends every session at every process, and a login says until when, why and whom to ask', async () => {
  const ann = await register(api.origin);
  const passkey = new Passkey();
  const user = (path: string, fields: Record<string, string> = {}) =>
    dataOf(post(api.origin, `user/${path}`, fields, { token: ann.token }));
  const { options } = await user('beginPasskey');
  await user('confirmPasskey', { label: 'key', passkey: passkey.register(options) });
  const sign = async () =>
    passkey.sign(
      (await dataOf(post(other.origin, 'user/passkeyOptions', { account: ann.account, password: PASSWORD })))
        .options,
    );
  const second = (await dataOf(login(ann, { passkey: await sign() }))).token;
  await freeze('login', ann);
  for (const token of [ann.token, second]) {
    for (const { origin } of [api, other]) {
      await seen(async () =>
        expect((await get(origin, 'user/getUserInfo', {}, { token })).body.error).toBe('SESSION_EXPIRED'),
      );
    }
  }
  // Nothing is revealed to callers without password and second factor.
  expect((await login(ann, { password: 'not the one' })).body.error).toBe('LOGIN_FAILED');
  expect((await login(ann)).body.error).toBe('OTP_REQUIRED');
  const { body } = await login(ann, { passkey: await sign() });
  expect(body).toMatchObject({ error: 'LOGIN_FROZEN', data: null });
  expect(body.msg).toMatch(/closed until .* UTC: to protect your account from misuse\..*support/);
  await lift('login', ann);
  expect((await login(ann, { passkey: await sign() })).body.code).toBe(1);
});

test('the app is told what is closed, and staff see who closed it and why', async () => {
  const ann = await register(api.origin);
  const info = () => dataOf(get(api.origin, 'user/getUserInfo', {}, { token: ann.token }));
  expect((await info()).freezes).toEqual([]);
  await freeze('withdrawals', ann);
  await freeze('orders', ann);
  const { freezes } = await info();
  expect(freezes.map(({ what }: { what: string }) => what)).toEqual(['orders', 'withdrawals']);
  expect(freezes[0]).toMatchObject({ reason: 'to protect your account from misuse' });
  await lift('orders', ann);
  expect((await info()).freezes).toMatchObject([{ what: 'withdrawals' }]);
  const history = await dataOf(support.get('restriction/freezes', { customerId: ann.id }));
  expect(history).toMatchObject([
    { what: 'orders', isRunning: false, note: 'the customer called', approvedBy: { id: approver.staffId } },
    { what: 'orders', isRunning: false, approvedBy: null },
    { what: 'withdrawals', isRunning: true, note: 'a stranger has the phone', by: { id: support.staffId } },
  ]);
  expect((await dataOf(support.get('restriction/list', { customerId: ann.id }))).items).toMatchObject([
    { what: 'orders', isLift: true, hold: null, until: null, status: 'done', account: ann.account },
  ]);
});

test('an order that is open when everything is frozen settles', async () => {
  const still = await StillHouse.open();
  try {
    await still.stepBy(750);
    await still.tick('EUR/USD', '1.08400');
    const customer = await still.house.customer();
    const id = await still.buy(customer, { symbol: 'EUR/USD', amount: '10', minutes: 1 });
    const staff = await installStaff(still.house.db.owner, 'support');
    for (const what of ['login', 'orders', 'withdrawals'])
      expect(
        await ask(still.house.db, 'freeze_start', [staff, customer, what, 72, 'review', 'a check']),
      ).toBe('');
    const { opensAtMs, settlesAtMs } = await still.order(id);
    await still.openAt(opensAtMs, 'EUR/USD', '1.08427');
    await still.stepTo(settlesAtMs - 250);
    await still.tick('EUR/USD', '1.08451');
    await still.stepBy(250);
    await still.settle();
    expect((await still.order(id)).result).toBe('profit');
    expect((await still.house.balance(customer)).held).toBe(0n);
  } finally {
    await still.close();
  }
});
