/** Candles computed a second time, from prices alone: stored, served and live ones are compared with them. */
export type TestPeriod = '1m' | '5m' | '15m' | '30m' | '1h' | '4h' | '1d' | '1w' | '1M';

export const ALL_PERIODS: readonly TestPeriod[] = ['1m', '5m', '15m', '30m', '1h', '4h', '1d', '1w', '1M'];

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

/** @param day the wall clock at which the product's trading days begin */
export function expectedCandles(
  ticks: readonly LoggedPrice[],
  period: TestPeriod,
  day: { readonly zone: string; readonly from: string },
): ExpectedCandle[] {
  const startOf = isDays(period) ? daysOf(day, period) : minutesOf(period);
  const counted = countedTicks(ticks);
  const candles = new Map<number, ExpectedCandle>();
  for (const tick of ticks) {
    const { timeMs, price } = tick;
    const [volume, turnover] = counted.has(tick) ? [1n, price] : [0n, 0n];
    const start = startOf(timeMs);
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

const MINUTES = { '1m': 1, '5m': 5, '15m': 15, '30m': 30, '1h': 60, '4h': 240 } as const;
const DAY_MS = 86_400_000;

const isDays = (period: TestPeriod): period is '1d' | '1w' | '1M' =>
  period === '1d' || period === '1w' || period === '1M';

function minutesOf(period: keyof typeof MINUTES): (timeMs: number) => number {
  const lengthMs = MINUTES[period] * 60_000;
  return (timeMs) => Math.floor(timeMs / lengthMs) * lengthMs;
}

/** Reckons with local times as if they were UTC. A day that begins in the evening bears the next date. */
function daysOf({ zone, from }: { zone: string; from: string }, period: '1d' | '1w' | '1M') {
  const [hour = 0, minute = 0] = from.split(':').map(Number);
  const fromMs = (hour * 60 + minute) * 60_000;
  const earlierMs = hour >= 12 ? DAY_MS - fromMs : -fromMs;
  const clock = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' });
  const offsetOf = (timeMs: number) =>
    Date.parse(`${clock.format(timeMs).replace(' ', 'T')}Z`) - Math.floor(timeMs / 1_000) * 1_000;
  return (timeMs: number): number => {
    const date = new Date(timeMs + offsetOf(timeMs) + earlierMs);
    const back = { '1d': 0, '1w': (date.getUTCDay() + 6) % 7, '1M': date.getUTCDate() - 1 }[period];
    const local = Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate() - back) - earlierMs;
    return local - offsetOf(local - offsetOf(local));
  };
}
