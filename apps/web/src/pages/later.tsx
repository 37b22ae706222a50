import { buttonClass, Empty, HourglassIcon } from '@fairtick/ui';
import { usePathname } from 'wouter/use-browser-location';
import { useText } from '../messages/text-context.tsx';
import { Link } from '../shell/link.tsx';
import { routeOf } from '../shell/routes.ts';

/** A screen that is not built yet says so. */
export default function LaterPage() {
  const { t } = useText();
  const route = routeOf(usePathname());
  return (
    <div style={{ display: 'grid', placeContent: 'center', justifyItems: 'center', minHeight: '70%' }}>
      {route && !route.showNavbar && <h1 className="sr">{t(route.title)}</h1>}
      <Empty icon={<HourglassIcon size={28} />} title={t('later.title')}>
        {t('later.text')}
      </Empty>
      <Link href="/index" className={buttonClass} data-look="line" data-size="small">
        {t('later.back')}
      </Link>
    </div>
  );
}
