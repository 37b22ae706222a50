import type { CatalogueProduct, PriceModel } from './catalogue-product.ts';
import { CURRENCIES } from './currencies.ts';
import { type Driver, MARKETS } from './drivers.ts';
import { HOURS, type HoursName } from './schedules.ts';

/** The part of a row of `products` that feeds read. */
export interface Listing extends Pick<CatalogueProduct, 'hours' | 'liveHours' | 'quietMs' | 'outlierBps'> {
  /** Null: it has no simulated prices. */
  readonly model: PriceModel | null;
  /** Its market at each source that settles, and at each that only guards; as the source names it. */
  readonly sources: Readonly<Record<string, string>>;
  readonly guards: Readonly<Record<string, string>>;
}

/** A product as the model of simulated prices takes it. */
export type ModelledProduct = Pick<
  CatalogueProduct,
  'symbol' | 'decimals' | 'hours' | 'outlierBps' | 'model'
>;

/** The names that a simulated price can follow: every market and currency. */
export const DRIVERS: ReadonlyMap<string, Driver> = new Map(
  [...MARKETS, ...[...CURRENCIES.values()].map(({ driver }) => driver)].map((driver) => [driver.id, driver]),
);

export const isHoursName = (name: string): name is HoursName => Object.hasOwn(HOURS, name);

/** A pair whose currencies are known moves as they do. */
export const pairOf = (symbol: string): PriceModel | null => {
  const [base = '', quote = ''] = symbol.split('/');
  return CURRENCIES.has(base) && CURRENCIES.has(quote) ? { kind: 'pair', base, quote } : null;
};

/** The product for the model; null: it has no simulated prices. */
export function modelledProduct(product: {
  readonly symbol: string;
  readonly decimals: number;
  readonly listing: Listing;
}): ModelledProduct | null {
  const { symbol, decimals, listing } = product;
  const { model, hours, outlierBps } = listing;
  return model && { symbol, decimals, hours, outlierBps, model };
}
