import { type Localised, localised, type Texts } from './languages.ts';

/** One refusal: its HTTP status and the user's message in each language. `{name}` in a message is a parameter. */
export interface ErrorEntry extends Localised {
  readonly http: 200 | 400 | 401 | 404 | 405 | 408 | 413 | 415 | 429 | 500 | 503;
}

export const failed = (http: ErrorEntry['http'], ...texts: Texts): ErrorEntry => ({
  http,
  ...localised(...texts),
});
export const refused = (...texts: Texts): ErrorEntry => failed(200, ...texts);
