import type { ListedQuote, Tick } from '@fairtick/trading';

/**
 * The candle of a product's minute, made of the ticks of one batch. Its volume counts the ticks that {@link hasVolume} names, and
 * its turnover sums their prices.
 */
export interface MinuteCandle {
  readonly productId: number;
  readonly timeMs: number;
  readonly open: bigint;
  high: bigint;
  low: bigint;
  close: bigint;
  volume: number;
  turnover: bigint;
}

export interface CandleBatch {
  readonly minutes: MinuteCandle[];
  /** Minutes that a later tick of the batch ends, and that now count in the longer periods. */
  readonly ended: { readonly productId: number; readonly timeMs: number }[];
}

export const MINUTE_MS = 60_000;
/** Volume counts at most one tick of a product in each span of this length; spans begin at multiples of it in Unix ms. */
export const VOLUME_SPAN_MS = 3_000;

/**
 * Whether a tick counts in the volume: it is the product's first of its span, and a used quote was received in the last 3 s. A
 * watched product ticks more often than others, but its volume is of the same size.
 * @param lastTickMs time of the product's tick before; null if there is none
 */
export function hasVolume(
  { timeMs, heardMs }: { readonly timeMs: number; readonly heardMs: number | null },
  lastTickMs: number | null,
): boolean {
  if (lastTickMs !== null && lastTickMs >= timeMs - (timeMs % VOLUME_SPAN_MS)) return false;
  return heardMs !== null && heardMs > timeMs - VOLUME_SPAN_MS;
}

/** When the newest quote that counts was received; null: none counts. */
export function heardAt(quotes: readonly ListedQuote[]): number | null {
  return quotes.reduce<number | null>(
    (last, quote) => (quote.use === 'use' ? Math.max(last ?? 0, quote.receivedMs) : last),
    null,
  );
}

/**
 * Rolls ticks (in log order) up into minutes.
 * @param lastTickMs time of each product's last tick before these
 */
export function rollUpTicks(
  ticks: Iterable<Pick<Tick, 'timeMs' | 'price' | 'quotes'> & { readonly productId: number }>,
  lastTickMs: (productId: number) => number | null,
): CandleBatch {
  const open = new Map<number, MinuteCandle>();
  const last = new Map<number, number>();
  const batch: CandleBatch = { minutes: [], ended: [] };
  for (const tick of ticks) {
    const { productId, timeMs, price } = tick;
    const before = last.get(productId) ?? lastTickMs(productId);
    last.set(productId, timeMs);
    const volume = hasVolume({ timeMs, heardMs: heardAt(tick.quotes) }, before) ? 1 : 0;
    const minuteMs = timeMs - (timeMs % MINUTE_MS);
    const current = open.get(productId);
    if (current?.timeMs === minuteMs) {
      if (price > current.high) current.high = price;
      if (price < current.low) current.low = price;
      current.close = price;
      current.volume += volume;
      if (volume > 0) current.turnover += price;
      continue;
    }
    if (before !== null && before - (before % MINUTE_MS) < minuteMs) {
      batch.ended.push({ productId, timeMs: before - (before % MINUTE_MS) });
    }
    const minute = {
      productId,
      timeMs: minuteMs,
      open: price,
      high: price,
      low: price,
      close: price,
      volume,
      turnover: volume > 0 ? (price as bigint) : 0n,
    };
    open.set(productId, minute);
    batch.minutes.push(minute);
  }
  return batch;
}
