import { PYTH_SOURCE } from '@fairtick/trading';
import { RECORD_VENUES } from '../venues/venues.ts';
import type { DecidingRules } from './rules-json.ts';

/**
 * In what a product's rules bind its price loosely:
 * - `few`: there are fewer than three sources, and it is not Pyth alone, whose updates many have signed
 * - `own`: a source is neither an exchange that anybody can ask for its records, nor Pyth with the keys that the rules name
 * - `far`: a record further than 2 % from the others counts
 * - `old`: a record older than 10 s counts
 */
export type Looseness = 'few' | 'own' | 'far' | 'old';

const LEAST_SOURCES = 3;
const MOST_OUTLIER_BPS = 200;
const MOST_QUIET_MS = 10_000;

export function loosenessOf({ sources, pyth, outlierBps, quietMs }: DecidingRules): Looseness[] {
  const isSigned = (source: string) => source === PYTH_SOURCE && pyth !== undefined;
  const isPublic = (source: string) =>
    isSigned(source) || RECORD_VENUES.some((venue) => venue.source === source);
  return [
    ...(sources.length < LEAST_SOURCES && !sources.every(isSigned) ? (['few'] as const) : []),
    ...(sources.every(isPublic) ? [] : (['own'] as const)),
    ...(outlierBps > MOST_OUTLIER_BPS ? (['far'] as const) : []),
    ...(quietMs > MOST_QUIET_MS ? (['old'] as const) : []),
  ];
}

/** What is loose, in plain English. */
export const LOOSE_WORDS: Readonly<Record<Looseness, string>> = {
  few: 'they have fewer than three sources',
  own: 'they have a source that nobody else publishes',
  far: 'a record further than 2 % from the others counts',
  old: 'a record older than 10 s counts',
};
