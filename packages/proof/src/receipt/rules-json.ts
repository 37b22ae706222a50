import { parseRate } from '@fairtick/money';
import type { ProductRules } from '@fairtick/trading';

/** The parts of a product's rules that decide an order's outcome; the other parts decide whether an order is accepted. */
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
/** Maximum nesting of canonical JSON of rules. */
const MAX_DEPTH = 16;
/** A day: upper bound of every bound and delay, so that sums of a few stay exact. */
const LONGEST_MS = 86_400_000;

/** Reads the JSON of a `rules` entry; null unless every member that decides is present and within bounds. */
export function readRules(json: string): DecidingRules | null {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
  if (typeof value !== 'object' || value === null || canonical(value, 0) !== json) return null;
  const rules = value as Partial<Record<keyof DecidingRules, unknown>>;
  const times = [rules.staleMs, rules.settleBoundMs, rules.delayMs];
  const isRight =
    typeof rules.symbol === 'string' &&
    isWithin(rules.decimals, 0, 18) &&
    isListOf(rules.sources, (source) => typeof source === 'string') &&
    isWithin(rules.quorum, 1, MAX_LIST) &&
    isWithin(rules.outlierBps, 0, 1_000_000) &&
    times.every((ms) => isWithin(ms, 0, LONGEST_MS)) &&
    isListOf(rules.cycles, isCycle) &&
    hasEachOnce(rules.cycles as DecidingRules['cycles']);
  return isRight ? (rules as unknown as DecidingRules) : null;
}

/** Each cycle has one rate; otherwise two readers could take different ones. */
function hasEachOnce(cycles: DecidingRules['cycles']): boolean {
  return new Set(cycles.map(({ minutes }) => minutes)).size === cycles.length;
}

/**
 * The canonical form of a value (RFC 8785): members sorted and unique, no spaces, numbers and strings as JavaScript writes them.
 * Another form could be read differently by another reader. Returns the empty string, which is no JSON, for a value without a
 * canonical form: a lone surrogate, or nesting beyond the limit.
 */
function canonical(value: unknown, depth: number): string {
  if (typeof value === 'string' && !value.isWellFormed()) return '';
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (depth > MAX_DEPTH) return '';
  if (Array.isArray(value)) return `[${value.map((each) => canonical(each, depth + 1)).join()}]`;
  const members = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return `{${members.map(([name, each]) => `${canonical(name, depth)}:${canonical(each, depth + 1)}`).join()}}`;
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
