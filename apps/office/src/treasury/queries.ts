import { readDigits } from '@fairtick/money';
import type { OfficeData } from '@fairtick/protocol/office';
import { type RowOf, refresh, useGet, usePages } from '../api/queries.ts';
import { dayStart } from '../state/days.ts';

export type Transfer = RowOf<'ledger/transfers'>;
export type Posting = Transfer['postings'][number];
export type Correction = RowOf<'correction/list'>;
export type Liability = OfficeData<'ledger/liabilities'>[number];
export type Reconciliation = RowOf<'reconciliation/list'>;
export type Channel = OfficeData<'channel/list'>[number];
export type Limit = OfficeData<'limit/list'>[number];
export type EarningRate = OfficeData<'earning/rates'>[number];
export type EarningChange = RowOf<'earning/changes'>;
export type CapitalChange = RowOf<'capital/changes'>;

const TREASURY = ['treasury'] as const;
/** Changes made by others are fetched at this interval. */
const LIVE = { refetchInterval: 5_000 };

export interface TransferFilter {
  readonly customerId: string;
  readonly asset: string;
  readonly kind: string;
  /** Days of the reader's calendar, `2026-11-21`, both included. */
  readonly from: string;
  readonly to: string;
}

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
  return usePages(TREASURY, 'ledger/transfers', fields, LIVE);
}

export const useCause = (of: string) => useGet(TREASURY, 'ledger/cause', { of }, LIVE);
export const useTrialBalance = () => useGet(TREASURY, 'ledger/trialBalance', {}, LIVE);
/** The server reads the whole ledger for this: fetched when the page opens and on request only. */
export const useViolations = () =>
  useGet(['violations'], 'ledger/violations', {}, { staleTime: 60_000, refetchOnWindowFocus: false });
export const useLiabilities = () => useGet(TREASURY, 'ledger/liabilities');
export const useReconciliations = () => usePages(TREASURY, 'reconciliation/list', {}, LIVE);
export const useStatementLines = (state: 'open' | 'all') =>
  usePages(TREASURY, 'statement/list', { state }, LIVE);
export const useStatementImports = () => usePages(TREASURY, 'statement/imports', {}, LIVE);
export const useBankFiles = () => usePages(TREASURY, 'bankFile/list', {}, LIVE);
export const useCorrections = () => usePages(TREASURY, 'correction/list', {}, LIVE);
export const useChannelChanges = () => usePages(TREASURY, 'channel/changes', {}, LIVE);
export const useCapitalChanges = () => usePages(TREASURY, 'capital/changes', {}, LIVE);
export const useLimitChanges = () => usePages(TREASURY, 'limit/changes', {}, LIVE);
export const useChannels = () => useGet(TREASURY, 'channel/list', {}, LIVE);
export const useLimits = () => useGet(TREASURY, 'limit/list', {}, LIVE);
/** The assets of real money: those that can be withdrawn. */
export const useAssets = () => useLimits().data?.map(({ asset }) => asset) ?? [];
export const useEarningRates = () => useGet(TREASURY, 'earning/rates', {}, LIVE);
export const useEarningChanges = () => usePages(TREASURY, 'earning/changes', {}, LIVE);
/** The server adds up every account for this: fetched less often. */
export const useEarningTotals = () => useGet(TREASURY, 'earning/totals', {}, { refetchInterval: 60_000 });

export const refreshTreasury = () => refresh(...TREASURY);
