import { FaultIcon } from '@fairtick/ui';
import { useText } from '../messages/text-context.tsx';
import { formatTime } from '../state/format.ts';
import css from './catalogue.module.css';
import { useHalts } from './queries.ts';

/** On every page while new orders are halted. */
export function HaltBanner() {
  const { t } = useText();
  const halt = useHalts().data?.present;
  return (
    <div role="status">
      {halt && (
        <p className={`row gap-10 bad ${css.banner}`}>
          <FaultIcon size={18} />
          <span>
            <b>{t('halt.title')}</b>{' '}
            {t('halt.banner', { time: formatTime(halt.since), name: halt.by.name, reason: halt.reason })}
          </span>
        </p>
      )}
    </div>
  );
}
