import { LANGUAGE_TAGS, LANGUAGES } from '@fairtick/protocol/languages';
import { expect, test } from 'vitest';
import { countryNames, readCountryWords } from '../../parts/countries.ts';
import { cityOf, readCities, readPlaces, searchZones, zonesAt } from './zones.ts';

const WINTER = Date.UTC(2026, 0, 15);

async function search(language: (typeof LANGUAGES)[number], languages: readonly string[] = []) {
  const [cities, places, countries] = await Promise.all([
    readCities(language),
    readPlaces(),
    readCountryWords(),
  ]);
  const zones = zonesAt(cities, LANGUAGE_TAGS[language], WINTER);
  const find = searchZones(zones, places, countryNames(countries, languages));
  return { cities, zones, ids: (query: string) => find(query).map(({ id }) => id) };
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

/** What people type, and the zone that comes first. Browsers call the zone of India by either name. */
const WORDS = [
  ['北京', 'Asia/Shanghai'],
  ['深圳', 'Asia/Shanghai'],
  ['中国', 'Asia/Shanghai'],
  ['中國北京', 'Asia/Shanghai'],
  ['beijing', 'Asia/Shanghai'],
  ['shenzhen', 'Asia/Shanghai'],
  ['bj', 'Asia/Shanghai'],
  ['重慶', 'Asia/Shanghai'],
  ['廈門', 'Asia/Shanghai'],
  ['xiamen', 'Asia/Shanghai'],
  ['北京时间', 'Asia/Shanghai'],
  ['臺北', 'Asia/Taipei'],
  ['台北', 'Asia/Taipei'],
  ['高雄', 'Asia/Taipei'],
  ['台湾', 'Asia/Taipei'],
  ['香港', 'Asia/Hong_Kong'],
  ['xianggang', 'Asia/Hong_Kong'],
  ['東京', 'Asia/Tokyo'],
  ['大阪', 'Asia/Tokyo'],
  ['Osaka', 'Asia/Tokyo'],
  ['日本', 'Asia/Tokyo'],
  ['JST', 'Asia/Tokyo'],
  ['韓國', 'Asia/Seoul'],
  ['서울', 'Asia/Seoul'],
  ['Mumbai', 'Asia/Calcutta'],
  ['孟买', 'Asia/Calcutta'],
  ['孟買', 'Asia/Calcutta'],
  ['Bengaluru', 'Asia/Calcutta'],
  ['IST', 'Asia/Calcutta'],
  ['San Francisco', 'America/Los_Angeles'],
  ['sanfrancisco', 'America/Los_Angeles'],
  ['旧金山', 'America/Los_Angeles'],
  ['舊金山', 'America/Los_Angeles'],
  ['Seattle', 'America/Los_Angeles'],
  ['PST', 'America/Los_Angeles'],
  ['los angeles', 'America/Los_Angeles'],
  ['Los_Ang', 'America/Los_Angeles'],
  ['美国', 'America/New_York'],
  ['美國', 'America/New_York'],
  ['USA', 'America/New_York'],
  ['U.S.A.', 'America/New_York'],
  ['us', 'America/New_York'],
  ['america', 'America/New_York'],
  ['纽约', 'America/New_York'],
  ['紐約', 'America/New_York'],
  ['美东', 'America/New_York'],
  ['EST', 'America/New_York'],
  ['Boston', 'America/New_York'],
  ['Texas', 'America/Chicago'],
  ['英国', 'Europe/London'],
  ['UK', 'Europe/London'],
  ['england', 'Europe/London'],
  ['lon', 'Europe/London'],
  ['GMT', 'UTC'],
  ['Deutschland', 'Europe/Berlin'],
  ['München', 'Europe/Berlin'],
  ['munchen', 'Europe/Berlin'],
  ['MEZ', 'Europe/Berlin'],
  ['CET', 'Europe/Berlin'],
  ['Genève', 'Europe/Zurich'],
  ['España', 'Europe/Madrid'],
  ['Москва', 'Europe/Moscow'],
  ['dubai', 'Asia/Dubai'],
  ['UAE', 'Asia/Dubai'],
  ['阿联酋', 'Asia/Dubai'],
  ['Hanoi', 'Asia/Saigon'],
  ['Sài Gòn', 'Asia/Saigon'],
  ['越南', 'Asia/Saigon'],
  ['Việt Nam', 'Asia/Saigon'],
  ['sao paulo', 'America/Sao_Paulo'],
  ['Rio', 'America/Sao_Paulo'],
  ['悉尼', 'Australia/Sydney'],
  ['雪梨', 'Australia/Sydney'],
  ['AEST', 'Australia/Sydney'],
  ['墨西哥', 'America/Mexico_City'],
  ['ｔｏｋｙｏ', 'Asia/Tokyo'],
] as const;

const CALLED = ['Asia/Calcutta', 'Asia/Saigon'] as const;
const asCalled = { 'Asia/Kolkata': CALLED[0], 'Asia/Ho_Chi_Minh': CALLED[1] } as const;

test.each(LANGUAGES)('a zone is found by what people of four languages type, in %s', async (language) => {
  const { ids } = await search(language);
  const first = (typed: string) => {
    const [id = ''] = ids(typed);
    return id in asCalled ? asCalled[id as keyof typeof asCalled] : id;
  };
  expect(WORDS.filter(([typed, zone]) => first(typed) !== zone)).toEqual([]);
});

test('a zone is not found by the middle of a word, and by all words that are typed', async () => {
  const { ids } = await search('en');
  expect(ids('USA')).not.toContain('Africa/Lusaka');
  expect(ids('usaka')).toEqual([]);
  expect(ids('nowhere at all')).toEqual([]);
  expect(ids('beijing china')).toEqual(['Asia/Shanghai']);
  expect(ids('美国').length).toBeGreaterThan(20);
});

test('a country is found in the language of the browser, which may name one that there is not', async () => {
  const { ids } = await search('en', ['es-MX', 'en_US@odd']);
  expect(ids('alemania')[0]).toBe('Europe/Berlin');
  expect(ids('estados unidos')[0]).toBe('America/New_York');
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
