import { parseRate } from '@fairtick/money';
import type { ProductRules } from '@fairtick/trading';

/** What of a product's rules decides about an order; the rest of the entry decides whether one is taken. */
export type DecidingRules = Pick<
  ProductRules,
  | 'symbol'
  | 'decimals'
  | 'sources'
  | 'quorum'
  | 'staleMs'
  | 'outlierBps'
  | 'settleBoundMs'
  | 'delayMs'
  | 'cycles'
>;

const MAX_LIST = 256;
/** A day: no bound or delay is longer, and sums of a few stay exact. */
const LONGEST_MS = 86_400_000;

/** Reads the JSON of a `rules` entry; null unless every member that decides is there and within bounds. */
export function readRules(json: string): DecidingRules | null {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
  if (typeof value !== 'object' || value === null) return null;
  const rules = value as Partial<Record<keyof DecidingRules, unknown>>;
  const times = [rules.staleMs, rules.settleBoundMs, rules.delayMs];
  const isRight =
    typeof rules.symbol === 'string' &&
    isWithin(rules.decimals, 0, 18) &&
    isListOf(rules.sources, (source) => typeof source === 'string') &&
    isWithin(rules.quorum, 1, MAX_LIST) &&
    isWithin(rules.outlierBps, 0, 1_000_000) &&
    times.every((ms) => isWithin(ms, 0, LONGEST_MS)) &&
    isListOf(rules.cycles, isCycle);
  return isRight ? (rules as unknown as DecidingRules) : null;
}

function isCycle(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { minutes, payoutRate } = value as { minutes?: unknown; payoutRate?: unknown };
  return isWithin(minutes, 1, 1440) && typeof payoutRate === 'string' && parseRate(payoutRate) !== null;
}

function isWithin(value: unknown, least: number, most: number): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most;
}

function isListOf(value: unknown, isRight: (each: unknown) => boolean): boolean {
  return Array.isArray(value) && value.length <= MAX_LIST && value.every(isRight);
}
