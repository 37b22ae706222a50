import { useQuery } from '@tanstack/react-query';
import { get } from '../api/client.ts';
import { serverNow } from '../live/clock.ts';
import { useText } from '../messages/text-context.tsx';
import { usePages } from '../parts/pages.ts';
import { useSession } from '../state/session.ts';

/** Wait after midnight before asking for new interest, to allow for clock differences. */
const AFTER_MIDNIGHT_MS = 1_500;
export const DAYS_SHOWN = 30;
const PAGE = 20;

/** One asset's earnings; refetched when a balance changes, here or elsewhere, and when the next interest is due. */
export function useSummary(asset: string) {
  const { language } = useText();
  const balance = useSession((state) => state.userInfo?.balances.find((one) => one.asset === asset));
  return useQuery({
    queryKey: ['earnings', 'summary', asset, language, balance?.available, balance?.earning],
    queryFn: ({ signal }) => get('profit/summary', { asset }, { signal, isSilent: true }),
    placeholderData: (before) => (before?.asset === asset ? before : undefined),
    refetchInterval: ({ state }) =>
      state.data
        ? Math.max(AFTER_MIDNIGHT_MS, state.data.nextAccrualAt - serverNow() + AFTER_MIDNIGHT_MS)
        : false,
  });
}

/** The last days of one asset, for the chart. A changed `accumulated` triggers a refetch. */
export function useDaily(asset: string, accumulated: string) {
  return useQuery({
    queryKey: ['earnings', 'daily', asset, accumulated],
    queryFn: ({ signal }) =>
      get('profit/records', { asset, kind: 'daily', limit: DAYS_SHOWN }, { signal, isSilent: true }),
    placeholderData: (before) => (before?.items[0]?.asset === asset ? before : undefined),
  });
}

export function useRecords(asset: string, accumulated: string) {
  return usePages(['earnings', 'all', asset, accumulated], (cursor, signal) =>
    get('profit/records', { asset, kind: 'all', limit: PAGE, cursor }, { signal }),
  );
}
