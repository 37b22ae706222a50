import { useCallback, useSyncExternalStore } from 'react';

export type Width = 'phone' | 'tablet' | 'desktop';

/** A phone held sideways, or a desktop enlarged to 200 %. A phone held upright is never this wide, not even above its keyboard. */
export const LOW = '(min-width: 35em) and (max-width: 63.9375em) and (max-height: 34.9375em)';

function useMatch(query: string): boolean {
  return useSyncExternalStore(
    useCallback(
      (listener) => {
        const list = matchMedia(query);
        list.addEventListener('change', listener);
        return () => list.removeEventListener('change', listener);
      },
      [query],
    ),
    () => matchMedia(query).matches,
    () => false,
  );
}

/** Whether the window is too low for a column of price, chart and lists. */
export const useIsLow = (): boolean => useMatch(LOW);

/** Whether chart and ticket have room for the list of products beside them, as `80em` in `wide-trade.module.css`. */
export const useHasRoomForMarkets = (): boolean => useMatch('(min-width: 80em)');

/** Whether the orders below a chart have room for a table. */
export const useHasRoomForOrders = (): boolean => useMatch('(min-width: 62em)');

/** Whether the products beside a chart have room for the day's line of each. */
export const useHasRoomForSparks = (): boolean => useMatch('(min-width: 90em)');

/** Which of three layouts fits the window; `phone` when prerendering. */
export function useWidth(): Width {
  const isDesktop = useMatch('(min-width: 64em)');
  const isTablet = useMatch('(min-width: 48em)');
  return isDesktop ? 'desktop' : isTablet ? 'tablet' : 'phone';
}
