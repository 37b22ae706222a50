import { GRID_MS, type ListedQuote, type Tick } from '@fairtick/trading';

/** The candle of a product's minute, made of the ticks of one batch. Its volume counts the ticks in which a used quote moved. */
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

/** Whether a used quote was received since the grid time before; else the tick only restates what was known. */
export function hasMoved({ timeMs, quotes }: Pick<Tick, 'timeMs' | 'quotes'>): boolean {
  const isNew = (quote: ListedQuote) => quote.use === 'use' && quote.receivedMs > timeMs - GRID_MS;
  return quotes.some(isNew);
}

/**
 * Rolls ticks (in log order) up into minutes.
 * @param lastTickMs time of each product's last tick before these, which decides whether its current minute ends
 */
export function rollUpTicks(
  ticks: Iterable<Pick<Tick, 'timeMs' | 'price' | 'quotes'> & { readonly productId: number }>,
  lastTickMs: (productId: number) => number | null,
): CandleBatch {
  const open = new Map<number, MinuteCandle>();
  const batch: CandleBatch = { minutes: [], ended: [] };
  for (const tick of ticks) {
    const { productId, timeMs, price } = tick;
    const volume = hasMoved(tick) ? 1 : 0;
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
    const before = current ? current.timeMs : lastTickMs(productId);
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
