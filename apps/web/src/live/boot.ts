import type { Candle, Landing } from '@fairtick/protocol';
import type { BoardRow } from './market.ts';

/** Data that the server writes into the page: the prerendered prices, so that the first screen needs no call. */
interface BootData {
  readonly language: string;
  readonly serverTime: number;
  readonly board: readonly BoardRow[];
  /** The newest minutes of the product that the page is for; empty on other pages. */
  readonly candles: readonly Candle[];
  /** The landing page's content; null on other pages. */
  readonly landing: Landing | null;
}

/** Later than this after its page the chart has candles of its own, or the page's are old. */
const FRESH_MS = 60_000;
let known: BootData | null | undefined;

/** Null if the page has no such data, as in development. */
export function readBootData(): BootData | null {
  if (known !== undefined) return known;
  const text = document.getElementById('boot-data')?.textContent;
  known = text ? (JSON.parse(text) as BootData) : null;
  return known;
}

export function bootCandles(symbol: string): readonly Candle[] | null {
  if (typeof document === 'undefined' || performance.now() > FRESH_MS) return null;
  const { board, candles = [] } = readBootData() ?? {};
  return board?.[0]?.symbol === symbol && candles.length > 0 ? candles : null;
}
