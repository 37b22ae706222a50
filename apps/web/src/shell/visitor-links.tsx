import { useText } from '../messages/text-context.tsx';
import { Link } from './link.tsx';
import css from './shell.module.css';

export function VisitorLinks({ className = '' }: { className?: string | undefined }) {
  const { t } = useText();
  return (
    <nav className={`${css.visitorLinks} ${className}`} aria-label={t('home.aboutFairtick')}>
      <Link className="link" href="/home">
        {t('home.aboutFairtick')}
      </Link>
      <Link className="link" href="/transparency">
        {t('title.transparency')}
      </Link>
    </nav>
  );
}
