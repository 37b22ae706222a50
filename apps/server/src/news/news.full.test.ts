import { type Answer, get } from '@fairtick/kit/clients/api-client.ts';
import type { OfficeAnswer } from '@fairtick/kit/clients/office-client.ts';
import { errorOf } from '@fairtick/kit/clients/read-answers.ts';
import { failureIn } from '@fairtick/kit/database/failures.ts';
import { auditedDatabase, ownOffice, ownStaff } from '@fairtick/kit/fixtures/fixtures.ts';
import { setMode } from '@fairtick/kit/installation/house.ts';
import { photo } from '@fairtick/kit/people/pictures.ts';
import { installStaff } from '@fairtick/kit/people/staff.ts';
import { describe, expect, test } from 'vitest';

/** News from the office to a reader. */
const db = auditedDatabase();
const api = ownOffice(db);
const writer = ownStaff(db, api, 'content');
const auditor = ownStaff(db, api, 'auditor');

const dataOf = async (answer: Promise<Answer | OfficeAnswer>) => {
  const { body } = await answer;
  expect([body.error, body.fields]).toEqual([undefined, undefined]);
  return body.data;
};
const list = (fields: Record<string, string> = {}) => dataOf(get(api.origin, 'news/list', fields));
const detail = (id: string, lang = 'en') => get(api.origin, 'news/detail', { id, lang });

const ARTICLE = { category: 'notice', source: 'Fairtick', titleEn: 'A title', bodyEn: 'Some **text**.' };
const save = (fields: Record<string, string> = {}) => writer.post('news/save', { ...ARTICLE, ...fields });
const publish = (id: string, version: number, fields: Record<string, string> = {}) =>
  writer.post('news/publish', { id, version: String(version), ...fields });
async function published(fields: Record<string, string> = {}): Promise<string> {
  const { id, version } = await dataOf(save(fields));
  await dataOf(publish(id, version));
  return id;
}

describe('readers', () => {
  test('find news by category, sourced and dated, the newest first, page by page (S1-11, S7-27)', async () => {
    const ids = [];
    for (const n of [1, 2, 3]) ids.unshift(await published({ category: 'market', titleEn: `Market ${n}` }));
    const all = await list({ category: 'market', limit: '100' });
    expect(all.items.slice(0, 3).map(({ id }: { id: string }) => id)).toEqual(ids);
    expect(all.items.every(({ category }: { category: string }) => category === 'market')).toBe(true);
    expect(all.items[0]).toMatchObject({
      title: 'Market 3',
      summary: 'Some text.',
      source: 'Fairtick',
      isSample: false,
    });
    expect(Math.abs(all.items[0].publishedAt - Date.now())).toBeLessThan(60_000);
    const first = await list({ category: 'market', limit: '2' });
    // Articles added meanwhile shift nothing.
    await published({ category: 'market', titleEn: 'Market 4' });
    const second = await list({ category: 'market', limit: '2', cursor: first.nextCursor });
    expect(second.items[0].id).toBe(ids[2]);
    expect(await errorOf(get(api.origin, 'news/list', { cursor: '5' }))).toBe('INVALID_CURSOR');
  });

  test('read their language, or another that is marked as a fallback (S1-27, S1-29)', async () => {
    const id = await published({ titleZh: '标题', bodyZh: '正文', sourceUrl: 'https://paper.example/x?y=1' });
    expect((await dataOf(detail(id))).sourceUrl).toBe('https://paper.example/x?y=1');
    expect(await dataOf(detail(id, 'en'))).toMatchObject({
      title: 'A title',
      language: 'en',
      isFallback: false,
    });
    expect(await dataOf(detail(id, 'zh'))).toMatchObject({
      title: '标题',
      language: 'zh',
      isFallback: false,
    });
    // The article has no traditional Chinese text; simplified Chinese is nearer than English.
    expect(await dataOf(detail(id, 'tw'))).toMatchObject({ title: '标题', language: 'zh', isFallback: true });
    expect((await dataOf(detail(id, 'xx'))).language).toBe('zh');
  });

  test('see samples marked in demo mode, and none in live mode', async () => {
    const { items } = await list({ limit: '100' });
    const samples = items.filter(({ isSample }: { isSample: boolean }) => isSample);
    expect(samples.length).toBeGreaterThanOrEqual(5);
    for (const language of ['zh', 'tw', 'en'])
      for (const { id } of samples)
        expect(await dataOf(detail(id, language))).toMatchObject({ language, isFallback: false });
    await setMode(db.owner, 'live');
    try {
      const live = await list({ limit: '100' });
      expect(live.items.filter(({ isSample }: { isSample: boolean }) => isSample)).toEqual([]);
      expect(await errorOf(detail(samples[0].id))).toBe('NEWS_NOT_FOUND');
    } finally {
      await setMode(db.owner, 'demo');
    }
  });

  test('get no script, whatever an article contains', async () => {
    const id = await published({
      bodyEn: 'Hello <script>alert(1)</script><img src=x onerror=alert(1)> [x](javascript:alert(1))',
    });
    const { html, summary } = await dataOf(detail(id));
    expect(html).toBe('<p>Hello  <a>x</a></p>');
    expect(summary).toBe('Hello x');
    const preview = await dataOf(writer.post('news/preview', { text: '# A\n[x](/y)<script>1</script>' }));
    expect(preview.nodes).toEqual([
      { tag: 'h2', nodes: ['A'] },
      '\n',
      { tag: 'p', nodes: [{ tag: 'a', href: '/y', nodes: ['x'] }] },
    ]);
  });

  test('see a cover that is encoded again and cached for good, and find none under an unknown name', async () => {
    const picture = (await photo({ kind: 'png' })).toString('base64url');
    const cover = await dataOf(writer.post('news/cover', { picture }));
    const id = await published({ cover: cover.name });
    const { url } = (await dataOf(detail(id))).cover;
    const answer = await fetch(`${api.origin}${url}`);
    expect([answer.status, answer.headers.get('content-type'), answer.headers.get('cache-control')]).toEqual([
      200,
      'image/jpeg',
      'public, max-age=31536000, immutable',
    ]);
    expect(
      Buffer.from(await answer.arrayBuffer())
        .subarray(0, 3)
        .toString('hex'),
    ).toBe('ffd8ff');
    expect(await errorOf(get(api.origin, 'news/cover', { name: '1' }))).toBe('NEWS_NOT_FOUND');
    const bad = await writer.post('news/cover', { picture: Buffer.from('<svg/>').toString('base64url') });
    expect([bad.body.error, Object.keys(bad.body.fields)]).toEqual(['IMAGE_TYPE', ['picture']]);
    expect(await errorOf(save({ cover: 'nothing-of-this-name' }))).toBe('NEWS_NOT_FOUND');
  });
});

describe('an article', () => {
  test('appears at its scheduled time, not before, and can be unscheduled until then', async () => {
    const { id, version } = await dataOf(save());
    expect(await errorOf(detail(id))).toBe('NEWS_NOT_FOUND');
    await dataOf(publish(id, version, { at: String(Date.now() + 3_600_000) }));
    expect(await errorOf(detail(id))).toBe('NEWS_NOT_FOUND');
    expect((await dataOf(auditor.get('news/article', { id }))).state).toBe('scheduled');
    await dataOf(writer.post('news/unschedule', { id, version: '1' }));
    expect((await dataOf(auditor.get('news/article', { id }))).state).toBe('draft');
    // A time in the past becomes the present: no article is backdated.
    const { at } = await dataOf(publish(id, version, { at: '1000' }));
    expect(Math.abs(at - Date.now())).toBeLessThan(60_000);
    expect((await dataOf(detail(id))).title).toBe('A title');
    expect(await errorOf(writer.post('news/unschedule', { id, version: '1' }))).toBe('NEWS_MOVED');
    expect(await errorOf(publish(id, version))).toBe('NEWS_MOVED');
  });

  test('appears by the database’s clock', async () => {
    const { id, version } = await dataOf(save());
    await dataOf(publish(id, version, { at: String(Date.now() + 5_000) }));
    expect(await errorOf(detail(id))).toBe('NEWS_NOT_FOUND');
    await expect.poll(() => errorOf(detail(id))).toBeUndefined();
  });

  test('is never edited silently: a change is another version, told to readers, and the first stays', async () => {
    const id = await published();
    const second = await dataOf(save({ id, base: '1', titleEn: 'Corrected', note: 'The date was wrong.' }));
    expect((await dataOf(detail(id))).title).toBe('A title');
    await dataOf(publish(id, second.version));
    const now = await dataOf(detail(id));
    expect(now).toMatchObject({
      title: 'Corrected',
      version: 2,
      versions: [
        { version: 2, note: 'The date was wrong.' },
        { version: 1, note: null },
      ],
    });
    expect(now.updatedAt).toBeGreaterThan(now.publishedAt);
    expect((await dataOf(auditor.get('news/article', { id, version: '1' }))).texts[0].title).toBe('A title');
    // A save that is based on an old version is refused.
    expect(await errorOf(save({ id, base: '1', titleEn: 'Late' }))).toBe('NEWS_MOVED');
  });

  test('leaves the list when it is withdrawn, says so, and stays withdrawn', async () => {
    const id = await published({ titleEn: 'To withdraw' });
    await dataOf(writer.post('news/withdraw', { id, reason: 'Wrong.' }));
    expect(await errorOf(detail(id))).toBe('NEWS_WITHDRAWN');
    expect((await list({ limit: '100' })).items.map((item: { id: string }) => item.id)).not.toContain(id);
    expect(await errorOf(save({ id, base: '1' }))).toBe('NEWS_WITHDRAWN');
    expect(await errorOf(publish(id, 1))).toBe('NEWS_WITHDRAWN');
    expect((await dataOf(auditor.get('news/article', { id }))).withdrawn).toMatchObject({ reason: 'Wrong.' });
  });

  test('needs a title and a text in one language, and a valid address of its source', async () => {
    expect((await save({ titleEn: '', bodyEn: '' })).body.fields).toHaveProperty('titleZh');
    expect((await save({ bodyEn: '' })).body.fields).toHaveProperty('bodyEn');
    expect((await save({ sourceUrl: 'javascript:alert(1)' })).body.fields).toHaveProperty('sourceUrl');
  });

  test('appears in the office’s list with its state', async () => {
    const { id } = await dataOf(save({ titleEn: 'A draft' }));
    const { items } = await dataOf(auditor.get('news/queue', { state: 'draft' }));
    expect(items[0]).toMatchObject({
      id,
      state: 'draft',
      title: 'A draft',
      languages: ['en'],
      hasDraft: true,
    });
    const { rows } = await db.owner.query(
      `select entry::jsonb ->> 'action' as action from audit_log where entry::jsonb ->> 'subject' = $1`,
      [`news:${id}`],
    );
    expect(rows).toEqual([{ action: 'news.save' }]);
  });
});

describe('the database', () => {
  const refusal = (statement: string, values: unknown[] = []) =>
    failureIn(db.server.query(statement, values));

  test('lets only staff with the role write, and lets no one change a saved version', async () => {
    const id = await published();
    const cashier = await installStaff(db.owner, 'cashier');
    const texts = JSON.stringify([{ language: 'en', title: 't', summary: 's', body: 'b' }]);
    const version = JSON.stringify({ category: 'notice', source: 'x' });
    expect(await refusal('select news_save($1, null, 0, $2, $3)', [cashier, version, texts])).toBe(
      'ROLE_MISSING',
    );
    expect(await refusal('select news_withdraw($1, $2, $3)', [cashier, id, 'no'])).toBe('ROLE_MISSING');
    for (const table of ['news_items', 'news_versions', 'news_texts', 'news_covers', 'news_feed_keys']) {
      expect([table, await refusal(`delete from ${table}`)]).toEqual([table, '42501']);
    }
    expect(await refusal(`update news_texts set body = 'other'`)).toBe('42501');
    // The rule binds the tables' owner too.
    await expect(db.owner.query(`update news_versions set note = 'quietly'`)).rejects.toMatchObject({
      constraint: 'NEWS_MOVED',
    });
  });
});
