/** Keys of Pyth's routers: three of the five sign the root of each update. */
import type { PythKeys } from '@fairtick/trading';

import { PYTH_FEEDS } from './pyth-feeds.ts';

export type { PythKeys };

/** Rules with more routers or sets of keys are refused. */
export const MAX_PYTH_ROUTERS = 19;
export const MAX_PYTH_KEY_SETS = 16;

/** Pyth's own keys, as its contracts in production have them (pyth-crosschain, "pro-compatible-production"). */
export const PYTH_KEYS: readonly PythKeys[] = [
  {
    fromMs: Date.UTC(2026, 7, 26, 16),
    untilMs: null,
    chain: 26,
    // ASCII of PythnetPythnetPythnetPythnetPyth.
    emitter: '507974686e6574507974686e6574507974686e6574507974686e657450797468',
    quorum: 3,
    routers: [
      '41534bb176e461a3fb30479400f210549ecce638',
      '6502987b62f21cab7eb5ccd8f0173084b60d5b41',
      '44a3e8f6a382412cf6bb90a3f8106e68977476c9',
      'd9d7d4529577864352c9a6539a48238fcd447052',
      '1663a5a822336ece48559b1dfb1e93a017a7dac3',
    ],
  },
];

/** The keys that count at a time; null where none do, or two sets claim it. */
export function pythKeysAt(sets: readonly PythKeys[], timeMs: number): PythKeys | null {
  const found = sets.filter(
    ({ fromMs, untilMs }) => fromMs <= timeMs && (untilMs === null || timeMs < untilMs),
  );
  return found.length === 1 ? (found[0] as PythKeys) : null;
}

/** Whether these keys, at a time, and this feed of a product are the ones that this package knows as Pyth's own. */
export function isKnownPyth(
  { chain, emitter, quorum, routers }: PythKeys,
  of: { readonly timeMs: number; readonly symbol: string; readonly feed: string },
): boolean {
  const known = pythKeysAt(PYTH_KEYS, of.timeMs);
  return (
    PYTH_FEEDS[of.symbol] === of.feed &&
    known !== null &&
    chain === known.chain &&
    emitter === known.emitter &&
    quorum >= known.quorum &&
    routers.join() === known.routers.join()
  );
}
