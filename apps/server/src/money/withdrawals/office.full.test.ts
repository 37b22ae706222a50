import { get, post, register } from '@fairtick/kit/clients/api-client.ts';
import { apiPayee, submitDeposit, withdraw } from '@fairtick/kit/clients/money-api.ts';
import type { OfficeClient } from '@fairtick/kit/clients/office-client.ts';
import { dataOf, errorOf } from '@fairtick/kit/clients/read-answers.ts';
import { StreamClient } from '@fairtick/kit/clients/stream-client.ts';
import { auditedDatabase, ownOffice, ownStaff } from '@fairtick/kit/fixtures/fixtures.ts';
import { encryptionKeyFile } from '@fairtick/kit/folder.ts';
import { credit, moneyOf, takeDepositsAt, usdt } from '@fairtick/kit/people/money.ts';
import { submitReal } from '@fairtick/kit/people/pictures.ts';
import { describe, expect, test } from 'vitest';
import { addKey } from '../../platform/sealing/key-file.ts';

/** Deposits and withdrawals from the customer's request to the staff's decision, over HTTP on both origins. */
const USD = 3;
const db = auditedDatabase();
const api = ownOffice(db);
const cashier = ownStaff(db, api, 'cashier');
const approver = ownStaff(db, api, 'approver');
const auditor = ownStaff(db, api, 'auditor');

const detail = (client: OfficeClient, kind: string, id: string) =>
  dataOf(client.get(`${kind}/detail`, { id }));

describe('a deposit in the office', () => {
  test('a deposit is claimed, viewed, found, and approved by another person, and the stream shows it to the customer', async () => {
    const ann = await register(api.origin);
    const reader = await StreamClient.open(api.origin, ann.token);
    await reader.sub('funds');
    const { id } = (await submitDeposit(api.origin, ann.token, '120')).body.data;
    const queue = await dataOf(cashier.get('deposit/queue'));
    expect(queue.items).toMatchObject([
      {
        id,
        account: ann.account,
        asset: 'USDT',
        amount: '120.000000',
        status: 'review',
        claim: null,
        content: null,
        risk: { isFirst: true, lastDay: 1, earlierFailures: 0 },
      },
    ]);
    await dataOf(cashier.post('deposit/claim', { id }));
    expect((await detail(approver, 'deposit', id)).claim).toMatchObject({
      isMine: false,
      by: { id: cashier.staffId },
    });
    const proof = await cashier.get('deposit/proof', { id });
    expect(proof.headers.get('content-type')).toBe('image/jpeg');
    const views = await dataOf(get(api.origin, 'user/dataViews', {}, { token: ann.token }));
    expect(views.items.map(({ what }: { what: string }) => what)).toEqual(['proof']);
    // The amount differs, so that a second person has to agree.
    const found = { id, amount: '119.5', evidence: 'tx 1' };
    expect(await dataOf(cashier.post('deposit/find', found))).toEqual({ status: 'review' });
    const shown = await detail(approver, 'deposit', id);
    expect(shown).toMatchObject({
      found: '119.500000',
      evidence: 'tx 1',
      needed: 1,
      given: 0,
      revision: 1,
      confirmations: null,
    });
    expect(await errorOf(cashier.post('deposit/approve', { id, content: shown.content }))).toBe(
      'ROLE_MISSING',
    );
    expect(await errorOf(approver.post('deposit/approve', { id, content: 'ab'.repeat(32) }))).toBe(
      'CONTENT_CHANGED',
    );
    const approved = await dataOf(approver.post('deposit/approve', { id, content: shown.content }));
    expect(approved).toEqual({ status: 'success' });
    const funds = await reader.next(({ topic, type }) => topic === 'funds' && type === 'change');
    expect(funds.data.find(({ asset }: { asset: string }) => asset === 'USDT').available).toBe('119.500000');
    await reader.close();
    const after = await detail(auditor, 'deposit', id);
    expect(
      after.events.map(
        ({ step, by }: { step: string; by: { id: string } | null }) =>
          `${step} by ${by?.id ?? 'the customer'}`,
      ),
    ).toEqual([
      'submitted by the customer',
      `found by ${cashier.staffId}`,
      `approved by ${approver.staffId}`,
      `credited by ${approver.staffId}`,
    ]);
    expect(after.approvals).toMatchObject([{ by: { id: approver.staffId }, counts: true }]);
    expect((await dataOf(cashier.get('deposit/queue'))).items).toEqual([]);
    expect((await dataOf(cashier.get('deposit/queue', { state: 'decided' }))).items).toHaveLength(1);
    expect(await errorOf(cashier.post('deposit/find', found))).toBe('REQUEST_CLOSED');
  });

  test('is refused in words that the customer reads', async () => {
    const ann = await register(api.origin);
    const { id } = (await submitDeposit(api.origin, ann.token, '120')).body.data;
    const refuse = (fields: Record<string, string>) =>
      cashier.post('deposit/refuse', { id, status: 'failure', ...fields });
    expect(await errorOf(refuse({ reason: 'because' }))).toBe('INVALID_VALUE');
    expect(await errorOf(refuse({ reason: 'other' }))).toBe('FORM_INCOMPLETE');
    await dataOf(refuse({ reason: 'third_party', text: 'Paid by B' }));
    const { items } = await dataOf(get(api.origin, 'recharge/list', {}, { token: ann.token }));
    expect(items[0].reason).toBe('The payer is not the account holder · Paid by B');
  });
});

describe('a withdrawal in the office', () => {
  test('a withdrawal is proposed by one person, approved by another, and paid by hand', async () => {
    const ann = await apiPayee(api.origin, db, usdt(500));
    const { id } = (await withdraw(api.origin, ann, '200')).body.data;
    const [first] = (await dataOf(cashier.get('withdrawal/queue'))).items;
    expect(first).toMatchObject({
      id,
      arrives: '199.000000',
      risk: {
        isFirst: true,
        isNewDestination: true,
        sharedWith: [],
        lastDay: 1,
        lastDayAmount: '200.000000',
        deposited: '0.000000',
      },
    });
    const destination = await dataOf(cashier.get('withdrawal/destination', { id }));
    expect(destination).toEqual({
      kind: 'address',
      address: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8',
      bank: null,
    });
    const views = await dataOf(get(api.origin, 'user/dataViews', {}, { token: ann.token }));
    expect(views.items[0].what).toBe('address');
    const { content } = await dataOf(cashier.post('withdrawal/propose', { id }));
    expect(await errorOf(cashier.post('withdrawal/pay', { id, reference: 'too early' }))).toBe(
      'APPROVALS_MISSING',
    );
    // A cashier's look is not the approver's, and a proposal frees the claim.
    const before = await detail(approver, 'withdrawal', id);
    expect([before.destination.isSeen, before.claim]).toEqual([false, null]);
    expect(await errorOf(approver.post('withdrawal/approve', { id, content }))).toBe('REVIEW_UNSEEN');
    await dataOf(approver.get('withdrawal/destination', { id }));
    expect((await detail(approver, 'withdrawal', id)).destination.isSeen).toBe(true);
    expect(await dataOf(approver.post('withdrawal/approve', { id, content }))).toEqual({
      status: 'approved',
    });
    expect(await errorOf(cashier.get('withdrawal/destination', { id }))).toBe('PAYOUT_NOT_TAKEN');
    expect(await errorOf(cashier.post('withdrawal/pay', { id, reference: 'payment 1' }))).toBe(
      'PAYOUT_NOT_TAKEN',
    );
    expect(await dataOf(cashier.post('withdrawal/send', { id, way: 'hand' }))).toEqual({ status: 'sending' });
    expect(await errorOf(approver.get('withdrawal/destination', { id }))).toBe('PAYOUT_NOT_TAKEN');
    expect((await dataOf(cashier.get('withdrawal/destination', { id }))).address).toBe(destination.address);
    expect(await dataOf(cashier.post('withdrawal/pay', { id, reference: 'payment 1' }))).toEqual({
      status: 'success',
    });
    expect(await moneyOf(db, ann.id)).toEqual({ available: 300, held: 0 });
  });

  test('a withdrawal to a destination that another account has bound, too, shows that, and a hold delays its approval', async () => {
    const ann = await apiPayee(api.origin, db, usdt(500));
    // A rotation has begun and not reached the first account, so their indices differ.
    addKey(encryptionKeyFile(db), { isNext: false });
    const bob = await apiPayee(api.origin, db, usdt(500));
    await db.owner.query('update withdrawal_passwords set changed_at = now() where customer_id = $1', [
      bob.id,
    ]);
    const { id } = (await withdraw(api.origin, bob, '200')).body.data;
    const shown = await detail(approver, 'withdrawal', id);
    expect(shown.risk.sharedWith).toContain(ann.account);
    const { content } = await dataOf(cashier.post('withdrawal/propose', { id }));
    expect(await errorOf(approver.post('withdrawal/approve', { id, content }))).toBe('HOLD_LASTS');
    expect(await moneyOf(db, bob.id)).toEqual({ available: 300, held: 200 });
    await dataOf(cashier.post('withdrawal/refuse', { id, reason: 'security' }));
    expect(await moneyOf(db, bob.id)).toEqual({ available: 500, held: 0 });
  });

  test('a withdrawal to an address at which the house takes deposits since then is not approved, and refused for that reason', async () => {
    const ann = await apiPayee(api.origin, db, usdt(500));
    const bound = '0x4444444444444444444444444444444444444444';
    await post(api.origin, 'user/setAddress', { USDT: bound }, { token: ann.token });
    const { destinations } = await dataOf(get(api.origin, 'withdraw/options', {}, { token: ann.token }));
    const { id } = await dataOf(withdraw(api.origin, ann, '200', { destinationId: destinations[0].id }));
    const { content } = await dataOf(cashier.post('withdrawal/propose', { id }));
    await dataOf(approver.get('withdrawal/destination', { id }));
    await db.owner.query(
      `update crypto_addresses set changed_at = now() - interval '1 year' where customer_id = $1`,
      [ann.id],
    );
    await takeDepositsAt(db, bound);
    expect(await errorOf(approver.post('withdrawal/approve', { id, content }))).toBe('ADDRESS_OF_HOUSE');
    await dataOf(cashier.post('withdrawal/refuse', { id, reason: 'destination_house' }));
    const { items } = await dataOf(get(api.origin, 'withdraw/list', {}, { token: ann.token }));
    expect(items[0].reason).toContain('our own deposit addresses');
  });

  test('a withdrawal to a bank card shows whether the card’s holder is the verified name', async () => {
    const ann = await apiPayee(api.origin, db);
    await credit(db, ann.id, usdt(500), USD);
    await db.owner.query(`update customers set real_status = 'none' where id = $1`, [ann.id]);
    await dataOf(submitReal(api.origin, ann.token, { realName: '张三丰' }));
    await db.owner.query(
      `with decided as (update verifications set state = 'verified', decided_at = now(), decided_by = $2 where customer_id = $1)
       update customers set real_status = 'verified' where id = $1`,
      [ann.id, cashier.staffId],
    );
    const shownOf = async (holder: string, cardNumber: string) => {
      const card = { holder, bank: 'A bank', branch: 'B', cardNumber };
      const bound = await dataOf(post(api.origin, 'user/setBank', card, { token: ann.token }));
      const wish = { destinationId: bound.id, asset: 'USD' };
      const { id } = await dataOf(withdraw(api.origin, ann, '50', wish));
      return (await dataOf(cashier.get('withdrawal/destination', { id }))).bank;
    };
    expect(await shownOf('张三丰', '4111111111111111')).toMatchObject({ isVerifiedName: true });
    expect(await shownOf('李四', '5555555555554444')).toMatchObject({
      holder: '李四',
      isVerifiedName: false,
    });
  });

  test('a withdrawal can’t be decided without a step-up or in another role', async () => {
    const ann = await apiPayee(api.origin, db, usdt(500));
    const { id } = (await withdraw(api.origin, ann, '200')).body.data;
    expect(await errorOf(auditor.post('withdrawal/propose', { id }))).toBe('ROLE_MISSING');
    expect(await errorOf(auditor.get('withdrawal/destination', { id }))).toBe('ROLE_MISSING');
    await db.owner.query('update staff_sessions set proved_until = now() where staff_id = $1', [
      cashier.staffId,
    ]);
    expect(await errorOf(cashier.post('withdrawal/propose', { id }))).toBe('REAUTH_REQUIRED');
    expect((await detail(cashier, 'withdrawal', id)).revision).toBe(0);
    for (const path of ['deposit/detail', 'withdrawal/detail'] as const) {
      expect(await errorOf(cashier.get(path, { id: '99999999' }))).toBe('REQUEST_NOT_FOUND');
      expect(await errorOf(cashier.get(path, { id: 'x' }))).toBe('REQUEST_NOT_FOUND');
    }
  });
});
