import { Tag } from '@fairtick/ui';
import { useText } from '../messages/text-context.tsx';
import css from './shell.module.css';

/** The permanent mark of demo mode. The server's page says which mode it is; in live mode the mark is hidden. */
export function DemoMark() {
  const { t } = useText();
  return (
    <span data-demo="" className={css.demo}>
      <Tag look="outline">{t('shell.demo')}</Tag>
    </span>
  );
}
