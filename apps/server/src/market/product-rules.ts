import type { AssetLimits, ProductRules } from '@fairtick/trading';

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
  limitsOf('DEMO', '10', ['5000', '10000']),
  limitsOf('USDT', '10', ['5000', '10000']),
  limitsOf('USD', '10', ['5000', '10000']),
  limitsOf('BTC', '0.0002', ['0.1', '0.2']),
  limitsOf('ETH', '0.005', ['2', '4']),
];

function limitsOf(asset: string, least: string, [short, long]: readonly [string, string]): AssetLimits {
  return {
    asset,
    minBalance: least,
    minPurchase: least,
    max: [
      { upToMinutes: SHORT_MINUTES, amount: short },
      { upToMinutes: LONG_MINUTES, amount: long },
    ],
  };
}

/** The rules that a feed sets for a product; the rest is the same for all. */
export type FeedRules = Pick<
  ProductRules,
  | 'symbol'
  | 'decimals'
  | 'sources'
  | 'quorum'
  | 'staleMs'
  | 'outlierBps'
  | 'settleBoundMs'
  | 'delayMs'
  | 'schedule'
>;

/** The complete rules of a product: those of its feed, with the cycles and limits that all products share. */
export function productRules(feedRules: FeedRules): ProductRules {
  return {
    ...feedRules,
    sources: [...feedRules.sources].sort(),
    cycles: CYCLES,
    limits: LIMITS,
    levels: { bronze: 1, silver: 1, gold: 2, platinum: null },
  };
}

/** The longest cycle, ms: changed rules take effect at least this long after they are logged. */
export const LONGEST_CYCLE_MS = LONG_MINUTES * 60_000;
