import { LANGUAGE_TAGS, type Language, type Localised } from '@fairtick/protocol/languages';

/** English dates of sentences have the day before the month. */
const TAGS: Localised = { ...LANGUAGE_TAGS, en: 'en-GB' };

/** A time of a sentence, to the second, in UTC: the reader's time zone is not known here. Empty without a time. */
export function utcText(ms: string | undefined, language: Language): string {
  if (ms === undefined) return '';
  const format = new Intl.DateTimeFormat(TAGS[language], {
    dateStyle: 'long',
    timeStyle: 'medium',
    hour12: false,
    timeZone: 'UTC',
  });
  return `${format.format(Number(ms))} UTC`;
}
