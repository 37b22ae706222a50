/**
 * What the rows of a recording mean, computed with none of the product's code: the product's quotes are judged by these. The rows
 * themselves are read by the product, and their reading by the tests of each form.
 */
import type { Recording } from '../../../../apps/server/src/market/feeds/recording.ts';

/** A quote as the feed must plan it: the row's own time, and whole units of the product's last decimal. */
export interface NaiveQuote {
  readonly timeMs: number;
  readonly price: bigint;
}

/** Ticks become the middle of bid and ask; a candle becomes four quotes. All are rounded down to `decimals`. */
export function quotesOf(recording: Recording, decimals: number): NaiveQuote[] {
  if (recording.form === 'ticks') {
    return recording.rows.map(({ timeMs, prices: [bid = '', ask = bid] }) => ({
      timeMs,
      price: (unitsOf(bid) + unitsOf(ask)) / (2n * unitsPerPoint(decimals)),
    }));
  }
  const lengthMs = recording.stepMs;
  const quotes: NaiveQuote[] = [];
  for (const { timeMs, prices } of recording.rows) {
    const [open, high, low, close] = prices.map((text) => unitsOf(text) / unitsPerPoint(decimals)) as [
      bigint,
      bigint,
      bigint,
      bigint,
    ];
    const isFalling = close < open;
    quotes.push({ timeMs, price: open });
    quotes.push({ timeMs: timeMs + lengthMs / 4, price: isFalling ? high : low });
    quotes.push({ timeMs: timeMs + lengthMs / 2, price: isFalling ? low : high });
    quotes.push({ timeMs: timeMs + lengthMs - 1, price: close });
  }
  return quotes;
}

/** Thirty decimals are more than any recording has. */
const UNITS = 10n ** 30n;
const unitsPerPoint = (decimals: number): bigint => UNITS / 10n ** BigInt(decimals);

function unitsOf(text: string): bigint {
  const [whole = '', fraction = ''] = text.split('.');
  return BigInt(whole) * UNITS + BigInt(fraction.padEnd(30, '0'));
}

/** Parses a price or amount into whole units of its last decimal. */
export function pointsOf(text: string, decimals: number): bigint {
  return unitsOf(text) / unitsPerPoint(decimals);
}
