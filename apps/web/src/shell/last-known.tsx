import { FaultIcon } from '@fairtick/ui';
import { useEffect, useState } from 'react';
import { useStream } from '../api/stream.ts';
import { useText } from '../messages/text-context.tsx';
import { asServerTime } from '../state/clock.ts';
import { formatTime } from '../state/format.ts';
import css from './shell.module.css';

/** A price that is a second old must say so; of a balance it would only move the screen for nothing. */
const PATIENCE_MS = 3_000;

/** Above what is one's own: that the connection is gone, and of when the figures are. */
export default function LastKnown() {
  const { t, tag } = useText();
  const isStale = useStream((state) => state.isStale);
  const lastMs = useStream((state) => state.lastMs);
  const [isGone, setGone] = useState(false);
  useEffect(() => {
    if (!isStale) return;
    const timer = setTimeout(() => setGone(true), PATIENCE_MS);
    return () => {
      clearTimeout(timer);
      setGone(false);
    };
  }, [isStale]);
  // Before the first word of the server each screen says itself that it could not be read.
  return (
    <div role="status">
      {isGone && lastMs !== null && (
        <p className={css.lastKnown}>
          <FaultIcon size={16} />
          {t('shell.lastKnown', { time: formatTime(asServerTime(lastMs), tag) })}
        </p>
      )}
    </div>
  );
}
