import type { Language } from '@fairtick/protocol/languages';
import { untilLoaded } from '@fairtick/ui/load-code';
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

/** A zone's city in the reader's language. */
export const cityOf = (id: string, cities: Cities): string =>
  cities[id] ?? zoneName(id).split('/').at(-1) ?? id;

export interface Zone {
  /** IANA name. */
  readonly id: string;
  readonly city: string;
  /** The offset at present, such as GMT+8 or GMT−3:30. */
  readonly offset: string;
  readonly minutes: number;
}

function partOf(
  id: string,
  tag: string,
  form: 'shortOffset' | 'longGeneric' | 'shortGeneric',
  ms: number,
): string {
  const format = new Intl.DateTimeFormat(tag, { timeZone: id, timeZoneName: form });
  return format.formatToParts(ms).find(({ type }) => type === 'timeZoneName')?.value ?? '';
}

/** Minutes east of Greenwich of an offset such as GMT+5:30; of plain GMT 0. */
function minutesOf(offset: string): number {
  const [, sign, hours = '0', minutes = '0'] = /([+-])(\d+)(?::(\d+))?/.exec(offset) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}

export function zoneAt(id: string, cities: Cities, ms: number): Zone {
  const offset = partOf(id, 'en-US', 'shortOffset', ms);
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

/** One form of letters that people type differently. */
const plain = (text: string): string =>
  text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().replaceAll('臺', '台').replace(/[_’']/g, ' ');

/** What a zone is searched by: its city in the reader's language and in English, its names there, its country, its IANA name. */
export function wordsOf({ id, city }: Zone, english: Cities, tag: string, ms: number): string {
  const names = [tag, 'en-US'].flatMap((language) =>
    (['longGeneric', 'shortGeneric'] as const).map((form) => partOf(id, language, form, ms)),
  );
  return plain([city, cityOf(id, english), id, id.replaceAll('_', ' '), ...names].join('\n'));
}

/** Zones that a query finds: by a part of their words, or by an offset such as +8, UTC-3:30 or GMT+05:45. */
export function find(
  zones: readonly Zone[],
  query: string,
  wordsFor: (zone: Zone) => string,
): readonly Zone[] {
  const typed = plain(query.trim()).replaceAll('\u2212', '-');
  if (typed === '') return zones;
  const offset = /^(?:utc|gmt)?\s*([+-])\s*(\d{1,2})(?::?(\d{2}))?$/.exec(typed);
  if (offset) {
    const [, sign, hours, minutes] = offset;
    const asked = minutesOf(`${sign}${hours}:${minutes ?? '0'}`);
    return zones.filter((zone) =>
      minutes === undefined
        ? Math.trunc(zone.minutes / 60) === Math.trunc(asked / 60) &&
          Math.sign(zone.minutes || 1) === Math.sign(asked || 1)
        : zone.minutes === asked,
    );
  }
  const found = zones.filter((zone) => wordsFor(zone).includes(typed));
  // A city that begins so comes before a zone whose other names contain it.
  const isFirst = ({ city }: Zone) => plain(city).startsWith(typed);
  return [...found.filter(isFirst), ...found.filter((zone) => !isFirst(zone))];
}
