import { Notice } from '@fairtick/ui';
import { useStream } from '../../api/stream.ts';
import { asServerTime } from '../../live/clock.ts';
import { useText } from '../../messages/text-context.tsx';
import { formatDateTime, formatTime } from '../../state/format.ts';
import css from './market.module.css';

const LONG_MS = 12 * 3_600_000;
/** With the date if the time alone could be taken for today's. */
export const whenOf = (ms: number, tag: string): string =>
  Date.now() - ms > LONG_MS ? formatDateTime(ms, tag) : formatTime(ms, tag);

/**
 * Says since when prices are stale, or that they come by repeated calls. The last of the scrolled content, it sticks to the lower edge, so that it moves and hides
 * nothing.
 */
export function StaleNotice() {
  const { t, tag } = useText();
  const isStale = useStream((state) => state.isStale);
  const lastMs = useStream((state) => state.lastMs);
  const isPolling = useStream((state) => state.isPolling);
  return (
    <div className={css.staleNotice} aria-live="polite">
      {isStale && (
        <Notice>
          {lastMs === null
            ? t('shell.connecting')
            : t('shell.offlineSince', { time: whenOf(asServerTime(lastMs), tag) })}
        </Notice>
      )}
      {isPolling && !isStale && <Notice>{t('shell.polling')}</Notice>}
    </div>
  );
}
