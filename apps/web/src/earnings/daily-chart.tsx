import type { EarningsSummary } from '@fairtick/protocol';
import { Card, Skeleton } from '@fairtick/ui';
import { useText } from '../messages/text-context.tsx';
import { QueryFault } from '../parts/loaded.tsx';
import { formatSigned } from '../state/format.ts';
import { NoRecords } from '../wallet/parts/record-list.tsx';
import css from './earnings.module.css';
import { barsOf, dayText } from './earnings-model.ts';
import { DAYS_SHOWN, useDaily } from './queries.ts';

const DAY_MS = 86_400_000;
const HEIGHT = 64;
const STEP = 10;
const WIDTH = 6.4;

/** Interest of each of the last days, yesterday in gold. The record below has the same figures. */
export function DailyChart({ summary }: { summary: EarningsSummary }) {
  const { t, tag } = useText();
  const { asset, accumulated, nextAccrualAt } = summary;
  const query = useDaily(asset, accumulated);
  const records = query.data?.items ?? [];
  const bars = records.length > 0 ? barsOf(records, nextAccrualAt - 2 * DAY_MS, DAYS_SHOWN) : null;
  const [first, last] = [bars?.[0], bars?.at(-1)];
  return (
    <Card className={css.chart ?? ''}>
      <div className={`flex between items-baseline gap-12 mb-12 ${css.head}`}>
        <h2>{t('earnings.daily')}</h2>
        <span className="caption">{t('earnings.lastDays', { count: DAYS_SHOWN })}</span>
      </div>
      {query.isPending && <Skeleton width="100%" height={HEIGHT + 30} />}
      {query.isError && !bars && <QueryFault error={query.error} onAgain={() => void query.refetch()} />}
      {query.isSuccess && !bars && (
        <NoRecords title={t('earnings.noRecord')} hint={t('earnings.noRecordHint')} />
      )}
      {bars && first && last && (
        <>
          <svg
            viewBox={`0 0 ${DAYS_SHOWN * STEP} ${HEIGHT}`}
            preserveAspectRatio="none"
            role="img"
            aria-label={t('earnings.chart', {
              from: dayText(first.date, tag),
              to: dayText(last.date, tag),
              days: bars.filter(({ interest }) => interest !== null).length,
              asset,
            })}
          >
            {bars.map(({ date, interest, height }, place) => (
              <rect
                key={date}
                x={place * STEP + (STEP - WIDTH) / 2}
                width={WIDTH}
                y={HEIGHT - Math.max(height * HEIGHT, interest === null ? 1 : 2)}
                height={Math.max(height * HEIGHT, interest === null ? 1 : 2)}
                fill={date === last.date && interest !== null ? 'var(--gold-fill)' : 'var(--line-2)'}
              >
                <title>
                  {`${dayText(date, tag)} ${interest === null ? t('earnings.nothing') : formatSigned(interest)}`}
                </title>
              </rect>
            ))}
          </svg>
          <p className="caption flex between gap-12 mt-8">
            <span>{dayText(first.date, tag)}</span>
            <span>
              {`${dayText(last.date, tag)} ${last.interest === null ? t('earnings.nothing') : formatSigned(last.interest)}`}
            </span>
          </p>
        </>
      )}
    </Card>
  );
}
