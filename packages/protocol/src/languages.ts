/** The languages of the product, the default and fallback first. */
export const LANGUAGES = ['zh', 'tw', 'en'] as const;
export type Language = (typeof LANGUAGES)[number];
/** A text in each language. */
export type Localised = Readonly<Record<Language, string>>;
/** The texts of a `Localised` in the order of `LANGUAGES`. A language without a text is an error of the compiler. */
export type Texts = TextsOf<typeof LANGUAGES>;
type TextsOf<List extends readonly string[]> = { readonly [Place in keyof List]: string };
export const DEFAULT_LANGUAGE: Language = 'zh';

/** BCP 47 tags of the languages, for the root element and for number and date formats. */
export const LANGUAGE_TAGS: Localised = { zh: 'zh-CN', tw: 'zh-TW', en: 'en-US' };

/** Each language's name in itself. */
export const LANGUAGE_NAMES: Localised = { zh: '简体中文', tw: '繁體中文', en: 'English' };

/** Languages to try for a text, the reader's first: the other Chinese script comes before English. */
export const NEAREST_LANGUAGES: Readonly<Record<Language, readonly Language[]>> = {
  zh: ['zh', 'tw', 'en'],
  tw: ['tw', 'zh', 'en'],
  en: ['en', 'zh', 'tw'],
};

/** Characters that people read per minute. */
export const READING_SPEED: Readonly<Record<Language, number>> = { zh: 400, tw: 400, en: 1_100 };

/** The colour of rising prices that readers of a language are used to. */
export const RISING_COLOURS: Readonly<Record<Language, 'red' | 'green'>> = {
  zh: 'red',
  tw: 'red',
  en: 'green',
};

/** A value for each language. */
export const inEachLanguage = <T>(make: (language: Language) => T): Record<Language, T> =>
  Object.fromEntries(LANGUAGES.map((language) => [language, make(language)])) as Record<Language, T>;

/** A text in each language, given in the order of `LANGUAGES`. */
export const localised = (...texts: Texts): Localised =>
  inEachLanguage((language) => texts[LANGUAGES.indexOf(language)] as string);

/** The name of a form's field for one language, such as `titleZh`. */
export const fieldIn = <Name extends string, One extends Language>(name: Name, language: One) =>
  `${name}${language.charAt(0).toUpperCase()}${language.slice(1)}` as `${Name}${Capitalize<One>}`;

/** The language that a reader of a BCP 47 tag reads; null: none of ours. */
export function languageOfTag(tag: string): Language | null {
  const [language, ...parts] = tag.toLowerCase().split('-');
  if (language === 'en') return 'en';
  if (language !== 'zh') return null;
  return parts.some((part) => ['hant', 'tw', 'hk', 'mo'].includes(part)) && !parts.includes('hans')
    ? 'tw'
    : 'zh';
}

/** The first of ours among the languages that a browser asks for (`Accept-Language`); null: none. */
export function languageAsked(header: string): Language | null {
  const asked = header.split(',').map((part) => {
    const [tag = '', weight] = part.split(';');
    return { language: languageOfTag(tag.trim()), weight: Number(weight?.split('=')[1] ?? 1) };
  });
  const ours = asked.filter(({ language, weight }) => language !== null && weight > 0);
  return ours.sort((a, b) => b.weight - a.weight)[0]?.language ?? null;
}

/** One of the languages, or the fallback for anything else. */
export function languageOf(value: unknown): Language {
  return LANGUAGES.includes(value as Language) ? (value as Language) : DEFAULT_LANGUAGE;
}
