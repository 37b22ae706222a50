import { Tag } from '@fairtick/ui';
import { useText } from '../messages/text-context.tsx';
import css from './shell.module.css';

/** The demo's discreet and permanent mark. The page that the server sends says of which mode it is; in live mode none is shown. */
export function DemoMark() {
  const { t } = useText();
  return (
    <span data-demo="" className={css.demo}>
      <Tag look="outline">{t('shell.demo')}</Tag>
    </span>
  );
}
