import type { OrderTotals } from '@fairtick/protocol';
import { useText } from '../messages/text-context.tsx';
import { formatAmount, formatCount } from '../state/format.ts';
import css from './history.module.css';
import { totalText } from './order-words.ts';

/** The sums of the orders that match, by asset. Win and loss look the same, as in the list. */
export function TotalsCard({ totals: { items, isPartial } }: { totals: OrderTotals }) {
  const { t } = useText();
  return (
    <div className={`pt-12 px-side ${css.list}`}>
      <ul className={`card stack gap-10 py-12 px-16 ${css.totals}`} aria-label={t('history.totals')}>
        {items.map(({ asset, orders, won, lost, staked, ...sums }) => (
          <li key={asset} className="flex between gap-16">
            <span>
              <b>{asset}</b>
              <span className="caption block">
                {t('history.counts', {
                  orders,
                  won: formatCount(won),
                  lost: formatCount(lost),
                })}
              </span>
            </span>
            <span className="breaks" translate="no">
              <b>{totalText({ orders, ...sums })}</b>
              <span className="caption block">{`${t('orders.stake')} ${formatAmount(staked)}`}</span>
            </span>
          </li>
        ))}
        {isPartial && <li className="caption">{t('history.partial')}</li>}
      </ul>
    </div>
  );
}
