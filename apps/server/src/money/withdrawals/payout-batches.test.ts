import {
  addressOf,
  addressPayee,
  HOT,
  OTHER,
  PayoutDesk,
  payingFrom,
  signedFile,
} from '@fairtick/kit/chains/paying.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { auditedDatabase, ownOffice, ownStaff } from '@fairtick/kit/fixtures/fixtures.ts';
import { ask, letADayPass, type Payee, statusOf, usdt } from '@fairtick/kit/people/money.ts';
import { installStaff } from '@fairtick/kit/people/staff.ts';
import { type EvmBatch, type EvmOutput, payoutHash } from '@fairtick/protocol/payout-file';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';

/** Batches of payouts, without a node: two people agree to exactly what is signed, and nothing else is taken in. */
const TOKEN = `0x${'ab'.repeat(20)}`;
const chain = payingFrom({ url: 'http://no.example', token: TOKEN });
const db = auditedDatabase();
const office = ownOffice(db, { chains: [chain] });
const cashier = ownStaff(db, office, 'cashier');
const approver = ownStaff(db, office, 'approver');
const desk = forFile(() => new PayoutDesk({ db, cashier, approver }));
let other: string;
let ann: Payee;
let bob: Payee;
beforeAll(async () => {
  other = await installStaff(db.owner, 'cashier');
  ann = await addressPayee(office.origin, db, addressOf(1));
  bob = await addressPayee(office.origin, db, addressOf(2));
});
// Each test leaves no withdrawal that the next batch would take.
afterEach(async () => {
  await letADayPass(db);
  const { rows } = await db.owner.query(`select id from withdrawal_requests where status = 'approved'`);
  for (const { id } of rows) await ask(db, 'withdrawal_refuse', [other, id, 'security', null]);
});

const withdrawal = (payee = ann, amount = usdt(20)) => desk.withdrawal(payee, amount);
const viewsOf = async (staff: string) =>
  (await db.owner.query('select from personal_data_views where staff_id = $1', [staff])).rowCount ?? 0;
const payoutsOf = async (id: string) =>
  (
    await db.server.query(
      `select p.nonce, p.state from payout_batches b, payouts p join jsonb_array_elements(b.content -> 'outputs') o
         on (o ->> 'nonce')::bigint = p.nonce where b.id = $1 order by p.nonce`,
      [id],
    )
  ).rows.map(({ nonce, state }) => [Number(nonce), state]);

test('nothing is prepared before a node has told the number of the next transaction', async () => {
  await withdrawal();
  expect((await desk.prepare()).error).toBe('PAYOUT_NO_NODE');
  await db.chain.query('select payout_account_look($1, $2, 5)', ['ethereum', HOT.address.toLowerCase()]);
  const { data } = await cashier.get('payout/chains').then(({ body }) => body);
  expect(data).toMatchObject([{ chain: 'ethereum', network: 'ERC20', waiting: 1, isReady: true }]);
});

describe('a batch', () => {
  test('has each approved withdrawal to its address, to the unit, with nonces in a row, and a hash that people and signer share', async () => {
    const [first, second] = [await withdrawal(ann), await withdrawal(bob, 30_123_456n)];
    const { data } = await desk.prepare();
    const before = await viewsOf(approver.staffId);
    const shown = (await approver.get('payout/detail', { id: data.id })).body.data;
    expect(shown).toMatchObject({
      status: 'proposed',
      count: 2,
      cancels: false,
      states: {},
      mostFee: '0.004',
    });
    expect(shown.outputs).toMatchObject([
      { nonce: '5', withdrawal: first, amount: '19', to: addressOf(1), contract: TOKEN, state: null },
      { nonce: '6', withdrawal: second, amount: '29.123456', to: addressOf(2) },
    ]);
    // Nothing is taken for paying, and nothing is given out, before a second person has agreed.
    expect(await statusOf(db, 'withdrawal', first)).toBe('approved');
    expect((await cashier.get('payout/file', { id: data.id })).body.error).toBe('REQUEST_NOT_FOUND');
    expect((await desk.decide(data.id, 'agree', cashier)).error).toBe('ROLE_MISSING');
    expect((await desk.decide(data.id)).data).toEqual({ status: 'done' });
    const { batch, hash } = await desk.fileOf(data.id);
    expect([hash, payoutHash(batch)]).toEqual([shown.content, shown.content]);
    expect(await statusOf(db, 'withdrawal', first)).toBe('sending');
    expect(await payoutsOf(data.id)).toEqual([
      [5, 'prepared'],
      [6, 'prepared'],
    ]);
    expect(await desk.sign(data.id, await signedFile({ batch, hash }))).toBe('taken');
    expect(await payoutsOf(data.id)).toEqual([
      [5, 'sending'],
      [6, 'sending'],
    ]);
    expect((await approver.get('payout/list')).body.data.items[0]).toMatchObject({ states: { sending: 2 } });
    expect((await viewsOf(approver.staffId)) - before).toBe(2);
  });

  test('leaves out what may not be paid now, and says why; the others are in it', async () => {
    const [good, held, taken, claimed] = [
      await withdrawal(bob),
      await withdrawal(ann),
      await withdrawal(bob),
      await withdrawal(bob),
    ];
    await ask(db, 'withdrawal_send', [other, taken, 'hand']);
    await ask(db, 'request_claim', [other, 'withdrawal', claimed]);
    await db.owner.query(
      `insert into protected_customers (customer_id, withdrawals_frozen_until) values ($1, 'infinity')`,
      [ann.id],
    );
    const { data } = await desk.prepare();
    expect(data.leftOut).toMatchObject([
      { id: held, reason: 'CUSTOMER_FROZEN', text: expect.stringContaining('frozen') },
      { id: claimed, reason: 'REQUEST_CLAIMED' },
    ]);
    const { outputs } = (await approver.get('payout/detail', { id: data.id })).body.data;
    expect(outputs.map((one: EvmOutput) => one.withdrawal)).toEqual([good]);
    // What is forbidden between both decisions is not paid.
    await db.owner.query(
      `insert into protected_customers (customer_id, withdrawals_frozen_until) values ($1, 'infinity')`,
      [bob.id],
    );
    expect((await desk.decide(data.id)).error).toBe('CUSTOMER_FROZEN');
    await db.owner.query('delete from protected_customers');
    await ask(db, 'withdrawal_paid', [other, taken, 'by hand']);
    await ask(db, 'request_release', [other, 'withdrawal', claimed]);
    expect((await desk.decide(data.id, 'refuse', cashier)).data).toEqual({ status: 'refused' });
  });

  test('takes its withdrawals from every other way of paying', async () => {
    const { withdrawals } = await desk.agreed(ann);
    const [id] = withdrawals as [string];
    expect(await ask(db, 'withdrawal_send', [other, id, 'hand'])).toBe('PAYOUT_TAKEN');
    expect(await ask(db, 'withdrawal_send', [other, id, 'batch'])).toBe('INVALID_VALUE');
    expect(await ask(db, 'withdrawal_paid', [other, id, 'by hand'])).toBe('PAYOUT_TAKEN');
    expect(await ask(db, 'withdrawal_refuse', [other, id, 'security', null])).toBe('PAYOUT_TAKEN');
    expect(await ask(db, 'payout_end_propose', [other, id, false, null, 'it did not'])).toBe(
      'PAYOUT_ON_CHAIN',
    );
    expect((await desk.prepare()).data).toEqual({ id: null, leftOut: [] });
  });

  test('that is prepared anew counts no earlier agreement', async () => {
    await withdrawal();
    const { data } = await desk.prepare();
    const old = (await approver.get('payout/detail', { id: data.id })).body.data.content;
    await withdrawal(bob);
    expect((await desk.prepare()).data.id).toBe(data.id);
    const stale = await approver.post('payout/decide', { id: data.id, content: old, verdict: 'agree' });
    expect(stale.body.error).toBe('CONTENT_CHANGED');
    await desk.decide(data.id, 'refuse');
  });
});

describe('a signed file is refused, and nothing of it is kept,', () => {
  const change = (output: Partial<EvmOutput>) => (batch: EvmBatch) => ({
    ...batch,
    outputs: batch.outputs.map((one, place) => (place === 1 ? { ...one, ...output } : one)),
  });
  test.each<[string, (batch: EvmBatch) => EvmBatch, string]>([
    ['one unit more', change({ value: '19000001' }), 'data'],
    ['one unit less', change({ value: '18999999' }), 'data'],
    ['another address', change({ to: OTHER.address }), 'data'],
    ['another token', change({ contract: OTHER.address }), 'to'],
    ['another nonce', change({ nonce: '999' }), 'nonce'],
    ['ten times the fee', (batch) => ({ ...batch, maxFee: `${batch.maxFee}0` }), 'maxFeePerGas'],
    ['ten times the tip', (batch) => ({ ...batch, tip: `${batch.tip}0` }), 'maxPriorityFeePerGas'],
    ['more gas', (batch) => ({ ...batch, gas: '100001' }), 'gas'],
    ['another chain', (batch) => ({ ...batch, chainId: '1' }), 'chainId'],
    ['nothing paid', (batch) => ({ ...batch, cancels: true }), 'to'],
    ['one output more', (batch) => ({ ...batch, outputs: [...batch.outputs, batch.outputs[0]!] }), 'outputs'],
    ['one output less', (batch) => ({ ...batch, outputs: batch.outputs.slice(1) }), 'outputs'],
    ['the outputs in another order', (batch) => ({ ...batch, outputs: batch.outputs.toReversed() }), 'nonce'],
  ])('with %s', async (_what, changed, part) => {
    const { id } = await desk.agreed(ann, bob);
    const { batch, hash } = await desk.fileOf(id);
    const refused = await desk.sign(id, await signedFile({ batch: changed(batch), hash }));
    expect(refused).toMatch(new RegExp(`^PAYOUT_FILE_DIFFERS .*${part}$`));
    expect(new Set((await payoutsOf(id)).map(([, state]) => state))).toEqual(new Set(['prepared']));
    expect((await db.owner.query('select from payout_signatures where batch_id = $1', [id])).rowCount).toBe(
      0,
    );
  });

  test('with another key, another form, or no sense', async () => {
    const { id } = await desk.agreed(ann);
    const file = await desk.fileOf(id);
    expect(await desk.sign(id, await signedFile(file, OTHER))).toMatch(/DIFFERS .* signer$/);
    const { signed } = JSON.parse(await signedFile(file));
    const alike = { hash: file.hash, signed: [`${signed[0]}00`] };
    expect(await desk.sign(id, JSON.stringify(alike))).toMatch(/DIFFERS .* form$/);
    const other = { hash: 'ab'.repeat(32), signed };
    expect(await desk.sign(id, JSON.stringify(other))).toMatch(/DIFFERS .* batch$/);
    expect(await desk.sign(id, '{"signed":[]}')).toMatch(/^PAYOUT_FILE_UNREADABLE/);
    expect(await desk.sign(id, 'no JSON')).toMatch(/^PAYOUT_FILE_UNREADABLE/);
    expect(await desk.sign(id, await signedFile(file))).toBe('taken');
  });

  test('of an old batch, in place of this one', async () => {
    const old = await desk.agreed(ann);
    const { id } = await desk.agreed(bob);
    expect(await desk.sign(id, await signedFile(await desk.fileOf(old.id)))).toMatch(/DIFFERS .* batch$/);
  });
});

describe('a batch that is signed', () => {
  test('by two at once is stored once; the same file again changes nothing', async () => {
    const { id } = await desk.agreed(ann, bob);
    const file = await signedFile(await desk.fileOf(id));
    expect(await Promise.all([desk.sign(id, file), desk.sign(id, file)])).toEqual(['taken', 'taken']);
    expect(await desk.sign(id, file)).toBe('taken');
    const { rows } = await db.owner.query('select batch_id from payout_signatures where batch_id = $1', [id]);
    expect(rows).toHaveLength(2);
    await expect(db.owner.query(`update payout_signatures set raw = '0x'`)).rejects.toMatchObject({
      constraint: 'INVALID_REASON',
    });
    await expect(db.owner.query(`update payouts set value = value + 1`)).rejects.toMatchObject({
      constraint: 'INVALID_REASON',
    });
    await expect(db.owner.query(`update payout_batches set content = '{}'`)).rejects.toMatchObject({
      constraint: 'INVALID_REASON',
    });
  });
});

describe('a replacement', () => {
  test('has the same nonces, outputs and higher fees, and its batch can’t be signed any more', async () => {
    const { id, withdrawals } = await desk.agreed(ann, bob);
    const { batch } = await desk.fileOf(id);
    const made = (await cashier.post('payout/replace', { id, how: 'faster' })).body.data;
    expect((await desk.decide(made.id)).data).toEqual({ status: 'done' });
    const next = (await desk.fileOf(made.id)).batch;
    expect(next.outputs).toEqual(batch.outputs);
    expect(next).toMatchObject({ replaces: id, maxFee: '25000000000', tip: '1250000000' });
    expect(await desk.sign(id, await signedFile(await desk.fileOf(id)))).toMatch(/^PAYOUT_REPLACED/);
    const again = await cashier.post('payout/replace', { id, how: 'faster' });
    expect(again.body.error).toBe('PAYOUT_REPLACED');
    expect(await desk.sign(made.id, await signedFile(await desk.fileOf(made.id)))).toBe('taken');
    // A withdrawal has one payout that can confirm, whatever is signed for it.
    const { rows } = await db.owner.query(
      'select count(*)::int from payouts where withdrawal_id = any ($1)',
      [withdrawals],
    );
    expect(rows).toEqual([{ count: 2 }]);
  });

  test('pays no more than the operator’s bound', async () => {
    let { id } = await desk.agreed(ann);
    for (const [fee, error] of [
      ['25000000000', undefined],
      ['31250000000', undefined],
      ['39062500000', undefined],
      ['48828125000', undefined],
      ['', 'PAYOUT_FEE_BOUND'],
    ]) {
      const { body } = await cashier.post('payout/replace', { id, how: 'cancel' });
      expect(body.error).toBe(error);
      if (error !== undefined) break;
      expect((await desk.decide(body.data.id)).data).toEqual({ status: 'done' });
      id = body.data.id;
      expect((await desk.fileOf(id)).batch).toMatchObject({ maxFee: fee, cancels: true });
    }
  });
});

describe('a batch whose key is lost', () => {
  const look = (address: string, isNamed: boolean) =>
    db.chain.query('select payout_account_look($1, $2, 5, $3)', ['ethereum', address, isNamed]);
  const ended = (withdrawal: string | undefined, wentOut = false) =>
    ask(db, 'payout_end_propose', [
      cashier.staffId,
      withdrawal,
      wentOut,
      wentOut ? 'a payment' : null,
      'the key is lost',
    ]);
  const age = (address: string, time: string) =>
    db.owner.query('update payout_accounts set named_at = named_at - $2::interval where address = $1', [
      address,
      time,
    ]);

  test('is ended by two people a day after the house named another address in place of its own', async () => {
    const hot = HOT.address.toLowerCase();
    const signed = await desk.agreed(bob);
    expect(await desk.sign(signed.id)).toBe('taken');
    const { id, withdrawals } = await desk.agreed(ann);
    const file = await signedFile(await desk.fileOf(id));
    await age(hot, '2 days');
    expect(await ended(withdrawals[0])).toBe('PAYOUT_ON_CHAIN');
    await look('0xnext', true);
    await age(hot, '-36 hours');
    expect(await ended(withdrawals[0])).toBe('PAYOUT_ON_CHAIN');
    await age(hot, '1 day');
    expect(await ended(withdrawals[0], true)).toBe('PAYOUT_ON_CHAIN');
    // What was signed needs no key: any node can have it.
    expect(await ended(signed.withdrawals[0])).toBe('PAYOUT_ON_CHAIN');
    const proposal = await ended(withdrawals[0]);
    const agree = () => ask(db, 'proposal_approve', [approver.staffId, ['payout_end'], proposal]);
    await look(hot, true);
    expect(await agree()).toBe('PAYOUT_ON_CHAIN');
    await age(hot, '1 day 1 minute');
    await look(hot, false);
    expect(await agree()).toBe('done');
    expect(await payoutsOf(id)).toMatchObject([[expect.any(Number), 'failed']]);
    expect(await statusOf(db, 'withdrawal', withdrawals[0] as string)).toBe('approved');
    // Nothing that is signed later is taken in, and the address pays nothing more, should its key be found.
    expect(await desk.sign(id, file)).toMatch(/^REQUEST_CLOSED/);
    await look(hot, true);
    expect((await desk.prepare()).error).toBe('PAYOUT_NO_NODE');
  });
});
