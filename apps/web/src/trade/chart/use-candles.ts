import type { Candle } from '@fairtick/protocol';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useStream } from '../../api/stream.ts';
import { sourceOf } from './candle-source.ts';
import { leavesHole, withAnswer, withStreamed } from './merge-candles.ts';
import type { ChartPeriod } from './plot/chart-settings.ts';
import { PERIOD_MS } from './plot/chart-times.ts';

export interface CandleFeed {
  /** Oldest first; null until loaded. */
  readonly candles: readonly Candle[] | null;
  readonly hasFailed: boolean;
  readonly loadOlder: () => void;
  readonly retry: () => void;
}

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

/** A product's candles: the newest, kept current by the stream, and older ones on request. */
export function useCandles(symbol: string, period: ChartPeriod): CandleFeed {
  const [candles, setCandles] = useState<readonly Candle[]>([]);
  const [isLoaded, setLoaded] = useState(false);
  const [hasFailed, setFailed] = useState(false);
  const [attempt, setAttempt] = useState(0);
  /** Start of the oldest known candle, as the server names it. */
  const oldestMs = useRef<number | null>(null);
  const isAtStart = useRef(false);
  const isLoadingOlder = useRef(false);

  useEffect(() => {
    let isCurrent = true;
    const source = sourceOf(symbol, period);
    let again: ReturnType<typeof setTimeout> | undefined;
    let newestMs: number | null = null;
    let isCatchingUp = false;
    isAtStart.current = false;
    oldestMs.current = null;
    setCandles([]);
    setLoaded(false);
    setFailed(false);
    const load = async (isSilent: boolean, seenMs: number | null = null) => {
      const loaded = await source.load({ limit: FIRST, isSilent });
      if (!isCurrent) return loaded.length;
      isAtStart.current = false;
      const answer = loaded.map(onItsDate);
      if (oldestMs.current === null || leavesHole(answer, seenMs)) oldestMs.current = loaded[0]?.time ?? null;
      newestMs = Math.max(newestMs ?? 0, answer.at(-1)?.time ?? 0);
      setCandles((known) => withAnswer(known, answer, seenMs));
      setLoaded(true);
      setFailed(false);
      return loaded.length;
    };
    // A later reading that fails leaves the candles as they are.
    const fill = (pauses: readonly number[], count: number) => {
      const [pause, ...rest] = pauses;
      if (!isCurrent || pause === undefined || count >= FIRST) return;
      again = setTimeout(() => {
        load(true).then(
          (next) => fill(rest, next),
          () => fill(rest, count),
        );
      }, pause);
    };
    load(attempt === 0).then(
      (count) => fill(AGAIN_MS, count),
      () => {
        if (isCurrent) setFailed(true);
        fill(AGAIN_MS, 0);
      },
    );
    // The stream sends the newest candle only, so those missed are fetched. Without an answer the current candles stay.
    const catchUp = () => {
      if (isCatchingUp) return;
      isCatchingUp = true;
      load(true, newestMs)
        .catch(() => {})
        .finally(() => {
          isCatchingUp = false;
        });
    };
    const leave = source.follow((streamed) => {
      const candle = onItsDate(streamed);
      if (newestMs !== null && candle.time > newestMs + missedMs(period)) catchUp();
      newestMs = Math.max(newestMs ?? 0, candle.time);
      setCandles((known) => bounded(withStreamed(known, candle)));
    });
    const leaveState = useStream.subscribe((now, before) => {
      if (now.isLive && !before.isLive && before.lastMs !== null) catchUp();
    });
    return () => {
      isCurrent = false;
      clearTimeout(again);
      leave();
      leaveState();
    };
  }, [symbol, period, attempt]);

  const loadOlder = useCallback(() => {
    const first = candles[0];
    const before = oldestMs.current;
    if (
      !first ||
      before === null ||
      isAtStart.current ||
      isLoadingOlder.current ||
      candles.length >= MAX_CANDLES
    )
      return;
    isLoadingOlder.current = true;
    sourceOf(symbol, period)
      .load({ before, limit: OLDER, isSilent: true })
      .then((older) => {
        if (older.length === 0) isAtStart.current = true;
        setCandles((known) => {
          if (known[0]?.time !== first.time) return known;
          oldestMs.current = older[0]?.time ?? before;
          return [...older.map(onItsDate), ...known];
        });
      })
      // The next visit to the left edge tries again.
      .catch(() => {})
      .finally(() => {
        isLoadingOlder.current = false;
      });
  }, [candles, symbol, period]);

  return {
    candles: isLoaded ? candles : null,
    hasFailed,
    loadOlder,
    retry: () => setAttempt((count) => count + 1),
  };
}
