import type { OrderTotals } from '@fairtick/protocol';
import { useAnswer } from '../api/use-answer.ts';
import { serverNow } from '../live/clock.ts';
import { useOnOrder } from '../live/orders.ts';
import { useText } from '../messages/text-context.tsx';
import { pageOf } from '../parts/page.tsx';
import { Link } from '../shell/link.tsx';
import { dayOf, formatSigned, startOfDay } from '../state/format.ts';
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
        {t('home.today')} <b translate="no">{resultOf(day.data)}</b>
      </span>
      <span>
        {t('home.week')} <b translate="no">{resultOf(week.data)}</b>
      </span>
    </Link>
  );
}

/** A dash while nothing has settled: no result is not a result of zero. */
function resultOf(totals: OrderTotals | undefined): string {
  const of = totals?.items[0];
  return of === undefined || of.orders === of.open ? '–' : formatSigned(of.result);
}
