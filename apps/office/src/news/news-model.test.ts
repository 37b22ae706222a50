import { expect, test } from 'vitest';
import { draftOf, EMPTY, fieldsOf, isSame, missing, momentOf } from './news-model.ts';

const article = {
  category: 'guide',
  cover: null,
  source: 'Us',
  sourceUrl: null,
  texts: [{ language: 'en', title: 'T', summary: 'S', body: 'B' }],
} as unknown as Parameters<typeof draftOf>[0];

test('an article is edited as it stands, and its note begins anew', () => {
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

test('a note alone is no change of the article', () => {
  expect(isSame(EMPTY, { ...EMPTY, note: 'x' })).toBe(true);
  expect(isSame(EMPTY, { ...EMPTY, source: 'x' })).toBe(false);
});

test('no moment is none', () => {
  expect(momentOf('')).toBeNull();
  expect(momentOf('2026-02-31T08:00')).toBeNull();
  expect(momentOf('2026-11-22T08:00')).toBe(new Date(2026, 10, 22, 8).getTime());
});
