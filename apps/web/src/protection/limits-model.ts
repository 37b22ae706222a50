import type { Protection, UsedLimit } from '@fairtick/protocol';
import { compareDecimals } from '../state/decimal-strings.ts';

/** Practice money is not paid in, so it has no limit on deposits. */
const PRACTICE = 'DEMO';
export const KINDS = ['deposit', 'stake', 'loss'] as const;
export const PERIODS = ['day', 'week', 'month'] as const;
export type Kind = (typeof KINDS)[number];
export type Period = (typeof PERIODS)[number];

export const DAY_MS = 86_400_000;

export const kindsOf = (asset: string): readonly Kind[] =>
  asset === PRACTICE ? KINDS.filter((kind) => kind !== 'deposit') : KINDS;

export function limitOf(
  { limits }: Protection,
  asset: string,
  kind: Kind,
  per: Period,
): UsedLimit | undefined {
  return limits.find((limit) => limit.asset === asset && limit.kind === kind && limit.per === per);
}

/** The used part of a limit, 0 to 1; a float is enough for a bar. */
export function usedShare({ used, amount }: UsedLimit): number {
  return Math.min(1, Number(used) / Number(amount));
}

export type Change = 'nothing' | 'tighter' | 'looser';

/** How an amount (empty: no limit) would change the present limit. Compares decimals exactly, not as floats. */
export function changeOf(amount: string, limit: UsedLimit | undefined): Change {
  if (amount === '') return limit === undefined ? 'nothing' : 'looser';
  if (!limit) return 'tighter';
  const order = compareDecimals(amount, limit.amount);
  if (order === 0) return limit.later === null ? 'nothing' : 'tighter';
  return order < 0 ? 'tighter' : 'looser';
}

/** Lengths that are offered; the server takes any between the shortest and the longest. */
export const BREAK_HOURS = [24, 72, 168, 336, 672, 1008] as const;
export const EXCLUSION_MONTHS = [6, 12, 24, 60, 'forever'] as const;
export const REMINDER_MINUTES = [0, 15, 30, 60, 120] as const;

/** End of a break of so many hours, or of an exclusion of so many months, Unix ms; null: never. */
export function endOf(
  length: { readonly hours: number } | { readonly months: number | 'forever' },
  nowMs: number,
): number | null {
  if ('hours' in length) return nowMs + length.hours * 3_600_000;
  if (length.months === 'forever') return null;
  const end = new Date(nowMs);
  const day = end.getUTCDate();
  end.setUTCMonth(end.getUTCMonth() + length.months);
  // Six months after August 31st is the last day of February, as the database computes it.
  if (end.getUTCDate() !== day) end.setUTCDate(0);
  return end.getTime();
}
