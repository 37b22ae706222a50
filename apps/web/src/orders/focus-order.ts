import { isShown } from '@fairtick/ui/is-shown';

/** How long a new order may take to appear in a list, ms. */
const WITHIN_MS = 2_000;

/**
 * Moves the focus to an order that was just placed, as soon as a list shows it; after that time to `otherwise`. Whoever types or
 * points elsewhere meanwhile keeps the focus that they have.
 */
export function focusOrder(id: string, otherwise: () => HTMLElement | null): void {
  const until = performance.now() + WITHIN_MS;
  const moved = new AbortController();
  for (const kind of ['keydown', 'pointerdown'])
    document.addEventListener(kind, () => moved.abort(), { capture: true, signal: moved.signal });
  const look = () => {
    if (moved.signal.aborted) return;
    const shown = document.querySelectorAll<HTMLElement>(`[data-order="${CSS.escape(id)}"]`);
    const order = [...shown].find(isShown);
    if (!order && performance.now() < until) {
      requestAnimationFrame(look);
      return;
    }
    moved.abort();
    (order ?? otherwise())?.focus();
  };
  look();
}
