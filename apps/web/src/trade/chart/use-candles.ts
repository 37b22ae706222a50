import type { Candle, Period } from '@fairtick/protocol';
import { useCallback, useEffect, useRef, useState } from 'react';
import { get } from '../../api/client.ts';
import { stream, useStream } from '../../api/stream.ts';

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

/** A product's candles: the newest, kept current by the stream, and older ones on request. */
export function useCandles(symbol: string, period: Period): CandleFeed {
  const [candles, setCandles] = useState<readonly Candle[] | null>(null);
  const [hasFailed, setFailed] = useState(false);
  const [attempt, setAttempt] = useState(0);
  const isAtStart = useRef(false);
  const isLoadingOlder = useRef(false);

  useEffect(() => {
    let isCurrent = true;
    isAtStart.current = false;
    setCandles(null);
    setFailed(false);
    get('product/candles', { symbol, period, limit: FIRST }, { isSilent: attempt === 0 }).then(
      (loaded) => isCurrent && setCandles((known) => mergeAll(loaded, known ?? [])),
      () => isCurrent && setFailed(true),
    );
    const leave = stream.subscribe(`candle:${symbol}:${period}`, ({ data }) => {
      const candle = data as Candle | null;
      if (candle) setCandles((known) => (known === null ? known : mergeAll(known, [candle])));
    });
    const leaveState = useStream.subscribe((now, before) => {
      if (!now.isLive || before.isLive || before.lastMs === null) return;
      // The stream sends the newest candle only, so those missed are fetched.
      get('product/candles', { symbol, period, limit: FIRST }, { isSilent: true }).then(
        (loaded) => {
          if (!isCurrent) return;
          setFailed(false);
          setCandles((known) => mergeAll(known ?? [], loaded));
        },
        // The current candles stay.
        () => {},
      );
    });
    return () => {
      isCurrent = false;
      leave();
      leaveState();
    };
  }, [symbol, period, attempt]);

  const loadOlder = useCallback(() => {
    const first = candles?.[0];
    if (!first || isAtStart.current || isLoadingOlder.current || candles.length >= MAX_CANDLES) return;
    isLoadingOlder.current = true;
    get('product/candles', { symbol, period, before: first.time, limit: OLDER }, { isSilent: true })
      .then((older) => {
        if (older.length === 0) isAtStart.current = true;
        setCandles((known) => (known?.[0]?.time === first.time ? [...older, ...known] : known));
      })
      // The next visit to the left edge tries again.
      .catch(() => {})
      .finally(() => {
        isLoadingOlder.current = false;
      });
  }, [candles, symbol, period]);

  return { candles, hasFailed, loadOlder, retry: () => setAttempt((count) => count + 1) };
}

/** Appends `news`, which replaces all known candles from its first time on; both lists are in order. */
function mergeAll(known: readonly Candle[], news: readonly Candle[]): readonly Candle[] {
  const firstNew = news[0];
  if (!firstNew) return known;
  return [...known.filter((candle) => candle.time < firstNew.time), ...news];
}
