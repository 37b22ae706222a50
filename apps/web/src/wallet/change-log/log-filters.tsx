import type { FundEntry } from '@fairtick/protocol';
import { useText } from '../../messages/text-context.tsx';
import { useSession } from '../../state/session.ts';
import { formatCalendarDay } from '../parts/calendar-day.ts';
import { FilterChip } from '../parts/filter-chip.tsx';
import css from '../parts/records.module.css';
import { STATUS_TEXTS } from '../parts/request-words.ts';
import type { LogAction, LogFilter, Period } from './change-log-model.ts';

const RESULTS: readonly FundEntry['result'][] = ['success', 'failure', 'review', 'ignored'];

/** Asset, days and result. */
export function LogFilters(props: {
  filter: LogFilter;
  onChange: (action: LogAction) => void;
  onChooseDays: () => void;
}) {
  const { t, tag } = useText();
  const { filter, onChange } = props;
  const balances = useSession((state) => state.userInfo?.balances) ?? [];
  const periods: readonly { value: Period; label: string }[] = [
    { value: 'all', label: t('log.period.all') },
    { value: 'today', label: t('log.period.today') },
    { value: 'week', label: t('log.period.week') },
    { value: 'month', label: t('log.period.month') },
    { value: 'custom', label: t('log.period.custom') },
  ];
  const days =
    filter.period === 'custom'
      ? `${formatCalendarDay(filter.from, tag)} – ${formatCalendarDay(filter.to, tag)}`
      : undefined;
  return (
    <div className={css.filters}>
      <FilterChip
        label={t('log.asset')}
        value={filter.asset}
        options={[
          { value: 'all', label: t('log.allAssets') },
          ...balances.map(({ asset }) => ({ value: asset, label: asset })),
        ]}
        onChange={(asset) => onChange({ type: 'set', change: { asset } })}
      />
      <FilterChip
        label={t('log.period')}
        value={filter.period}
        options={periods}
        {...(days === undefined ? {} : { shown: days })}
        onChange={(period) =>
          period === 'custom' ? props.onChooseDays() : onChange({ type: 'set', change: { period } })
        }
      />
      <FilterChip
        label={t('log.result')}
        value={filter.result}
        options={[
          { value: 'all' as const, label: t('wallet.allStatuses') },
          ...RESULTS.map((value) => ({ value, label: t(STATUS_TEXTS[value]) })),
        ]}
        onChange={(result) => onChange({ type: 'set', change: { result } })}
      />
    </div>
  );
}
