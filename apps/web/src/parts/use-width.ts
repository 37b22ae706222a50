import { useSyncExternalStore } from 'react';

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

function subscribeLow(listener: () => void): () => void {
  const query = matchMedia(LOW);
  query.addEventListener('change', listener);
  return () => query.removeEventListener('change', listener);
}

/** Whether the window is too low for a column of price, chart and lists. */
export const useIsLow = (): boolean =>
  useSyncExternalStore(
    subscribeLow,
    () => matchMedia(LOW).matches,
    () => false,
  );

/** Which of three layouts fits the window; `phone` when prerendering, without a window. */
export const useWidth = (): Width => useSyncExternalStore(subscribe, now, () => 'phone');
