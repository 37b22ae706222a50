import { buttonClass, Empty, FileIcon, Stamp } from '@fairtick/ui';
import { useLingering, useOrders } from '../../live/orders.ts';
import { useText } from '../../messages/text-context.tsx';
import { Link } from '../../shell/link.tsx';
import { useIsLoggedIn } from '../../state/session.ts';
import css from './index-page.module.css';

/** Fills the column of orders of a wide window while there are none: visitors get a link to the sample receipt. */
export default function IndexAside() {
  const { t } = useText();
  const isMember = useIsLoggedIn();
  const orders = useOrders((state) => state.orders);
  useLingering();
  if (isMember && (orders === null || orders.length > 0)) return null;
  return (
    <div className={css.aside}>
      {isMember ? (
        <Empty icon={<FileIcon size={28} />} title={t('home.noOrders')}>
          {t('home.noOrdersHint')}
        </Empty>
      ) : (
        <Empty icon={<Stamp size={28} isChecked={false} />} title={t('home.sample')}>
          {t('home.sampleHint')}
          <Link href="/home" className={buttonClass} data-look="line" data-size="small">
            {t('home.sampleLink')}
          </Link>
        </Empty>
      )}
    </div>
  );
}
