import type { NewsState, OfficeData } from '@fairtick/protocol/office';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { get, post } from '../api/client.ts';
import { queryClient, useMe, usePages } from '../api/queries.ts';

export type NewsRow = OfficeData<'news/queue'>['items'][number];
export type Article = OfficeData<'news/article'>;

export const useNews = (state: NewsState | '') =>
  usePages(['news', 'queue', state], (page, signal) =>
    get('news/queue', { state: state || undefined, ...page }, signal),
  );

/** Does not refetch on focus, so that an article does not change while it is edited. */
export const useArticle = (id: string, version?: number) =>
  useQuery({
    queryKey: ['news', 'article', id, version],
    queryFn: ({ signal }) => get('news/article', { id, version }, signal),
    refetchOnWindowFocus: false,
  });

/** A text rendered as for readers; the last preview stays until the next one arrives. */
export const usePreview = (text: string) =>
  useQuery({
    queryKey: ['preview', text],
    queryFn: () => post('news/preview', { text }),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
  });

export const refreshNews = () => queryClient.invalidateQueries({ queryKey: ['news'] });

/** Auditors read; writing is for the role content. */
export const useMayWrite = () => useMe().data?.roles.some(({ role }) => role === 'content') ?? false;
