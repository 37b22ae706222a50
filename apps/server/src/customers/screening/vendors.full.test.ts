import { get, register } from '@fairtick/kit/clients/api-client.ts';
import { fakeVendor, type Inquiry, sendEvent } from '@fairtick/kit/clients/fake-vendor.ts';
import { apiPayee, withdraw } from '@fairtick/kit/clients/money-api.ts';
import { startOffice } from '@fairtick/kit/clients/office-client.ts';
import { dataOf, errorOf } from '@fairtick/kit/clients/read-answers.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { auditedDatabase, ownClient, ownStaff } from '@fairtick/kit/fixtures/fixtures.ts';
import { newPayee, usdt } from '@fairtick/kit/people/money.ts';
import { submitReal } from '@fairtick/kit/people/pictures.ts';
import { seen } from '@fairtick/kit/waiting/until.ts';
import { describe, expect, test } from 'vitest';
import { setVendors } from '../../commands/seed.ts';

/** A vendor, here a fake of its interface over HTTP: what waits for it, what its answers do, and what its events can't. */
const db = auditedDatabase();
const owner = ownClient(db);
const vendor = fakeVendor({ judges: ['identity'] });
const chainVendor = fakeVendor({ name: 'chainwatch', judges: ['address'] });
const api = forFile(async () => {
  const vendors = [vendor.settings, chainVendor.settings];
  await setVendors(owner, vendors);
  return startOffice(db, { vendors });
});
const verifier = ownStaff(db, api, 'verification');
const approver = ownStaff(db, api, 'approver');
const cashier = ownStaff(db, api, 'cashier');

const rowOf = async (reference: string) =>
  (await owner.query('select * from vendor_inquiries where reference = $1', [reference])).rows[0];
/** The vendor's inquiry about this customer, once it was made. */
const inquiryOf = (customer: string, at = vendor): Promise<Inquiry> =>
  seen(async () => {
    const { rows } = await owner.query(
      `select reference from vendor_inquiries where customer_id = $1 and vendor = $2 and state <> 'new'`,
      [customer, at.settings.name],
    );
    return rows[0] && at.inquiries.get(rows[0].reference);
  });
const stored = (reference: string, state: string) =>
  seen(async () => (await rowOf(reference)).state === state, { what: `the state ${state}` });

/** Makes the inquiry due now, as the passing of time does. */
const pollNow = (reference: string) =>
  owner.query('update vendor_inquiries set due_at = now() where reference = $1', [reference]);

const hitsOf = async (customer: string) =>
  (await dataOf(approver.get('screening/list', { limit: '100' }))).items.filter(
    (hit: { customerId: string }) => hit.customerId === customer,
  );

async function decide(id: string, verdict: 'clear' | 'confirm'): Promise<void> {
  const proposed = await dataOf(
    verifier.post('screening/propose', { id, verdict, note: 'called the vendor by telephone' }),
  );
  expect(await errorOf(verifier.post('screening/decide', { id: proposed.id, verdict: 'agree' }))).toBe(
    'ROLE_MISSING',
  );
  await dataOf(approver.post('screening/decide', { id: proposed.id, verdict: 'agree' }));
}

/** A customer with a submitted name; `verify` is the attempt of staff to verify it. */
async function applicant() {
  const ann = await register(api.origin);
  expect((await submitReal(api.origin, ann.token)).body.error).toBeUndefined();
  const { rows } = await db.owner.query('select id from verifications where customer_id = $1', [ann.id]);
  const { id } = rows[0];
  await dataOf(verifier.post('identity/claim', { id }));
  await dataOf(verifier.get('identity/detail', { id }));
  for (const side of ['front', 'back']) await verifier.get('identity/document', { id, side });
  const verify = () => verifier.post('identity/decide', { id, verdict: 'verified' });
  return { ...ann, verification: id, verify };
}

describe('a submitted name', () => {
  test('waits for the vendor, which gets the named fields alone, and staff decide after a clear answer', async () => {
    const ann = await applicant();
    expect(await errorOf(ann.verify())).toBe('SCREENING_DUE');
    const { reference, asked } = await inquiryOf(ann.id);
    expect(asked).toEqual({ kind: 'identity', identity: { realName: '张三丰', idCountry: 'SG' } });
    expect(await errorOf(ann.verify())).toBe('SCREENING_DUE');
    vendor.judge(reference, 'clear');
    expect((await sendEvent(api.origin, vendor.settings, reference)).status).toBe(204);
    await stored(reference, 'clear');
    // The answer alone verifies no one.
    const state = async () =>
      (await owner.query('select state from verifications where id = $1', [ann.verification])).rows[0].state;
    expect(await state()).toBe('pending');
    expect((await ann.verify()).body.error).toBeUndefined();
    expect(await state()).toBe('verified');
    const { items } = await dataOf(approver.get('screening/inquiries', { customerId: ann.id }));
    expect(items).toMatchObject([
      { vendor: 'acme', kind: 'name', state: 'clear', reference, case: `case-${reference.slice(0, 8)}` },
    ]);
    // A later finding holds all the same.
    vendor.judge(reference, 'match', 'pep');
    await sendEvent(api.origin, vendor.settings, reference);
    await stored(reference, 'match');
    expect(await hitsOf(ann.id)).toMatchObject([{ kind: 'name', list: 'acme', listed: 'match pep' }]);
  });

  test.each(['match', 'reject', 'error'])(
    'with the answer %s waits until two people clear it',
    async (state) => {
      const ann = await applicant();
      const { reference } = await inquiryOf(ann.id);
      vendor.judge(reference, state, 'document.forged');
      await pollNow(reference);
      await stored(reference, state);
      // A better answer later ends no match.
      for (const [next, code] of [['clear'], [state, 'document.forged']] as const) {
        vendor.judge(reference, next, code);
        await pollNow(reference);
        await stored(reference, next);
        expect(await errorOf(ann.verify())).toBe('SCREENING_OPEN');
      }
      const [hit] = await hitsOf(ann.id);
      expect(hit).toMatchObject({ state: 'open', vendor: { finding: state, code: 'document.forged' } });
      await decide(hit.id, 'clear');
      // The same answer again changes nothing.
      await sendEvent(api.origin, vendor.settings, reference);
      await seen(async () => (await rowOf(reference)).due_at === null);
      expect(await hitsOf(ann.id)).toEqual([]);
      expect((await ann.verify()).body.error).toBeUndefined();
    },
  );

  test('that the vendor leaves unanswered becomes a task, which two people or a late answer end', async () => {
    const people = [await applicant(), await applicant()];
    const inquiries = await Promise.all(people.map(({ id }) => inquiryOf(id)));
    await owner.query(
      `update vendor_inquiries set created_at = now() - interval '61 minutes' where reference = any($1)`,
      [inquiries.map(({ reference }) => reference)],
    );
    const late = (id: string) => seen(async () => (await hitsOf(id))[0], { what: 'the task' });
    const [first, second] = people as [(typeof people)[0], (typeof people)[0]];
    const [one, other] = inquiries as [Inquiry, Inquiry];
    const hit = await late(first.id);
    expect(hit).toMatchObject({ state: 'open', vendor: { finding: 'late', code: null } });
    expect(await errorOf(first.verify())).toBe('SCREENING_OPEN');
    await decide(hit.id, 'clear');
    expect((await first.verify()).body.error).toBeUndefined();
    // The vendor's last answer counts.
    vendor.judge(one.reference, 'reject');
    await pollNow(one.reference);
    await stored(one.reference, 'reject');
    expect(await hitsOf(first.id)).toMatchObject([{ state: 'open', listed: 'reject' }]);
    await late(second.id);
    vendor.judge(other.reference, 'clear');
    await pollNow(other.reference);
    await stored(other.reference, 'clear');
    expect(await hitsOf(second.id)).toEqual([]);
    expect((await second.verify()).body.error).toBeUndefined();
  });
});

test('a payout to an address waits for the vendor, while its customer reads that it is under review', async () => {
  const bob = await apiPayee(api.origin, db, usdt(500));
  const { reference, asked } = await inquiryOf(bob.id, chainVendor);
  expect(asked).toMatchObject({ kind: 'address', direction: 'out', asset: 'USDT' });
  expect(Object.keys(asked).sort()).toEqual(['address', 'asset', 'direction', 'kind']);
  const { id } = (await withdraw(api.origin, bob, '200')).body.data;
  const { content } = await dataOf(cashier.post('withdrawal/propose', { id }));
  await dataOf(approver.get('withdrawal/destination', { id }));
  const approve = () => approver.post('withdrawal/approve', { id, content });
  expect(await errorOf(approve())).toBe('SCREENING_DUE');
  const { items } = await dataOf(get(api.origin, 'withdraw/list', {}, { token: bob.token }));
  expect(items).toMatchObject([{ id, status: 'review' }]);
  // No event comes.
  chainVendor.judge(reference, 'clear');
  await pollNow(reference);
  await stored(reference, 'clear');
  expect(await dataOf(approve())).toEqual({ status: 'approved' });
});

test('a payment on a chain is credited after the vendor’s answer, and held in the meantime', async () => {
  const { id: customer } = await newPayee(db);
  await owner.query(
    `with one as (insert into chain_customers (customer_id) values ($1) returning number),
       head as (insert into chain_heads (chain, head, final) values ('evm-1', 1, 1))
     insert into chain_addresses (chain, number, address) select 'evm-1', number, '0xcustomer' from one`,
    [customer],
  );
  const { rows } = await owner.query(
    `insert into chain_deposits (chain, txid, contract, address, sender, position, value, asset_id, amount, height, hash, state)
     values ('evm-1', 'tx', '', '0xcustomer', '0xpayer', 0, 20000000, 2, 20000000, 1, 'h', 'confirming') returning id`,
  );
  const [{ id }] = rows;
  const credited = async () => {
    await owner.query(`select chain_credit($1, 'TRC20')`, [id]);
    return (await owner.query('select state, reason from chain_deposits where id = $1', [id])).rows[0];
  };
  expect(await credited()).toEqual({ state: 'confirming', reason: null });
  await owner.query(`update chain_deposits set seen_at = now() - interval '2 minutes' where id = $1`, [id]);
  expect(await credited()).toEqual({ state: 'held', reason: 'review' });
  const { reference, asked } = await seen(async () =>
    [...chainVendor.inquiries.values()].find((one) => one.asked.direction === 'in'),
  );
  expect(asked).toEqual({
    kind: 'address',
    direction: 'in',
    asset: 'USDT',
    address: '0xpayer',
    chain: 'evm-1',
    txid: 'tx',
  });
  chainVendor.judge(reference, 'clear');
  await sendEvent(api.origin, chainVendor.settings, reference);
  await stored(reference, 'clear');
  expect(await credited()).toEqual({ state: 'credited', reason: null });
});

describe('the vendor’s interface', () => {
  test('that fails is asked again until it answers, and what it has lost is made again', async () => {
    vendor.behave((_, response) => response.writeHead(500).end());
    const ann = await applicant();
    const failing = async () =>
      (await owner.query(`select failing_since from vendors where name = 'acme'`)).rows[0].failing_since;
    await seen(failing);
    expect(await errorOf(ann.verify())).toBe('SCREENING_DUE');
    vendor.behave(null);
    const due = () =>
      owner.query(`update vendor_inquiries set due_at = now() where customer_id = $1`, [ann.id]);
    await due();
    const { reference } = await inquiryOf(ann.id);
    expect(await failing()).toBeNull();
    (vendor.inquiries as Map<string, Inquiry>).delete(reference);
    await due();
    await seen(async () => (await rowOf(reference)).state === 'new');
    await due();
    await seen(() => vendor.inquiries.get(reference));
  });
});

test('a vendor that the file lacks is waited for no longer, which the audit log tells', async () => {
  const before = await applicant();
  expect(await errorOf(before.verify())).toBe('SCREENING_DUE');
  await setVendors(owner, [chainVendor.settings]);
  expect((await before.verify()).body.error).toBeUndefined();
  const { rows } = await owner.query(
    `select entry::jsonb from audit_log where action = 'vendor.set' order by seq`,
  );
  expect(rows.at(-1).entry).toMatchObject({ subject: 'vendor:acme', facts: { judges: '' } });
});
