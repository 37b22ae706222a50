import { type Minor, parseAmount, parseRate } from '@fairtick/money';
import type { Schedule } from './trading-hours.ts';

/** Customer levels. They depend on what is known of a person, never on turnover. */
export const LEVELS = ['bronze', 'silver', 'gold', 'platinum'] as const;
export type Level = (typeof LEVELS)[number];

/** Maximum time from an acceptance to its `orders` entry in the log (rule 2). */
export const LOG_WITHIN_MS = 2_000;
/** Maximum time after acceptance + D for the opening tick (rule 5). */
export const OPEN_WINDOW_MS = 5_000;
/** Maximum time from reading the clock to the last statement before COMMIT (rule 1). */
export const LATE_AFTER_MS = 500;
/** No orders are taken for this long after prices return, or at the start of a session. */
export const SETTLE_IN_MS = 15_000;
/** Tick times are multiples of this. */
export const GRID_MS = 250;

/**
 * Everything that decides about one product, as stated in a `rules` entry of the log. Amounts are decimal strings because the
 * entry names assets, not scales.
 */
export interface ProductRules {
  readonly symbol: string;
  readonly decimals: number;
  /** Sources in sorted order, and how many of them a price needs. */
  readonly sources: readonly string[];
  readonly quorum: number;
  /** A quote older than this (source time or receive time, the older one) is stale. */
  readonly staleMs: number;
  /** A quote further than this from the median of the current ones is an outlier; 1/10 000. */
  readonly outlierBps: number;
  /** A settlement tick older than this at the settlement time decides only in the customer's favour. */
  readonly settleBoundMs: number;
  /** D of rule 3: minimum time from acceptance to the receipt of the opening quotes. */
  readonly delayMs: number;
  readonly schedule: Schedule;
  readonly cycles: readonly { readonly minutes: number; readonly payoutRate: string }[];
  readonly limits: readonly AssetLimits[];
  /** Factor on the maximum purchase by level; null is unlimited. */
  readonly levels: Readonly<Record<Level, number | null>>;
}

export interface AssetLimits {
  readonly asset: string;
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
 * null when the product takes no orders in that asset or of that length.
 */
export function purchaseLimits(
  rules: ProductRules,
  { minutes, asset, scale, level }: { minutes: number; asset: string; scale: number; level: Level },
): PurchaseLimits | null {
  const limits = rules.limits.find((candidate) => candidate.asset === asset);
  const max = limits?.max.find((step) => minutes <= step.upToMinutes);
  if (!limits || !max) return null;
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

/** The share of orders that must win to break even: 1 / (1 + payout rate). */
export function breakEvenRate(payoutRateBps: number): number {
  return 1 / (1 + payoutRateBps / 10_000);
}

/** The house's expected share of a stake when up and down are equally likely: (1 − payout rate) / 2. */
export function houseEdge(payoutRateBps: number): number {
  return (1 - payoutRateBps / 10_000) / 2;
}
