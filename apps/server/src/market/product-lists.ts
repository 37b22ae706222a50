import type { Language } from '@fairtick/protocol';
import { SharedAnswer } from '../platform/http/context.ts';
import type { MarketView } from './market-view.ts';

/** Maximum age of a list while no price changes it: trading periods begin and end by the clock. */
const LONGEST_MS = 1_000;

interface Written<T> {
  readonly version: number;
  readonly untilMs: number;
  readonly answer: SharedAnswer<T>;
}

/** Lists of all products, serialised once for each state of the market, language and level, and shared by all requests. */
export class SharedLists<T> {
  readonly #market: MarketView;
  readonly #write: (language: Language, level: string) => T;
  readonly #written = new Map<string, Written<T>>();

  constructor(market: MarketView, write: (language: Language, level: string) => T) {
    this.#market = market;
    this.#write = write;
  }

  get(language: Language, level = ''): SharedAnswer<T> {
    const key = `${language} ${level}`;
    const known = this.#written.get(key);
    const nowMs = performance.now();
    if (known && known.version === this.#market.version && nowMs < known.untilMs) return known.answer;
    const answer = new SharedAnswer(this.#write(language, level));
    this.#written.set(key, { version: this.#market.version, untilMs: nowMs + LONGEST_MS, answer });
    return answer;
  }
}
