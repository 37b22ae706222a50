/** Keys of Pyth's routers: three of the five sign the root of each update. */
import type { PythKeys } from '@fairtick/trading';

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

/** Pyth's feeds of these products: spot prices in the same currency. */
export const PYTH_FEEDS: Readonly<Record<string, string>> = {
  'AUD/USD': '67a6f93030420c1c9e3fe37c1ab6b77966af82f995944a9fefce357a22854a80',
  'EUR/USD': 'a995d00bb36a63cef7fd2c287dc105fc8f3d93779f062f09551b0af3e81ec30b',
  'GBP/USD': '84c2dde9633d93d1bcad84e7dc41c9d56578b7ec52fabedc1f335d673df0a7c1',
  'NZD/USD': '92eea8ba1b00078cdc2ef6f64f091f262e8c7d0576ee4677572f314ebfafa4c7',
  'USD/CAD': '3112b03a41c910ed446852aacf67118cb1bec67b2cd0b9a214c58cc0eaa2ecca',
  'USD/CHF': '0b1e3297e69f162877b577b0d6a47a0d63b2392bc8499e6540da4187a63e28f8',
  'USD/JPY': 'ef2c98c804ba503c6a707e38be4dfbb16683775f195b091252bf24693042fd52',
  'XAG/USD': 'f2fb02c32b055c805e7238d628e5e9dadef274376114eb1f012337cabe93871e',
  'XAU/USD': '765d2ba906dbc32ca17cc11f5310a89e9ee1f6420508c63861f2f8ba4ee34bb2',
};

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
