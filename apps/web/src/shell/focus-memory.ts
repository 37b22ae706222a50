import { isShown } from '@fairtick/ui/is-shown';

/** The element focused when a page was left, to restore the focus on the way back. */
interface Left {
  readonly element: HTMLElement;
  /** Finds a link again by its target after a new render. */
  readonly href: string | null;
}

const MOST_KEPT = 40;
const left = new Map<string, Left>();
let isComingBack = false;
let shownView = '';

globalThis.addEventListener?.('popstate', () => {
  isComingBack = true;
});

const here = (): string => `${location.pathname}?${location.search.slice(1)}`;

/** Called before a page of the app is left for another. */
export function leavePlace(): void {
  isComingBack = false;
  const element = document.activeElement;
  if (!(element instanceof HTMLElement) || element === document.body) return;
  left.delete(here());
  left.set(here(), { element, href: element.getAttribute('href') });
  const [oldest] = left.keys();
  if (left.size > MOST_KEPT && oldest !== undefined) left.delete(oldest);
}

/**
 * Called when a page is shown. On the way back, focuses the element that was left. Otherwise focuses the page's main part, unless
 * the view is the same and the focused element is still visible.
 */
export function arriveAt(view: string, place: string): void {
  const main = document.querySelector<HTMLElement>(`[data-view=${view}] main`);
  const isSameView = shownView === view;
  shownView = view;
  if (!main || document.querySelector('dialog[open]')) return;
  const known = isComingBack ? left.get(place) : undefined;
  isComingBack = false;
  const active = document.activeElement;
  const stays = isSameView && active !== null && active !== document.body && isShown(active);
  const target = known ? (again(known, main) ?? main) : stays ? null : main;
  target?.focus({ preventScroll: true });
}

function again({ element, href }: Left, main: HTMLElement): HTMLElement | null {
  if (element.isConnected && isShown(element)) return element;
  return href === null ? null : main.querySelector<HTMLElement>(`a[href="${CSS.escape(href)}"]`);
}
