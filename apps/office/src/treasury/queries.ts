import { readDigits } from '@fairtick/money';
import type { OfficeData } from '@fairtick/protocol/office';
import { useQuery } from '@tanstack/react-query';
import { get } from '../api/client.ts';
import { type Page, type PageFields, queryClient, usePages as usePagesOf } from '../api/queries.ts';
import { dayStart } from '../state/days.ts';

export type Transfer = OfficeData<'ledger/transfers'>['items'][number];
export type Posting = Transfer['postings'][number];
export type Correction = OfficeData<'correction/list'>['items'][number];
export type Liability = OfficeData<'ledger/liabilities'>[number];
export type Reconciliation = OfficeData<'reconciliation/list'>['items'][number];
export type Channel = OfficeData<'channel/list'>[number];
export type ChannelChange = OfficeData<'channel/changes'>['items'][number];
export type Limit = OfficeData<'limit/list'>[number];
export type EarningRate = OfficeData<'earning/rates'>[number];
export type EarningChange = OfficeData<'earning/changes'>['items'][number];
export type CapitalChange = OfficeData<'capital/changes'>['items'][number];
export type LimitChange = OfficeData<'limit/changes'>['items'][number];

/** Interval at which changes made by others are fetched. */
const LIVE_MS = 5_000;

export interface TransferFilter {
  readonly customerId: string;
  readonly asset: string;
  readonly kind: string;
  /** Days of the reader's calendar, `2026-11-21`, both included. */
  readonly from: string;
  readonly to: string;
}

const usePages = <T>(
  key: readonly unknown[],
  read: (page: PageFields, signal: AbortSignal) => Promise<Page<T>>,
) => usePagesOf(['treasury', ...key], read, LIVE_MS);

export function useTransfers({ customerId, asset, kind, from, to }: TransferFilter) {
  const number = readDigits(customerId) ?? '';
  const fields = {
    // Ignored until it is a number, so that the list stays while the reader types.
    customerId: /^\d{1,18}$/.test(number) ? number : undefined,
    asset: asset || undefined,
    kind: kind || undefined,
    from: dayStart(from),
    to: dayStart(to, 1),
  };
  return usePages(['transfers', fields], (page, signal) =>
    get('ledger/transfers', { ...fields, ...page }, signal),
  );
}

export const useCause = (of: string) =>
  useQuery({
    queryKey: ['treasury', 'cause', of],
    queryFn: ({ signal }) => get('ledger/cause', { of }, signal),
    refetchInterval: LIVE_MS,
  });

export const useTrialBalance = () =>
  useQuery({
    queryKey: ['treasury', 'balance'],
    queryFn: ({ signal }) => get('ledger/trialBalance', {}, signal),
    refetchInterval: LIVE_MS,
  });

/** The server reads the whole ledger for this: fetched when the page opens and on request only. */
export const useViolations = () =>
  useQuery({
    queryKey: ['treasury', 'violations'],
    queryFn: ({ signal }) => get('ledger/violations', {}, signal),
    staleTime: 60_000,
    refetchOnWindowFocus: false,
  });

export const useLiabilities = () =>
  useQuery({
    queryKey: ['treasury', 'liabilities'],
    queryFn: ({ signal }) => get('ledger/liabilities', {}, signal),
  });

export const useReconciliations = () =>
  usePages(['reconciliations'], (page, signal) => get('reconciliation/list', page, signal));
export const useStatementLines = (state: 'open' | 'all') =>
  usePages(['statementLines', state], (page, signal) => get('statement/list', { state, ...page }, signal));
export const useStatementImports = () =>
  usePages(['statementImports'], (page, signal) => get('statement/imports', page, signal));
export const useCorrections = () =>
  usePages(['corrections'], (page, signal) => get('correction/list', page, signal));
export const useChannelChanges = () =>
  usePages(['channelChanges'], (page, signal) => get('channel/changes', page, signal));
export const useCapitalChanges = () =>
  usePages(['capitalChanges'], (page, signal) => get('capital/changes', page, signal));
export const useLimitChanges = () =>
  usePages(['limitChanges'], (page, signal) => get('limit/changes', page, signal));
export const useChannels = () =>
  useQuery({
    queryKey: ['treasury', 'channels'],
    queryFn: ({ signal }) => get('channel/list', {}, signal),
    refetchInterval: LIVE_MS,
  });
export const useLimits = () =>
  useQuery({
    queryKey: ['treasury', 'limits'],
    queryFn: ({ signal }) => get('limit/list', {}, signal),
    refetchInterval: LIVE_MS,
  });

export const useEarningRates = () =>
  useQuery({
    queryKey: ['treasury', 'earningRates'],
    queryFn: ({ signal }) => get('earning/rates', {}, signal),
    refetchInterval: LIVE_MS,
  });
export const useEarningChanges = () =>
  usePages(['earningChanges'], (page, signal) => get('earning/changes', page, signal));
/** The server adds up every account for this: fetched less often. */
export const useEarningTotals = () =>
  useQuery({
    queryKey: ['treasury', 'earningTotals'],
    queryFn: ({ signal }) => get('earning/totals', {}, signal),
    refetchInterval: 12 * LIVE_MS,
  });

/** Refetches everything of the treasury except violations, after an action. */
export const refreshTreasury = (): Promise<void> =>
  queryClient.invalidateQueries({
    predicate: ({ queryKey }) => queryKey[0] === 'treasury' && queryKey[1] !== 'violations',
  });
