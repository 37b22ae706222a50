import { ROUND_THE_CLOCK } from '@fairtick/trading';
import type { CatalogueProduct, Currency } from './catalogue-product.ts';
import { ADA, AVAX, BNB, BTC, DOGE, ETH, LTC, SOL, TRX, USDT, XRP } from './currencies.ts';

function coin(base: Currency, decimals: number): CatalogueProduct {
  return {
    symbol: `${base.code}/${USDT.code}`,
    names: base.names,
    assetClass: 'crypto',
    decimals,
    schedule: ROUND_THE_CLOCK,
    group: 'crypto',
    quietMs: 2000,
    outlierBps: 100,
    model: { kind: 'pair', base, quote: USDT },
  };
}

export const CRYPTO: readonly CatalogueProduct[] = [
  coin(BTC, 2),
  coin(ETH, 2),
  coin(BNB, 2),
  coin(SOL, 3),
  coin(XRP, 4),
  coin(DOGE, 5),
  coin(ADA, 5),
  coin(AVAX, 3),
  coin(LTC, 2),
  coin(TRX, 5),
];
