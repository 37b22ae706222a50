import { FaultIcon } from '@fairtick/ui';
import { useEffect, useState } from 'react';
import { useStream } from '../api/stream.ts';
import { useText } from '../messages/text-context.tsx';
import { asServerTime } from '../state/clock.ts';
import { formatTime } from '../state/format.ts';
import css from './shell.module.css';

/** Stale prices are marked at once; a notice above balances waits longer, so that short interruptions do not move the screen. */
const PATIENCE_MS = 3_000;

/** A notice above the customer's own data: the connection is gone, and since when the figures are stale. */
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
  // Before the first message from the server each screen shows its own fault.
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
