import { useCallback, useSyncExternalStore } from 'react';

export type Width = 'phone' | 'tablet' | 'desktop';

const TABLET = '(min-width: 768px)';
const DESKTOP = '(min-width: 1024px)';

function now(): Width {
  if (matchMedia(DESKTOP).matches) return 'desktop';
  return matchMedia(TABLET).matches ? 'tablet' : 'phone';
}

function subscribe(listener: () => void): () => void {
  const queries = [matchMedia(TABLET), matchMedia(DESKTOP)];
  for (const query of queries) query.addEventListener('change', listener);
  return () => {
    for (const query of queries) query.removeEventListener('change', listener);
  };
}

/** A phone held sideways, or a desktop enlarged to 200 %. A phone held upright is never this wide, not even above its keyboard. */
export const LOW = '(min-width: 560px) and (max-width: 1023px) and (max-height: 559px)';

/** Whether a window matches a media query; false when prerendering. */
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

/** Whether the products beside a chart have room for the day's line of each. */
export const useHasRoomForSparks = (): boolean => useMatch('(min-width: 1440px)');

/** Which of three layouts fits the window; `phone` when prerendering, without a window. */
export const useWidth = (): Width => useSyncExternalStore(subscribe, now, () => 'phone');
