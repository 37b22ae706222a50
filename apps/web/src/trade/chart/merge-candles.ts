import type { Candle } from '@fairtick/protocol';

/**
 * Adds an answer of the API to the known candles, oldest first. Every candle of the answer but its newest has ended, so it replaces
 * what was known. Of two readings of the newest the one with the higher volume is later; with the same volume, the known one
 * stays, because the stream corrects it at the next tick.
 * @param seenMs the newest candle before an absence; what is older than the answer is dropped if the answer does not reach back to
 *   it: the axis would hide the hole, and older candles are fetched again where the reader looks at them
 */
export function withAnswer(
  known: readonly Candle[],
  answer: readonly Candle[],
  seenMs: number | null = null,
): readonly Candle[] {
  const newest = answer.at(-1);
  const first = answer[0]?.time ?? 0;
  const candles = byTime(leavesHole(answer, seenMs) ? known.filter(({ time }) => time > first) : known);
  for (const candle of answer) {
    const other = candles.get(candle.time);
    if (!other || candle !== newest || isLater(candle, other)) candles.set(candle.time, candle);
  }
  return inOrder(candles);
}

/** Whether candles between the newest one before an absence and the oldest of the answer are missing. */
export const leavesHole = ([first]: readonly Candle[], seenMs: number | null): boolean =>
  first !== undefined && seenMs !== null && first.time > seenMs;

/**
 * Adds a candle of the stream, which sends each reading once and in order. Only the newest known candle is still open to it, and
 * only an answer can have a later reading of that one, with a higher volume.
 */
export function withStreamed(known: readonly Candle[], candle: Candle): readonly Candle[] {
  const candles = byTime(known);
  const other = candles.get(candle.time);
  if (other && (other !== known.at(-1) || isLater(other, candle))) return known;
  return inOrder(candles.set(candle.time, candle));
}

const byTime = (candles: readonly Candle[]) => new Map(candles.map((candle) => [candle.time, candle]));

const isLater = (one: Candle, other: Candle): boolean => Number(one.volume) > Number(other.volume);

const inOrder = (candles: ReadonlyMap<number, Candle>): readonly Candle[] =>
  [...candles.values()].sort((a, b) => a.time - b.time);
