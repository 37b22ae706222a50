import { COUNTRIES } from '@fairtick/protocol/countries';
import { untilLoaded } from '@fairtick/ui/load-code';
import { searchIn, typedAs } from '@fairtick/ui/search';

/** Of each country: its code and names, and the syllables of the Chinese ones; both separated by commas. `npm run search-words` makes them. */
type CountryWords = Readonly<Record<string, readonly string[]>>;

export const readCountryWords = async (): Promise<CountryWords> =>
  (await untilLoaded(() => import('./country-words.json'))).default;

/** Names of countries in a language that the reader's browser asks for; none in one that it does not know. */
function countriesIn(tag: string): Intl.DisplayNames | null {
  try {
    return new Intl.DisplayNames(tag, { type: 'region' });
  } catch {
    return null;
  }
}

const split = (names: string | undefined): readonly string[] => (names ? names.split(',') : []);

/** All names of a country: in the languages of the app, in those of the browser, as people call it, and by sound. */
export function countryNames(words: CountryWords, languages: readonly string[]) {
  const foreign = languages.map(countriesIn).filter((names) => names !== null);
  return (code: string): readonly string[] => {
    const [names, syllables] = words[code] ?? [];
    return [...split(names), ...split(syllables), ...foreign.map((inTheirs) => inTheirs.of(code) ?? '')];
  };
}

export interface Country {
  readonly code: string;
  readonly name: string;
}

export function countriesNamedIn(tag: string): readonly Country[] {
  const names = countriesIn(tag);
  return COUNTRIES.map((code) => ({ code, name: names?.of(code) ?? code })).sort((a, b) =>
    a.name.localeCompare(b.name, tag),
  );
}

/** A search of countries by code, by any of their names, and by pinyin and initials. */
export function searchCountries(
  countries: readonly Country[],
  words: CountryWords,
  languages: readonly string[],
) {
  const namesOf = countryNames(words, languages);
  return searchIn(countries, ({ code, name }) => [
    [code, name],
    namesOf(code),
    typedAs(split(words[code]?.[1])),
  ]);
}
