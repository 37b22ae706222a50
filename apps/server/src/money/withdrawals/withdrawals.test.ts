import { get, post, register } from '@fairtick/kit/clients/api-client.ts';
import { type ApiPayee, apiPayee, WITHDRAWAL_PASSWORD, withdraw } from '@fairtick/kit/clients/money-api.ts';
import { auditedDatabase, ownApi } from '@fairtick/kit/fixtures/fixtures.ts';
import type { RunningApi } from '@fairtick/kit/installation/running-api.ts';
import {
  approveRequest,
  ask,
  contentOf,
  credit,
  moneyOf,
  payByHand,
  takeDepositsAt,
  usdt,
} from '@fairtick/kit/people/money.ts';
import { installStaff } from '@fairtick/kit/people/staff.ts';
import { fullTest, sized } from '@fairtick/kit/size.ts';
import { beforeAll, describe, expect, test } from 'vitest';

let origin: string;
/** Withdrawals as a customer sees them, with two API processes. */
const db = auditedDatabase();
const apis = [ownApi(db), ownApi(db)] as const;
beforeAll(async () => {
  origin = apis[0].origin;
});

const at = (place: number) => (apis[place % 2] as RunningApi).origin;
const refusals = (answers: readonly { body: { error?: string } }[]) =>
  Object.groupBy(answers, ({ body }) => body.error ?? 'taken');

async function pay(id: string): Promise<void> {
  const cashier = await installStaff(db.owner, 'cashier');
  const approver = await installStaff(db.owner, 'approver');
  await ask(db, 'withdrawal_propose', [cashier, id, '']);
  await approveRequest(db, 'withdrawal', [approver, id, await contentOf(db, 'withdrawal', id)]);
  expect(await payByHand(db, cashier, id, `reference ${id}`)).toBe('');
}

async function requestsOf(payee: ApiPayee, fields: Record<string, string | number> = {}) {
  return (await get(origin, 'withdraw/list', fields, { token: payee.token })).body.data;
}

describe('requirements of a withdrawal', () => {
  test('the options of a withdrawal name what the customer still has to set up (S3-39, S3-40, S3-41, S5-12, S5-13, S5-14, S7-25)', async () => {
    const { token, id } = await register(origin);
    const missing = async () =>
      (await get(origin, 'withdraw/options', {}, { token })).body.data.missing as string[];
    expect(await missing()).toEqual(['payWord', 'bank', 'address', 'realName']);
    await post(origin, 'user/setPayWord', { payWord: WITHDRAWAL_PASSWORD }, { token });
    expect(await missing()).toEqual(['bank', 'address', 'realName']);
    const card = { holder: 'Ann', bank: 'A bank', branch: 'B', cardNumber: '4111111111111111' };
    await post(origin, 'user/setBank', card, { token });
    await db.owner.query(`update customers set real_status = 'verified' where id = $1`, [id]);
    expect(await missing()).toEqual(['address']);
    await post(origin, 'user/setAddress', { USDT: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8' }, { token });
    const { body } = await get(origin, 'withdraw/options', {}, { token });
    expect(body.data).toMatchObject({ missing: [], reviewHours: 24, holdSeconds: 60 });
    expect(body.data.destinations).toEqual([
      {
        id: expect.any(String),
        kind: 'bank',
        asset: 'USD',
        label: 'A bank •••• 1111',
        facts: [
          { name: 'holder', value: 'Ann' },
          { name: 'bank', value: 'A bank' },
          { name: 'branch', value: 'B' },
          { name: 'number', value: '•••• 1111' },
        ],
        usableAt: expect.any(Number),
        lastPayout: null,
      },
      {
        id: expect.any(String),
        kind: 'address',
        asset: 'USDT',
        label: 'TRC20 TJRabP…RTv8',
        facts: [
          { name: 'network', value: 'TRC20' },
          { name: 'address', value: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8' },
        ],
        usableAt: expect.any(Number),
        lastPayout: null,
      },
    ]);
    // Both are new: they can be used an hour from now, and not yet.
    for (const { usableAt } of body.data.destinations) {
      expect(usableAt).toBeGreaterThan(Date.now());
      expect(usableAt).toBeLessThan(Date.now() + 3_600_000);
    }
    expect(body.data.assets).toContainEqual({
      asset: 'USDT',
      available: '0.000000',
      min: '10.000000',
      max: '50000.000000',
      fee: '1.000000',
    });
    expect(body.data.assets.map(({ asset }: { asset: string }) => asset)).toEqual([
      'USDT',
      'USD',
      'BTC',
      'ETH',
    ]);
  });

  test('a destination says what differs from the last payout of its asset, also where the ends of a number agree', async () => {
    const ann = await apiPayee(origin, db, usdt(200));
    const { token } = ann;
    const ofUsdt = async () => {
      const { destinations } = (await get(origin, 'withdraw/options', {}, { token })).body.data;
      return destinations.find(({ asset }: { asset: string }) => asset === 'USDT');
    };
    expect((await ofUsdt()).lastPayout).toBeNull();
    const { id } = (await withdraw(origin, ann, '50')).body.data;
    // Under review is not paid.
    expect((await ofUsdt()).lastPayout).toBeNull();
    await pay(id);
    const same = { paidAt: expect.any(Number), label: 'TRC20 TJRabP…RTv8', changed: [] };
    expect((await ofUsdt()).lastPayout).toEqual(same);
    const other = '0x52908400098527886E0F7030069857D2E4169EE7';
    expect((await post(origin, 'user/setAddress', { USDT: other }, { token })).body.error).toBeUndefined();
    expect(await ofUsdt()).toMatchObject({
      facts: [
        { name: 'network', value: 'ERC20' },
        { name: 'address', value: other },
      ],
      lastPayout: { ...same, changed: ['network', 'address'] },
    });
  });

  test('a bound address at which the house takes deposits since then receives no withdrawal', async () => {
    const ann = await apiPayee(origin, db, usdt(200));
    const bound = '0x3333333333333333333333333333333333333333';
    await post(origin, 'user/setAddress', { USDT: bound }, { token: ann.token });
    await takeDepositsAt(db, bound);
    const { destinations } = (await get(origin, 'withdraw/options', {}, { token: ann.token })).body.data;
    const { body } = await withdraw(origin, ann, '50', { destinationId: destinations[0].id });
    expect(body).toMatchObject({
      error: 'ADDRESS_OF_HOUSE',
      fields: { destinationId: expect.stringContaining('our own deposit addresses') },
    });
    expect(await moneyOf(db, ann.id)).toEqual({ available: 200, held: 0 });
  });

  test('a withdrawal without a withdrawal password says that none is set; a wrong one is refused, and five lock it (S5-12, S5-16)', async () => {
    const ann = await apiPayee(origin, db, usdt(100));
    const wrong = () => withdraw(origin, ann, '50', { payWord: '000000' });
    for (let tries = 0; tries < 4; tries += 1) expect((await wrong()).body.error).toBe('PAY_WORD_WRONG');
    expect((await wrong()).body.error).toBe('PAY_WORD_LOCKED');
    expect((await withdraw(origin, ann, '50')).body.error).toBe('PAY_WORD_LOCKED');
    await db.owner.query('delete from withdrawal_passwords where customer_id = $1', [ann.id]);
    const { body } = await withdraw(origin, ann, '50');
    expect(body).toMatchObject({
      error: 'PAY_WORD_NOT_SET',
      msg: 'Withdrawal password is not set, go to set it now?',
    });
    expect(await moneyOf(db, ann.id)).toEqual({ available: 100, held: 0 });
  });

  test.each(['0', '-5', '1e3', '+50', ' 50', '50.', '050', '50.0000001', 'NaN', '５０'])(
    'the amount %s is refused (S5-15)',
    async (amount) => {
      const ann = await apiPayee(origin, db, usdt(100));
      const { body } = await withdraw(origin, ann, amount);
      expect([body.error, Object.keys(body.fields ?? {})]).toEqual(['INVALID_AMOUNT', ['amount']]);
    },
  );
});

describe('a withdrawal', () => {
  test('a withdrawal is charged the fee that its customer saw, or is refused with the current fee', async () => {
    const ann = await apiPayee(origin, db, usdt(100));
    const submit = (fee: string) =>
      post(
        origin,
        'withdraw/submit',
        { destinationId: ann.destination, asset: 'USDT', amount: '20', payWord: WITHDRAWAL_PASSWORD, fee },
        { token: ann.token },
      );
    const other = (await submit('0.5')).body;
    expect([other.error, other.msg]).toEqual([
      'TERMS_CHANGED',
      'The fee has changed to 1 USDT. Please check and submit again',
    ]);
    expect((await submit('0.0000001')).body.error).toBe('INVALID_AMOUNT');
    expect((await submit('1.0')).body.data).toMatchObject({ fee: '1.000000', arrives: '19.000000' });
  });

  test('a withdrawal holds the money, goes through review, and shows in list, detail and fund log (S1-07, S4-11, S7-25)', async () => {
    const ann = await apiPayee(origin, db, usdt(100));
    const { body } = await withdraw(origin, ann, '60');
    expect(body.data).toEqual({
      id: expect.any(String),
      asset: 'USDT',
      amount: '60.000000',
      fee: '1.000000',
      arrives: '59.000000',
      destination: { kind: 'address', label: 'TRC20 TJRabP…RTv8' },
      stage: 'submitted',
      payableAt: expect.any(Number),
      waitsForClaim: false,
      payout: null,
      reference: null,
      status: 'review',
      submittedAt: expect.any(Number),
      decidedAt: null,
      ending: null,
      reason: null,
      canCancel: true,
      lapsesAt: expect.any(Number),
    });
    // Two weeks, and what the request itself took.
    expect(Math.floor((body.data.lapsesAt - body.data.submittedAt) / 60_000)).toBe(14 * 24 * 60);
    const { id } = body.data;
    const info = await get(origin, 'user/getUserInfo', {}, { token: ann.token });
    expect(info.body.data.balances.find(({ asset }: { asset: string }) => asset === 'USDT')).toMatchObject({
      available: '40.000000',
      held: '60.000000',
    });
    const log = async (filter: Record<string, string> = {}) =>
      (await get(origin, 'fund/log', { asset: 'USDT', ...filter }, { token: ann.token })).body.data.items;
    expect(await log({ result: 'review' })).toMatchObject([
      { type: 'withdrawal', amount: '-60.000000', balance: '40.000000', ref: `withdrawal:${id}` },
    ]);
    await pay(id);
    expect(await log({ result: 'review' })).toEqual([]);
    expect(await log({ type: 'withdrawal' })).toMatchObject([
      { result: 'success', amount: '-60.000000', balance: '40.000000', ref: `withdrawal:${id}` },
    ]);
    const detail = await get(at(1), 'withdraw/detail', { id }, { token: ann.token });
    expect(detail.body.data).toMatchObject({
      status: 'success',
      stage: 'ended',
      reference: `reference ${id}`,
      canCancel: false,
      history: [
        { step: 'submitted', by: 'customer' },
        { step: 'proposed', by: 'staff' },
        { step: 'approved', by: 'staff' },
        { step: 'taken', by: 'staff' },
        { step: 'paid', by: 'staff' },
      ],
    });
  });

  test('a withdrawal that is taken back or fails returns the money in a line of its own, with the reason (S4-18, S4-20, S7-25)', async () => {
    const ann = await apiPayee(origin, db, usdt(100));
    const cancelled = (await withdraw(origin, ann, '60')).body.data.id;
    const cancel = () => post(at(1), 'withdraw/cancel', { id: cancelled }, { token: ann.token });
    const ended = { status: 'ignored', ending: 'cancelled', reason: 'Cancelled by you' };
    for (const _twice of [1, 2]) expect((await cancel()).body.data).toMatchObject(ended);
    const failed = (await withdraw(origin, ann, '70')).body.data.id;
    const cashier = await installStaff(db.owner, 'cashier');
    await ask(db, 'withdrawal_refuse', [cashier, failed, 'other', 'The bank is closed']);
    const detail = await get(origin, 'withdraw/detail', { id: failed, lang: 'en' }, { token: ann.token });
    expect(detail.body.data).toMatchObject({ status: 'failure', ending: null, reason: 'The bank is closed' });
    const { items } = (await get(origin, 'fund/log', { type: 'withdrawal' }, { token: ann.token })).body.data;
    expect(
      items.map(
        (line: Record<string, string>) => `${line.ending ?? line.result} ${line.amount} = ${line.balance}`,
      ),
    ).toEqual([
      'failure 70.000000 = 100.000000',
      'failure -70.000000 = 30.000000',
      'cancelled 60.000000 = 100.000000',
      'cancelled -60.000000 = 40.000000',
    ]);
    expect((await post(origin, 'withdraw/cancel', { id: failed }, { token: ann.token })).body.error).toBe(
      'REQUEST_DECIDED',
    );
  });

  test('the list of withdrawals filters, and its pages keep their place while requests are added (S2-74, S2-76, S7-25)', async () => {
    const ann = await apiPayee(origin, db, usdt(100));
    const ids: string[] = [];
    for (const amount of ['10', '11', '12', '13', '14'])
      ids.unshift((await withdraw(origin, ann, amount)).body.data.id);
    await post(origin, 'withdraw/cancel', { id: ids[1] as string }, { token: ann.token });
    const idsOf = (page: { items: { id: string }[] }) => page.items.map(({ id }) => id);
    const first = await requestsOf(ann, { limit: 2 });
    expect(idsOf(first)).toEqual(ids.slice(0, 2));
    await withdraw(origin, ann, '15');
    const second = await requestsOf(ann, { limit: 2, cursor: first.nextCursor });
    expect(idsOf(second)).toEqual(ids.slice(2, 4));
    const third = await requestsOf(ann, { limit: 2, cursor: second.nextCursor });
    expect([idsOf(third), third.nextCursor]).toEqual([ids.slice(4), null]);
    expect(idsOf(await requestsOf(ann, { status: 'ignored' }))).toEqual([ids[1]]);
    expect(idsOf(await requestsOf(ann, { status: 'review' }))).toHaveLength(5);
    expect(idsOf(await requestsOf(ann, { status: 'success' }))).toEqual([]);
  });
});

describe('no double spend (promise 5)', () => {
  fullTest('one of 100 concurrent withdrawals of the whole balance, at two processes, succeeds', async () => {
    for (let round = 0; round < sized(1, 3); round += 1) {
      const ann = await apiPayee(origin, db, usdt(77));
      const answers = await Promise.all(
        Array.from({ length: 100 }, (_, place) => withdraw(at(place), ann, '77')),
      );
      const { taken = [], INSUFFICIENT_BALANCE = [], ...others } = refusals(answers);
      expect(Object.keys(others)).toEqual([]);
      expect([taken.length, INSUFFICIENT_BALANCE.length]).toEqual([1, 99]);
      expect(await moneyOf(db, ann.id)).toEqual({ available: 0, held: 77 });
    }
  });
});

describe('a repeated key (promise 7)', () => {
  fullTest('50 concurrent requests at two processes make one withdrawal and get one answer', async () => {
    const ann = await apiPayee(origin, db, usdt(100));
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, place) => withdraw(at(place), ann, '20', { key: 'the-same' })),
    );
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(answers[0]?.body.data.status).toBe('review');
    expect((await requestsOf(ann)).items).toHaveLength(1);
    expect(await moneyOf(db, ann.id)).toEqual({ available: 80, held: 20 });
    const { id } = answers[0]?.body.data ?? {};
    await post(origin, 'withdraw/cancel', { id }, { token: ann.token });
    // The repeated key gets the request's current state.
    expect((await withdraw(origin, ann, '20', { key: 'the-same' })).body.data).toMatchObject({
      id,
      status: 'ignored',
    });
  });

  test('a key with other fields is refused, and a refused request does not use up its key', async () => {
    const ann = await apiPayee(origin, db, usdt(100));
    expect((await withdraw(origin, ann, '200', { key: 'k' })).body.error).toBe('INSUFFICIENT_BALANCE');
    await credit(db, ann.id, usdt(200));
    expect((await withdraw(origin, ann, '200', { key: 'k' })).body.data.status).toBe('review');
    for (const [amount, changes] of [
      ['100', {}],
      ['200.0', {}],
      ['200', { destinationId: '1' }],
    ] as const) {
      const { body } = await withdraw(at(1), ann, amount, { key: 'k', ...changes });
      expect([amount, changes, body.error]).toEqual([amount, changes, 'IDEMPOTENCY_MISMATCH']);
    }
    const other = await post(origin, 'fund/resetDemo', {}, { token: ann.token, key: 'k' });
    expect(other.body.error).toBe('IDEMPOTENCY_MISMATCH');
    expect(await moneyOf(db, ann.id)).toEqual({ available: 100, held: 200 });
  });

  test('a known key reveals no more about the withdrawal password than a new key: each guess takes a try, and five lock it', async () => {
    const ann = await apiPayee(origin, db, usdt(100));
    const first = (await withdraw(origin, ann, '20', { key: 'mine' })).body.data;
    const told = async (payWord: string, place = 0, amount = '20') => {
      const { body } = await withdraw(at(place), ann, amount, { key: 'mine', payWord });
      return body.error ?? body.data.id;
    };
    expect(await told('111111')).toBe('PAY_WORD_WRONG');
    expect(await told('222222', 1)).toBe('PAY_WORD_WRONG');
    // Other fields beside a wrong password change nothing: the password is checked first.
    expect(await told('333333', 0, '21')).toBe('PAY_WORD_WRONG');
    expect(await told('444444', 1, '22')).toBe('PAY_WORD_WRONG');
    // An invalid amount is refused as such with any password, right or wrong, and takes no try.
    for (const word of ['444444', WITHDRAWAL_PASSWORD])
      expect(await told(word, 1, '20.0000001')).toBe('INVALID_AMOUNT');
    // The right password gets the existing request and restores the tries.
    expect(await told(WITHDRAWAL_PASSWORD)).toBe(first.id);
    for (const guess of ['111111', '222222', '333333', '444444'])
      expect(await told(guess)).toBe('PAY_WORD_WRONG');
    expect(await told('555555')).toBe('PAY_WORD_LOCKED');
    expect(await told(WITHDRAWAL_PASSWORD, 1)).toBe('PAY_WORD_LOCKED');
    expect((await requestsOf(ann)).items).toHaveLength(1);
    expect(await moneyOf(db, ann.id)).toEqual({ available: 80, held: 20 });
  });

  test('a key’s record does not depend on the withdrawal password: the same request after a change gets the same answer', async () => {
    const ann = await apiPayee(origin, db, usdt(100));
    const first = (await withdraw(origin, ann, '20', { key: 'mine' })).body.data;
    const changed = await post(
      origin,
      'user/setPayWord',
      { payWord: '246810', oldPayWord: WITHDRAWAL_PASSWORD },
      { token: ann.token },
    );
    expect(changed.body.code).toBe(1);
    const again = await withdraw(origin, ann, '20', { key: 'mine', payWord: '246810' });
    expect(again.body.data).toMatchObject({ id: first.id });
    expect((await withdraw(origin, ann, '20', { key: 'mine' })).body.error).toBe('PAY_WORD_WRONG');
  });
});
