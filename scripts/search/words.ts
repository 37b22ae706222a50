import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { COUNTRIES } from '@fairtick/protocol/countries';
import { LANGUAGE_TAGS, LANGUAGES } from '@fairtick/protocol/languages';
import { Converter } from 'opencc-js';
import { pinyin } from 'pinyin-pro';
import { CATALOGUE } from '../../apps/server/src/market/catalogue/catalogue.ts';
import type { CatalogueProduct } from '../../apps/server/src/market/catalogue/catalogue-product.ts';
import { ALIASES, CLASSES } from './aliases.ts';
import { COUNTRY_ALIASES } from './countries.ts';
import { PLACES } from './places.ts';

/** Makes the files of words that searches of the apps read. Names in them are separated by commas. */
const ROOT = join(import.meta.dirname, '../..');
const HAN = /\p{Script=Han}/u;
const CITIES = 'apps/web/src/account/settings/cities';
export const PLACE_FILE = `${CITIES}/words.json`;
export const COUNTRY_FILE = 'apps/web/src/parts/country-words.json';

const simplified = Converter({ from: 'tw', to: 'cn' });
const otherForms = (['t', 'tw', 'hk', 'jp'] as const).map((from) => Converter({ from, to: 'cn' }));

const split = (names: string): string[] =>
  names
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);

/** Each name once, in the one form that is compared: the other script and capitals are added while searching. */
const listed = (names: readonly string[]): string =>
  [...new Set(names.map((name) => simplified(name.replaceAll(',', ' ')).toLowerCase().trim()))].join();

const letters = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

/** The syllables of Chinese names, as they are typed without characters. */
const sounds = (names: readonly string[]): string[] =>
  names
    .filter((name) => HAN.test(name))
    .map((name) => pinyin(simplified(name), { toneType: 'none', type: 'array', v: true }).join(' '))
    .filter((syllables) => /^[a-z0-9 /-]+$/.test(syllables));

/** Names without those that are written as syllables are, such as `Beijing`. */
function otherThan(syllables: readonly string[], names: readonly string[]): string[] {
  const heard = new Set(syllables.map(letters));
  return names.filter((name) => HAN.test(name) || !heard.has(letters(name)));
}

function wordsOfProduct({ symbol, names, assetClass, group }: CatalogueProduct): readonly string[] {
  const own = LANGUAGES.map((language) => names[language]);
  const number = /^0*(\d+)/.exec(symbol)?.[1];
  const aliases = [symbol, ...symbol.split('/')].flatMap((code) => split(ALIASES[code] ?? ''));
  const classes = Object.entries(CLASSES).flatMap(([of, words]) =>
    of === assetClass || group.startsWith(of) ? split(words) : [],
  );
  const chinese = [...own, ...aliases];
  return [own, [...aliases, ...(number ? [number] : [])], sounds(chinese), classes].map(listed);
}

const products = () =>
  Object.fromEntries(CATALOGUE.map((product) => [product.symbol, wordsOfProduct(product)]));

const citiesIn = (language: string): Record<string, string> =>
  JSON.parse(readFileSync(join(ROOT, CITIES, `${language}.json`), 'utf8'));
const canonical = (zone: string): string =>
  new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone;

/** Regions that speak English call each zone by letters of its own in winter and in summer. */
const ENGLISH = ['en-US', 'en-GB', 'en-AU', 'en-IN', 'en-NZ', 'en-ZA'];
const SEASONS = [new Date(2026, 0, 10), new Date(2026, 6, 10)];

/** What the clock of a zone is called, such as `PST` or `北美太平洋时间`. */
function timesOf(timeZone: string): string[] {
  const called = (tag: string, timeZoneName: 'short' | 'longGeneric', day: Date) =>
    new Intl.DateTimeFormat(tag, { timeZone, timeZoneName })
      .formatToParts(day)
      .find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const long = LANGUAGES.map((language) =>
    called(LANGUAGE_TAGS[language], 'longGeneric', SEASONS[0] as Date),
  );
  const short = ENGLISH.flatMap((tag) => SEASONS.map((day) => called(tag, 'short', day)));
  return [...long, ...short].filter((name) => !/GMT|UTC/.test(name));
}

/** TypeScript does not know the method yet. */
const zonesOf = (code: string): readonly string[] =>
  (new Intl.Locale(`und-${code}`) as Intl.Locale & { getTimeZones(): string[] | undefined }).getTimeZones() ??
  [];

/** A country's code, its names in the languages of the app, in its own and as people call it, and the syllables of the Chinese ones. */
function wordsOfCountry(code: string): readonly string[] {
  const own = new Intl.Locale(`und-${code}`).maximize().language;
  const names = [...Object.values(LANGUAGE_TAGS), own].flatMap((tag) =>
    (['long', 'short'] as const).map(
      (style) => new Intl.DisplayNames(tag, { type: 'region', style }).of(code) ?? code,
    ),
  );
  const all = [...names, ...split(COUNTRY_ALIASES[code] ?? '')];
  return [listed([code, ...all]), listed(sounds(all))];
}

/**
 * Words of each zone: its cities, their sounds, its place in the list of clocks, its country, and 1 if it stands for the country.
 * Another name of a zone has that zone instead.
 */
function zones() {
  const [zh = {}, tw = {}, en = {}] = ['zh', 'tw', 'en'].map(citiesIn);
  const places = new Map(
    PLACES.trim()
      .split('\n')
      .map((line) => line.split(': ') as [string, string])
      .map(([zone, names]) => [canonical(zone), split(names)]),
  );
  const countryOf = new Map(COUNTRIES.flatMap((code) => zonesOf(code).map((zone) => [zone, code] as const)));
  const standing = new Map<string, string>();
  for (const zone of [...places.keys(), ...countryOf.keys()]) {
    const code = countryOf.get(zone);
    if (code !== undefined && !standing.has(code)) standing.set(code, zone);
  }
  const clocks: string[] = [];
  const clockOf = (zone: string): number => {
    const names = listed(timesOf(zone));
    if (!clocks.includes(names)) clocks.push(names);
    return clocks.indexOf(names);
  };
  const ids = [...new Set([...Object.keys(zh), ...countryOf.keys(), 'UTC'])].sort();
  const words = ids.map((id) => {
    const zone = canonical(id);
    if (zone !== id && ids.includes(zone)) return [id, zone] as const;
    const city = (id.split('/').at(-1) as string).replaceAll('_', ' ');
    const names = [zh[id], tw[id], en[id] ?? city, city].filter((name) => name !== undefined);
    const all = [...names, ...(places.get(zone) ?? [])];
    const code = countryOf.get(zone) ?? '';
    return [
      id,
      [
        listed(otherThan(sounds(all), all)),
        listed(sounds(all)),
        clockOf(zone),
        code,
        Number(standing.get(code) === zone),
      ],
    ] as const;
  });
  return { zones: Object.fromEntries(words), clocks };
}

/** The other forms of each character of the words, each before the form that the words have. */
function otherScript(words: string): string {
  const used = new Set(words.match(/\p{Script=Han}/gu));
  const pairs: string[] = [];
  for (let code = 0x3400; code < 0xa000; code++) {
    const character = String.fromCodePoint(code);
    const form = otherForms.map((convert) => convert(character)).find((each) => each !== character);
    if (form !== undefined && used.has(form) && !used.has(character)) pairs.push(character + form);
  }
  return pairs.join('');
}

const lines = (value: Readonly<Record<string, unknown>>) =>
  `{\n${Object.entries(value)
    .map(([key, words]) => `${JSON.stringify(key)}: ${JSON.stringify(words)}`)
    .join(',\n')}\n}`;

/** Words of cities and clocks, and those of countries; their names are those of this Node. */
export function placeWords(): readonly [places: string, countries: string] {
  const { zones: ofZones, clocks } = zones();
  const countries = Object.fromEntries(COUNTRIES.map((code) => [code, wordsOfCountry(code)]));
  return [`{"clocks": ${JSON.stringify(clocks)},\n"zones": ${lines(ofZones)}}\n`, `${lines(countries)}\n`];
}

/** The files by their paths. */
export function searchFiles(places: string, countries: string): Readonly<Record<string, string>> {
  const ofProducts = `${lines(products())}\n`;
  return {
    'packages/ui/src/search/products.json': ofProducts,
    'packages/ui/src/search/scripts.json': `${JSON.stringify({ pairs: otherScript(ofProducts + places + countries) })}\n`,
    [PLACE_FILE]: places,
    [COUNTRY_FILE]: countries,
  };
}
