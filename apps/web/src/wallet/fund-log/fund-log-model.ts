import { formatDecimal } from '@fairtick/money';
import type { FundEntry } from '@fairtick/protocol';
import type { Fields } from '../../api/client.ts';
import { ALL_DAYS, type Period, timesOf } from '../../parts/period.ts';
import { minorOf, scaleOf } from '../../state/decimal-strings.ts';

export interface LogFilter extends Period {
  readonly type: FundEntry['type'] | 'all';
  readonly result: FundEntry['result'] | 'all';
  readonly asset: string;
}

export const EVERYTHING: LogFilter = {
  type: 'all',
  result: 'all',
  asset: 'all',
  ...ALL_DAYS,
};

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
