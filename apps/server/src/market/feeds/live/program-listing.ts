import type { CatalogueProduct } from '../../catalogue/catalogue-product.ts';
import type { Listing } from '../../catalogue/listing.ts';
import { GUARD_SOURCES, LIVE_SOURCES } from './live-products.ts';
import { VENUES } from './venues.ts';

/** The listing of a product that the program ships, for the table of products. */
export function programListing(product: CatalogueProduct): Listing {
  const { symbol, hours, liveHours, quietMs, outlierBps, model } = product;
  return {
    ...{ hours, liveHours, quietMs, outlierBps, model },
    sources: marketsOf(symbol, LIVE_SOURCES[symbol] ?? []),
    guards: marketsOf(symbol, GUARD_SOURCES[symbol] ?? []),
  };
}

/** A product's market at each of these sources. */
export function marketsOf(symbol: string, sources: readonly string[]): Readonly<Record<string, string>> {
  const [base = '', quote = ''] = symbol.split('/');
  return Object.fromEntries(
    VENUES.filter(({ source }) => sources.includes(source)).map((venue) => [
      venue.source,
      venue.marketOf(base, quote),
    ]),
  );
}
