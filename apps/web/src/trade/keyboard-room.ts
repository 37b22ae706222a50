import { useEffect } from 'react';

/**
 * Takes the height of an on-screen keyboard off the view while a field of the ticket is filled in, so that what sticks to its lower
 * edge stays in sight. Most browsers shrink the page themselves (`interactive-widget` in the page's head); Safari only tells the
 * size of what is left.
 */
export function useKeyboardRoom(): void {
  useEffect(() => {
    const { visualViewport: seen } = window;
    if (!seen) return;
    const root = document.documentElement;
    const fit = () => {
      // A page that is zoomed in by hand is seen in part, too.
      const hidden = seen.scale > 1 ? 0 : Math.max(0, Math.round(innerHeight - seen.height));
      root.style.setProperty('--keyboard', `${hidden}px`);
      if (hidden > 0) scrollTo(0, 0);
    };
    // Not measured at once: no keyboard is open yet, and a measurement lays out the whole view.
    seen.addEventListener('resize', fit);
    return () => {
      seen.removeEventListener('resize', fit);
      root.style.removeProperty('--keyboard');
    };
  }, []);
}
