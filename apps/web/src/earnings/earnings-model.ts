import { formatDecimal, parseDecimal } from '@fairtick/money';
import type { EarningsRecord, EarningsSummary } from '@fairtick/protocol';
import type { Fault } from '../parts/use-form.ts';
import { minorOf, scaleOf, typedMinor } from '../state/decimal-strings.ts';
import { formatAmount, formatPublic, timeText } from '../state/format.ts';
import { typedFault } from '../state/typed-amount.ts';

export type Direction = 'in' | 'out';

export const movable = (summary: EarningsSummary, direction: Direction): string =>
  direction === 'in' ? summary.available : summary.total;

export function amountFault(text: string, summary: EarningsSummary, direction: Direction): Fault | null {
  const most = movable(summary, direction);
  if (text.trim() === '') return { id: 'earnings.amountMissing' };
  const unread = typedFault(text);
  if (unread) return unread;
  const typed = typedMinor(text, scaleOf(most));
  if (typed === null) return { id: 'earnings.amountWrong', values: { count: scaleOf(most) } };
  if (typed <= minorOf(most)) return null;
  return {
    id: direction === 'in' ? 'earnings.moreThanAvailable' : 'earnings.moreThanEarning',
    values: { amount: formatAmount(most) },
  };
}

export const countsFromTomorrow = ({ annualRate, countsToday, total }: EarningsSummary): boolean =>
  annualRate !== null && minorOf(countsToday) < minorOf(total);

/** A year's rate in percent, exactly: "0.0125" is "1.25%". */
export function ratePercent(rate: string): string {
  const millionths = parseDecimal(rate, 6);
  if (millionths === null) throw new Error(`${rate} is no rate`);
  return `${formatPublic(formatDecimal(millionths, 4))}%`;
}

/** Formats a UTC date, independent of the reader's zone. */
export const dayText = (date: string, tag: string, options?: Intl.DateTimeFormatOptions): string =>
  timeText(Date.parse(date), tag, { month: 'long', day: 'numeric', ...options, timeZone: 'UTC' });

export interface Bar {
  readonly date: string;
  /** Null if nothing was earned that day. */
  readonly interest: string | null;
  /** Share of the highest bar, 0 to 1. */
  readonly height: number;
}

const DAY_MS = 86_400_000;

/** Bars of `count` days, the last one being that of `lastDayMs`; days without a record have height 0. */
export function barsOf(records: readonly EarningsRecord[], lastDayMs: number, count: number): Bar[] {
  const byDate = new Map(records.map(({ date, interest }) => [date, interest]));
  const days = Array.from({ length: count }, (_, place) =>
    new Date(lastDayMs - (count - 1 - place) * DAY_MS).toISOString().slice(0, 10),
  );
  const highest = Math.max(0, ...days.map((date) => Number(byDate.get(date) ?? 0)));
  return days.map((date) => {
    const interest = byDate.get(date) ?? null;
    const height = interest === null || highest === 0 ? 0 : Number(interest) / highest;
    return { date, interest, height };
  });
}
