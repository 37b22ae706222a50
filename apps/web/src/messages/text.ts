import { LANGUAGE_TAGS, type Language } from '@fairtick/protocol/languages';
import { I18n, type Messages } from '@lingui/core';
import type zh from './zh.json';

export type MessageId = keyof typeof zh;
export type MessageValues = Readonly<Record<string, string | number>>;

/** One language's texts. */
export interface Text {
  readonly language: Language;
  /** BCP 47 tag, for dates and numbers. */
  readonly tag: string;
  t(id: MessageId, values?: MessageValues): string;
}

/** The translation layer's own initial locale; replaced by the chosen language before anything is shown. */
const INITIAL_LOCALE = 'en-US';

export function createText(language: Language, messages: Messages): Text {
  const tag = LANGUAGE_TAGS[language];
  const i18n = new I18n({ locale: INITIAL_LOCALE });
  i18n.loadAndActivate({ locale: tag, messages });
  return { language, tag, t: (id, values) => i18n._(id, values) };
}

const LOADERS: Readonly<Record<Language, () => Promise<{ default: unknown }>>> = {
  zh: () => import('./zh.json'),
  tw: () => import('./tw.json'),
  en: () => import('./en.json'),
};

/** Fetches a language. The catalogues are compiled when the app is built. */
export async function loadText(language: Language): Promise<Text> {
  const catalogue = await LOADERS[language]();
  return createText(language, catalogue.default as Messages);
}
