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
/** Canonical JSON of rules is not nested deeper. */
const MAX_DEPTH = 16;
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

/** One rate for one cycle: else two readers could take two. */
function hasEachOnce(cycles: DecidingRules['cycles']): boolean {
  return new Set(cycles.map(({ minutes }) => minutes)).size === cycles.length;
}

/**
 * The one writing of a value (RFC 8785): members in their order and none twice, no spaces, numbers and texts as JavaScript
 * writes them. What is written otherwise could be read otherwise by somebody else. Empty, which is no JSON, for what has
 * none: half a surrogate, or nesting without end.
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
