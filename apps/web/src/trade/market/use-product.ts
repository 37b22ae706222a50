import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { get, RefusedError } from '../../api/client.ts';
import { followProduct, useRow } from '../../live/market.ts';
import { useText } from '../../messages/text-context.tsx';
import { useIsLoggedIn } from '../../state/session.ts';

/** Interval of refetches, because trading hours begin and end, and rules change. */
const AGAIN_MS = 30_000;

/**
 * Reads a product for its screen, in every layout: cycles, limits, sources and rules, after a login those of the customer. Subscribes
 * to each of its ticks.
 */
export function useProduct(symbol: string) {
  const { language } = useText();
  const isMember = useIsLoggedIn();
  const row = useRow(symbol);
  const { data, error } = useQuery({
    queryKey: ['product', symbol, language, isMember],
    queryFn: ({ signal }) => get('product/detail', { symbol }, { signal }),
    refetchInterval: AGAIN_MS,
    placeholderData: (before) => (before?.symbol === symbol ? before : undefined),
  });
  useEffect(() => followProduct(symbol), [symbol]);
  return {
    detail: data ?? null,
    refusal: error instanceof RefusedError ? error : null,
    name: row?.name ?? data?.name ?? symbol,
    decimals: row?.decimals ?? data?.decimals ?? 2,
  };
}
