import { FaultIcon } from '@fairtick/ui';
import { useStream } from '../api/stream.ts';
import { useText } from '../messages/text-context.tsx';
import { asServerTime } from '../state/clock.ts';
import { formatTime } from '../state/format.ts';
import css from './shell.module.css';

/** Above what is one's own: that the connection is gone, and of when the figures are. */
export default function LastKnown() {
  const { t, tag } = useText();
  const isStale = useStream((state) => state.isStale);
  const lastMs = useStream((state) => state.lastMs);
  // Before the first word of the server each screen says itself that it could not be read.
  return (
    <div role="status">
      {isStale && lastMs !== null && (
        <p className={css.lastKnown}>
          <FaultIcon size={16} />
          {t('shell.lastKnown', { time: formatTime(asServerTime(lastMs), tag) })}
        </p>
      )}
    </div>
  );
}
