import type { Landing } from '@fairtick/protocol';
import type { BoardRow } from './market.ts';

/** What the server wrote into the page: the prices that it prerendered, so that the first screen needs no call. */
export interface BootData {
  readonly language: string;
  readonly serverTime: number;
  readonly board: readonly BoardRow[];
  /** The landing page’s content, on that page. */
  readonly landing: Landing | null;
}

/** Null when the page was served without, as in development. */
export function readBootData(): BootData | null {
  const element = document.getElementById('boot-data');
  if (!element?.textContent) return null;
  return JSON.parse(element.textContent) as BootData;
}
