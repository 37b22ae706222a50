import { isDay } from '@fairtick/protocol/day';
import type { Language } from '@fairtick/protocol/languages';
import type { Article } from './queries.ts';

/** The fields of the editor. */
export interface Draft {
  readonly category: string;
  readonly cover: string;
  readonly source: string;
  readonly sourceUrl: string;
  readonly note: string;
  readonly texts: Readonly<Record<Language, Text>>;
}
export interface Text {
  readonly title: string;
  readonly summary: string;
  readonly body: string;
}

const NONE: Text = { title: '', summary: '', body: '' };
export const EMPTY: Draft = {
  category: 'notice',
  cover: '',
  source: 'Fairtick',
  sourceUrl: '',
  note: '',
  texts: { zh: NONE, tw: NONE, en: NONE },
};

/** The version being edited as a draft, without its note: a note describes what the next version changes. */
export function draftOf({ category, cover, source, sourceUrl, texts }: Article): Draft {
  const textOf = (language: Language): Text => {
    const found = texts.find((text) => text.language === language);
    return found ? { title: found.title, summary: found.summary, body: found.body } : NONE;
  };
  return {
    ...{ category, source, cover: cover ?? '', sourceUrl: sourceUrl ?? '', note: '' },
    texts: { zh: textOf('zh'), tw: textOf('tw'), en: textOf('en') },
  };
}

/** The fields under the names that the server uses. */
export function fieldsOf({ texts, ...draft }: Draft): Record<string, string> {
  const { zh, tw, en } = texts;
  return {
    ...draft,
    ...{ titleZh: zh.title, summaryZh: zh.summary, bodyZh: zh.body },
    ...{ titleTw: tw.title, summaryTw: tw.summary, bodyTw: tw.body },
    ...{ titleEn: en.title, summaryEn: en.summary, bodyEn: en.body },
  };
}

export const isSame = (a: Draft, b: Draft): boolean =>
  JSON.stringify(fieldsOf({ ...a, note: '' })) === JSON.stringify(fieldsOf({ ...b, note: '' }));

/** The languages without a text; their readers get another language. */
export const missing = ({ texts }: Draft): Language[] =>
  (['zh', 'tw', 'en'] as const).filter((language) => texts[language].body.trim() === '');

/** Unix ms of a local date and time; null if none was chosen. */
export function momentOf(local: string): number | null {
  const ms = isDay(local.slice(0, 10)) ? new Date(local).getTime() : Number.NaN;
  return Number.isFinite(ms) ? ms : null;
}
