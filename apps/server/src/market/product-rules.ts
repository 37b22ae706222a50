import type { AssetLimits, Licence, ProductRules } from '@fairtick/trading';

/** The part of a product's rules that two people decide; the rest is about prices. */
export type PayoutRules = Pick<ProductRules, 'cycles' | 'limits' | 'levels'>;

/** One payout table for all customers: longer cycles pay more, because they cost the house less per minute. */
const CYCLES: ProductRules['cycles'] = [
  { minutes: 1, payoutRate: '0.8' },
  { minutes: 3, payoutRate: '0.82' },
  { minutes: 5, payoutRate: '0.85' },
  { minutes: 15, payoutRate: '0.87' },
  { minutes: 30, payoutRate: '0.9' },
  { minutes: 60, payoutRate: '0.93' },
];

const SHORT_MINUTES = 5;
const LONG_MINUTES = 60;

const LIMITS: readonly AssetLimits[] = [
  limitsOf('DEMO', 6, '10', ['5000', '10000']),
  limitsOf('USDT', 6, '10', ['5000', '10000']),
  limitsOf('USD', 2, '10', ['5000', '10000']),
  limitsOf('BTC', 8, '0.0002', ['0.1', '0.2']),
  limitsOf('ETH', 8, '0.005', ['2', '4']),
];

function limitsOf(
  asset: string,
  scale: number,
  least: string,
  [short, long]: readonly [string, string],
): AssetLimits {
  return {
    asset,
    scale,
    minBalance: least,
    minPurchase: least,
    max: [
      { upToMinutes: SHORT_MINUTES, amount: short },
      { upToMinutes: LONG_MINUTES, amount: long },
    ],
  };
}

/** The rules that a feed sets for a product; the rest is the same for all. */
export type FeedRules = Omit<ProductRules, keyof PayoutRules>;

/** Payouts and limits of a shipped product’s first rules; two people change them from then on. */
export const FIRST_PAYOUTS: PayoutRules = {
  cycles: CYCLES,
  limits: LIMITS,
  levels: { bronze: 1, silver: 1, gold: 2, platinum: null },
};

/** The complete rules of a product: those of its feed, with its own cycles and limits, or those that all products share (`null`). */
export function productRules(feedRules: FeedRules, payouts: PayoutRules | null = null): ProductRules {
  return { ...feedRules, sources: [...feedRules.sources].sort(), ...(payouts ?? FIRST_PAYOUTS) };
}

/** The same licence class for each of these sources. */
export function licencesOf(sources: readonly string[], licence: Licence): ProductRules['licences'] {
  return Object.fromEntries(sources.map((source) => [source, licence]));
}

/** The longest cycle, ms: changed rules take effect at least this long after they are logged. */
export const LONGEST_CYCLE_MS = LONG_MINUTES * 60_000;
