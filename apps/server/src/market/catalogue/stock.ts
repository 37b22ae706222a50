import { localised, type Texts } from '@fairtick/protocol/languages';
import type { Schedule } from '@fairtick/trading';
import type { CatalogueProduct } from './catalogue-product.ts';
import type { Driver } from './drivers.ts';

/** Properties that the stocks of one list share. */
export interface Listing {
  readonly group: string;
  readonly schedule: Schedule;
  readonly market: Driver;
  readonly decimals: number;
}

/** `[symbol, names, reference price, annual volatility, beta to the market]`. */
export type StockRow = readonly [string, Texts, number, number, number];

/** Below this price a cent is too coarse: the price would stand still for minutes. Such stocks get a third decimal. */
const CENT_TOO_COARSE_BELOW = 50;

export function stocks(listing: Listing, rows: readonly StockRow[]): readonly CatalogueProduct[] {
  return rows.map(([symbol, names, reference, volatility, beta]) => ({
    symbol,
    names: localised(...names),
    assetClass: 'stock',
    decimals:
      listing.decimals === 2 && reference < CENT_TOO_COARSE_BELOW ? listing.decimals + 1 : listing.decimals,
    schedule: listing.schedule,
    group: listing.group,
    quietMs: 5000,
    outlierBps: 60,
    model: { kind: 'listed', reference, volatility, market: listing.market, beta },
  }));
}
