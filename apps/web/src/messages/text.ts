import { LANGUAGE_TAGS, type Language } from '@fairtick/protocol/languages';
import { untilLoaded } from '@fairtick/ui/load-code';
import type receipt from '@fairtick/ui/messages/receipt/zh.json';
import { I18n, type Messages } from '@lingui/core';
import type chart from './chart/zh.json';
import type identity from './identity/zh.json';
import type news from './news/zh.json';
import type protection from './protection/zh.json';
import type security from './security/zh.json';
import type support from './support/zh.json';
import type transparency from './transparency/zh.json';
import type wallet from './wallet/zh.json';
import type zh from './zh.json';

export type MessageId =
  | keyof typeof zh
  | keyof typeof wallet
  | keyof typeof chart
  | keyof typeof identity
  | keyof typeof news
  | keyof typeof protection
  | keyof typeof security
  | keyof typeof support
  | keyof typeof receipt
  | keyof typeof transparency;
/** Texts needed by some screens only; kept out of the first load. */
export type TextPart =
  | 'wallet'
  | 'chart'
  | 'identity'
  | 'news'
  | 'protection'
  | 'security'
  | 'support'
  | 'receipt'
  | 'transparency';
export type MessageValues = Readonly<Record<string, string | number>>;

/** One language's texts. */
export interface Text {
  readonly language: Language;
  /** BCP 47 tag, for dates and numbers. */
  readonly tag: string;
  /** Stands between two sentences; Chinese has none. */
  readonly gap: '' | ' ';
  t(id: MessageId, values?: MessageValues): string;
  has(part: TextPart): boolean;
  /** Fetches a part, once. */
  fetch(part: TextPart): Promise<void>;
}

/** The translation layer's own initial locale; replaced by the chosen language before anything is shown. */
const INITIAL_LOCALE = 'en-US';
export const translationLayer = (): I18n =>
  new I18n({ locale: INITIAL_LOCALE, messages: { [INITIAL_LOCALE]: {} } });

export function createText(language: Language, messages: Messages): Text {
  const tag = LANGUAGE_TAGS[language];
  const i18n = translationLayer();
  i18n.loadAndActivate({ locale: tag, messages });
  const there = new Set<TextPart>();
  const fetched = new Map<TextPart, Promise<void>>();
  const fetchPart = async (part: TextPart) => {
    const { default: texts } = await untilLoaded(PARTS[part][language]);
    i18n.load(tag, texts as Messages);
    there.add(part);
  };
  return {
    language,
    tag,
    gap: language === 'en' ? ' ' : '',
    t: (id, values) => i18n._(id, values),
    has: (part) => there.has(part),
    fetch: (part) => {
      opened.add(part);
      const promise = fetched.get(part) ?? fetchPart(part);
      fetched.set(part, promise);
      return promise;
    },
  };
}

/** Parts loaded so far: a change of language loads them too, so that no screen is blank meanwhile. */
const opened = new Set<TextPart>();

const LOADERS: Readonly<Record<Language, () => Promise<{ default: unknown }>>> = {
  zh: () => import('./zh.json'),
  tw: () => import('./tw.json'),
  en: () => import('./en.json'),
};

const PARTS: Readonly<Record<TextPart, Readonly<Record<Language, () => Promise<{ default: unknown }>>>>> = {
  chart: {
    zh: () => import('./chart/zh.json'),
    tw: () => import('./chart/tw.json'),
    en: () => import('./chart/en.json'),
  },
  protection: {
    zh: () => import('./protection/zh.json'),
    tw: () => import('./protection/tw.json'),
    en: () => import('./protection/en.json'),
  },
  identity: {
    zh: () => import('./identity/zh.json'),
    tw: () => import('./identity/tw.json'),
    en: () => import('./identity/en.json'),
  },
  news: {
    zh: () => import('./news/zh.json'),
    tw: () => import('./news/tw.json'),
    en: () => import('./news/en.json'),
  },
  security: {
    zh: () => import('./security/zh.json'),
    tw: () => import('./security/tw.json'),
    en: () => import('./security/en.json'),
  },
  support: {
    zh: () => import('./support/zh.json'),
    tw: () => import('./support/tw.json'),
    en: () => import('./support/en.json'),
  },
  receipt: {
    zh: () => import('@fairtick/ui/messages/receipt/zh.json'),
    tw: () => import('@fairtick/ui/messages/receipt/tw.json'),
    en: () => import('@fairtick/ui/messages/receipt/en.json'),
  },
  transparency: {
    zh: () => import('./transparency/zh.json'),
    tw: () => import('./transparency/tw.json'),
    en: () => import('./transparency/en.json'),
  },
  wallet: {
    zh: () => import('./wallet/zh.json'),
    tw: () => import('./wallet/tw.json'),
    en: () => import('./wallet/en.json'),
  },
};

/** Fetches a language. The catalogues are compiled when the app is built. */
export async function loadText(language: Language): Promise<Text> {
  const catalogue = await untilLoaded(LOADERS[language]);
  const text = createText(language, catalogue.default as Messages);
  await Promise.all([...opened].map((part) => text.fetch(part)));
  return text;
}
