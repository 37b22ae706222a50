import { Temporal } from 'temporal-polyfill';
/** The wall clock, `HH:MM` in an IANA zone, at which a product's trading days begin. */
export interface DayStart {
  readonly zone: string;
  readonly from: string;
}

export const UTC_DAYS: DayStart = { zone: 'UTC', from: '00:00' };

export interface TradingDay {
  readonly startMs: number;
  /** Exclusive. */
  readonly endMs: number;
  /** The date that names the day: of one that begins in the evening the next date, as markets do. */
  readonly date: Temporal.PlainDate;
}

/** The trading day that contains a time in Unix ms. */
export function tradingDayAt(start: DayStart, timeMs: number): TradingDay {
  const local = Temporal.Instant.fromEpochMilliseconds(timeMs).toZonedDateTimeISO(start.zone);
  const isBefore = Temporal.PlainTime.compare(local.toPlainTime(), start.from) < 0;
  const begins = local.toPlainDate().subtract({ days: isBefore ? 1 : 0 });
  return tradingDayOf(start, isNextDates(start) ? begins.add({ days: 1 }) : begins);
}

/** The trading day that a date names. */
export function tradingDayOf(start: DayStart, date: Temporal.PlainDate): TradingDay {
  const begins = date.subtract({ days: isNextDates(start) ? 1 : 0 });
  const instant = (on: Temporal.PlainDate) =>
    on.toZonedDateTime({ timeZone: start.zone, plainTime: start.from }).epochMilliseconds;
  return { startMs: instant(begins), endMs: instant(begins.add({ days: 1 })), date };
}

const isNextDates = ({ from }: DayStart): boolean => from >= '12:00';
