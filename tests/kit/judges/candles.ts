/** Candles computed a second time, from prices alone: stored, served and live ones are compared with them. */
export type TestPeriod = '1m' | '5m' | '30m' | '1d' | '1w' | '1M';

export const ALL_PERIODS: readonly TestPeriod[] = ['1m', '5m', '30m', '1d', '1w', '1M'];

export interface ExpectedCandle {
  readonly timeMs: number;
  readonly open: bigint;
  high: bigint;
  low: bigint;
  close: bigint;
  volume: bigint;
  turnover: bigint;
}

export interface LoggedPrice {
  readonly timeMs: number;
  readonly price: bigint;
  /** When the newest quote of use was received. */
  readonly receivedMs: number;
}

/** The product's ticks in the texts, new and restated. */
export function ticksIn(texts: readonly string[], symbol: string): LoggedPrice[] {
  return texts
    .map((text) => text.split('|'))
    .filter(([kind, , name]) => kind === 'tick' && name === symbol)
    .map((fields) => ({
      timeMs: Number(fields[4]),
      price: BigInt((fields[5] as string).replace('.', '')),
      receivedMs: Math.max(
        ...(fields[7] as string)
          .split(';')
          .map((quote) => quote.split(','))
          .filter(([, , , , , use]) => use === 'use')
          .map(([, , , , receivedMs]) => Number(receivedMs)),
      ),
    }));
}

/** The ticks that count in volume and turnover: of each 3 s the first, if a quote of it was received less than 3 s before. */
function countedTicks(ticks: readonly LoggedPrice[]): ReadonlySet<LoggedPrice> {
  const firsts = new Map<number, LoggedPrice>();
  for (const tick of ticks.toReversed()) firsts.set(Math.floor(tick.timeMs / 3_000), tick);
  return new Set([...firsts.values()].filter(({ timeMs, receivedMs }) => timeMs - receivedMs < 3_000));
}

export function expectedCandles(ticks: readonly LoggedPrice[], period: TestPeriod): ExpectedCandle[] {
  const counted = countedTicks(ticks);
  const candles = new Map<number, ExpectedCandle>();
  for (const tick of ticks) {
    const { timeMs, price } = tick;
    const [volume, turnover] = counted.has(tick) ? [1n, price] : [0n, 0n];
    const start = startOf(period, timeMs);
    const candle = candles.get(start);
    if (!candle) {
      const all = { open: price, high: price, low: price, close: price };
      candles.set(start, { timeMs: start, ...all, volume, turnover });
      continue;
    }
    if (price > candle.high) candle.high = price;
    if (price < candle.low) candle.low = price;
    candle.close = price;
    candle.volume += volume;
    candle.turnover += turnover;
  }
  return [...candles.values()];
}

const MINUTES = { '1m': 1, '5m': 5, '30m': 30, '1d': 1440 } as const;

/** Weeks begin on Monday, months on the first, all at midnight UTC. */
function startOf(period: TestPeriod, timeMs: number): number {
  if (period === '1w' || period === '1M') {
    const date = new Date(timeMs);
    const day = period === '1M' ? 1 : date.getUTCDate() - ((date.getUTCDay() + 6) % 7);
    return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), day);
  }
  const lengthMs = MINUTES[period] * 60_000;
  return Math.floor(timeMs / lengthMs) * lengthMs;
}
