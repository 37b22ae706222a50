import { BollingerBands, EMA, MACD, RSI, SMA } from 'trading-signals';
import type { Study } from './plot/chart-settings.ts';

/** The lines of each study, as charts name them: the study and its numbers of candles. */
export const LINES: Readonly<Record<Study, readonly string[]>> = {
  ma: ['MA 5', 'MA 10', 'MA 30'],
  ema: ['EMA 12', 'EMA 26'],
  boll: ['BOLL 20, 2', '', ''],
  rsi: ['RSI 14'],
  macd: ['MACD 12, 26, 9', '', ''],
};

/** Values of a study's lines at one candle; null while there are too few candles. */
type Values = readonly (number | null)[];
/** Takes the next closing price, or with `isAgain` another one for the same candle. */
type Update = (close: number, isAgain: boolean) => Values;

const NONE: Values = [null, null, null];

const MAKE: Readonly<Record<Study, () => Update>> = {
  ma: () => {
    const lines = [new SMA(5), new SMA(10), new SMA(30)];
    return (close, isAgain) => lines.map((line) => line.update(close, isAgain));
  },
  ema: () => {
    const lines = [new EMA(12), new EMA(26)];
    // An average over fewer candles than its length would depend mostly on the first one.
    return (close, isAgain) =>
      lines.map((line) => {
        const value = line.update(close, isAgain);
        return line.isStable ? value : null;
      });
  },
  boll: () => {
    const bands = new BollingerBands(20, 2);
    return (close, isAgain) => {
      const value = bands.update(close, isAgain);
      return value ? [value.upper, value.middle, value.lower] : NONE;
    };
  },
  rsi: () => {
    const rsi = new RSI(14);
    return (close, isAgain) => [rsi.update(close, isAgain)];
  },
  macd: () => {
    const macd = new MACD(new EMA(12), new EMA(26), new EMA(9));
    return (close, isAgain) => {
      const value = macd.update(close, isAgain);
      return value ? [value.macd, value.signal, value.histogram] : NONE;
    };
  },
};

/** A study over closing prices, continued with each new price. */
export class StudyLines {
  readonly study: Study;
  #update: Update;
  #values: Values[] = [];

  constructor(study: Study) {
    this.study = study;
    this.#update = MAKE[study]();
  }

  /** By candle, then by line. */
  get values(): readonly Values[] {
    return this.#values;
  }

  begin(closes: readonly number[]): void {
    this.#update = MAKE[this.study]();
    this.#values = closes.map((close) => this.#update(close, false));
  }

  /** The last candle's price, or the first one of the next candle. */
  take(close: number, isNext: boolean): void {
    if (!isNext) this.#values.pop();
    this.#values.push(this.#update(close, !isNext));
  }
}
