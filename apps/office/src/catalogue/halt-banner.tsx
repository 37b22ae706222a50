import { FaultIcon } from '@fairtick/ui';
import { useText } from '../messages/text-context.tsx';
import { formatTime } from '../state/format.ts';
import css from './catalogue.module.css';
import { useHalts } from './queries.ts';

/** On every page while new orders are halted. */
export function HaltBanner() {
  const { t } = useText();
  const present = useHalts().data?.present ?? [];
  const halt = present.find(({ symbol }) => symbol === null);
  const symbols = present.flatMap(({ symbol }) => symbol ?? []).join(', ');
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
      {symbols !== '' && (
        <p className={`row gap-10 bad ${css.banner}`}>
          <FaultIcon size={18} />
          <b>{t('halt.inProducts', { symbols })}</b>
        </p>
      )}
    </div>
  );
}
