import type { CatalogueProduct } from './catalogue-product.ts';
import { CRYPTO } from './crypto.ts';
import { ENERGY } from './energy.ts';
import { FOREX } from './forex.ts';
import { INDICES } from './indices.ts';
import { METALS } from './metals.ts';
import { STOCKS_ABROAD } from './stocks-abroad.ts';
import { US_STOCKS } from './stocks-us.ts';

export type {
  AssetClass,
  CatalogueProduct,
  Currency,
  EquityModel,
  ForexModel,
} from './catalogue-product.ts';

/** All products, in the order of the lists. Reference prices are those of December 2025. */
export const CATALOGUE: readonly CatalogueProduct[] = [
  ...FOREX,
  ...METALS,
  ...ENERGY,
  ...INDICES,
  ...CRYPTO,
  ...US_STOCKS,
  ...STOCKS_ABROAD,
];
