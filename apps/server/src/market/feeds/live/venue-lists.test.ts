import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FAULTS } from '@fairtick/kit/venues/fault-frames.ts';
import { FRAMES, KEYED_FRAMES } from '@fairtick/kit/venues/frames.ts';
import { expect, test } from 'vitest';
import { GUARD_SOURCES, LIVE_SOURCES } from './live-products.ts';
import type { Venue } from './venue.ts';
import { VENUES } from './venues.ts';

/** A venue is tested only with what these lists say of it, so each one that lacks an entry names its file. */
const PAGE = readFileSync(join(import.meta.dirname, '../../../../../../docs/LIVE_PRICES.md'), 'utf8');

/** Whether a table of the page with this heading has a row of the source. */
function hasRow(heading: string, source: string): boolean {
  const [, rows = ''] = PAGE.split(`| source | ${heading} `);
  return rows.split('\n\n')[0]?.includes(`\n| \`${source}\` | `) === true;
}

function lacksOf({ source, needs }: Pick<Venue, 'source' | 'needs'>): string[] {
  const isExchange = (needs ?? []).length === 0;
  const frames = isExchange ? 'FRAMES' : 'KEYED_FRAMES';
  const demands: readonly (readonly [boolean, string])[] = [
    [source in (isExchange ? FRAMES : KEYED_FRAMES), `${frames} in tests/kit/venues/frames.ts`],
    [!isExchange || source in FAULTS, 'FAULTS in tests/kit/venues/fault-frames.ts'],
    [hasRow('address', source), 'the first table of docs/LIVE_PRICES.md'],
    [
      [LIVE_SOURCES, GUARD_SOURCES].some((all) => Object.values(all).flat().includes(source)),
      'a product in apps/server/src/market/feeds/live/live-products.ts',
    ],
  ];
  return demands.filter(([isThere]) => !isThere).map(([, place]) => `${source} is missing from ${place}`);
}

test.each(VENUES)('$source is in every list of venues', (venue) => {
  expect(lacksOf(venue)).toEqual([]);
});

test('an exchange that is in no list is named with each file to edit', () => {
  expect(lacksOf({ source: 'other', needs: [] })).toEqual([
    'other is missing from FRAMES in tests/kit/venues/frames.ts',
    'other is missing from FAULTS in tests/kit/venues/fault-frames.ts',
    'other is missing from the first table of docs/LIVE_PRICES.md',
    'other is missing from a product in apps/server/src/market/feeds/live/live-products.ts',
  ]);
  expect(lacksOf({ source: 'other', needs: ['key'] })).toHaveLength(3);
});

test('no list has a source that is no venue', () => {
  const known = VENUES.map(({ source }) => source);
  const listed = [FRAMES, KEYED_FRAMES, FAULTS].flatMap((list) => Object.keys(list));
  expect(listed.filter((source) => !known.includes(source))).toEqual([]);
});
