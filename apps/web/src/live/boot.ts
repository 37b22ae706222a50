import type { Landing } from '@fairtick/protocol';
import type { BoardRow } from './market.ts';

/** Data that the server writes into the page: the prerendered prices, so that the first screen needs no call. */
interface BootData {
  readonly language: string;
  readonly serverTime: number;
  readonly board: readonly BoardRow[];
  /** The landing page's content; null on other pages. */
  readonly landing: Landing | null;
}

/** Null if the page has no such data, as in development. */
export function readBootData(): BootData | null {
  const element = document.getElementById('boot-data');
  if (!element?.textContent) return null;
  return JSON.parse(element.textContent) as BootData;
}
