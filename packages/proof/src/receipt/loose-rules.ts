import { PYTH_SOURCE } from '@fairtick/trading';
import { RECORD_VENUES } from '../venues/venues.ts';
import type { DecidingRules } from './rules-json.ts';

/** In what a product's rules bind its price loosely, in plain English. */
export const LOOSE_WORDS = {
  few: 'they have fewer than three sources',
  own: 'they have a source that nobody else publishes',
  far: 'a record further than 2 % from the others counts',
  old: 'a record older than 10 s counts',
} as const;
export type Looseness = keyof typeof LOOSE_WORDS;

const LEAST_SOURCES = 3;
const MOST_OUTLIER_BPS = 200;
const MOST_QUIET_MS = 10_000;

/** Pyth alone is enough where the rules name its keys: many sign each of its updates. */
export function loosenessOf({ sources, pyth, outlierBps, quietMs }: DecidingRules): Looseness[] {
  const isSigned = (source: string) => source === PYTH_SOURCE && pyth !== undefined;
  const isPublic = (source: string) =>
    isSigned(source) || RECORD_VENUES.some((venue) => venue.source === source);
  const applies: Record<Looseness, boolean> = {
    few: sources.length < LEAST_SOURCES && !sources.every(isSigned),
    own: !sources.every(isPublic),
    far: outlierBps > MOST_OUTLIER_BPS,
    old: quietMs > MOST_QUIET_MS,
  };
  return (Object.keys(applies) as Looseness[]).filter((each) => applies[each]);
}
