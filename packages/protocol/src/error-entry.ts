import type { Language } from './languages.ts';

/** One refusal: its HTTP status and the user's message in each language. `{name}` in a message is a parameter. */
export interface ErrorEntry extends Readonly<Record<Language, string>> {
  readonly http: 200 | 400 | 401 | 404 | 405 | 408 | 413 | 415 | 429 | 500 | 503;
}

export const refused = (zh: string, tw: string, en: string): ErrorEntry => ({ http: 200, zh, tw, en });
export const failed = (http: ErrorEntry['http'], zh: string, tw: string, en: string): ErrorEntry => ({
  http,
  zh,
  tw,
  en,
});
