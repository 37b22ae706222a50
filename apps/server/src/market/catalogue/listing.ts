import type { Schedule } from '@fairtick/trading';
import { CATALOGUE } from './catalogue.ts';
import type { CatalogueProduct, Currency, EquityModel, ForexModel } from './catalogue-product.ts';
import type { Driver } from './drivers.ts';
import { HOURS, type HoursName } from './schedules.ts';

/** The model of a simulated price, with its currencies and its market by their names. */
export type ListedModel =
  | { readonly kind: 'pair'; readonly base: string; readonly quote: string }
  | (Omit<EquityModel, 'market'> & { readonly market: string });

/** The part of a row of `products` that feeds read. */
export interface Listing {
  /** Trading hours with simulated prices, and with live ones. */
  readonly hours: HoursName;
  readonly liveHours: HoursName;
  /** With simulated prices: see {@link CatalogueProduct}. */
  readonly quietMs: number;
  readonly outlierBps: number;
  /** Null: it has no simulated prices. */
  readonly model: ListedModel | null;
  /** Its market at each source that settles, and at each that only guards; as the source names it. */
  readonly sources: Readonly<Record<string, string>>;
  readonly guards: Readonly<Record<string, string>>;
}

/** A product as the model of simulated prices takes it. */
export type ModelledProduct = Pick<
  CatalogueProduct,
  'symbol' | 'decimals' | 'schedule' | 'outlierBps' | 'model'
>;

const CURRENCIES: ReadonlyMap<string, Currency> = new Map(
  CATALOGUE.flatMap(({ model }) =>
    model.kind === 'pair' ? [model.base, model.quote].map((one) => [one.code, one] as const) : [],
  ),
);

/** The names that a simulated price can follow: every market and currency of the catalogue. */
export const DRIVERS: ReadonlyMap<string, Driver> = new Map(
  [
    ...CATALOGUE.flatMap(({ model }) => (model.kind === 'listed' ? [model.market] : [])),
    ...[...CURRENCIES.values()].map(({ driver }) => driver),
  ].map((driver) => [driver.id, driver]),
);

export const isHoursName = (name: string): name is HoursName => Object.hasOwn(HOURS, name);

/** The name of trading hours of the catalogue. */
export function nameOfHours(schedule: Schedule): HoursName {
  const found = Object.entries(HOURS).find(([, one]) => one === schedule);
  if (!found) throw new Error('the catalogue has hours without a name');
  return found[0] as HoursName;
}

export const listedModel = (model: ForexModel | EquityModel): ListedModel =>
  model.kind === 'pair'
    ? { kind: 'pair', base: model.base.code, quote: model.quote.code }
    : { ...model, market: model.market.id };

/** A pair whose currencies the catalogue has moves as they do. */
export const pairOf = (symbol: string): ListedModel | null => {
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
  const model = listing.model && readModel(listing.model);
  return model && { symbol, decimals, schedule: HOURS[listing.hours], outlierBps: listing.outlierBps, model };
}

function readModel(model: ListedModel): ForexModel | EquityModel | null {
  if (model.kind === 'pair') {
    const [base, quote] = [CURRENCIES.get(model.base), CURRENCIES.get(model.quote)];
    return base && quote ? { kind: 'pair', base, quote } : null;
  }
  const market = DRIVERS.get(model.market);
  return market ? { ...model, market } : null;
}
