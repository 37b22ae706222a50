/** The languages of the product, the default and fallback first. */
export const LANGUAGES = ['zh', 'tw', 'en'] as const;
export type Language = (typeof LANGUAGES)[number];
export const DEFAULT_LANGUAGE: Language = 'zh';

/** BCP 47 tags of the languages, for the root element and for number and date formats. */
export const LANGUAGE_TAGS: Readonly<Record<Language, string>> = { zh: 'zh-CN', tw: 'zh-TW', en: 'en-US' };

/** One of the languages, or the fallback for anything else. */
export function languageOf(value: unknown): Language {
  return LANGUAGES.includes(value as Language) ? (value as Language) : DEFAULT_LANGUAGE;
}
