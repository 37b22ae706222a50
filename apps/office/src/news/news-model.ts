import { isDay } from '@fairtick/protocol/day';
import {
  DEFAULT_LANGUAGE,
  fieldIn,
  inEachLanguage,
  LANGUAGES,
  type Language,
} from '@fairtick/protocol/languages';
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
  texts: inEachLanguage(() => NONE),
};

/** The editor's fields for an article's version. The note starts empty, because it describes the changes of the next version. */
export function draftOf({ category, cover, source, sourceUrl, texts }: Article): Draft {
  const textOf = (language: Language): Text => {
    const found = texts.find((text) => text.language === language);
    return found ? { title: found.title, summary: found.summary, body: found.body } : NONE;
  };
  return {
    ...{ category, source, cover: cover ?? '', sourceUrl: sourceUrl ?? '', note: '' },
    texts: inEachLanguage(textOf),
  };
}

/** The fields under the names that the server uses. */
export function fieldsOf({ texts, ...draft }: Draft): Record<string, string> {
  const named = LANGUAGES.flatMap((language) =>
    Object.entries(texts[language]).map(([name, text]) => [fieldIn(name, language), text]),
  );
  return { ...draft, ...Object.fromEntries(named) };
}

export const isSame = (a: Draft, b: Draft): boolean =>
  JSON.stringify(fieldsOf({ ...a, note: '' })) === JSON.stringify(fieldsOf({ ...b, note: '' }));

/** The languages without a text; their readers get another language. */
export const missing = ({ texts }: Draft): Language[] =>
  LANGUAGES.filter((language) => texts[language].body.trim() === '');

/** The language in which an editor opens: the first that is written. */
export const firstWritten = ({ texts }: Draft): Language =>
  LANGUAGES.find((language) => texts[language].body !== '') ?? DEFAULT_LANGUAGE;

/** Unix ms of a local date and time; null if none was chosen. */
export function momentOf(local: string): number | null {
  const ms = isDay(local.slice(0, 10)) ? new Date(local).getTime() : Number.NaN;
  return Number.isFinite(ms) ? ms : null;
}
