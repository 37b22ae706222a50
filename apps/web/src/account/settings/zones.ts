import type { Language } from '@fairtick/protocol/languages';
import { untilLoaded } from '@fairtick/ui/load-code';
import { searchIn, typedAs } from '@fairtick/ui/search';
import { zoneName } from '../../state/format.ts';

/**
 * Names of the zones' cities, of those that differ from the zone's own name. The browser knows the names of zones and countries, and
 * offsets, but not those of cities. They are exemplar cities of Unicode CLDR 48 under the licence beside them; a zone that browsers
 * call by different names is there under both.
 */
export type Cities = Readonly<Record<string, string>>;

const LOADERS: Readonly<Record<Language, () => Promise<{ default: Cities }>>> = {
  zh: () => import('./cities/zh.json'),
  tw: () => import('./cities/tw.json'),
  en: () => import('./cities/en.json'),
};

export const readCities = async (language: Language): Promise<Cities> =>
  (await untilLoaded(LOADERS[language])).default;

export const cityOf = (id: string, cities: Cities): string =>
  cities[id] ?? zoneName(id).split('/').at(-1) ?? id;

export interface Zone {
  readonly id: string;
  readonly city: string;
  /** The offset at present, such as GMT+8 or GMT−3:30. */
  readonly offset: string;
  readonly minutes: number;
}

function offsetOf(id: string, ms: number): string {
  const format = new Intl.DateTimeFormat('en-US', { timeZone: id, timeZoneName: 'shortOffset' });
  return format.formatToParts(ms).find(({ type }) => type === 'timeZoneName')?.value ?? '';
}

/** Minutes east of Greenwich of an offset such as GMT+5:30; of plain GMT 0. */
function minutesOf(offset: string): number {
  const [, sign, hours = '0', minutes = '0'] = /([+-])(\d+)(?::(\d+))?/.exec(offset) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}

export function zoneAt(id: string, cities: Cities, ms: number): Zone {
  const offset = offsetOf(id, ms);
  return { id, city: cityOf(id, cities), offset: offset.replace('-', '\u2212'), minutes: minutesOf(offset) };
}

/** All zones that this browser knows, from west to east, and by name where they agree. */
export function zonesAt(cities: Cities, tag: string, ms: number): readonly Zone[] {
  const ids = Intl.supportedValuesOf('timeZone').filter((id) => id !== 'UTC');
  const { compare } = new Intl.Collator(tag);
  return ['UTC', ...ids]
    .map((id) => zoneAt(id, cities, ms))
    .sort((a, b) => a.minutes - b.minutes || compare(a.city, b.city));
}

/** Words by which zones are found, made by `npm run search-words`. Names are separated by commas. */
interface Places {
  /** What clocks are called, such as `pst`. */
  readonly clocks: readonly string[];
  /** Cities, their syllables, the index of its clock, its country, and 1 if it stands for the country; or the zone's other name. */
  readonly zones: Readonly<Record<string, string | readonly (string | number)[]>>;
}

export const readPlaces = async (): Promise<Places> =>
  (await untilLoaded(() => import('./cities/words.json'))).default;

/**
 * A search of zones by an offset such as +8, UTC-3:30 or GMT+05:45, or by words: large cities, countries and clocks in all languages
 * of the app, countries in those of the browser, and IANA names.
 */
export function searchZones(
  zones: readonly Zone[],
  places: Places,
  countryNames: (code: string) => readonly string[],
) {
  const wordsOf = ({ id }: Zone) => {
    const words = places.zones[id] ?? [];
    return typeof words === 'string' ? (places.zones[words] ?? []) : words;
  };
  const split = (names: string | number | undefined) => (names ? `${names}`.split(',') : []);
  // Of zones that fit alike, the one with more large cities comes first.
  const byWeight = [...zones].sort((a, b) => `${wordsOf(b)[0]}`.length - `${wordsOf(a)[0]}`.length);
  const find = searchIn(byWeight, (zone) => {
    const [cities, syllables, clock, code, stands] = wordsOf(zone);
    const country = code ? countryNames(`${code}`) : [];
    return [
      [zone.city, ...split(cities)],
      typedAs(split(syllables)),
      [...(stands ? country : []), ...split(places.clocks[Number(clock)])],
      [zone.id, ...country],
    ];
  });
  return (query: string): readonly Zone[] => {
    if (query.trim() === '') return zones;
    const offset = /^(?:utc|gmt)?\s*([+-])\s*(\d{1,2})(?::?(\d{2}))?$/.exec(
      query.normalize('NFKC').trim().toLowerCase().replaceAll('\u2212', '-'),
    );
    if (!offset) return find(query);
    const [, sign, hours, minutes] = offset;
    const asked = minutesOf(`${sign}${hours}:${minutes ?? '0'}`);
    return zones.filter((zone) =>
      minutes === undefined
        ? Math.trunc(zone.minutes / 60) === Math.trunc(asked / 60) &&
          Math.sign(zone.minutes || 1) === Math.sign(asked || 1)
        : zone.minutes === asked,
    );
  };
}
