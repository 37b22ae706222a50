import { expect, test } from 'vitest';
import { draftOf, EMPTY, fieldsOf, isSame, missing, momentOf } from './news-model.ts';

const article = {
  category: 'guide',
  cover: null,
  source: 'Us',
  sourceUrl: null,
  texts: [{ language: 'en', title: 'T', summary: 'S', body: 'B' }],
} as unknown as Parameters<typeof draftOf>[0];

test('an article becomes a draft with its own fields and an empty note', () => {
  const draft = draftOf(article);
  expect(fieldsOf(draft)).toMatchObject({
    category: 'guide',
    cover: '',
    titleEn: 'T',
    bodyEn: 'B',
    titleZh: '',
    note: '',
  });
  expect(missing(draft)).toEqual(['zh', 'tw']);
});

test('a note alone does not change an article', () => {
  expect(isSame(EMPTY, { ...EMPTY, note: 'x' })).toBe(true);
  expect(isSame(EMPTY, { ...EMPTY, source: 'x' })).toBe(false);
});

test('an empty field or an impossible date gives no moment', () => {
  expect(momentOf('')).toBeNull();
  expect(momentOf('2026-02-31T08:00')).toBeNull();
  expect(momentOf('2026-11-22T08:00')).toBe(new Date(2026, 10, 22, 8).getTime());
});
