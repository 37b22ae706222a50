import { LANGUAGE_TAGS, type Language } from '@fairtick/protocol/languages';
import { untilLoaded } from '@fairtick/ui/load-code';
import { I18n, type Messages } from '@lingui/core';
import type zh from './zh.json';

export type MessageId = keyof typeof zh;

/** One language's texts. */
export interface Text<Id extends string = MessageId> {
  readonly language: Language;
  /** BCP 47 tag, for dates and numbers. */
  readonly tag: string;
  t(id: Id, values?: Readonly<Record<string, string | number>>): string;
  /** The text of the id `prefix.name`; returns `name` where it has no text, as for a value newer than this app. */
  word(prefix: string, name: string): string;
  /** All names that have a text `prefix.name`. */
  names(prefix: string): string[];
}

export function createText<Id extends string = MessageId>(language: Language, messages: Messages): Text<Id> {
  const tag = LANGUAGE_TAGS[language];
  const i18n = new I18n({ locale: tag });
  i18n.loadAndActivate({ locale: tag, messages });
  return {
    language,
    tag,
    t: (id, values) => i18n._(id, values),
    word: (prefix, name) =>
      Object.hasOwn(messages, `${prefix}.${name}`) ? i18n._(`${prefix}.${name}`) : name,
    names: (prefix) =>
      Object.keys(messages).flatMap((id) =>
        id.startsWith(`${prefix}.`) ? [id.slice(prefix.length + 1)] : [],
      ),
  };
}

const LOADERS: Readonly<Record<Language, () => Promise<{ default: unknown }>>> = {
  zh: () => import('./zh.json'),
  tw: () => import('./tw.json'),
  en: () => import('./en.json'),
};

/** Fetches a language. The catalogues are compiled when the office is built. */
export async function loadText(language: Language): Promise<Text> {
  const catalogue = await untilLoaded(LOADERS[language]);
  return createText(language, catalogue.default as Messages);
}
