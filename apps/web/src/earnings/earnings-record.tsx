import type { EarningsSummary } from '@fairtick/protocol';
import { useText } from '../messages/text-context.tsx';
import { LoadMore } from '../parts/load-more.tsx';
import { QueryFault } from '../parts/loaded.tsx';
import { formatAmount, formatChange } from '../state/format.ts';
import { RecordSkeletons } from '../wallet/parts/record-list.tsx';
import records from '../wallet/parts/records.module.css';
import css from './earnings.module.css';
import { dayText, ratePercent } from './earnings-model.ts';
import { useRecords } from './queries.ts';

/** Every credit of interest, the newest first; without any, the card of daily interest says so. */
export function EarningsRecord({ summary }: { summary: EarningsSummary }) {
  const { t, tag } = useText();
  const { query, items, more } = useRecords(summary.asset, summary.accumulated);
  if (query.isSuccess && items.length === 0) return null;
  return (
    <section className={css.record} aria-labelledby="earnings-record">
      <div className={`flex between items-baseline gap-12 mb-12 ${css.head}`}>
        <h2 id="earnings-record">{t('earnings.record')}</h2>
        <span className="caption">{summary.asset}</span>
      </div>
      {query.isPending ? (
        <RecordSkeletons />
      ) : query.isError && items.length === 0 ? (
        <QueryFault error={query.error} onAgain={() => void query.refetch()} />
      ) : (
        <>
          <ul className="lined">
            {items.map(({ date, principal, rate, interest }) => (
              <li key={date} className={records.row}>
                <div>
                  <span className={`row gap-8 title-15 ${records.name}`}>
                    {dayText(date, tag, { year: 'numeric' })}
                  </span>
                  <p className="caption breaks">
                    {t('earnings.principal', { amount: formatAmount(principal), rate: ratePercent(rate) })}
                  </p>
                </div>
                <div className={records.sum}>
                  {/* All with the same decimals, so that they stand below each other. */}
                  <b translate="no">{formatChange(interest)}</b>
                </div>
              </li>
            ))}
          </ul>
          <LoadMore {...more} />
        </>
      )}
    </section>
  );
}
