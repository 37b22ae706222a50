import { expect, test } from 'vitest';
import { languageAsked, languageOfTag } from './languages.ts';

test.each([
  ['zh-CN', 'zh'],
  ['zh', 'zh'],
  ['zh-SG', 'zh'],
  ['zh-Hans-HK', 'zh'],
  ['zh-TW', 'tw'],
  ['zh-HK', 'tw'],
  ['zh-Hant-CN', 'tw'],
  ['en-GB', 'en'],
  ['EN', 'en'],
  ['enm', null],
  ['fr-FR', null],
  ['', null],
] as const)('a reader of %s reads %s', (tag, language) => {
  expect(languageOfTag(tag)).toBe(language);
});

test.each([
  ['en-US,en;q=0.9', 'en'],
  ['fr-CH, fr;q=0.9, en;q=0.8, zh;q=0.7, *;q=0.5', 'en'],
  ['zh-TW;q=0.4, zh-CN;q=0.9', 'zh'],
  ['en;q=0, zh-HK', 'tw'],
  ['de, *', null],
  ['', null],
  [';;,q=,en;q=x', null],
] as const)('a browser that asks for %j gets %s', (header, language) => {
  expect(languageAsked(header)).toBe(language);
});
