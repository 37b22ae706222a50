import type { OfficeData } from '@fairtick/protocol/office';
import { forgetTyped } from '@fairtick/ui/typed-text';
import {
  focusManager,
  keepPreviousData,
  QueryClient,
  useInfiniteQuery,
  useQuery,
} from '@tanstack/react-query';
import { useMemo } from 'react';
import { forgetDrafts } from '../state/drafts.ts';
import { readStored, store } from '../state/settings.ts';
import { get, guardSession, NetworkError, SessionError } from './client.ts';

export type Me = OfficeData<'session/me'>;

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      refetchOnWindowFocus: true,
      // Retry only when no answer came: a refusal is an answer and would be the same again.
      retry: (count, error) => count < 2 && error instanceof NetworkError,
    },
  },
});

const ME = ['me'] as const;
const PAGE = 50;

/** The fields that ask for a page. A type, because an interface is not assignable to the client's `Fields`. */
export type PageFields = { readonly limit: number; readonly cursor: string | undefined };
export interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | null;
}

/**
 * A list read page by page.
 * @param refetchInterval ms after which the pages read so far are refetched while they are shown
 */
export function usePages<T>(
  key: readonly unknown[],
  read: (page: PageFields, signal: AbortSignal) => Promise<Page<T>>,
  refetchInterval: number | false = false,
) {
  const list = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => read({ limit: PAGE, cursor: pageParam ?? undefined }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }: Page<T>) => nextCursor,
    refetchInterval,
    placeholderData: keepPreviousData,
  });
  const rows = useMemo(() => list.data?.pages.flatMap(({ items }) => items) ?? [], [list.data]);
  return { ...list, rows };
}

/** The member of staff who is logged in, or null. Makes no call in a browser that has never had a session. */
export function useMe() {
  return useQuery<Me | null>({
    queryKey: ME,
    queryFn: async ({ signal }) => {
      if (readStored('hasSession') === null) return null;
      try {
        return await get('session/me', {}, signal);
      } catch (error) {
        if (error instanceof SessionError) return null;
        throw error;
      }
    },
    refetchInterval: 60_000,
  });
}

/**
 * Marks this browser's session in storage, because scripts can't read its cookie. A tab that finds another mark belongs to another
 * login, perhaps of another member.
 */
let mark = readStored('hasSession');
const isCurrent = (): boolean => {
  if (readStored('hasSession') === mark) return true;
  // Nothing of another member's session is shown with what this tab has read.
  location.reload();
  return false;
};

export function setMe(me: Me | null): void {
  store('hasSession', me && `${me.id} ${Date.now()}`);
  mark = readStored('hasSession');
  if (me === null) forgetTyped();
  forgetDrafts();
  queryClient.setQueryData(ME, me);
}

/** Removes all cached answers of the ended session. Called when none of its pages is mounted, as they would fetch again. */
export function forgetAnswers(): void {
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== ME[0] });
  // Logging out has paused all refetching; resume it.
  focusManager.setFocused(undefined);
}

/** Counts anew what waits for a decision. */
export const refreshWaiting = (): Promise<void> => queryClient.invalidateQueries({ queryKey: ['dashboard'] });

export const refreshMe = (): Promise<void> => queryClient.invalidateQueries({ queryKey: ME });

guardSession({
  isCurrent,
  mark: () => mark,
  // A 401 for an earlier session says nothing about this one.
  onEnd: (of) => of === mark && isCurrent() && setMe(null),
});

/** Follows the logins of other tabs, when they happen and when this tab wakes up. Called once. */
export function followTabs(): void {
  addEventListener('storage', ({ key }) => (key === null || key === 'hasSession') && isCurrent());
  addEventListener('pageshow', isCurrent);
  document.addEventListener('visibilitychange', isCurrent);
}
