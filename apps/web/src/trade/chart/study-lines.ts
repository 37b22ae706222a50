import { BollingerBands, EMA, MACD, RSI, SMA } from 'trading-signals';
import type { Study } from './plot/chart-settings.ts';

/** The names of a study's lines, as charts name them: the study and its numbers. Lines without a name belong to the first. */
export const namesOf = (study: Study, lengths: readonly number[]): readonly string[] =>
  study === 'boll' || study === 'macd'
    ? [`${study.toUpperCase()} ${lengths.join(', ')}`]
    : lengths.map((length) => `${study.toUpperCase()} ${length}`);

/** Values of a study's lines at one candle; null while there are too few candles. */
type Values = readonly (number | null)[];
/** Takes the next closing price, or with `isAgain` another one for the same candle. */
type Update = (close: number, isAgain: boolean) => Values;

const NONE: Values = [null, null, null];

const MAKE: Readonly<Record<Study, (lengths: readonly number[]) => Update>> = {
  ma: (lengths) => {
    const lines = lengths.map((length) => new SMA(length));
    return (close, isAgain) => lines.map((line) => line.update(close, isAgain));
  },
  ema: (lengths) => {
    const lines = lengths.map((length) => new EMA(length));
    // An average over fewer candles than its length would depend mostly on the first one.
    return (close, isAgain) =>
      lines.map((line) => {
        const value = line.update(close, isAgain);
        return line.isStable ? value : null;
      });
  },
  boll: ([length = 0, deviations = 0]) => {
    const bands = new BollingerBands(length, deviations);
    return (close, isAgain) => {
      const value = bands.update(close, isAgain);
      return value ? [value.upper, value.middle, value.lower] : NONE;
    };
  },
  rsi: ([length = 0]) => {
    const rsi = new RSI(length);
    return (close, isAgain) => [rsi.update(close, isAgain)];
  },
  macd: ([short = 0, long = 0, signal = 0]) => {
    const macd = new MACD(new EMA(short), new EMA(long), new EMA(signal));
    return (close, isAgain) => {
      const value = macd.update(close, isAgain);
      return value ? [value.macd, value.signal, value.histogram] : NONE;
    };
  },
};

/** A study over closing prices, continued with each new price. */
export class StudyLines {
  readonly study: Study;
  readonly lengths: readonly number[];
  #update: Update;
  #values: Values[] = [];

  /** @param lengths as `areLengths` accepts them */
  constructor(study: Study, lengths: readonly number[]) {
    this.study = study;
    this.lengths = lengths;
    this.#update = MAKE[study](lengths);
  }

  /** By candle, then by line. */
  get values(): readonly Values[] {
    return this.#values;
  }

  begin(closes: readonly number[]): void {
    this.#update = MAKE[this.study](this.lengths);
    this.#values = closes.map((close) => this.#update(close, false));
  }

  /** The last candle's price, or the first one of the next candle. */
  take(close: number, isNext: boolean): void {
    if (!isNext) this.#values.pop();
    this.#values.push(this.#update(close, !isNext));
  }
}
