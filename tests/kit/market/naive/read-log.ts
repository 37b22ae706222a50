/** Reads the log's texts by their grammar as it is published: fields between bars, quotes between semicolons. */
import { pointsOf } from './read-recording.ts';

/** A tick, or a place where prices stopped (`value` null). */
export interface LoggedPrice {
  readonly index: number;
  readonly timeMs: number;
  readonly value: bigint | null;
  readonly isNew: boolean;
  /** When the quotes were received that made the price. */
  readonly receivedMs: readonly number[];
}

/** Which batches of acceptances an entry carries. */
export interface LoggedOrders {
  readonly index: number;
  readonly timeMs: number;
  readonly first: number;
  readonly last: number;
}

export function readPrices(texts: readonly string[], symbol: string, decimals: number): LoggedPrice[] {
  const prices: LoggedPrice[] = [];
  for (const [index, text] of texts.entries()) {
    const fields = text.split('|');
    if (fields[2] !== symbol) continue;
    const timeMs = Number(fields[4]);
    if (fields[0] === 'gap') prices.push({ index, timeMs, value: null, isNew: false, receivedMs: [] });
    if (fields[0] !== 'tick') continue;
    const used = (fields[8] as string).split(';').map((quote) => quote.split(','));
    prices.push({
      index,
      timeMs,
      value: pointsOf(fields[5] as string, decimals),
      isNew: fields[6] === 'new',
      receivedMs: used.filter((quote) => quote[5] === 'use').map((quote) => Number(quote[4])),
    });
  }
  return prices;
}

export function readBatches(texts: readonly string[]): LoggedOrders[] {
  const found: LoggedOrders[] = [];
  for (const [index, text] of texts.entries()) {
    const [kind, , timeMs, first, last] = text.split('|');
    if (kind === 'orders')
      found.push({ index, timeMs: Number(timeMs), first: Number(first), last: Number(last) });
  }
  return found;
}
