import type { OfficeData } from '@fairtick/protocol/office';
import { useQuery } from '@tanstack/react-query';
import { get } from '../api/client.ts';
import { queryClient, usePages } from '../api/queries.ts';

export type ListedProduct = OfficeData<'catalogue/products'>[number];
export type ProductDetail = OfficeData<'catalogue/product'>;
export type Rules = NonNullable<ProductDetail['rules']>;
export type Change = ReturnType<typeof useChanges>['rows'][number];
export type ChangeDetail = OfficeData<'catalogue/change'>;
export type Halt = OfficeData<'halt/state'>['past'][number];

const CATALOGUE = 'catalogue';
const HALT = ['halt'];
/** Interval at which screens ask again, because trading hours begin and end and rules take effect. */
const REFRESH_MS = 10_000;
const CHANGES_REFRESH_MS = 5_000;
const HALT_REFRESH_MS = 5_000;

export const useProducts = () =>
  useQuery({
    queryKey: [CATALOGUE, 'products'],
    queryFn: ({ signal }) => get('catalogue/products', {}, signal),
    refetchInterval: REFRESH_MS,
  });

export const useProduct = (symbol: string) =>
  useQuery({
    queryKey: [CATALOGUE, 'product', symbol],
    queryFn: ({ signal }) => get('catalogue/product', { symbol }, signal),
    refetchInterval: REFRESH_MS,
  });

export const useChanges = () =>
  usePages(
    [CATALOGUE, 'changes'],
    async (page, signal) => {
      const { items, nextCursor } = await get('catalogue/changes', page, signal);
      return { items: items.map((change) => ({ ...change, status: change.state })), nextCursor };
    },
    CHANGES_REFRESH_MS,
  );

export const useChange = (id: string) =>
  useQuery({
    queryKey: [CATALOGUE, 'change', id],
    queryFn: ({ signal }) => get('catalogue/change', { id }, signal),
    refetchInterval: 3_000,
  });

export const useHalts = () =>
  useQuery({
    queryKey: HALT,
    queryFn: ({ signal }) => get('halt/state', {}, signal),
    refetchInterval: HALT_REFRESH_MS,
  });

/** Refetches everything of the catalogue, after a decision. */
export const refreshCatalogue = (): Promise<void> => queryClient.invalidateQueries({ queryKey: [CATALOGUE] });
export const refreshHalts = (): Promise<void> => queryClient.invalidateQueries({ queryKey: HALT });

/** A symbol as a part of a path: `EUR-USD`. */
export const pathOf = (symbol: string): string => symbol.replace('/', '-');
export const symbolOf = (path: string): string => path.replace('-', '/');
