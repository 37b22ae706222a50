import type { OfficeData } from '@fairtick/protocol/office';
import { refresh, useGet, usePages } from '../api/queries.ts';

export type ListedProduct = OfficeData<'catalogue/products'>[number];
export type ProductDetail = OfficeData<'catalogue/product'>;
export type Rules = NonNullable<ProductDetail['rules']>;
export type Change = ReturnType<typeof useChanges>['rows'][number];
export type ChangeDetail = OfficeData<'catalogue/change'>;
export type Halt = OfficeData<'halt/state'>['past'][number];

const CATALOGUE = ['catalogue'] as const;
/** Trading hours begin and end, and rules take effect. */
const SLOWLY = { refetchInterval: 10_000 };
/** Changes made by others are fetched at this interval. */
const LIVE = { refetchInterval: 5_000 };

export const useProducts = () => useGet(CATALOGUE, 'catalogue/products', {}, SLOWLY);
export const useProduct = (symbol: string) => useGet(CATALOGUE, 'catalogue/product', { symbol }, SLOWLY);
export const useNewProduct = () => useGet(CATALOGUE, 'catalogue/newProduct');
export function useChanges() {
  const list = usePages(CATALOGUE, 'catalogue/changes', {}, LIVE);
  return { ...list, rows: list.rows.map((change) => ({ ...change, status: change.state })) };
}
export const useChange = (id: string) => useGet(CATALOGUE, 'catalogue/change', { id }, LIVE);
export const useHalts = () => useGet(['halt'], 'halt/state', {}, LIVE);

/** Refetches everything of the catalogue, after a decision. */
export const refreshCatalogue = () => refresh(...CATALOGUE);
export const refreshHalts = () => refresh('halt');

/** A symbol as a part of a path: `EUR-USD`. */
export const pathOf = (symbol: string): string => symbol.replace('/', '-');
export const symbolOf = (path: string): string => path.replace('-', '/');
