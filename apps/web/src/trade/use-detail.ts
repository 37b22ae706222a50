import type { ProductDetail } from '@fairtick/protocol';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { get } from '../api/client.ts';
import { useText } from '../messages/text-context.tsx';
import { followProduct } from '../state/market.ts';
import { useIsLoggedIn } from '../state/session.ts';

/** Interval of refetches, because trading hours begin and end, and rules change. */
const AGAIN_MS = 30_000;

/** A product with its cycles, limits, sources and rules; the customer's own ones after a login. */
export function useDetail(symbol: string): {
  detail: ProductDetail | null;
  error: Error | null;
  refetch: () => void;
} {
  const { language } = useText();
  const isMember = useIsLoggedIn();
  const { data, error, refetch } = useQuery({
    queryKey: ['product', symbol, language, isMember],
    queryFn: ({ signal }) => get('product/detail', { symbol }, { signal }),
    refetchInterval: AGAIN_MS,
    placeholderData: (before) => (before?.symbol === symbol ? before : undefined),
  });
  return { detail: data ?? null, error, refetch: () => void refetch() };
}

/** Subscribes to every tick of a product while the component is mounted. */
export function useWatched(symbol: string): void {
  useEffect(() => followProduct(symbol), [symbol]);
}
