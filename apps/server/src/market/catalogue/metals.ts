import { ROUND_THE_CLOCK } from '@fairtick/trading';
import type { CatalogueProduct, Currency } from './catalogue-product.ts';
import { pairNames, USD, XAG, XAU, XPD, XPT } from './currencies.ts';

/** Prices are dollars per ounce. Metals are modelled as currencies, so that they move against the dollar too. */
function metal(base: Currency, decimals: number): CatalogueProduct {
  return {
    symbol: `${base.code}/${USD.code}`,
    names: pairNames(base, USD),
    assetClass: 'metal',
    decimals,
    schedule: ROUND_THE_CLOCK,
    group: 'metal',
    quietMs: 5000,
    outlierBps: 60,
    model: { kind: 'pair', base, quote: USD },
  };
}

export const METALS: readonly CatalogueProduct[] = [
  metal(XAU, 2),
  metal(XAG, 3),
  metal(XPT, 2),
  metal(XPD, 2),
];
