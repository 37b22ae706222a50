import type { OfficeData } from '@fairtick/protocol/office';
import type { StaffRole } from '@fairtick/protocol/staff-roles';
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
import { type Fields, get, guardSession, NetworkError, SessionError } from './client.ts';

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

type GetPath = Parameters<typeof get>[0];
interface Page<Row> {
  readonly items: readonly Row[];
  readonly nextCursor: string | null;
}
type PagedPath = { [P in GetPath]: OfficeData<P> extends Page<unknown> ? P : never }[GetPath];
export type RowOf<P extends PagedPath> =
  OfficeData<P> extends { readonly items: readonly (infer Row)[] } ? Row : never;

/** When a query is fetched again; times are in ms. */
interface Fetching {
  readonly enabled?: boolean;
  readonly refetchInterval?: number;
  readonly staleTime?: number;
  readonly gcTime?: number;
  readonly refetchOnWindowFocus?: false;
  readonly refetchOnReconnect?: false;
  readonly retry?: false;
}

/** Of a query that the customer sees as a look: fetched once on the reader's request, never refetched automatically. */
export const ONE_VIEW = {
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: 0,
  refetchOnWindowFocus: false,
  refetchOnReconnect: false,
  retry: false,
} as const satisfies Fetching;

/** Reads one answer. The beginning of the query's key is `of`: it names what is refetched after a change. */
export const useGet = <P extends GetPath>(
  of: readonly string[],
  path: P,
  fields: Fields = {},
  fetching: Fetching = {},
) =>
  useQuery({
    queryKey: [...of, path, fields],
    queryFn: ({ signal }) => get(path, fields, signal),
    ...fetching,
  });

/** Reads a list page by page; the pages read so far are refetched together. */
export function usePages<P extends PagedPath>(
  of: readonly string[],
  path: P,
  fields: Fields = {},
  { limit = 50, ...fetching }: Fetching & { readonly limit?: number } = {},
) {
  const list = useInfiniteQuery({
    queryKey: [...of, path, fields],
    queryFn: ({ pageParam, signal }) =>
      get(path, { ...fields, limit, cursor: pageParam ?? undefined }, signal) as Promise<
        OfficeData<P> & Page<RowOf<P>>
      >,
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: keepPreviousData,
    ...fetching,
  });
  const rows = useMemo(() => list.data?.pages.flatMap(({ items }) => items) ?? [], [list.data]);
  return { ...list, rows };
}

/** Refetches what is read under the first names of a query's key. */
export const refresh = (...of: readonly string[]): Promise<void> =>
  queryClient.invalidateQueries({ queryKey: of });

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

/** Counts what waits for a decision again. */
export const refreshWaiting = () => refresh('dashboard');

export const refreshMe = () => refresh(...ME);

/** Returns whether the reader has one of these roles. It decides what is shown; the server and the database decide what may be done. */
export function useHas(): (...roles: readonly StaffRole[]) => boolean {
  const me = useMe().data;
  return (...roles) => me?.roles.some(({ role }) => roles.includes(role)) ?? false;
}

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
