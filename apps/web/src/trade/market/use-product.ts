import type { Direction } from '@fairtick/trading';
import { useLayer } from '@fairtick/ui/layers';
import { useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useState } from 'react';
import { get, RefusedError } from '../../api/client.ts';
import { followProduct, useRow } from '../../live/market.ts';
import { useText } from '../../messages/text-context.tsx';
import { useIsLoggedIn } from '../../state/session.ts';
import { keepNothing } from '../ticket/wish.ts';

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

export type Entry = ReturnType<typeof useEntry>;

/** A ticket that is opened on demand; the way back closes it. */
export function useEntry(first: () => Direction | null) {
  const [entry, setEntry] = useState(first);
  const [kept, setKept] = useState(keepNothing);
  /** The button that last opened the ticket; it gets the focus back on closing. */
  const [taken, setTaken] = useState<Direction | null>(null);
  const enter = (direction: Direction) => {
    setTaken(direction);
    setKept(keepNothing);
    setEntry(direction);
  };
  const leave = useCallback(() => setEntry(null), []);
  useLayer(entry !== null, leave);
  return { entry, taken, kept, enter, leave };
}
