import type { OfficeData } from '@fairtick/protocol/office';
import { useInfiniteQuery } from '@tanstack/react-query';
import { get } from '../api/client.ts';
import { ONE_VIEW, type RowOf, refresh, useGet, usePages } from '../api/queries.ts';

export type Case = RowOf<'chat/list'>;
export type Conversation = OfficeData<'chat/conversation'>;
export type Canned = OfficeData<'chat/canned'>[number];
export type RecoveryDetail = OfficeData<'recovery/detail'>;
export type Filter = 'waiting' | 'mine' | 'all';

/** How lists are refetched. */
const LIVE = { refetchInterval: 3_000 };
const OPEN_MS = 1_500;
const RARELY = { staleTime: 60_000 };

export const useCases = (filter: Filter) => usePages(['chats'], 'chat/list', { filter }, LIVE);

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

export const useCanned = () => useGet(['canned'], 'chat/canned', {}, RARELY);
export const useColleagues = () => useGet(['colleagues'], 'chat/colleagues', {}, RARELY);

export const refreshChats = (id: string) => Promise.all([refresh('chats'), refresh('chat', id)]);

export const useRecoveries = (state: 'open' | 'decided') =>
  usePages(['recoveries'], 'recovery/queue', { state }, LIVE);

/** Each answer is a look that the customer sees: fetched when the reader opens it, and after a step. */
export const useRecovery = (id: string) => useGet(['recovery', id], 'recovery/detail', { id }, ONE_VIEW);

export const refreshRecovery = (id: string) => Promise.all([refresh('recoveries'), refresh('recovery', id)]);
