import { get, type Registered, register } from '@fairtick/kit/clients/api-client.ts';
import { staffOf } from '@fairtick/kit/clients/office-client.ts';
import { ownDatabase, ownOffice, ownStaff, temporaryFolder } from '@fairtick/kit/fixtures/fixtures.ts';
import { encryptionKeyFile } from '@fairtick/kit/folder.ts';
import { setMode } from '@fairtick/kit/installation/house.ts';
import { IDENTITY, photo, submitReal, upload } from '@fairtick/kit/people/pictures.ts';
import { fullTest } from '@fairtick/kit/size.ts';
import { describe, expect, test } from 'vitest';
import { failureOf } from '../../platform/db/database.ts';
import { addKey } from '../../platform/sealing/key-file.ts';

const dataDir = temporaryFolder('names');
type Staff = Awaited<ReturnType<typeof staffOf>>;

const db = ownDatabase();
const api = ownOffice(db, { dataDir });
const reviewer = ownStaff(db, api, 'verification');
const colleague = ownStaff(db, api, 'verification');

const info = async ({ token }: Registered, lang = 'en') =>
  (await get(api.origin, 'user/getUserInfo', { lang }, { token })).body.data;
const realInfo = async ({ token }: Registered, lang = 'en') =>
  (await get(api.origin, 'user/realInfo', { lang }, { token })).body.data;

/** A customer whose name is under review, and the review's number. */
async function submitted(fields: Record<string, string> = {}): Promise<{ customer: Registered; id: string }> {
  const customer = await register(api.origin);
  const { body } = await submitReal(api.origin, customer.token, fields);
  expect([body.error, body.data]).toEqual([undefined, { realStatus: 'pending' }]);
  const { rows } = await db.owner.query<{ id: string }>(
    'select id from verifications where customer_id = $1 order by id desc limit 1',
    [customer.id],
  );
  return { customer, id: (rows[0] as { id: string }).id };
}

async function lookAtAll(staff: Staff, id: string): Promise<void> {
  expect((await staff.get('identity/detail', { id })).body.code).toBe(1);
  for (const side of ['front', 'back']) {
    const { status, headers } = await staff.get('identity/document', { id, side });
    expect([status, headers.get('content-type')]).toEqual([200, 'image/jpeg']);
  }
}

async function decide(staff: Staff, id: string, fields: Record<string, string>): Promise<void> {
  await lookAtAll(staff, id);
  const { body } = await staff.post('identity/decide', { id, ...fields });
  expect([body.error, body.code]).toEqual([undefined, 1]);
}

describe('a real name', () => {
  test('a real name goes from none to pending to verified (S1-09, S4-06, S4-07, S4-08, S4-36, S7-19)', async () => {
    const customer = await register(api.origin);
    expect((await info(customer)).realStatus).toBe('none');
    expect(await realInfo(customer)).toMatchObject({ realStatus: 'none', submittedAt: null, documents: [] });
    const { body } = await submitReal(api.origin, customer.token);
    expect(body.data).toEqual({ realStatus: 'pending' });
    expect((await info(customer)).realStatus).toBe('pending');
    const { documents } = await realInfo(customer);
    expect(documents.map(({ purpose }: { purpose: string }) => purpose)).toEqual(['id_front', 'id_back']);
    const { rows } = await db.owner.query('select id from verifications where customer_id = $1', [
      customer.id,
    ]);
    await decide(reviewer, rows[0].id, { verdict: 'verified' });
    expect(await info(customer)).toMatchObject({ realStatus: 'verified', realReason: null, level: 'silver' });
    expect((await submitReal(api.origin, customer.token)).body.error).toBe('REAL_VERIFIED');
  });

  test('a real name that failed shows the reason and the remedy in each language, and may be submitted again (S4-09, S4-36)', async () => {
    const { customer, id } = await submitted();
    await decide(reviewer, id, { verdict: 'failed', reason: 'unreadable', note: 'The back is cut off.' });
    const english = await realInfo(customer);
    expect(english).toMatchObject({
      realStatus: 'failed',
      reason: 'unreadable',
      note: 'The back is cut off.',
    });
    expect(english.reasonText).toMatch(/new ones in good light/);
    // The entered data comes back for the next try; the document's number is never shown again.
    const { idNumber: _number, ...kept } = IDENTITY;
    expect(english.kept).toEqual(kept);
    expect((await info(customer, 'zh')).realReason).toMatch(/重新拍摄/);
    expect((await info(customer, 'tw')).realReason).toMatch(/重新拍攝/);
    expect((await submitReal(api.origin, customer.token)).body.data).toEqual({ realStatus: 'pending' });
    expect((await info(customer)).realReason).toBeNull();
    expect((await realInfo(customer)).kept).toBeNull();
  });

  test.each(['realName', 'idType', 'idNumber', 'idAddress', 'currentAddress', 'idFront', 'idBack'])(
    'a real name without %s is refused with the request to fill out the complete form (S3-27 to S3-33, S5-11, S7-19)',
    async (missing) => {
      const { token } = await register(api.origin);
      const picture = await photo({ width: 32, height: 32 });
      const fields: Record<string, string> = { ...IDENTITY, idType: 'id_card' };
      const files: Record<string, Uint8Array> = { idFront: picture, idBack: picture };
      delete fields[missing];
      delete files[missing];
      const { body } = await upload(api.origin, 'user/submitReal', { fields, files }, { token });
      expect([body.code, body.error, body.msg]).toEqual([
        0,
        'FORM_INCOMPLETE',
        'Please fill out the complete form',
      ]);
      expect(body.fields).toEqual({ [missing]: 'Please fill out the complete form' });
      const chinese = await upload(
        api.origin,
        'user/submitReal',
        { fields: { ...fields, lang: 'zh' }, files },
        { token },
      );
      expect(chinese.body.msg).toBe('请填写完整的表单');
    },
  );

  fullTest(
    'a passport needs no picture of its back, and is decided once its page and the fields have been viewed',
    async () => {
      const customer = await register(api.origin);
      const form = {
        fields: { ...IDENTITY, idType: 'passport' },
        files: { idFront: await photo({ width: 32, height: 32 }) },
      };
      const { body } = await upload(api.origin, 'user/submitReal', form, { token: customer.token });
      expect(body.data).toEqual({ realStatus: 'pending' });
      const { documents } = await realInfo(customer);
      expect(documents.map(({ purpose }: { purpose: string }) => purpose)).toEqual(['id_front']);
      const { rows } = await db.owner.query('select id from verifications where customer_id = $1', [
        customer.id,
      ]);
      const { id } = rows[0];
      expect((await reviewer.get('identity/detail', { id })).body.data.hasBack).toBe(false);
      expect((await reviewer.get('identity/document', { id, side: 'back' })).body.error).toBe(
        'DOCUMENT_NOT_FOUND',
      );
      expect((await reviewer.post('identity/decide', { id, verdict: 'verified' })).body.error).toBe(
        'REVIEW_UNSEEN',
      );
      await reviewer.get('identity/document', { id, side: 'front' });
      expect((await reviewer.post('identity/decide', { id, verdict: 'verified' })).body.code).toBe(1);
      expect((await info(customer)).realStatus).toBe('verified');
    },
  );

  fullTest('ten concurrent submissions make one review', async () => {
    const customer = await register(api.origin);
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => submitReal(api.origin, customer.token)),
    );
    expect(answers.filter(({ body }) => body.code === 1).length).toBeLessThanOrEqual(1);
    while ((await info(customer)).realStatus === 'none') await submitReal(api.origin, customer.token);
    const { rows } = await db.owner.query('select id from verifications where customer_id = $1', [
      customer.id,
    ]);
    expect(rows.length).toBe(1);
  });

  fullTest('a form that is too large gets 413, and another content type gets 415', async () => {
    const { token } = await register(api.origin);
    const large = await submitReal(api.origin, token, {}, { idFront: Buffer.alloc(10 * 1024 * 1024 + 1) });
    expect([large.status, large.body.error]).toEqual([413, 'BODY_TOO_LARGE']);
    const urlencoded = await fetch(`${api.origin}/api/user/submitReal`, {
      method: 'POST',
      headers: { token },
      body: new URLSearchParams(IDENTITY),
    });
    expect(urlencoded.status).toBe(415);
  });

  test('a visitor’s submission is refused before its body is read', async () => {
    const { status, body } = await submitReal(
      api.origin,
      'no token',
      {},
      { idFront: Buffer.alloc(9_000_000) },
    );
    expect([status, body.error]).toEqual([401, 'SESSION_EXPIRED']);
  });

  fullTest('a restricted region is marked in demo mode, for the customer and for staff', async () => {
    const { customer, id } = await submitted({ idCountry: 'US' });
    expect((await realInfo(customer)).isRestricted).toBe(true);
    expect((await reviewer.get('identity/detail', { id })).body.data.risk.isRestricted).toBe(true);
  });

  test('customers see their own documents, and no other customer’s', async () => {
    const { customer } = await submitted();
    const [{ id }] = (await realInfo(customer)).documents;
    const show = (token: string) =>
      fetch(`${api.origin}/api/user/document?id=${id}&lang=en`, { headers: { token } });
    const mine = await show(customer.token);
    expect(mine.headers.get('content-type')).toBe('image/jpeg');
    expect(mine.headers.get('x-content-type-options')).toBe('nosniff');
    expect(mine.headers.get('content-security-policy')).toContain('sandbox');
    expect(mine.headers.get('content-disposition')).toMatch(/^inline; filename="picture.jpg"/);
    expect(mine.headers.get('cache-control')).toBe('no-store');
    expect((await mine.arrayBuffer()).byteLength).toBeGreaterThan(100);
    const other = await show((await register(api.origin)).token);
    expect(await other.json()).toMatchObject({ code: 0, error: 'DOCUMENT_NOT_FOUND' });
  });
});

describe('the office', () => {
  fullTest('the queue has the oldest first, and shows signs of risk', async () => {
    const document = { idNumber: 'DOPPEL 77-1', realName: 'Zwilling Eins' };
    const first = await submitted(document);
    const second = await submitted({ ...document, idNumber: 'doppel771' });
    const { items } = (await reviewer.get('identity/queue', { limit: '100' })).body.data;
    const mine = items.filter(({ id }: { id: string }) => [first.id, second.id].includes(id));
    expect(mine.map(({ id }: { id: string }) => id)).toEqual([first.id, second.id]);
    expect(mine[0].risk.sameDocument).toEqual([second.customer.id]);
    expect(mine[1].risk).toMatchObject({ sameDocument: [first.customer.id], sameName: [first.customer.id] });
    expect(JSON.stringify(items)).not.toMatch(/DOPPEL|Zwilling/i);
  });

  fullTest('the same document and name are found also while a key rotation is under way', async () => {
    const document = { idNumber: 'WENDE-1', realName: 'Anna Wende' };
    const first = await submitted(document);
    addKey(encryptionKeyFile(db), { isNext: false });
    const second = await submitted(document);
    const { rows } = await db.owner.query(
      'select count(distinct document_index)::int as kinds from verifications where id = any ($1)',
      [[first.id, second.id]],
    );
    expect(rows[0].kinds).toBe(2);
    const risk = async (id: string) => (await reviewer.get('identity/detail', { id })).body.data.risk;
    expect(await risk(first.id)).toMatchObject({
      sameDocument: [second.customer.id],
      sameName: [second.customer.id],
    });
    expect(await risk(second.id)).toMatchObject({
      sameDocument: [first.customer.id],
      sameName: [first.customer.id],
    });
    const { items } = (await reviewer.get('identity/queue', { limit: '100' })).body.data;
    const queued = items.find(({ id }: { id: string }) => id === second.id);
    expect(queued.risk.sameDocument).toEqual([first.customer.id]);
    expect(JSON.stringify(items)).not.toContain('sealed');
  });

  fullTest('a claim keeps colleagues out until it is released or lapses', async () => {
    const { id } = await submitted();
    expect((await reviewer.post('identity/claim', { id })).body.data.until).toBeGreaterThan(Date.now());
    expect((await colleague.post('identity/claim', { id })).body.error).toBe('REVIEW_CLAIMED');
    await lookAtAll(colleague, id);
    const other = await colleague.post('identity/decide', { id, verdict: 'verified' });
    expect(other.body.error).toBe('REVIEW_CLAIMED');
    await db.owner.query(
      `update verifications set claimed_at = now() - interval '16 minutes' where id = $1`,
      [id],
    );
    expect((await colleague.post('identity/claim', { id })).body.code).toBe(1);
    expect((await colleague.post('identity/release', { id })).body.code).toBe(1);
    expect((await reviewer.get('identity/detail', { id })).body.data.claim).toBeNull();
  });

  test('a decision needs a view of the whole submission, and a reason for a failure, and is made once', async () => {
    const { id } = await submitted();
    expect((await reviewer.post('identity/decide', { id, verdict: 'verified' })).body.error).toBe(
      'REVIEW_UNSEEN',
    );
    await reviewer.get('identity/detail', { id });
    await reviewer.get('identity/document', { id, side: 'front' });
    expect((await reviewer.post('identity/decide', { id, verdict: 'verified' })).body.error).toBe(
      'REVIEW_UNSEEN',
    );
    await reviewer.get('identity/document', { id, side: 'back' });
    const bare = await reviewer.post('identity/decide', { id, verdict: 'failed' });
    expect(bare.body.fields).toHaveProperty('reason');
    const other = await reviewer.post('identity/decide', { id, verdict: 'failed', reason: 'other' });
    expect(other.body.fields).toHaveProperty('note');
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => reviewer.post('identity/decide', { id, verdict: 'verified' })),
    );
    expect(answers.filter(({ body }) => body.code === 1).length).toBe(1);
    expect(new Set(answers.map(({ body }) => body.error ?? 'done'))).toEqual(
      new Set(['done', 'REVIEW_NOT_FOUND']),
    );
    const { rows } = await db.owner.query(
      `select staff_id::text, action, facts from audit_log, lateral (select entry::jsonb -> 'facts' as facts) f where subject = $1`,
      [`verification:${id}`],
    );
    expect(rows).toMatchObject([{ staff_id: reviewer.staffId, action: 'verification.verified' }]);
    const steps = (await reviewer.get('identity/detail', { id })).body.data.events;
    expect(steps.map(({ step }: { step: string }) => step)).toEqual(['submitted', 'verified']);
    expect(steps[1].by.id).toBe(reviewer.staffId);
  });

  fullTest('customers see which staff viewed which of their data', async () => {
    const { customer, id } = await submitted();
    await lookAtAll(reviewer, id);
    await colleague.post('customer/find', { by: 'document', text: IDENTITY.idNumber });
    const views = async (fields = {}) =>
      (await get(api.origin, 'user/dataViews', fields, { token: customer.token })).body.data;
    const { items } = await views();
    expect(items.map(({ what }: { what: string }) => what)).toEqual([
      'search',
      'id_back',
      'id_front',
      'identity',
    ]);
    expect(items[3]).toMatchObject({ staff: reviewer.staffId, roles: ['verification'] });
    expect(JSON.stringify(items)).not.toContain(reviewer.account);
    const first = await views({ limit: 3 });
    const rest = await views({ limit: 3, cursor: first.nextCursor });
    expect([...first.items, ...rest.items]).toEqual(items);
    expect(rest.nextCursor).toBeNull();
  });

  fullTest('customers are found by exact sealed values, and by nothing similar', async () => {
    const { customer } = await submitted({ idNumber: 'FIND-ME 99', realName: '寻找我' });
    const found = async (by: string, text: string) =>
      (await reviewer.post('customer/find', { by, text })).body.data.map(({ id }: { id: string }) => id);
    expect(await found('document', 'findme99')).toEqual([customer.id]);
    expect(await found('name', '寻找我')).toEqual([customer.id]);
    expect(await found('account', customer.account.toUpperCase())).toEqual([customer.id]);
    expect(await found('id', customer.id)).toEqual([customer.id]);
    expect(await found('document', 'findme9')).toEqual([]);
    expect(await found('card', '4111111111111111')).toEqual([]);
  });

  test('staff without the role can’t see or decide anything', async () => {
    const { id } = await submitted();
    for (const role of ['support', 'cashier', 'approver', 'administrator', 'content', 'catalogue'] as const) {
      const staff = await staffOf(db, api.officeOrigin, role);
      const refused = [
        await staff.get('identity/queue'),
        await staff.get('identity/detail', { id }),
        await staff.get('identity/document', { id, side: 'front' }),
        await staff.post('identity/claim', { id }),
        await staff.post('identity/decide', { id, verdict: 'verified' }),
      ];
      expect([role, ...refused.map(({ body }) => body.error)]).toEqual([
        role,
        ...Array(5).fill('ROLE_MISSING'),
      ]);
      const error = await db.server
        .query('select verification_decide($1, $2, null, null)', [staff.staffId, id])
        .catch(failureOf);
      expect([role, error]).toEqual([role, 'ROLE_MISSING']);
    }
    const auditor = await staffOf(db, api.officeOrigin, 'auditor');
    expect((await auditor.get('identity/detail', { id })).body.code).toBe(1);
    expect((await auditor.post('identity/decide', { id, verdict: 'verified' })).body.error).toBe(
      'ROLE_MISSING',
    );
  });

  test('only the decision function changes a state; the server’s role can’t write one', async () => {
    const { customer } = await submitted();
    for (const statement of [
      `update customers set real_status = 'verified' where id = ${customer.id}`,
      `update verifications set state = 'verified'`,
      `insert into verification_events (verification_id, customer_id, step) values (1, 1, 'verified')`,
      'delete from personal_data_views',
    ]) {
      expect([statement, await db.server.query(statement).catch(failureOf)]).toEqual([statement, '42501']);
    }
  });

  fullTest('in live mode a name of a restricted region can’t be verified', async () => {
    const { id } = await submitted({ idCountry: 'JP' });
    await lookAtAll(reviewer, id);
    await setMode(db.owner, 'live');
    try {
      const { body } = await reviewer.post('identity/decide', { id, verdict: 'verified' });
      expect(body.error).toBe('REGION_RESTRICTED');
      expect(
        (await reviewer.post('identity/decide', { id, verdict: 'failed', reason: 'restricted' })).body.code,
      ).toBe(1);
    } finally {
      await setMode(db.owner, 'demo');
    }
  });
});
