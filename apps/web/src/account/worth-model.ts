import { formatDecimal, parseDecimal } from '@fairtick/money';
import type { Balance } from '@fairtick/protocol';
import { scaleOf } from '../state/decimal-strings.ts';
import { usualDecimals } from '../state/format.ts';
import { isNothing, totalOf } from './balances-model.ts';

/** The worth of all of a customer's balances in one currency, by known prices. An unknown amount never counts as zero. */
interface Worth {
  /** Null if an asset has no price or no known amount. */
  readonly total: string | null;
  readonly missing: readonly string[];
  /** Unix ms of the oldest price used; null if none was. */
  readonly atMs: number | null;
}

export interface KnownPrice {
  readonly price: string;
  readonly atMs: number;
}

export const CURRENCIES = ['USDT', 'USD', 'BTC', 'ETH'] as const;
export type Currency = (typeof CURRENCIES)[number];
export const isCurrency = (text: string): text is Currency => CURRENCIES.some((one) => one === text);

/** Practice money has no worth. */
const PRACTICE = 'DEMO';
/** The currency that coins are priced in. */
const HUB = 'USDT';
/** More decimals than any asset or price has. */
const DECIMALS = 18;
const ONE = 10n ** BigInt(DECIMALS);

/** @param priceOf returns the newest price of a pair, or null if there is none */
export function worthOf(
  balances: readonly Balance[],
  currency: Currency,
  priceOf: (symbol: string) => KnownPrice | null,
): Worth {
  const missing: string[] = [];
  let atMs: number | null = null;
  let sum = 0n;
  for (const balance of balances) {
    const amount = balance.asset === PRACTICE ? '0' : totalOf(balance);
    if (amount !== null && isNothing(amount)) continue;
    const scaled = amount === null ? null : scale(amount);
    const rate = scaled === null ? null : rateOf(balance.asset, currency, priceOf);
    if (scaled === null || rate === null) {
      missing.push(balance.asset);
      continue;
    }
    sum += (scaled * rate.numerator) / rate.denominator;
    if (rate.atMs !== null) atMs = Math.min(atMs ?? rate.atMs, rate.atMs);
  }
  return { total: missing.length > 0 ? null : shown(sum, usualDecimals(currency)), missing, atMs };
}

interface Rate {
  readonly numerator: bigint;
  readonly denominator: bigint;
  readonly atMs: number | null;
}

/** The rate of the direct pair, of the inverse pair, or by way of the hub currency. */
function rateOf(from: string, to: string, priceOf: (symbol: string) => KnownPrice | null): Rate | null {
  if (from === to) return { numerator: 1n, denominator: 1n, atMs: null };
  const direct = priced(`${from}/${to}`, priceOf);
  if (direct) return { numerator: direct.points, denominator: ONE, atMs: direct.atMs };
  const inverse = priced(`${to}/${from}`, priceOf);
  if (inverse) return { numerator: ONE, denominator: inverse.points, atMs: inverse.atMs };
  if (from === HUB || to === HUB) return null;
  const first = rateOf(from, HUB, priceOf);
  const second = rateOf(HUB, to, priceOf);
  if (!first || !second) return null;
  return {
    numerator: first.numerator * second.numerator,
    denominator: first.denominator * second.denominator,
    atMs: Math.min(first.atMs ?? Number.POSITIVE_INFINITY, second.atMs ?? Number.POSITIVE_INFINITY),
  };
}

function priced(
  symbol: string,
  priceOf: (symbol: string) => KnownPrice | null,
): { points: bigint; atMs: number } | null {
  const known = priceOf(symbol);
  const points = known && scale(known.price);
  return known && points !== null && points > 0n ? { points, atMs: known.atMs } : null;
}

/** Converts to units of 10^-{@link DECIMALS}; may exceed the range of the amount type. */
function scale(text: string): bigint | null {
  const places = scaleOf(text);
  const value = parseDecimal(text, places);
  return value === null ? null : value * 10n ** BigInt(DECIMALS - places);
}

/** Rounded down, so that the total shown is never more than the customer has. */
const shown = (sum: bigint, decimals: number): string =>
  formatDecimal(sum / 10n ** BigInt(DECIMALS - decimals), decimals);
