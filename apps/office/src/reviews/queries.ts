import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { get } from '../api/client.ts';
import { ONE_VIEW, refresh, refreshWaiting, useGet, useMe, usePages } from '../api/queries.ts';
import { fromDeposit, fromIdentity, fromWithdrawal, type QueueCase, type ReviewKind } from './queue-model.ts';

/** Queues and cases are refetched, so that decisions of others appear soon. */
const LIVE = { refetchInterval: 3_000 };
const RARELY = { staleTime: 10 * 60_000 };

const TO_CASE = { deposit: fromDeposit, withdrawal: fromWithdrawal, identity: fromIdentity } as const;

/** Reads a queue, and again at intervals while it is shown. */
export function useQueue(kind: ReviewKind, isDecided: boolean) {
  const open = kind === 'identity' ? 'pending' : 'open';
  const state = isDecided ? 'decided' : open;
  const queue = usePages(['queue', kind], `${kind}/queue`, { state }, { ...LIVE, limit: 100 });
  type Row = (typeof queue.rows)[number];
  const toCase = TO_CASE[kind] as (row: Row, nowMs: number) => QueueCase;
  return { ...queue, rows: queue.rows.map((row) => toCase(row, serverNow())) };
}

export const useDeposit = (id: string) => useGet(['case', 'deposit', id], 'deposit/detail', { id }, LIVE);
export const useWithdrawal = (id: string) =>
  useGet(['case', 'withdrawal', id], 'withdrawal/detail', { id }, LIVE);
export const useIdentity = (id: string, isWanted: boolean) =>
  useGet(['look', 'identity'], 'identity/detail', { id }, { ...ONE_VIEW, enabled: isWanted });

export const useDestination = (id: string, isWanted: boolean) =>
  useQuery({
    queryKey: ['look', 'destination', id],
    queryFn: async () => {
      const destination = await get('withdrawal/destination', { id });
      // The case says whether its reader has opened the destination.
      void refresh('case', 'withdrawal', id);
      return destination;
    },
    enabled: isWanted,
    ...ONE_VIEW,
  });

export const useReasons = () => useGet(['reasons'], 'request/reasons', {}, RARELY);
export const useIdentityReasons = () => useGet(['reasons'], 'identity/reasons', {}, RARELY);
export const useRules = () => useGet(['rules'], 'staff/rules', {}, RARELY);

/** Refetches the queue and the case, after a step. */
export const refreshReview = (kind: ReviewKind, id: string) =>
  Promise.all([refresh('queue', kind), refreshWaiting(), refresh('case', kind, id)]);

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
