import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERRORS } from '@fairtick/protocol';
import { LANGUAGES, type Language, type Localised } from '@fairtick/protocol/languages';
import { REQUEST_STATES } from '@fairtick/protocol/request-states';
import { VOID_REASONS } from '@fairtick/trading';
import { expect, test } from 'vitest';
import { REASONS } from '../apps/server/src/customers/identity/verification-reasons.ts';
import { orderRuleTexts } from '../apps/server/src/market/order-rules-text.ts';
import { ABOUT, LABELS, TYPES } from '../apps/server/src/money/fund-log/statement.ts';
import { DEPOSIT_REASONS, WITHDRAWAL_REASONS } from '../apps/server/src/money/requests/reasons.ts';
import { ARTICLES } from '../apps/server/src/news/samples/articles.ts';
import { MESSAGES } from '../apps/server/src/notices/notice-texts.ts';
import { TEXTS } from '../apps/server/src/pages/landing/landing-texts.ts';

const ROOT = join(import.meta.dirname, '..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

interface Term {
  readonly words: Localised;
  readonly avoid: readonly string[];
}

/** The lines of the table of `docs/TERMS.md`. */
const TERMS: readonly Term[] = read('docs/TERMS.md')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| English '))
  .map((line) => {
    const [, en = '', zh = '', tw = '', , avoid = ''] = line.split('|').map((cell) => cell.trim());
    return { words: { en, zh, tw }, avoid: avoid.split(', ').filter((word) => word !== '') };
  });

interface Shown {
  readonly place: string;
  readonly text: string;
}

/** Every text that customers or staff read, of one language. */
function textsOf(language: Language): Shown[] {
  const catalogues = globSync(`{apps/{web,office},packages/ui}/src/messages/{,*/}${language}.json`, {
    cwd: ROOT,
  });
  const ofApps = catalogues.flatMap((file) =>
    Object.entries(JSON.parse(read(file)) as Record<string, string>).map(([id, text]) => ({
      place: `${file} ${id}`,
      text,
    })),
  );
  const localised: Readonly<Record<string, Localised>> = {
    ...ERRORS,
    ...REASONS,
    ...DEPOSIT_REASONS,
    ...WITHDRAWAL_REASONS,
    ...TEXTS,
  };
  const ofServer = Object.entries(localised).map(([place, text]) => ({ place, text: text[language] }));
  const ofStatement = [LABELS, TYPES, ABOUT, REQUEST_STATES].flatMap((texts) =>
    Object.entries<Localised>(texts).map(([id, text]) => ({
      place: `statement ${id}`,
      text: text[language],
    })),
  );
  const rules = { delayMs: 2_000, quietMs: 2_000, waitMs: 1_000 };
  const ofRules = orderRuleTexts(language, rules).map((text) => ({ place: 'rules of an order', text }));
  const notices = Object.entries(MESSAGES).flatMap(([place, { title, text }]) => [
    { place, text: title[language] },
    { place, text: text[language] },
  ]);
  const news = ARTICLES.flatMap(({ texts }) => {
    const { title, summary, body } = texts[language];
    return [title, summary, body].map((text) => ({ place: `sample news: ${title}`, text }));
  });
  return [...ofApps, ...ofServer, ...ofStatement, ...ofRules, ...notices, ...news];
}

/** The pattern of an avoided word in a language; null if the word is for another language. */
function patternOf(word: string, language: Language): RegExp | null {
  const [, scope, rest = word] = /^(zh|tw):(.*)$/.exec(word) ?? [];
  const isChinese = /[^\0-\x7f]/.test(rest);
  if (scope === undefined ? isChinese === (language === 'en') : scope !== language) return null;
  const written = /^\/(.*)\/$/.exec(rest)?.[1];
  if (written !== undefined) return new RegExp(written);
  return isChinese ? new RegExp(rest) : new RegExp(`\\b${rest}\\b`);
}

test.each(LANGUAGES)(
  'the texts in %s use the terms of docs/TERMS.md and none of the words to avoid',
  (language) => {
    const texts = textsOf(language);
    expect(texts.length).toBeGreaterThan(2_000);
    const all = texts.map(({ text }) => text.toLowerCase()).join('\n');
    const unused = TERMS.map(({ words }) => words[language]).filter(
      (word) => !all.includes(word.toLowerCase()),
    );
    expect(unused).toEqual([]);
    const patterns = TERMS.flatMap(({ avoid }) => avoid)
      .map((word) => patternOf(word, language))
      .filter((pattern) => pattern !== null);
    expect(patterns.length).toBeGreaterThan(10);
    const faults = texts.flatMap(({ place, text }) =>
      patterns
        .filter((pattern) => pattern.test(text))
        .map((pattern) => `${place}: ${pattern.source} in ${text}`),
    );
    expect(faults).toEqual([]);
  },
);

test.each(LANGUAGES)(
  'the office has a text for each reason of a void, and for no other, in %s',
  (language) => {
    const catalogue = JSON.parse(read(`apps/office/src/messages/${language}.json`)) as Record<string, string>;
    const named = Object.keys(catalogue).flatMap((id) => /^voidReason\.(.*)$/.exec(id)?.[1] ?? []);
    expect(named.sort()).toEqual([...VOID_REASONS].sort());
  },
);

test.each(LANGUAGES)('a menu entry has the title of its screen in %s', (language) => {
  const catalogue = (part: string) =>
    JSON.parse(read(`apps/web/src/messages/${part}${language}.json`)) as Record<string, string>;
  const titles = catalogue('');
  const entries = catalogue('identity/');
  const pairs = [
    ['mine.records', 'title.accessLog'],
    ['mine.funds', 'title.changeLog'],
    ['mine.orders', 'title.historyOrder'],
    ['mine.notices', 'title.notices'],
    ['mine.realName', 'title.realName'],
    ['mine.card', 'title.bank'],
    ['mine.crypto', 'title.editAddress'],
    ['mine.security', 'title.security'],
    ['mine.withdrawalPasswordNew', 'title.setPayWord'],
  ] as const;
  expect(pairs.map(([entry]) => entries[entry])).toEqual(pairs.map(([, title]) => titles[title]));
});

/** A comma, colon, mark or bracket of Latin texts at a Chinese character; parameters are taken out before. */
const HALF_WIDTH = /\p{Script=Han}\s?[,;:!?]|[,;:!?]\s?\p{Script=Han}|\p{Script=Han} ?\(|\) ?\p{Script=Han}/u;

test.each(['zh', 'tw'] as const)('the texts in %s have the punctuation of Chinese', (language) => {
  const faults = textsOf(language).filter(({ text }) => HALF_WIDTH.test(text.replaceAll(/\{[^{}]*\}/g, '')));
  expect(faults).toEqual([]);
});
