import { Notice } from '@fairtick/ui';
import { useStream } from '../../api/stream.ts';
import { asServerTime } from '../../live/clock.ts';
import { useText } from '../../messages/text-context.tsx';
import { formatSince } from '../../state/format.ts';
import css from './market.module.css';

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
            : t('shell.offlineSince', { time: formatSince(asServerTime(lastMs), tag) })}
        </Notice>
      )}
      {isPolling && !isStale && <Notice>{t('shell.polling')}</Notice>}
    </div>
  );
}
