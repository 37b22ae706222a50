import { FaultIcon } from '@fairtick/ui';
import { useEffect, useState } from 'react';
import { useStream } from '../api/stream.ts';
import { asServerTime } from '../live/clock.ts';
import { useText } from '../messages/text-context.tsx';
import { formatSince } from '../state/format.ts';
import { readStored, storeInSession } from '../state/storage.ts';
import css from './shell.module.css';

/** Stale prices are marked at once; a notice above balances waits longer, so that short interruptions do not move the screen. */
const PATIENCE_MS = 3_000;
/** How often the time of live data is kept for a start without a connection. */
const KEEP_EVERY_MS = 30_000;
/** Local time of the last live data before this page was loaded. */
const storedMs = Number(readStored('lastLive')) || null;

export default function LastKnown() {
  const { t, tag } = useText();
  const isStale = useStream((state) => state.isStale);
  const lastLiveMs = useStream((state) => state.lastMs);
  const lastMs = lastLiveMs ?? storedMs;
  const [isGone, setGone] = useState(false);
  useEffect(() => {
    if (!isStale) return;
    const goneMs = lastLiveMs === null ? 0 : Date.now() - lastLiveMs;
    const timer = setTimeout(() => setGone(true), Math.max(0, PATIENCE_MS - goneMs));
    return () => {
      clearTimeout(timer);
      setGone(false);
    };
  }, [isStale, lastLiveMs]);
  useEffect(() => {
    const keep = () => {
      if (useStream.getState().isLive) storeInSession('lastLive', String(Date.now()));
    };
    const timer = setInterval(keep, KEEP_EVERY_MS);
    addEventListener('pagehide', keep);
    return () => {
      clearInterval(timer);
      removeEventListener('pagehide', keep);
    };
  }, []);
  return (
    <div role="status">
      {isGone && lastMs !== null && (
        <p className={`row justify-center gap-8 mb-8 text-13 ${css.lastKnown}`}>
          <FaultIcon size={16} />
          {t('shell.lastKnown', { time: formatSince(asServerTime(lastMs), tag) })}
        </p>
      )}
    </div>
  );
}
