import { get, post, type Registered, register } from '@fairtick/kit/clients/api-client.ts';
import { submitDeposit } from '@fairtick/kit/clients/money-api.ts';
import { StreamClient } from '@fairtick/kit/clients/stream-client.ts';
import { auditedDatabase, ownApi } from '@fairtick/kit/fixtures/fixtures.ts';
import type { RunningApi } from '@fairtick/kit/installation/running-api.ts';
import { ask, usdt } from '@fairtick/kit/people/money.ts';
import { photo } from '@fairtick/kit/people/pictures.ts';
import { installStaff } from '@fairtick/kit/people/staff.ts';
import { fullTest } from '@fairtick/kit/size.ts';
import type { DepositChannel } from '@fairtick/protocol';
import { readAddress } from '@fairtick/protocol/addresses';
import { beforeAll, describe, expect, test } from 'vitest';
import { DEMO_MARK } from './channels.ts';

let origin: string;
let cashier: string;
/** Deposits as a customer sees them, with two API processes. */
const db = auditedDatabase();
const apis = [ownApi(db), ownApi(db)] as const;
beforeAll(async () => {
  origin = apis[0].origin;
  cashier = await installStaff(db.owner, 'cashier');
});

const at = (place: number) => (apis[place % 2] as RunningApi).origin;
const find = (id: string, amount: bigint) => ask(db, 'deposit_find', [cashier, id, amount, `tx of ${id}`]);
const list = async ({ token }: Registered, fields: Record<string, string> = {}) =>
  (await get(origin, 'recharge/list', fields, { token })).body.data.items;
const fundLog = async ({ token }: Registered, fields: Record<string, string> = {}) =>
  (await get(origin, 'fund/log', { asset: 'USDT', ...fields }, { token })).body.data.items;

describe('channels', () => {
  test('deposit channels show where to pay, bounds and presets; a bank transfer’s reference names the customer (S3-44, S3-46, S7-24, S9-07)', async () => {
    const { token } = await register(origin);
    const { body } = await get(origin, 'recharge/channels', {}, { token });
    const channels = body.data as DepositChannel[];
    expect(channels.map(({ asset, network }) => `${asset} ${network}`)).toEqual([
      'USDT TRC20',
      'USDT ERC20',
      'USD bank',
      'BTC Bitcoin',
      'ETH Ethereum',
    ]);
    expect(channels[0]).toMatchObject({
      id: '1',
      min: '10.000000',
      max: '50000.000000',
      presets: ['100.000000', '500.000000', '1000.000000', '5000.000000'],
      fee: '0.000000',
      bank: null,
      isDemo: true,
    });
    expect(channels[2]).toMatchObject({
      address: null,
      qr: null,
      bank: { reference: expect.stringMatching(/^RF\d{10}$/) },
    });
  });

  test('a demo’s channels can’t receive money: their addresses fail the checksum, with the demo mark and without', async () => {
    const { token } = await register(origin);
    const { body } = await get(origin, 'recharge/channels', {}, { token });
    for (const { asset, address, bank, qr, isDemo } of body.data) {
      expect(isDemo).toBe(true);
      const text: string = address ?? bank.accountNumber;
      expect(text.startsWith(DEMO_MARK)).toBe(true);
      if (address === null) {
        expect(text).toMatch(/^DEMO-[0-]+$/);
        continue;
      }
      expect(qr).toBe(address);
      for (const candidate of [text, text.slice(DEMO_MARK.length)]) {
        for (const other of ['USDT', 'BTC', 'ETH'] as const)
          expect([asset, candidate, readAddress(other, candidate)]).toHaveProperty('2.fault');
      }
    }
  });
});

describe('a deposit', () => {
  test('a deposit with a photograph is under review and credits nothing by itself (S3-45, S3-47, S4-19, S7-24)', async () => {
    const ann = await register(origin);
    const { body } = await submitDeposit(origin, ann.token, '120.5');
    expect(body.data).toEqual({
      id: expect.any(String),
      channelId: '1',
      asset: 'USDT',
      network: 'TRC20',
      amount: '120.500000',
      fee: '0.000000',
      found: null,
      credited: null,
      txid: null,
      reference: null,
      status: 'review',
      submittedAt: expect.any(Number),
      decidedAt: null,
      ending: null,
      reason: null,
      canCancel: true,
      lapsesAt: expect.any(Number),
    });
    const { id } = body.data;
    expect(await fundLog(ann)).toEqual([
      {
        id: expect.any(String),
        time: body.data.submittedAt,
        type: 'deposit',
        result: 'review',
        ending: null,
        asset: 'USDT',
        amount: '120.500000',
        balance: null,
        ref: `deposit:${id}`,
        order: null,
      },
    ]);
    const proof = await fetch(`${origin}/api/recharge/proof?id=${id}`, { headers: { token: ann.token } });
    expect(proof.headers.get('content-type')).toBe('image/jpeg');
    await find(id, usdt(100));
    // A cashier's finding is not shown to the customer before the decision.
    expect((await list(ann))[0]).toMatchObject({ status: 'review', found: null });
  });

  test('a found deposit sends the new balance and a notice within a second, on every process (S1-07, S4-10, S4-17)', async () => {
    const ann = await register(origin);
    const readers = await Promise.all(apis.map((api) => StreamClient.open(api.origin, ann.token)));
    for (const reader of readers) {
      expect(await reader.sub('notices')).toEqual([]);
      await reader.sub('funds');
    }
    const { id } = (await submitDeposit(origin, ann.token, '250')).body.data;
    expect(await find(id, usdt(250))).toBe('success');
    for (const reader of readers) {
      const funds = await reader.next(({ topic, type }) => topic === 'funds' && type === 'change');
      expect(funds.data.find(({ asset }: { asset: string }) => asset === 'USDT').available).toBe(
        '250.000000',
      );
      const told = await reader.next(({ topic, type }) => topic === 'notices' && type === 'change');
      expect(told.data).toMatchObject({
        kind: 'deposit.success',
        title: 'Deposit credited',
        text: `250.00 USDT has been credited. Request ${id}.`,
        isRead: false,
        ref: `deposit:${id}`,
      });
      await reader.close();
    }
    expect((await list(ann))[0]).toMatchObject({
      status: 'success',
      found: '250.000000',
      credited: '250.000000',
      canCancel: false,
    });
    expect(await fundLog(ann)).toMatchObject([
      { result: 'success', amount: '250.000000', balance: '250.000000', ref: `deposit:${id}` },
    ]);
  });

  fullTest(
    'a deposit that failed, was ignored or was cancelled shows the reason, and no money moves (S4-18, S4-20, S7-24)',
    async () => {
      const ann = await register(origin);
      const ids: string[] = [];
      for (const amount of ['51', '52', '53'])
        ids.push((await submitDeposit(origin, ann.token, amount)).body.data.id);
      await ask(db, 'deposit_refuse', [cashier, ids[0], 'failure', 'proof_unreadable', null]);
      await ask(db, 'deposit_refuse', [cashier, ids[1], 'ignored', 'duplicate', 'See request 7']);
      await post(at(1), 'recharge/cancel', { id: ids[2] as string }, { token: ann.token });
      const shown = (await list(ann)).map(
        ({ status, reason }: { status: string; reason: string }) => `${status}: ${reason}`,
      );
      expect(shown).toEqual([
        'ignored: Cancelled by you',
        'ignored: Duplicate of another request that was credited or is under review · See request 7',
        'failure: The proof cannot be read. Please submit a clear image',
      ]);
      const results = async (filter: Record<string, string>) =>
        (await fundLog(ann, filter)).map(({ amount, balance, ending }: Record<string, string>) => [
          amount,
          balance,
          ending,
        ]);
      expect(await results({ result: 'failure' })).toEqual([['51.000000', null, null]]);
      expect(await results({ result: 'ignored' })).toEqual([
        ['53.000000', null, 'cancelled'],
        ['52.000000', null, null],
      ]);
      const { body } = await get(origin, 'recharge/detail', { id: ids[0] as string }, { token: ann.token });
      expect(body.data.history).toMatchObject([
        { step: 'submitted', by: 'customer', reason: null },
        { step: 'failed', by: 'staff', reason: expect.stringContaining('cannot be read') },
      ]);
      for (const lang of ['zh', 'tw']) {
        const inbox = (await get(origin, 'notice/list', { lang }, { token: ann.token })).body.data;
        expect([inbox.unread, inbox.items.length]).toEqual([2, 2]);
        expect(inbox.items[1].title).toBe(lang === 'zh' ? '充值失败' : '入金失敗');
      }
      const [newest, oldest] = (await get(origin, 'notice/list', {}, { token: ann.token })).body.data.items;
      await post(origin, 'notice/read', { id: oldest.id }, { token: ann.token });
      const inbox = (await get(at(1), 'notice/list', {}, { token: ann.token })).body.data;
      expect([inbox.unread, inbox.items.map(({ isRead }: { isRead: boolean }) => isRead)]).toEqual([
        1,
        [false, true],
      ]);
      expect(inbox.items[0].id).toBe(newest.id);
    },
  );

  test('a deposit needs a channel, a proof and an amount within bounds (S5-07, S5-08, S5-09, S5-10)', async () => {
    const { token } = await register(origin);
    const refused = async (amount: string, options: Parameters<typeof submitDeposit>[3]) => {
      const { body } = await submitDeposit(origin, token, amount, options);
      return [body.error, Object.keys(body.fields ?? {}), body.msg];
    };
    expect(await refused('50', { channelId: '' })).toEqual([
      'CHANNEL_NOT_FOUND',
      ['channelId'],
      'Please choose a deposit channel',
    ]);
    expect((await refused('50', { proof: new Uint8Array() }))[0]).toBe('PROOF_REQUIRED');
    expect((await refused('', {}))[0]).toBe('AMOUNT_REQUIRED');
    expect((await refused('1e3', {}))[0]).toBe('INVALID_AMOUNT');
    expect(await refused('9', {})).toEqual([
      'DEPOSIT_TOO_SMALL',
      ['amount'],
      'The minimum deposit is 10 USDT',
    ]);
    expect(await refused('50001', {})).toEqual([
      'DEPOSIT_TOO_LARGE',
      ['amount'],
      'The maximum deposit is 50000 USDT',
    ]);
  });
});

describe('a repeated key (promise 7)', () => {
  fullTest('50 concurrent requests at two processes make one deposit and get one answer', async () => {
    const ann = await register(origin);
    const proof = await photo();
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, place) =>
        submitDeposit(at(place), ann.token, '70', { key: 'the-same', proof }),
      ),
    );
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(answers[0]?.body.data.status).toBe('review');
    expect(await list(ann)).toHaveLength(1);
    const { rows } = await db.owner.query('select count(*)::int from uploads where customer_id = $1', [
      ann.id,
    ]);
    expect(rows[0].count).toBe(1);
  });

  fullTest(
    'a key with another picture, amount or channel is refused, and a refused request does not use up its key',
    async () => {
      const { token } = await register(origin);
      const proof = await photo();
      expect((await submitDeposit(origin, token, '9', { key: 'k', proof })).body.error).toBe(
        'DEPOSIT_TOO_SMALL',
      );
      expect((await submitDeposit(origin, token, '90', { key: 'k', proof })).body.data.status).toBe('review');
      const changes = [
        ['91', { proof }],
        ['90', { proof: await photo({ colour: '#ff0000' }) }],
        ['90', { proof, channelId: '2' }],
      ] as const;
      for (const [amount, change] of changes) {
        const { body } = await submitDeposit(at(1), token, amount, { key: 'k', ...change });
        expect(body.error).toBe('IDEMPOTENCY_MISMATCH');
      }
    },
  );
});
