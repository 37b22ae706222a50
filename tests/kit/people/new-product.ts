import { FIRST_PAYOUTS } from '../../../apps/server/src/market/product-rules.ts';

/** A simulated product as its proposal has it. */
export function newProduct(symbol: string) {
  return {
    symbol,
    names: { zh: '链环', tw: '鏈環', en: 'Chain Link' },
    assetClass: 'crypto',
    decimals: 3,
    group: 'crypto',
    day: { zone: 'UTC', from: '00:00' },
    aliases: ['lian huan'],
    listing: {
      hours: 'round-the-clock',
      liveHours: 'round-the-clock',
      quietMs: 2_000,
      outlierBps: 100,
      model: { kind: 'listed', reference: 14.5, volatility: 0.6, market: 'currency:BTC', beta: 1 },
      sources: {},
      guards: {},
    },
    payouts: FIRST_PAYOUTS,
  };
}
