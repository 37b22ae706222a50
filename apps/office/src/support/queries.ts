import type { OfficeData } from '@fairtick/protocol/office';
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { get } from '../api/client.ts';
import { queryClient } from '../api/queries.ts';

export type Case = OfficeData<'chat/list'>['items'][number];
export type Conversation = OfficeData<'chat/conversation'>;
export type Canned = OfficeData<'chat/canned'>[number];
export type Recovery = OfficeData<'recovery/queue'>['items'][number];
export type RecoveryDetail = OfficeData<'recovery/detail'>;
export type Filter = 'waiting' | 'mine' | 'all';

/** Interval at which lists are refetched. */
const LIST_MS = 3_000;
const OPEN_MS = 1_500;
const RARELY_MS = 60_000;

export function useCases(filter: Filter) {
  return useInfiniteQuery({
    queryKey: ['chats', filter],
    queryFn: ({ pageParam, signal }) =>
      get('chat/list', { filter, limit: 50, cursor: pageParam ?? undefined }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    refetchInterval: LIST_MS,
    placeholderData: keepPreviousData,
  });
}

/** An open conversation counts as one look for the customer, however often it is refetched. */
export function useConversation(id: string) {
  return useInfiniteQuery({
    queryKey: ['chat', id],
    queryFn: ({ pageParam, signal }) =>
      get('chat/conversation', { id, cursor: pageParam ?? undefined }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    refetchInterval: OPEN_MS,
  });
}

export const useCanned = () =>
  useQuery({ queryKey: ['canned'], queryFn: () => get('chat/canned'), staleTime: RARELY_MS });
export const useColleagues = (isWanted: boolean) =>
  useQuery({
    queryKey: ['colleagues'],
    queryFn: () => get('chat/colleagues'),
    staleTime: RARELY_MS,
    enabled: isWanted,
  });

export async function refreshChats(id: string): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: ['chats'] }),
    queryClient.invalidateQueries({ queryKey: ['chat', id] }),
  ]);
}

export function useRecoveries(state: 'open' | 'decided') {
  return useInfiniteQuery({
    queryKey: ['recoveries', state],
    queryFn: ({ pageParam, signal }) =>
      get('recovery/queue', { state, limit: 50, cursor: pageParam ?? undefined }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    refetchInterval: LIST_MS,
    placeholderData: keepPreviousData,
  });
}

/** Each answer is a look that the customer sees: fetched when the reader opens it, and after a step. */
export const useRecovery = (id: string) =>
  useQuery({
    queryKey: ['recovery', id],
    queryFn: ({ signal }) => get('recovery/detail', { id }, signal),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    retry: false,
  });

export async function refreshRecovery(id: string): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: ['recoveries'] }),
    queryClient.invalidateQueries({ queryKey: ['recovery', id] }),
  ]);
}
