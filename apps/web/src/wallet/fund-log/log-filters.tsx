import type { FundEntry } from '@fairtick/protocol';
import { stateText } from '@fairtick/protocol/request-states';
import { useText } from '../../messages/text-context.tsx';
import { AssetFilter, FilterChip, FilterRow } from '../../parts/filter-chip.tsx';
import { dayOf } from '../../state/format.ts';
import type { LogFilter, Period } from './fund-log-model.ts';

const RESULTS: readonly FundEntry['result'][] = ['success', 'failure', 'review', 'ignored'];

/** The chosen range is an option of its own, so that selecting "choose days" again is a change. */
const CHOSEN = 'chosen';
type PeriodOption = { readonly value: Period | typeof CHOSEN; readonly label: string };

export function LogFilters(props: {
  filter: LogFilter;
  onChange: (change: Partial<LogFilter>) => void;
  onChooseDays: () => void;
}) {
  const { t, tag, language } = useText();
  const { filter, onChange } = props;
  const chosen: readonly PeriodOption[] =
    filter.period === 'custom' ? [{ value: CHOSEN, label: formatDays(filter.from, filter.to, tag) }] : [];
  const periods: readonly PeriodOption[] = [
    { value: 'all', label: t('log.period.all') },
    { value: 'today', label: t('log.period.today') },
    { value: 'week', label: t('log.period.week') },
    { value: 'month', label: t('log.period.month') },
    ...chosen,
    { value: 'custom', label: t('log.period.custom') },
  ];
  return (
    <FilterRow>
      <AssetFilter value={filter.asset} onChange={(asset) => onChange({ asset })} />
      <FilterChip
        label={t('log.period')}
        value={filter.period === 'custom' ? CHOSEN : filter.period}
        options={periods}
        onChange={(period) => {
          if (period === 'custom') props.onChooseDays();
          else if (period !== CHOSEN) onChange({ period });
        }}
      />
      <FilterChip
        label={t('log.result')}
        value={filter.result}
        options={[
          { value: 'all' as const, label: t('wallet.allStatuses') },
          ...RESULTS.map((value) => ({ value, label: stateText(value, null, language) })),
        ]}
        onChange={(result) => onChange({ result })}
      />
    </FilterRow>
  );
}

/**
 * A range of days (`2026-11-19`, as date fields write them) in the reader's language: Nov 1 – 19. Other years than this one are
 * shown.
 */
function formatDays(from: string, to: string, tag: string): string {
  const days = [from, to].map(Date.parse) as [number, number];
  const thisYear = dayOf(Date.now()).slice(0, 4);
  const year = [from, to].every((day) => day.startsWith(thisYear)) ? undefined : 'numeric';
  return new Intl.DateTimeFormat(tag, { year, month: 'short', day: 'numeric', timeZone: 'UTC' }).formatRange(
    ...days,
  );
}
