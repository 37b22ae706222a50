/** The languages of the product, the default and fallback first. */
export const LANGUAGES = ['zh', 'tw', 'en'] as const;
export type Language = (typeof LANGUAGES)[number];
export const DEFAULT_LANGUAGE: Language = 'zh';

/** BCP 47 tags of the languages, for the root element and for number and date formats. */
export const LANGUAGE_TAGS: Readonly<Record<Language, string>> = { zh: 'zh-CN', tw: 'zh-TW', en: 'en-US' };

/** Languages to try for a text, the reader's first: the other Chinese script comes before English. */
export const NEAREST_LANGUAGES: Readonly<Record<Language, readonly Language[]>> = {
  zh: ['zh', 'tw', 'en'],
  tw: ['tw', 'zh', 'en'],
  en: ['en', 'zh', 'tw'],
};

/** Characters that people read per minute. */
export const READING_SPEED: Readonly<Record<Language, number>> = { zh: 400, tw: 400, en: 1_100 };

/** A value for each language. */
export const inEachLanguage = <T>(make: (language: Language) => T): Record<Language, T> =>
  Object.fromEntries(LANGUAGES.map((language) => [language, make(language)])) as Record<Language, T>;

/** One of the languages, or the fallback for anything else. */
export function languageOf(value: unknown): Language {
  return LANGUAGES.includes(value as Language) ? (value as Language) : DEFAULT_LANGUAGE;
}
