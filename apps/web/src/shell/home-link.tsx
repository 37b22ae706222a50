import { BrandMark } from '@fairtick/ui';
import { useText } from '../messages/text-context.tsx';
import { Link } from './link.tsx';
import css from './shell.module.css';

/** The mark that leads to the home, in the headings of tab screens where no header of a wide screen has it. */
export function HomeLink() {
  const { t } = useText();
  return (
    <span className="narrow">
      <Link href="/index" className={css.homeLink} aria-label={t('title.index')} title={t('title.index')}>
        <BrandMark size={24} />
      </Link>
    </span>
  );
}
