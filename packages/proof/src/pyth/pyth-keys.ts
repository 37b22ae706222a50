/** Keys of Pyth's routers. Three of five sign the root of each update. */

/** The routers whose signatures count in a time, and the place on Pyth's chain that their updates come from. */
export interface PythKeys {
  /** Unix ms: updates from this time on, and before the other one (null: no end is known). */
  readonly fromMs: number;
  readonly untilMs: number | null;
  readonly chain: number;
  /** 32 bytes in hex. */
  readonly emitter: string;
  /** How many of the routers must have signed. */
  readonly quorum: number;
  /** Ethereum-style addresses, 20 bytes in hex, in the order of the signers' indexes. */
  readonly routers: readonly string[];
}

/** More routers or sets than this are refused. */
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
