import { formatDecimal } from '@fairtick/money';
import type { FundEntry } from '@fairtick/protocol';
import { isDay } from '@fairtick/protocol/day';
import type { Fields } from '../../api/client.ts';
import type { Fault, Faults } from '../../parts/use-form.ts';
import { minorOf, scaleOf } from '../../state/decimal-strings.ts';
import { dayOf, startOfDay } from '../../state/format.ts';

export type Period = 'all' | 'today' | 'week' | 'month' | 'custom';

/** The filter of the fund log. Days are in the reader's calendar, in the format of date fields. */
export interface LogFilter {
  readonly type: FundEntry['type'] | 'all';
  readonly result: FundEntry['result'] | 'all';
  readonly asset: string;
  readonly period: Period;
  readonly from: string;
  readonly to: string;
}

export const EVERYTHING: LogFilter = {
  type: 'all',
  result: 'all',
  asset: 'all',
  period: 'all',
  from: '',
  to: '',
};

const DAYS: Readonly<Partial<Record<Period, number>>> = { today: 1, week: 7, month: 30 };

/** {@link startOfDay}; null if the text is not a day. */
const startOf = (day: string, daysLater = 0): number | null =>
  isDay(day) ? startOfDay(day, daysLater) : null;

/** The filter as fields for the server; an absent field filters nothing. */
export function summarise(filter: LogFilter, nowMs: number): Fields {
  const chosen = (value: string) => (value === 'all' ? undefined : value);
  return {
    type: chosen(filter.type),
    result: chosen(filter.result),
    asset: chosen(filter.asset),
    ...timesOf(filter, nowMs),
  };
}

function timesOf(filter: LogFilter, nowMs: number): { from: number | undefined; to: number | undefined } {
  if (filter.period === 'custom') {
    const end = startOf(filter.to, 1);
    return { from: startOf(filter.from) ?? undefined, to: end === null ? undefined : end - 1 };
  }
  const days = DAYS[filter.period];
  if (days === undefined) return { from: undefined, to: undefined };
  return { from: startOfDay(dayOf(nowMs), 1 - days), to: undefined };
}

export function errors({ from, to }: Pick<LogFilter, 'from' | 'to'>): Faults<'from' | 'to', Fault> {
  const faults: Faults<'from' | 'to', Fault> = {};
  const [start, end] = [startOf(from), startOf(to)];
  if (start === null) faults.from = { id: 'fault.formIncomplete' };
  if (end === null) faults.to = { id: 'fault.formIncomplete' };
  if (start !== null && end !== null && start > end) faults.to = { id: 'log.fault.daysReversed' };
  return faults;
}

export interface Statement {
  readonly asset: string;
  readonly opening: string;
  readonly inflow: string;
  readonly outflow: string;
  readonly closing: string;
  /** Whether the opening balance plus all listed amounts equals the closing balance. */
  readonly matches: boolean;
}

/**
 * The sums of a complete list, newest first; null if it covers several assets or a filter leaves entries out. Entries that moved
 * nothing have no balance and are ignored.
 */
export function statementOf(filter: LogFilter, entries: readonly FundEntry[]): Statement | null {
  if (filter.asset === 'all' || filter.type !== 'all' || filter.result !== 'all') return null;
  const moved = entries.filter((entry) => entry.balance !== null);
  const [newest, oldest] = [moved[0], moved.at(-1)];
  if (!newest || !oldest) return null;
  const scale = scaleOf(newest.amount);
  const sum = (isIn: boolean) =>
    moved
      .map(({ amount }) => minorOf(amount, scale))
      .filter((amount) => amount > 0n === isIn)
      .reduce((total, amount) => total + amount, 0n);
  const opening = minorOf(oldest.balance as string, scale) - minorOf(oldest.amount, scale);
  const [inflow, outflow] = [sum(true), sum(false)];
  const closing = minorOf(newest.balance as string, scale);
  return {
    asset: filter.asset,
    opening: formatDecimal(opening, scale),
    inflow: formatDecimal(inflow, scale),
    outflow: formatDecimal(outflow, scale),
    closing: formatDecimal(closing, scale),
    matches: opening + inflow + outflow === closing,
  };
}
