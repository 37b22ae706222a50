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

/** Which of three layouts fits the window; `phone` when prerendering, without a window. */
export const useWidth = (): Width => useSyncExternalStore(subscribe, now, () => 'phone');
