import { get, post, type Registered, register } from '@fairtick/kit/clients/api-client.ts';
import { type OfficeClient, staffOf } from '@fairtick/kit/clients/office-client.ts';
import { dataOf, errorOf } from '@fairtick/kit/clients/read-answers.ts';
import { StreamClient } from '@fairtick/kit/clients/stream-client.ts';
import { ownDatabase, ownOffice, ownStaff } from '@fairtick/kit/fixtures/fixtures.ts';
import { photo, upload } from '@fairtick/kit/people/pictures.ts';
import { answer, newKey, say } from '@fairtick/kit/people/support.ts';
import { describe, expect, test } from 'vitest';

/** The staff's side: several conversations, several people. */
const db = ownDatabase();
const api = ownOffice(db);
const staff = [ownStaff(db, api, 'support'), ownStaff(db, api, 'support')] as const;
const asks = async (text: string): Promise<Registered> => {
  const customer = await register(api.origin);
  await dataOf(say(api.origin, customer.token, text));
  return customer;
};
const open = (who: OfficeClient, id: string) => dataOf(who.get('chat/conversation', { id }));
const list = async (who: OfficeClient, filter: string): Promise<string[]> =>
  (await dataOf(who.get('chat/list', { filter, limit: '100' }))).items.map(({ id }: { id: string }) => id);

describe('the list of conversations', () => {
  test('has waiting conversations first, the longest wait first, with the promised time of an answer and without texts', async () => {
    const [first] = staff;
    const [ann, bob] = [await asks('Ohrenkneifer'), await asks('second')];
    const { items, waiting } = await dataOf(first.get('chat/list', { filter: 'waiting', limit: '100' }));
    const ids = items.map(({ id }: { id: string }) => id);
    expect([ids.indexOf(ann.id) < ids.indexOf(bob.id), waiting]).toEqual([true, ids.length]);
    const one = items.find(({ id }: { id: string }) => id === ann.id);
    expect(one).toMatchObject({ account: ann.account, unread: 1, messages: 1, claim: null });
    expect(one.answerBy).toBe(one.waitingSince + 15 * 60_000);
    expect(JSON.stringify(items)).not.toContain('Ohrenkneifer');
    await dataOf(answer(first, ann.id, 'Yes?'));
    expect(await list(first, 'waiting')).not.toContain(ann.id);
    expect((await list(first, 'all')).indexOf(ann.id)).toBe(0);
    await dataOf(say(api.origin, ann.token, 'again'));
    const waitingIds = await list(first, 'waiting');
    expect(waitingIds.indexOf(ann.id)).toBeGreaterThan(waitingIds.indexOf(bob.id));
  });

  test('continues with a cursor', async () => {
    const [first] = staff;
    for (let n = 0; n < 3; n += 1) await asks(`more ${n}`);
    const all = await list(first, 'waiting');
    const page = await dataOf(first.get('chat/list', { limit: '2' }));
    const rest = await dataOf(first.get('chat/list', { limit: '100', cursor: page.nextCursor }));
    expect([...page.items, ...rest.items].map(({ id }) => id)).toEqual(all);
  });
});

describe('a claim', () => {
  test('belongs to the first who claims or answers, and colleagues can read but not answer', async () => {
    const [first, second] = staff;
    const ann = await asks('who has me?');
    await dataOf(first.post('chat/claim', { id: ann.id }));
    expect(await errorOf(second.post('chat/claim', { id: ann.id }))).toBe('CHAT_CLAIMED');
    expect(await errorOf(answer(second, ann.id, 'me!'))).toBe('CHAT_CLAIMED');
    expect(await errorOf(second.post('chat/typing', { id: ann.id }))).toBe('CHAT_CLAIMED');
    expect(await list(first, 'mine')).toContain(ann.id);
    expect(await list(second, 'mine')).not.toContain(ann.id);
    const { state } = await dataOf(get(api.origin, 'chat/history', {}, { token: ann.token }));
    expect(state.agent).toBe(first.staffId);
    expect((await open(second, ann.id)).case.claim).toMatchObject({
      by: { name: first.account },
      isMine: false,
    });
    await dataOf(first.post('chat/release', { id: ann.id }));
    expect((await dataOf(answer(second, ann.id, 'me now'))).staff).toBe(second.staffId);
    expect(await errorOf(answer(first, ann.id, 'and me'))).toBe('CHAT_CLAIMED');
  });

  test('lapses after a quarter of an hour without activity, and then goes to one of several concurrent answers', async () => {
    const [first, second] = staff;
    const ann = await asks('lapse');
    await dataOf(first.post('chat/claim', { id: ann.id }));
    await db.owner.query(
      `update chats set claimed_at = now() - interval '15 minutes' where customer_id = $1`,
      [ann.id],
    );
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) => answer(n % 2 ? first : second, ann.id, `a${n}`)),
    );
    const names = new Set(answers.filter(({ body }) => body.code === 1).map(({ body }) => body.data.staff));
    expect([names.size, answers.filter(({ body }) => body.error === 'CHAT_CLAIMED').length]).toEqual([1, 5]);
  });

  test('is handed over to a colleague, which is shown and logged', async () => {
    const [first, second] = staff;
    const ann = await asks('pass me on');
    const colleagues = await dataOf(first.get('chat/colleagues'));
    expect(colleagues.map(({ id }: { id: string }) => id)).toContain(second.staffId);
    expect(colleagues.map(({ id }: { id: string }) => id)).not.toContain(first.staffId);
    await dataOf(first.post('chat/claim', { id: ann.id }));
    expect(await errorOf(second.post('chat/handOver', { id: ann.id, to: second.staffId }))).toBe(
      'CHAT_CLAIMED',
    );
    const cashier = await staffOf(db, api.officeOrigin, 'cashier');
    for (const to of [cashier.staffId, first.staffId, '0', 'x']) {
      expect([to, await errorOf(first.post('chat/handOver', { id: ann.id, to }))]).toEqual([
        to,
        'COLLEAGUE_NOT_FOUND',
      ]);
    }
    await dataOf(first.post('chat/handOver', { id: ann.id, to: second.staffId }));
    expect(await errorOf(answer(first, ann.id, 'still me'))).toBe('CHAT_CLAIMED');
    const shown = await open(second, ann.id);
    expect(shown.case.claim.isMine).toBe(true);
    expect(
      shown.steps.map(({ step, to }: { step: string; to: { id: string } | null }) => [step, to?.id]),
    ).toEqual([
      ['claimed', undefined],
      ['handed', second.staffId],
    ]);
    const { rows } = await db.owner.query(
      `select staff_id, facts ->> 'to' as to from (select staff_id, entry::jsonb -> 'facts' as facts from audit_log
       where action = 'chat.hand_over' and subject = $1) a`,
      [`chat:${ann.id}`],
    );
    expect(rows).toEqual([{ staff_id: first.staffId, to: second.staffId }]);
  });
});

describe('an answer', () => {
  test('that is sent again is stored once, and other words with its key are refused', async () => {
    const [first] = staff;
    const ann = await asks('twice?');
    const key = newKey();
    const sent = await Promise.all(
      Array.from({ length: 20 }, () => dataOf(answer(first, ann.id, 'once', key))),
    );
    expect(new Set(sent.map(({ id }) => id)).size).toBe(1);
    expect((await open(first, ann.id)).messages).toHaveLength(2);
    expect(await errorOf(answer(first, ann.id, 'other', key))).toBe('IDEMPOTENCY_MISMATCH');
    const { rows } = await db.owner.query(
      `select count(*)::int as n from audit_log where action = 'chat.answer' and subject = $1`,
      [`chat:${ann.id}`],
    );
    expect(rows).toEqual([{ n: 1 }]);
  });

  test('reaches both sides as plain text, whatever it contains', async () => {
    const [first] = staff;
    const text = '<script>alert(1)</script><img src=x onerror=alert(1)>';
    const ann = await asks(text);
    await dataOf(answer(first, ann.id, text));
    const mine = await dataOf(get(api.origin, 'chat/history', {}, { token: ann.token }));
    expect(mine.items.map((item: { text: string }) => item.text)).toEqual([text, text]);
    expect((await open(first, ann.id)).messages.map((item: { text: string }) => item.text)).toEqual([
      text,
      text,
    ]);
  });

  test('comes only from support, and only in a conversation that the customer began', async () => {
    const [first] = staff;
    const ann = await asks('help');
    for (const role of ['cashier', 'verification', 'content', 'administrator', 'auditor'] as const) {
      const other = await staffOf(db, api.officeOrigin, role);
      expect([role, await errorOf(answer(other, ann.id, 'x'))]).toEqual([role, 'ROLE_MISSING']);
      // The database refuses it too, without the office's API.
      const sql = `select chat_answer($1, $2, 5, 'x', sha256('k'), sha256('i'), '{}')`;
      await expect(db.server.query(sql, [other.staffId, ann.id])).rejects.toMatchObject({
        constraint: 'ROLE_MISSING',
      });
    }
    const silent = await register(api.origin);
    expect(await errorOf(answer(first, silent.id, 'Psst'))).toBe('CHAT_NOT_FOUND');
    expect(await errorOf(first.get('chat/conversation', { id: silent.id }))).toBe('CHAT_NOT_FOUND');
  });
});

test('notes are shown to colleagues, and never to the customer, by API or stream', async () => {
  const [first, second] = staff;
  const ann = await asks('what do they say of me?');
  const reader = await StreamClient.open(api.origin, ann.token);
  for (const topic of ['chat', 'chatState', 'notices']) await reader.sub(topic);
  const key = newKey();
  for (let times = 0; times < 3; times += 1)
    await dataOf(first.post('chat/note', { id: ann.id, key, text: 'Eichelhäher: asks a lot' }));
  await dataOf(answer(first, ann.id, 'We are looking.'));
  await reader.next(({ topic, data }) => topic === 'chat' && data.text === 'We are looking.');
  const { notes } = await open(second, ann.id);
  expect(notes.map(({ text, by }: { text: string; by: { name: string } }) => [text, by.name])).toEqual([
    ['Eichelhäher: asks a lot', first.account],
  ]);
  const told = [JSON.stringify(reader.messages)];
  for (const path of ['chat/history', 'user/getUserInfo', 'user/dataViews', 'notice/list'])
    told.push(JSON.stringify(await dataOf(get(api.origin, path, {}, { token: ann.token }))));
  expect(told.filter((text) => text.includes('Eichelhäher'))).toEqual([]);
  expect(told[1]).toContain('We are looking.');
  await reader.close();
});

test('every view of a conversation or its pictures is shown to the customer, and an open console counts as one view', async () => {
  const [first, second] = staff;
  const ann = await register(api.origin);
  const files = { image: await photo() };
  const { id } = await dataOf(upload(api.origin, 'chat/send', { files }, { token: ann.token }));
  const looks = async () =>
    (await dataOf(get(api.origin, 'user/dataViews', {}, { token: ann.token }))).items.map(
      ({ what, staff: by }: { what: string; staff: string }) => [what, by],
    );
  await dataOf(first.get('chat/list', { filter: 'all' }));
  expect(await looks()).toEqual([]);
  for (let times = 0; times < 3; times += 1) await open(first, ann.id);
  expect(await looks()).toEqual([['chat', first.staffId]]);
  const picture = await second.get('chat/image', { id });
  expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
  expect(await looks()).toEqual([
    ['chat', second.staffId],
    ['chat', first.staffId],
  ]);
  await db.owner.query(`update personal_data_views set at = at - interval '11 minutes'`);
  await open(first, ann.id);
  expect(await looks()).toHaveLength(3);
  const auditor = await staffOf(db, api.officeOrigin, 'auditor');
  await open(auditor, ann.id);
  expect((await looks())[0]).toEqual(['chat', auditor.staffId]);
  expect(await errorOf(first.get('chat/image', { id: '1' }))).toBe('DOCUMENT_NOT_FOUND');
});

test('canned answers are written in three languages, changed and removed, and each change is in the audit log', async () => {
  const [first, second] = staff;
  const shipped = await dataOf(first.get('chat/canned'));
  expect(shipped.length).toBeGreaterThan(2);
  const form = { title: 'Fees', zh: '费用', tw: '費用', en: 'Fees are…' };
  const { id } = await dataOf(first.post('chat/setCanned', form));
  expect(await errorOf(first.post('chat/setCanned', { title: 'x', zh: 'x', tw: 'x', en: ' ' }))).toBe(
    'FORM_INCOMPLETE',
  );
  await dataOf(second.post('chat/setCanned', { ...form, id, en: 'No fees' }));
  const found = (await dataOf(first.get('chat/canned'))).find((one: { id: string }) => one.id === id);
  expect(found).toEqual({ ...form, id, en: 'No fees' });
  await dataOf(first.post('chat/removeCanned', { id }));
  expect(await dataOf(first.get('chat/canned'))).toEqual(shipped);
  expect(await errorOf(first.post('chat/setCanned', { ...form, id }))).toBe('CHAT_NOT_FOUND');
  const { rows } = await db.owner.query('select action from audit_log where subject = $1 order by seq', [
    `canned:${id}`,
  ]);
  expect(rows.map(({ action }) => action)).toEqual(['canned.set', 'canned.set', 'canned.remove']);
  await db.owner.query(
    `insert into canned_answers (title, texts) select 'n' || n, '{"zh": "x", "tw": "x", "en": "x"}' from generate_series(1, 200) n`,
  );
  expect(await errorOf(first.post('chat/setCanned', form))).toBe('CANNED_FULL');
});

test('a customer’s session writes to the customer’s own conversation alone', async () => {
  const [ann, bob] = [await asks('mine'), await asks('mine, too')];
  await dataOf(post(api.origin, 'chat/mark', { place: 1, as: 'read' }, { token: bob.token }));
  await dataOf(say(api.origin, bob.token, 'only mine'));
  const { items } = await dataOf(get(api.origin, 'chat/history', {}, { token: ann.token }));
  expect(items.map(({ text }: { text: string }) => text)).toEqual(['mine']);
});
