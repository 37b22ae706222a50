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

/** Texts needed by some screens only; kept out of the first load. */
interface Parts {
  chart: typeof chart;
  identity: typeof identity;
  news: typeof news;
  protection: typeof protection;
  receipt: typeof receipt;
  security: typeof security;
  support: typeof support;
  transparency: typeof transparency;
  wallet: typeof wallet;
}
export type TextPart = keyof Parts;
export type MessageId = keyof typeof zh | { [P in TextPart]: keyof Parts[P] }[TextPart];
export type MessageValues = Readonly<Record<string, string | number>>;

export interface Text {
  readonly language: Language;
  /** BCP 47 tag, for dates and numbers. */
  readonly tag: string;
  /** Stands between two sentences; Chinese has none. */
  readonly gap: '' | ' ';
  t(id: MessageId, values?: MessageValues): string;
  has(part: TextPart): boolean;
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
    i18n.load(tag, await load(`${part}/${language}.json`));
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

/** Every catalogue by its path, fetched when it is first needed; `packages/ui` has those of parts that the office shows as well. */
const CATALOGUES = import.meta.glob<Messages>(
  ['./**/*.json', '../../../../packages/ui/src/messages/*/*.json'],
  {
    import: 'default',
  },
);
const load = (name: string): Promise<Messages> =>
  untilLoaded(
    (CATALOGUES[`./${name}`] ??
      CATALOGUES[`../../../../packages/ui/src/messages/${name}`]) as () => Promise<Messages>,
  );

/** Fetches a language. The catalogues are compiled when the app is built. */
export async function loadText(language: Language): Promise<Text> {
  const text = createText(language, await load(`${language}.json`));
  await Promise.all([...opened].map((part) => text.fetch(part)));
  return text;
}

let shown: Text | undefined;

/** The texts that are shown, for messages that no screen tells. */
export function textNow(): Text {
  if (!shown) throw new Error('no texts are shown yet');
  return shown;
}

export function setTextNow(text: Text): void {
  shown = text;
}
