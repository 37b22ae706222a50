import { describe, expect, it } from 'vitest';
import { STUDIES, type Study, USUAL_LENGTHS } from './plot/chart-settings.ts';
import { StudyLines } from './study-lines.ts';

/** Closing prices that rise, fall and stand still. */
const CLOSES = Array.from({ length: 120 }, (_, at) => 100 + Math.sin(at / 7) * 5 + ((at * 37) % 11) / 10);

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

function average(closes: readonly number[], length: number): number | null {
  return closes.length < length ? null : mean(closes.slice(-length));
}

function exponential(closes: readonly number[], length: number): number {
  const weight = 2 / (length + 1);
  return closes.reduce((value, close) => close * weight + value * (1 - weight));
}

/** Wilder's: the first averages are plain, later ones move by a fourteenth. */
function relativeStrength(closes: readonly number[]): number | null {
  const changes = closes.slice(1).map((close, at) => close - (closes[at] as number));
  if (changes.length < 14) return null;
  let gain = mean(changes.slice(0, 14).map((change) => Math.max(0, change)));
  let loss = mean(changes.slice(0, 14).map((change) => Math.max(0, -change)));
  for (const change of changes.slice(14)) {
    gain += (Math.max(0, change) - gain) / 14;
    loss += (Math.max(0, -change) - loss) / 14;
  }
  return 100 - 100 / (1 + gain / loss);
}

/** The definitions in textbooks, computed anew from all closing prices. */
const EXPECTED: Readonly<Record<Study, (closes: readonly number[]) => (number | null)[]>> = {
  ma: (closes) => [5, 10, 30].map((length) => average(closes, length)),
  ema: (closes) => [12, 26].map((length) => (closes.length < length ? null : exponential(closes, length))),
  boll: (closes) => {
    const middle = average(closes, 20);
    if (middle === null) return [null, null, null];
    const deviation = Math.sqrt(mean(closes.slice(-20).map((close) => (close - middle) ** 2)));
    return [middle + 2 * deviation, middle, middle - 2 * deviation];
  },
  rsi: (closes) => [relativeStrength(closes)],
  macd: (closes) => {
    if (closes.length < 26) return [null, null, null];
    const lines = closes
      .map((_, at) => closes.slice(0, at + 1))
      .slice(25)
      .map((before) => exponential(before, 12) - exponential(before, 26));
    const [line, signal] = [lines.at(-1) as number, exponential(lines, 9)];
    return [line, signal, line - signal];
  },
};

const rounded = (values: readonly (number | null)[] | undefined) =>
  values?.map((value) => (value === null ? null : Number(value.toFixed(8))));

describe.each(STUDIES)('%s', (study) => {
  it('is what its definition gives, at every candle', () => {
    const lines = new StudyLines(study, USUAL_LENGTHS[study]);
    lines.begin(CLOSES);
    for (const at of CLOSES.keys()) {
      expect(rounded(lines.values[at]), `candle ${at}`).toEqual(
        rounded(EXPECTED[study](CLOSES.slice(0, at + 1))),
      );
    }
  });

  it('changes with its numbers', () => {
    const values = (lengths: readonly number[]) => {
      const lines = new StudyLines(study, lengths);
      lines.begin(CLOSES);
      return lines.values.at(-1);
    };
    expect(values(USUAL_LENGTHS[study].map((length) => length + 1))).not.toEqual(
      values(USUAL_LENGTHS[study]),
    );
  });

  it('continues with the ticks of the last candle, and with the next candle', () => {
    const lines = new StudyLines(study, USUAL_LENGTHS[study]);
    lines.begin(CLOSES.slice(0, 10));
    for (const close of CLOSES.slice(10)) {
      lines.take(close + 3, true);
      lines.take(close - 2, false);
      lines.take(close, false);
    }
    const whole = new StudyLines(study, USUAL_LENGTHS[study]);
    whole.begin(CLOSES);
    expect(lines.values.map(rounded)).toEqual(whole.values.map(rounded));
  });
});
