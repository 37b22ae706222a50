import type { CatalogueProduct } from './catalogue-product.ts';
import { ENERGY, INDICES, STOCKS } from './listed.ts';
import { CRYPTO, FOREX, METALS } from './pairs.ts';

/** All products that the program ships, in the order of the lists. Reference prices are those of December 2025. */
export const CATALOGUE: readonly CatalogueProduct[] = [
  ...FOREX,
  ...METALS,
  ...ENERGY,
  ...INDICES,
  ...CRYPTO,
  ...STOCKS,
];
