import { Tag } from '@fairtick/ui';
import { useText } from '../messages/text-context.tsx';
import css from './shell.module.css';

/**
 * The permanent mark of demo mode, which also says whether the prices are live. The server's page says which mode and which feed it is:
 * in live mode the mark is hidden, and of its two texts the other feed's one.
 */
export function DemoMark() {
  const { t } = useText();
  return (
    <span data-demo="" className={css.demo}>
      <Tag look="outline">
        <span data-feeds="made">{t('shell.demo')}</span>
        <span data-feeds="live" className={css.livePrices}>
          {t('shell.livePrices')}
        </span>
      </Tag>
    </span>
  );
}
