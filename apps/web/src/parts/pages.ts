import { type QueryKey, useInfiniteQuery } from '@tanstack/react-query';
import type { MoreState } from './load-more.tsx';

interface Page {
  readonly items: readonly unknown[];
  readonly nextCursor: string | null;
}

/**
 * Reads a list page after page.
 * @param read one page: the first, or the one at a cursor
 */
export function usePages<P extends Page>(
  queryKey: QueryKey,
  read: (cursor: string | undefined, signal: AbortSignal) => Promise<P>,
  { enabled = true }: { readonly enabled?: boolean } = {},
) {
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => read(pageParam ?? undefined, signal),
    enabled,
    initialPageParam: null as string | null,
    getNextPageParam: (page: P) => page.nextCursor,
  });
  const items = (query.data?.pages.flatMap((page) => page.items) ?? []) as P['items'][number][];
  return { query, items, more: { state: moreState(query), onMore: () => void query.fetchNextPage() } };
}

interface Paged {
  readonly isFetchingNextPage: boolean;
  readonly isFetchNextPageError: boolean;
  readonly hasNextPage: boolean;
}

export function moreState(...queries: readonly Paged[]): MoreState {
  if (queries.some(({ isFetchingNextPage }) => isFetchingNextPage)) return 'loading';
  if (queries.some(({ isFetchNextPageError }) => isFetchNextPageError)) return 'fault';
  return queries.some(({ hasNextPage }) => hasNextPage) ? 'more' : 'end';
}
