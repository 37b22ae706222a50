import { type ProductRules, ROUND_THE_CLOCK } from '@fairtick/trading';

/** Rules of a product that trades round the clock, with three sources of which two are the quorum. */
export const SAMPLE_RULES: ProductRules = {
  symbol: 'EUR/USD',
  decimals: 5,
  sources: ['a', 'b', 'c'],
  licences: { a: 'simulated', b: 'recorded', c: 'public' },
  quorum: 2,
  quietMs: 5_000,
  waitMs: 0,
  outlierBps: 50,
  delayMs: 2_000,
  schedule: ROUND_THE_CLOCK,
  cycles: [
    { minutes: 1, payoutRate: '0.8' },
    { minutes: 5, payoutRate: '0.85' },
  ],
  limits: [
    {
      asset: 'DEMO',
      scale: 6,
      minBalance: '20',
      minPurchase: '10',
      max: [{ upToMinutes: 60, amount: '5000' }],
    },
  ],
  levels: { bronze: 1, silver: 1, gold: 2, platinum: null },
};
