import { LANGUAGE_TAGS, LANGUAGES } from '@fairtick/protocol/languages';
import { expect, test } from 'vitest';
import { cityOf, find, readCities, wordsOf, type Zone, zonesAt } from './zones.ts';

const WINTER = Date.UTC(2026, 0, 15);

async function search(language: (typeof LANGUAGES)[number]) {
  const [cities, english] = await Promise.all([readCities(language), readCities('en')]);
  const tag = LANGUAGE_TAGS[language];
  const zones = zonesAt(cities, tag, WINTER);
  const wordsFor = (zone: Zone) => wordsOf(zone, english, tag, WINTER);
  return { cities, zones, ids: (query: string) => find(zones, query, wordsFor).map(({ id }) => id) };
}

test.each(LANGUAGES)('every zone of the browser has a city and an offset, in %s', async (language) => {
  const { zones } = await search(language);
  expect(zones.length).toBeGreaterThan(400);
  for (const { id, city, offset, minutes } of zones) {
    if (id !== 'UTC' && language !== 'en') expect(city, id).not.toMatch(/^[\x20-\x7e]*$/);
    expect(offset, id).toMatch(/^GMT(?:[+\u2212]\d{1,2}(?::\d\d)?)?$/);
    expect(Math.abs(minutes)).toBeLessThanOrEqual(14 * 60);
  }
  expect(zones.map(({ minutes }) => minutes)).toEqual(
    zones.map(({ minutes }) => minutes).sort((a, b) => a - b),
  );
});

test('a zone is found by its city in the reader’s language, in English, by its country and its IANA name', async () => {
  const chinese = await search('zh');
  expect(chinese.ids('东京')).toEqual(['Asia/Tokyo']);
  expect(chinese.ids('tokyo')).toEqual(['Asia/Tokyo']);
  expect(chinese.ids('日本')).toContain('Asia/Tokyo');
  expect(chinese.ids('los angeles')).toEqual(['America/Los_Angeles']);
  expect(chinese.ids('Los_Ang')).toEqual(['America/Los_Angeles']);
  expect(chinese.ids('nowhere at all')).toEqual([]);
  expect((await search('tw')).ids('臺北')).toEqual(['Asia/Taipei']);
  const english = await search('en');
  expect(english.ids('sao paulo')).toEqual(['America/Sao_Paulo']);
  expect(english.ids('vietnam')).toHaveLength(1);
  // London itself comes before zones that are called after it.
  expect(english.ids('lon')[0]).toBe('Europe/London');
});

test('a zone is found by its offset, also with minutes', async () => {
  const { zones, ids } = await search('en');
  const at = (minutes: number) => zones.filter((zone) => zone.minutes === minutes).map(({ id }) => id);
  for (const query of ['+5:45', 'GMT+5:45', 'utc +05:45', '+0545']) expect(ids(query)).toEqual(at(345));
  expect(ids('UTC−3:30')).toEqual(at(-210));
  expect(ids('+8')).toEqual([...at(480), ...at(525)]);
  expect(ids('-3')).toEqual([...at(-210), ...at(-180)]);
  expect(ids('+0')).toEqual(at(0));
});

test('a name that a newer browser uses has the same city', async () => {
  const { cities } = await search('zh');
  expect([cityOf('Asia/Kolkata', cities), cityOf('Asia/Ho_Chi_Minh', cities)]).toEqual([
    '加尔各答',
    '胡志明市',
  ]);
  expect(cityOf('America/Argentina/Ushuaia', {})).toBe('Ushuaia');
});
