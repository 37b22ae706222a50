import type { Candle } from '@fairtick/protocol';
import { useEffect, useRef, useState } from 'react';
import { useStream } from '../../api/stream.ts';
import { type CandleSource, sourceOf } from './candle-source.ts';
import { leavesHole, withAnswer, withStreamed } from './merge-candles.ts';
import type { ChartPeriod } from './plot/chart-settings.ts';
import { PERIOD_MS } from './plot/chart-times.ts';

interface Shown {
  /** Oldest first; null until loaded. */
  readonly candles: readonly Candle[] | null;
  readonly hasFailed: boolean;
}
const NOTHING: Shown = { candles: null, hasFailed: false };

const FIRST = 240;
const OLDER = 300;
const MAX_CANDLES = 5_000;
/** How many candles beyond `MAX_CANDLES` the stream may add before the oldest are dropped; dropping redraws all of them. */
const MOST_MORE = 600;
/**
 * Pauses before candles are fetched again, where they could not be read or are few: the line is slow, or the server is still making a
 * simulated product's past.
 */
const AGAIN_MS = [2_000, 4_000, 8_000, 16_000, 32_000];

/** A candle that begins so much later than the one before has others between them, unless the market was closed. */
const missedMs = (period: ChartPeriod): number => Math.max(PERIOD_MS[period], 5_000);

const bounded = (candles: readonly Candle[]): readonly Candle[] =>
  candles.length > MAX_CANDLES + MOST_MORE ? candles.slice(-MAX_CANDLES) : candles;

/** A candle of a day or longer stands at midnight UTC of its trading date, where the chart's axis names and groups it. */
const onItsDate = (candle: Candle): Candle =>
  candle.date === undefined ? candle : { ...candle, time: Date.parse(candle.date) };

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Candles of one source: the newest, kept current by the stream, and older ones on request. */
class CandleFeed {
  readonly #source: CandleSource;
  readonly #missedMs: number;
  readonly #onShown: (shown: Shown) => void;
  readonly #leave: readonly (() => void)[];
  #candles: readonly Candle[] = [];
  #isLoaded = false;
  /** Start of the oldest known candle, as the server names it. */
  #oldestMs: number | null = null;
  #newestMs: number | null = null;
  #isAtStart = false;
  #isLoadingOlder = false;
  #isCatchingUp = false;
  #isOver = false;

  constructor(symbol: string, period: ChartPeriod, onShown: (shown: Shown) => void) {
    this.#source = sourceOf(symbol, period);
    this.#missedMs = missedMs(period);
    this.#onShown = onShown;
    this.#leave = [
      this.#source.follow((candle) => this.#take(onItsDate(candle))),
      useStream.subscribe((now, before) => {
        if (now.isLive && !before.isLive && before.lastMs !== null) void this.#catchUp();
      }),
    ];
  }

  stop(): void {
    this.#isOver = true;
    for (const leave of this.#leave) leave();
  }

  /** Loads the newest candles, again after pauses where they are few. A later reading that fails leaves the candles as they are. */
  async begin(isSilent: boolean): Promise<void> {
    let count = await this.#load(isSilent).catch(() => {
      this.#show(this.#candles, true);
      return 0;
    });
    for (const pauseMs of AGAIN_MS) {
      if (count >= FIRST) return;
      await sleep(pauseMs);
      if (this.#isOver) return;
      const before = count;
      count = await this.#load(true).catch(() => before);
    }
  }

  async loadOlder(): Promise<void> {
    const [first] = this.#candles;
    const before = this.#oldestMs;
    const isFull = this.#candles.length >= MAX_CANDLES;
    if (!first || before === null || isFull || this.#isAtStart || this.#isLoadingOlder) return;
    this.#isLoadingOlder = true;
    try {
      const older = await this.#source.load({ before, limit: OLDER, isSilent: true });
      if (older.length === 0) this.#isAtStart = true;
      if (this.#candles[0]?.time !== first.time) return;
      this.#oldestMs = older[0]?.time ?? before;
      this.#show([...older.map(onItsDate), ...this.#candles]);
    } catch {
      // The next visit to the left edge tries again.
    } finally {
      this.#isLoadingOlder = false;
    }
  }

  #show(candles: readonly Candle[], hasFailed = false): void {
    this.#candles = candles;
    if (!this.#isOver) this.#onShown({ candles: this.#isLoaded ? candles : null, hasFailed });
  }

  async #load(isSilent: boolean, seenMs: number | null = null): Promise<number> {
    const loaded = await this.#source.load({ limit: FIRST, isSilent });
    const answer = loaded.map(onItsDate);
    this.#isAtStart = false;
    if (this.#oldestMs === null || leavesHole(answer, seenMs)) this.#oldestMs = loaded[0]?.time ?? null;
    this.#newestMs = Math.max(this.#newestMs ?? 0, answer.at(-1)?.time ?? 0);
    this.#isLoaded = true;
    this.#show(withAnswer(this.#candles, answer, seenMs));
    return loaded.length;
  }

  #take(candle: Candle): void {
    if (this.#newestMs !== null && candle.time > this.#newestMs + this.#missedMs) void this.#catchUp();
    this.#newestMs = Math.max(this.#newestMs ?? 0, candle.time);
    this.#candles = bounded(withStreamed(this.#candles, candle));
    if (this.#isLoaded) this.#show(this.#candles);
  }

  /** The stream sends the newest candle only, so those missed are fetched. Without an answer the current candles stay. */
  async #catchUp(): Promise<void> {
    if (this.#isCatchingUp) return;
    this.#isCatchingUp = true;
    await this.#load(true, this.#newestMs).catch(() => {});
    this.#isCatchingUp = false;
  }
}

export function useCandles(symbol: string, period: ChartPeriod) {
  const [shown, setShown] = useState(NOTHING);
  const [attempt, setAttempt] = useState(0);
  const feed = useRef<CandleFeed>(null);
  useEffect(() => {
    setShown(NOTHING);
    const made = new CandleFeed(symbol, period, setShown);
    feed.current = made;
    void made.begin(attempt === 0);
    return () => made.stop();
  }, [symbol, period, attempt]);
  return {
    ...shown,
    loadOlder: () => void feed.current?.loadOlder(),
    retry: () => setAttempt((count) => count + 1),
  };
}
