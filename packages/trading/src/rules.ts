import { type Minor, parseAmount, parseRate } from '@fairtick/money';
import type { Schedule } from './trading-hours.ts';

/** Customer levels. They depend on what is known of a person, never on turnover. */
const LEVELS = ['bronze', 'silver', 'gold', 'platinum'] as const;
export type Level = (typeof LEVELS)[number];

/** The least D of any rules: a second until the order is logged, and {@link LOGGED_BEFORE_MS}. */
export const MIN_DELAY_MS = 2_000;
/** An order is logged at least this long before it opens. */
export const LOGGED_BEFORE_MS = 1_000;
/** The latest opening that a customer may name, after acceptance + D. */
export const MOST_AHEAD_MS = 10_000;
/** A fix that is not written this long after its time never is: its orders win. */
export const MOST_FIX_WAIT_MS = 24 * 60 * 60 * 1000;
/** Maximum of `waitMs` in any rules. */
export const MAX_WAIT_MS = 60_000;
/** No orders are taken for this long after prices return, or at the start of a trading period. */
export const SETTLE_IN_MS = 15_000;
/** Orders open and settle at multiples of this: the times of fixes. */
export const FIX_MS = 1_000;
/** Tick times are multiples of this. */
export const GRID_MS = 250;

/** On what terms the operator publishes a source's quotes and settles by them. */
export const LICENCES = ['simulated', 'recorded', 'public', 'licensed'] as const;
export type Licence = (typeof LICENCES)[number];

/** The asset of practice money, and the longest cycle that live prices offer for it alone. */
export const PRACTICE_ASSET = 'DEMO';
const LIVE_PRACTICE_MINUTES = 1;

/** The routers of Pyth whose signatures count in a time, and the place on Pyth's chain that their updates come from. */
export interface PythKeys {
  /** Unix ms: of updates from this time on, and before the other one (null: no end is known). */
  readonly fromMs: number;
  readonly untilMs: number | null;
  readonly chain: number;
  /** 32 bytes in hex. */
  readonly emitter: string;
  /** How many of the routers must have signed. */
  readonly quorum: number;
  /** Addresses of 20 bytes in hex, in the order of the signers' indexes. */
  readonly routers: readonly string[];
}

/** The feed of Pyth that the source `pyth` takes, 64 lower-case hex digits, and the keys that its updates need, by date. */
export interface PythRules {
  readonly feed: string;
  readonly keys: readonly PythKeys[];
}

/** The source whose quotes are signed updates. */
export const PYTH_SOURCE = 'pyth';

/** Everything that decides about one product, as stated in a `rules` entry of the log. Amounts are decimal strings. */
export interface ProductRules {
  readonly symbol: string;
  readonly decimals: number;
  /** Sources in sorted order, and how many of them a price needs. */
  readonly sources: readonly string[];
  /** Keys and feed of {@link PYTH_SOURCE}; only products with that source have it. */
  readonly pyth?: PythRules;
  /** The licence class of each of the sources. */
  readonly licences: Readonly<Record<string, Licence>>;
  readonly quorum: number;
  /** A record or quote older than this does not count. */
  readonly quietMs: number;
  /** How long a fix waits for every source before it is written with those that are known to the end; up to {@link MAX_WAIT_MS}. */
  readonly waitMs: number;
  /** A price further than this from the median of those that are not quiet is an outlier; 1/10 000. */
  readonly outlierBps: number;
  /** D: the least time from the acceptance to the opening; at least {@link MIN_DELAY_MS}. */
  readonly delayMs: number;
  readonly schedule: Schedule;
  readonly cycles: readonly { readonly minutes: number; readonly payoutRate: string }[];
  readonly limits: readonly AssetLimits[];
  /** Factor on the maximum purchase by level; null is unlimited. */
  readonly levels: Readonly<Record<Level, number | null>>;
}

export interface AssetLimits {
  readonly asset: string;
  /** Decimals of the asset's amounts. */
  readonly scale: number;
  readonly minBalance: string;
  readonly minPurchase: string;
  /** Maximum purchase by cycle length, shortest first: the first entry whose `upToMinutes` covers the cycle applies. */
  readonly max: readonly { readonly upToMinutes: number; readonly amount: string }[];
}

/** The bounds of one purchase; `maxPurchase` null is unlimited. */
export interface PurchaseLimits {
  readonly minBalance: Minor;
  readonly minPurchase: Minor;
  readonly maxPurchase: Minor | null;
}

/** Payout rate in 1/10 000 of a cycle, or null when the product does not offer it. */
export function payoutRateOf(rules: ProductRules, minutes: number): number | null {
  const cycle = rules.cycles.find((candidate) => candidate.minutes === minutes);
  return cycle ? parseRate(cycle.payoutRate) : null;
}

/**
 * Bounds of a purchase of `minutes` in an asset with `scale` decimals for a customer of `level`;
 * null when the product takes no orders in that asset or of that length. The shortest cycle of live prices is for practice money only
 * (terms_of in schema/market/rules.sql has the same).
 */
export function purchaseLimits(
  rules: ProductRules,
  { minutes, asset, scale, level }: { minutes: number; asset: string; scale: number; level: Level },
): PurchaseLimits | null {
  const limits = rules.limits.find((candidate) => candidate.asset === asset);
  const max = limits?.max.find((step) => minutes <= step.upToMinutes);
  if (!limits || !max) return null;
  if (minutes <= LIVE_PRACTICE_MINUTES && asset !== PRACTICE_ASSET && hasLiveSources(rules)) return null;
  const minBalance = parseAmount(limits.minBalance, scale);
  const minPurchase = parseAmount(limits.minPurchase, scale);
  const base = parseAmount(max.amount, scale);
  if (minBalance === null || minPurchase === null || base === null) {
    throw new Error(`rules of ${rules.symbol}: limits of ${asset} are not amounts at ${scale} decimals`);
  }
  const factor = rules.levels[level];
  return {
    minBalance,
    minPurchase,
    maxPurchase: factor === null ? null : ((base * BigInt(factor)) as Minor),
  };
}

/** Whether a source of the product publishes prices of a real market while they are made. */
function hasLiveSources({ licences }: ProductRules): boolean {
  return Object.values(licences).some((licence) => licence === 'public' || licence === 'licensed');
}

/** Whether an `orders` entry of this time is early enough for the order to open. */
export const isLoggedInTime = (loggedAtMs: number, opensAtMs: number): boolean =>
  loggedAtMs <= opensAtMs - LOGGED_BEFORE_MS;

/** The first time of a fix at or after `timeMs`. */
export const fixFrom = (timeMs: number): number => Math.ceil(timeMs / FIX_MS) * FIX_MS;
