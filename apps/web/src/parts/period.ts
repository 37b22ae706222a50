import { isDay } from '@fairtick/protocol/day';
import { dayOf, startOfDay } from '../state/format.ts';
import type { Fault, Faults } from './use-form.ts';

/** Days are in the reader's calendar, in the format of date fields. */
export interface Days {
  readonly from: string;
  readonly to: string;
}

/** A choice of days; `from` and `to` count where they are chosen. */
export interface Period extends Days {
  readonly period: 'all' | 'today' | 'week' | 'month' | 'lastMonth' | 'custom';
}

export const ALL_DAYS: Period = { period: 'all', from: '', to: '' };

const DAYS: Readonly<Partial<Record<Period['period'], number>>> = { today: 1, week: 7, month: 30 };

/** {@link startOfDay}; null if the text is not a day. */
const startOf = (day: string, daysLater = 0): number | null =>
  isDay(day) ? startOfDay(day, daysLater) : null;

/** The first day of a day's month. */
const firstOf = (day: string): string => `${day.slice(0, 8)}01`;

/** The period as fields for the server; an absent field filters nothing. */
export function timesOf(
  { period, from, to }: Period,
  nowMs: number,
): { from: number | undefined; to: number | undefined } {
  if (period === 'custom') {
    const end = startOf(to, 1);
    return { from: startOf(from) ?? undefined, to: end === null ? undefined : end - 1 };
  }
  if (period === 'lastMonth') {
    const end = startOfDay(firstOf(dayOf(nowMs))) - 1;
    return { from: startOfDay(firstOf(dayOf(end))), to: end };
  }
  const days = DAYS[period];
  if (days === undefined) return { from: undefined, to: undefined };
  return { from: startOfDay(dayOf(nowMs), 1 - days), to: undefined };
}

export function errors({ from, to }: Days): Faults<'from' | 'to', Fault> {
  const faults: Faults<'from' | 'to', Fault> = {};
  const [start, end] = [startOf(from), startOf(to)];
  if (start === null) faults.from = { id: 'fault.formIncomplete' };
  if (end === null) faults.to = { id: 'fault.formIncomplete' };
  if (start !== null && end !== null && start > end) faults.to = { id: 'log.fault.daysReversed' };
  return faults;
}
