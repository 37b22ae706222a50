import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@fairtick/kit/fixtures/fixtures.ts';
import { describe, expect, test } from 'vitest';
import { landingOf } from '../pages/landing/landing.ts';
import { riskTextOf } from '../processes/api/app-config.ts';
import { type ConfigError, readConfig } from './config.ts';
import { closedRegions, readOperatorProfile } from './operator-profile.ts';
import { RESTRICTED_REGIONS } from './restricted-regions.ts';

/** The operator's profile, and its effects. */
const EXAMPLE = new URL('../../../../ops/operator-profile.example.json', import.meta.url);
const NOW = Date.UTC(2026, 10, 22);
const folder = temporaryFolder('profile');

type Json = Record<string, unknown>;
const example = (): Json => JSON.parse(readFileSync(EXAMPLE, 'utf8')) as Json;
let files = 0;
function fileOf(content: unknown): string {
  files += 1;
  const path = join(folder, `${files}.json`);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}
const read = (content: unknown, nowMs = NOW) => readOperatorProfile(fileOf(content), nowMs);
const without = (key: string): Json => {
  const { [key]: _gone, ...rest } = example();
  return rest;
};

describe('the operator’s profile', () => {
  test('is read from the example file', () => {
    expect(read(example())).toMatchObject({ legalName: 'Example Trading Ltd', countries: ['SG', 'AE'] });
  });

  test.each([
    ['no JSON', '{', /is no JSON$/],
    ...['legalName', 'licence', 'countries', 'contact', 'riskText', 'operatingSince'].map(
      (key) => [`nothing of ${key}`, without(key), new RegExp(` at ${key}: `)] as const,
    ),
    ['an empty name', { ...example(), legalName: ' ' }, / at legalName: /],
    ['a name with something hidden in it', { ...example(), legalName: 'Ex\u202eample' }, / at legalName: /],
    ['one language of three', { ...example(), riskText: { en: 'Risk' } }, / at riskText\.zh: /],
    ['no country', { ...example(), countries: [] }, / at countries: /],
    ['a country that is none', { ...example(), countries: ['SG', 'XX'] }, / at countries\.1: is no ISO/],
    [
      'a restricted region',
      { ...example(), countries: ['SG', 'US'] },
      / at countries\.1: US is a restricted/,
    ],
    ['a wrong address', { ...example(), contact: { email: 'x', address: 'y' } }, / at contact\.email: /],
    ['no date', { ...example(), operatingSince: 'last year' }, / at operatingSince: /],
    ['a day that is none', { ...example(), operatingSince: '2026-02-31' }, / at operatingSince: /],
    ['a share above all', { ...example(), losingShare: { percent: '101', until: '2026-09-30' } }, /percent/],
    ['something unknown', { ...example(), guarantee: 'none' }, /guarantee/],
  ] as const)('with %s is refused in one line that names the place', (_what, content, expected) => {
    let said = '';
    try {
      read(content);
    } catch (error) {
      said = (error as Error).message;
    }
    expect(said).toMatch(/^OPERATOR_PROFILE .+\.json/);
    expect(said).toMatch(expected);
    expect(said).not.toContain('\n');
  });

  test('must state the share of losing customers once the operator has operated for twelve months', () => {
    const young = { ...without('losingShare'), operatingSince: '2025-11-23' };
    expect(read(young).losingShare).toBeUndefined();
    expect(() => read(young, NOW + 86_400_000)).toThrow(/ at losingShare: .* since 2026-11-23$/);
  });

  test('is refused with an error if its file is missing', () => {
    expect(() => readOperatorProfile(join(folder, 'none.json'), NOW)).toThrow(/can't be read: ENOENT$/);
  });
});

describe('live mode', () => {
  const keys = { SIGNING_KEY_FILE: '/k', ENCRYPTION_KEY_FILE: '/k' };

  test('names its missing settings one after the other', () => {
    const profile = { ...keys, OPERATOR_PROFILE: fileOf(example()) };
    const sources = { ...profile, FEED: 'live', SOURCES_FILE: '/s' };
    const https = { ...sources, PUBLIC_ORIGIN: 'https://trade.example' };
    const faults = [
      {},
      { SIGNING_KEY_FILE: '/k' },
      keys,
      profile,
      { ...profile, FEED: 'live' },
      sources,
      https,
      { ...https, OFFICE_ORIGIN: 'https://office.example' },
      { ...https, OFFICE_PORT: 'off' },
      // A process without the API serves no page.
      { ...sources, ROLE: 'feed,engine' },
    ];
    const said = faults.map((env) => {
      try {
        readConfig({ MODE: 'live', ...env });
      } catch (error) {
        return (error as ConfigError).faults;
      }
      return [];
    });
    const all = [
      'MODE=live needs SIGNING_KEY_FILE',
      'MODE=live needs ENCRYPTION_KEY_FILE',
      'MODE=live needs OPERATOR_PROFILE',
      'MODE=live refuses FEED=simulated: real sources are needed',
      'MODE=live needs SOURCES_FILE, which names the contracts of the sources',
      'MODE=live needs PUBLIC_ORIGIN with https, not "http://localhost:3000"',
      'MODE=live needs OFFICE_ORIGIN with https, not "http://localhost:3001"',
    ];
    expect(said.slice(0, 7)).toEqual([
      all,
      all.slice(1),
      all.slice(2),
      all.slice(3),
      all.slice(4),
      all.slice(5),
      all.slice(6),
    ]);
    expect(said.slice(7)).toEqual([[], [], []]);
    expect(readConfig({ MODE: 'live', ...https, OFFICE_PORT: 'off' }).takesHeic).toBe(false);
  });

  test('serves only the countries of the profile; demo uses the shipped list of restricted regions', () => {
    const operator = read(example());
    const closed = closedRegions('live', operator);
    expect(['SG', 'AE'].map((code) => closed.includes(code))).toEqual([false, false]);
    expect(closed).toEqual(expect.arrayContaining([...RESTRICTED_REGIONS, 'CH', 'BR']));
    expect(closedRegions('demo', operator)).toBe(RESTRICTED_REGIONS);
  });

  test('shows the operator’s statements unmarked and in the reader’s language; demo marks them as samples', () => {
    const operator = read(example());
    const pageOf = (mode: 'demo' | 'live') =>
      landingOf({ rows: () => [], mode, feed: 'binance', riskOf: riskTextOf(mode, operator), operator })(
        'en',
      );
    const live = pageOf('live');
    expect(live.profile.items.map(({ id, figure, isSample }) => [id, figure, isSample])).toEqual([
      ['team', '12', false],
      ['funds', null, false],
      ['regulation', null, false],
      ['company', null, false],
    ]);
    expect(live.profile.items.at(-1)?.title).toBe('Example Trading Ltd');
    expect(live.risk.text).toBe(operator.riskText.en);
    expect(live.risk.regulatory).toContain(
      'Example Trading Ltd, regulated by Example Financial Authority, licence EX-0000.',
    );
    expect(live.risk.figures.at(-1)).toEqual({
      value: '74.5%',
      label: 'of customers lost money over the 12 months to 2026-09-30',
    });
    const demo = pageOf('demo');
    expect(demo.profile.items.every(({ isSample }) => isSample)).toBe(true);
    expect(demo.risk.regulatory).toMatch(/this demo has none/);
    for (const words of [live.profile.text, live.regions.text, live.risk.regulatory])
      expect(words).not.toMatch(/demo/);
  });

  test('without a profile shows no samples', () => {
    const page = landingOf({
      rows: () => [],
      mode: 'live',
      feed: 'x',
      riskOf: riskTextOf('live', null),
      operator: null,
    })('en');
    expect(page.profile.items).toEqual([]);
  });
});
