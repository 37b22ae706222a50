import { MAX_WAIT_MS, MIN_DELAY_MS, type ProductRules } from '@fairtick/trading';
import { isName } from '../acceptance.ts';
import { isDecimal, RATE_PLACES } from '../decimal.ts';
import { isWellFormed } from '../encoding.ts';
import { isSource } from '../entry-fields.ts';
import { MAX_PYTH_KEY_SETS, MAX_PYTH_ROUTERS } from '../pyth/pyth-keys.ts';

/** The parts of a product's rules that decide an order's outcome; the other parts decide whether an order is accepted. */
export interface DecidingRules
  extends Pick<
    ProductRules,
    | 'symbol'
    | 'decimals'
    | 'sources'
    | 'quorum'
    | 'quietMs'
    | 'waitMs'
    | 'outlierBps'
    | 'delayMs'
    | 'cycles'
    | 'pyth'
  > {
  /** Decimals of the amounts of each asset. */
  readonly limits: readonly { readonly asset: string; readonly scale: number }[];
}

const MAX_LIST = 256;
const MAX_SOURCES = 64;
const MAX_DEPTH = 16;
const MAX_QUIET_MS = 86_400_000;
const MAX_DELAY_MS = 60_000;
const MAX_OUTLIER_BPS = 1_000_000;

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
  const isRight =
    typeof rules.symbol === 'string' &&
    isWithin(rules.decimals, 0, 18) &&
    areSources(rules.sources) &&
    isQuorum(rules.quorum, rules.sources as DecidingRules['sources']) &&
    isWithin(rules.quietMs, 1, MAX_QUIET_MS) &&
    isWithin(rules.waitMs, 0, MAX_WAIT_MS) &&
    isWithin(rules.outlierBps, 0, MAX_OUTLIER_BPS) &&
    isWithin(rules.delayMs, MIN_DELAY_MS, MAX_DELAY_MS) &&
    isListOf(rules.cycles, isCycle) &&
    hasEachOnce(rules.cycles as DecidingRules['cycles'], ({ minutes }) => minutes) &&
    (rules.pyth === undefined || isPythRules(rules.pyth)) &&
    isListOf(rules.limits, isLimit) &&
    hasEachOnce(rules.limits as DecidingRules['limits'], ({ asset }) => asset);
  return isRight ? (rules as unknown as DecidingRules) : null;
}

/** Each cycle has one rate, each asset one scale; otherwise two readers could take different ones. */
function hasEachOnce<T>(list: readonly T[], keyOf: (each: T) => unknown): boolean {
  return new Set(list.map(keyOf)).size === list.length;
}

function areSources(value: unknown): boolean {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_SOURCES) return false;
  return value.every((source, at) => isSource(source) && (at === 0 || value[at - 1] < source));
}

/**
 * The canonical form of a value (RFC 8785): members sorted and unique, no spaces, numbers and strings as JavaScript writes them.
 * Another form could be read differently by another reader. Returns the empty string, which is no JSON, for a value without a
 * canonical form: a lone surrogate, or nesting beyond the limit.
 */
function canonical(value: unknown, depth: number): string {
  if (typeof value === 'string' && !isWellFormed(value)) return '';
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (depth >= MAX_DEPTH) return '';
  if (Array.isArray(value)) return `[${value.map((each) => canonical(each, depth + 1)).join()}]`;
  const members = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return `{${members.map(([name, each]) => `${canonical(name, depth)}:${canonical(each, depth + 1)}`).join()}}`;
}

/** More than half of the sources, so that to leave some out never moves a price against the customer. */
function isQuorum(value: unknown, { length }: readonly string[]): boolean {
  return isWithin(value, Math.floor(length / 2) + 1, length);
}

function isCycle(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { minutes, payoutRate } = value as { minutes?: unknown; payoutRate?: unknown };
  return isWithin(minutes, 1, 1440) && isDecimal(payoutRate, RATE_PLACES);
}

function isLimit(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { asset, scale } = value as { asset?: unknown; scale?: unknown };
  return typeof asset === 'string' && isName(asset) && isWithin(scale, 0, 18);
}

function isPythRules(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { feed, keys } = value as { feed?: unknown; keys?: unknown };
  return isHex(feed, 32) && isListOf(keys, isPythKeys) && (keys as unknown[]).length <= MAX_PYTH_KEY_SETS;
}

export function isPythKeys(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { fromMs, untilMs, chain, emitter, quorum, routers } = value as Record<string, unknown>;
  return (
    isWithin(fromMs, 0, Number.MAX_SAFE_INTEGER) &&
    (untilMs === null || isWithin(untilMs, 0, Number.MAX_SAFE_INTEGER)) &&
    isWithin(chain, 0, 65_535) &&
    isHex(emitter, 32) &&
    isListOf(routers, (router) => isHex(router, 20)) &&
    (routers as unknown[]).length <= MAX_PYTH_ROUTERS &&
    hasEachOnce(routers as string[], (router) => router) &&
    isWithin(quorum, 1, (routers as unknown[]).length)
  );
}

function isHex(value: unknown, bytes: number): boolean {
  return typeof value === 'string' && value.length === 2 * bytes && /^[0-9a-f]*$/.test(value);
}

function isWithin(value: unknown, least: number, most: number): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most;
}

function isListOf(value: unknown, isRight: (each: unknown) => boolean): boolean {
  return Array.isArray(value) && value.length <= MAX_LIST && value.every(isRight);
}
