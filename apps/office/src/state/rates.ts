import {
  amountTyped,
  formatDecimal,
  formatRate,
  parseDecimal,
  parseRate,
  withoutTrailingZeros,
} from '@fairtick/money';

/** A payout rate in percent, as staff type it: "0.825" is "82.5". Returns other text unchanged. */
export function percentOf(rate: string): string {
  const bps = parseRate(rate);
  return bps === null ? rate : withoutTrailingZeros(formatDecimal(BigInt(bps), 2));
}

/** A typed percentage as rules write the rate: "82.5" is "0.825"; null if it is no percentage of two decimals at most. */
export function rateOf(percent: string): string | null {
  const bps = parseDecimal(amountTyped(percent) ?? '', 2);
  return bps === null ? null : formatRate(Number(bps));
}
