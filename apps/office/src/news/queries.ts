import type { NewsState, OfficeData } from '@fairtick/protocol/office';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { post } from '../api/client.ts';
import { type RowOf, refresh, useGet, usePages } from '../api/queries.ts';

export type NewsRow = RowOf<'news/queue'>;
export type Article = OfficeData<'news/article'>;

export const useNews = (state: NewsState | '') =>
  usePages(['news'], 'news/queue', { state: state || undefined });

/** Does not refetch on focus, so that an article does not change while it is edited. */
export const useArticle = (id: string, version?: number) =>
  useGet(['news'], 'news/article', { id, version }, { refetchOnWindowFocus: false });

/** A text rendered as for readers; the last preview stays until the next one arrives. */
export const usePreview = (text: string) =>
  useQuery({
    queryKey: ['preview', text],
    queryFn: () => post('news/preview', { text }),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
  });

export const refreshNews = () => refresh('news');
