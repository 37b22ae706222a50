import type { ProductDetail } from '@fairtick/protocol';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { get } from '../api/client.ts';
import { useText } from '../messages/text-context.tsx';
import { followProduct } from '../state/market.ts';
import { useIsLoggedIn } from '../state/session.ts';

/** Sessions open and close, and rules change: looked at again this often. */
const AGAIN_MS = 30_000;

/** A product with its cycles, limits, sources and rules: the customer's own where somebody is logged in. */
export function useDetail(symbol: string): {
  detail: ProductDetail | null;
  error: Error | null;
  refetch: () => void;
} {
  const { language } = useText();
  const isMember = useIsLoggedIn();
  const { data, error, refetch } = useQuery({
    queryKey: ['product', symbol, language, isMember],
    queryFn: ({ signal }) => get('productDetail', { symbol }, { signal }),
    refetchInterval: AGAIN_MS,
    placeholderData: (before) => (before?.symbol === symbol ? before : undefined),
  });
  return { detail: data ?? null, error, refetch: () => void refetch() };
}

/** Every tick of a product for as long as its screen shows. */
export function useWatched(symbol: string): void {
  useEffect(() => followProduct(symbol), [symbol]);
}
