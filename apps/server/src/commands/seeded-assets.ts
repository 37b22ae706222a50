/** Limits are the largest loss of a product and of a group in one settlement minute, in whole units. */
export const SEEDED_ASSETS = {
  DEMO: { id: 1, scale: 6, isPractice: true, product: 500_000n, group: 1_500_000n },
  USDT: { id: 2, scale: 6, isPractice: false, product: 500_000n, group: 1_500_000n },
  USD: { id: 3, scale: 2, isPractice: false, product: 500_000n, group: 1_500_000n },
  BTC: { id: 4, scale: 8, isPractice: false, product: 8n, group: 24n },
  ETH: { id: 5, scale: 8, isPractice: false, product: 160n, group: 480n },
} as const;
