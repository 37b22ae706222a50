import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { get } from '../api/client.ts';
import { queryClient, refreshWaiting, useMe } from '../api/queries.ts';
import { fromDeposit, fromIdentity, fromWithdrawal, type QueueCase, type ReviewKind } from './queue-model.ts';

/** Interval at which queues and cases are refetched, so that decisions of others appear soon. */
const LIVE_MS = 3_000;
const PAGE = 100;

interface Page {
  readonly items: readonly QueueCase[];
  readonly nextCursor: string | null;
}

async function readPage(
  kind: ReviewKind,
  isDecided: boolean,
  { cursor, signal }: { cursor: string | undefined; signal: AbortSignal },
): Promise<Page> {
  const fields = { limit: PAGE, cursor };
  if (kind === 'deposit') {
    const page = await get('deposit/queue', { ...fields, state: isDecided ? 'decided' : 'open' }, signal);
    return { ...page, items: page.items.map(fromDeposit) };
  }
  if (kind === 'withdrawal') {
    const page = await get('withdrawal/queue', { ...fields, state: isDecided ? 'decided' : 'open' }, signal);
    return { ...page, items: page.items.map((row) => fromWithdrawal(row, serverNow())) };
  }
  const page = await get('identity/queue', { ...fields, state: isDecided ? 'decided' : 'pending' }, signal);
  return { ...page, items: page.items.map(fromIdentity) };
}

/** Reads a queue, and again at intervals while it is shown. */
export function useQueue(kind: ReviewKind, isDecided: boolean) {
  const queue = useInfiniteQuery({
    queryKey: ['queue', kind, isDecided],
    queryFn: ({ pageParam, signal }) => readPage(kind, isDecided, { cursor: pageParam ?? undefined, signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }: Page) => nextCursor,
    refetchInterval: LIVE_MS,
    placeholderData: keepPreviousData,
  });
  const cases = useMemo(() => queue.data?.pages.flatMap(({ items }) => items) ?? [], [queue.data]);
  return { ...queue, cases };
}

export const useDeposit = (id: string) =>
  useQuery({
    queryKey: ['case', 'deposit', id],
    queryFn: ({ signal }) => get('deposit/detail', { id }, signal),
    refetchInterval: LIVE_MS,
  });

export const useWithdrawal = (id: string) =>
  useQuery({
    queryKey: ['case', 'withdrawal', id],
    queryFn: ({ signal }) => get('withdrawal/detail', { id }, signal),
    refetchInterval: LIVE_MS,
  });

/** Options of a query that the customer sees as a look: fetched once on the reader's request, never refetched automatically. */
export const ONE_VIEW = {
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: 0,
  refetchOnWindowFocus: false,
  refetchOnReconnect: false,
  retry: false,
} as const;

export const useIdentity = (id: string, isWanted: boolean) =>
  useQuery({
    queryKey: ['look', 'identity', id],
    queryFn: ({ signal }) => get('identity/detail', { id }, signal),
    enabled: isWanted,
    ...ONE_VIEW,
  });

export const useDestination = (id: string, isWanted: boolean) =>
  useQuery({
    queryKey: ['look', 'destination', id],
    queryFn: async () => {
      const destination = await get('withdrawal/destination', { id });
      // The case says whether its reader has opened the destination.
      void queryClient.invalidateQueries({ queryKey: ['case', 'withdrawal', id] });
      return destination;
    },
    enabled: isWanted,
    ...ONE_VIEW,
  });

const RARELY_MS = 10 * 60_000;
export const useReasons = () =>
  useQuery({ queryKey: ['reasons'], queryFn: () => get('request/reasons'), staleTime: RARELY_MS });
export const useIdentityReasons = () =>
  useQuery({
    queryKey: ['identityReasons'],
    queryFn: () => get('identity/reasons'),
    staleTime: RARELY_MS,
  });
export const useRules = () =>
  useQuery({ queryKey: ['rules'], queryFn: () => get('staff/rules'), staleTime: RARELY_MS });

/** Refetches the queue and the case, after a step. */
export async function refreshReview(kind: ReviewKind, id: string): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: ['queue', kind] }),
    refreshWaiting(),
    queryClient.invalidateQueries({ queryKey: ['case', kind, id] }),
  ]);
}

let offsetMs = 0;
/** The server's clock, by the last known offset. */
const serverNow = (): number => Date.now() + offsetMs;

/** The server's time, updated every `everyMs`; ages and claims are computed from it. */
export function useNow(everyMs = 5_000): number {
  const me = useMe();
  const server = me.data?.serverTime;
  const [now, setNow] = useState(serverNow);
  useEffect(() => {
    if (server !== undefined) offsetMs = server - me.dataUpdatedAt;
    setNow(serverNow());
    const timer = setInterval(() => setNow(serverNow()), everyMs);
    return () => clearInterval(timer);
  }, [server, me.dataUpdatedAt, everyMs]);
  return now;
}
