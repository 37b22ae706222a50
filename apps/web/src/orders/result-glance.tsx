import { useAnswer } from '../api/use-answer.ts';
import { serverNow } from '../live/clock.ts';
import { useOnOrder } from '../live/orders.ts';
import { useText } from '../messages/text-context.tsx';
import { pageOf } from '../parts/page.tsx';
import { Link } from '../shell/link.tsx';
import { dayOf, startOfDay } from '../state/format.ts';
import { totalText } from './order-words.ts';
import css from './orders.module.css';

/** The result of today's orders and of the last seven days', in an asset; it leads to the statistics. */
export default pageOf(null, ResultGlance);

function ResultGlance({ asset }: { asset: string }) {
  const { t } = useText();
  const today = dayOf(serverNow());
  const day = useAnswer('order/totals', { asset, from: startOfDay(today) });
  const week = useAnswer('order/totals', { asset, from: startOfDay(today, -6) });
  useOnOrder(() => void Promise.all([day.refetch(), week.refetch()]));
  return (
    <Link href="/statistics" className={`caption row wrap touch ${css.glance}`}>
      <span>
        {t('home.today')} <b translate="no">{totalText(day.data?.items[0])}</b>
      </span>
      <span>
        {t('home.week')} <b translate="no">{totalText(week.data?.items[0])}</b>
      </span>
    </Link>
  );
}
