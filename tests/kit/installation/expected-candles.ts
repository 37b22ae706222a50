/** Candles worked out a second time, from the log's texts and nothing else: what stored and live ones are held against. */
export type TestPeriod = '1m' | '5m' | '30m' | '1d' | '1w' | '1M';

export const ALL_PERIODS: readonly TestPeriod[] = ['1m', '5m', '30m', '1d', '1w', '1M'];

export interface ExpectedCandle {
  readonly timeMs: number;
  readonly open: bigint;
  readonly high: bigint;
  readonly low: bigint;
  readonly close: bigint;
  readonly volume: bigint;
  readonly turnover: bigint;
}

/** The product's ticks in the texts, new and restated: each counts where its own time lies. */
export function ticksIn(texts: readonly string[], symbol: string): { timeMs: number; price: bigint }[] {
  return texts
    .map((text) => text.split('|'))
    .filter(([kind, , name]) => kind === 'tick' && name === symbol)
    .map((fields) => ({
      timeMs: Number(fields[4]),
      price: BigInt((fields[5] as string).replace('.', '')),
    }));
}

export function expectedCandles(
  ticks: readonly { readonly timeMs: number; readonly price: bigint }[],
  period: TestPeriod,
): ExpectedCandle[] {
  const starts = [...new Set(ticks.map(({ timeMs }) => periodStart(period, timeMs)))];
  return starts.map((start) => {
    const prices = ticks
      .filter(({ timeMs }) => periodStart(period, timeMs) === start)
      .map(({ price }) => price);
    const sorted = [...prices].sort((a, b) => Number(a - b));
    return {
      timeMs: start,
      open: prices[0] as bigint,
      high: sorted.at(-1) as bigint,
      low: sorted[0] as bigint,
      close: prices.at(-1) as bigint,
      volume: BigInt(prices.length),
      turnover: prices.reduce((sum, price) => sum + price, 0n),
    };
  });
}

/** Minutes, half-hours and days from midnight, weeks from Monday, months from their first, all UTC. */
export function periodStart(period: TestPeriod, timeMs: number): number {
  const minutes = { '1m': 1, '5m': 5, '30m': 30, '1d': 1440, '1w': 1440, '1M': 1440 }[period];
  const day = new Date(timeMs - (timeMs % (minutes * 60_000)));
  if (period === '1M') day.setUTCDate(1);
  while (period === '1w' && day.getUTCDay() !== 1) day.setUTCDate(day.getUTCDate() - 1);
  return day.getTime();
}
