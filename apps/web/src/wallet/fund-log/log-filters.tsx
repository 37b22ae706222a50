import type { FundEntry } from '@fairtick/protocol';
import { stateText } from '@fairtick/protocol/request-states';
import { useText } from '../../messages/text-context.tsx';
import { AssetFilter, FilterChip, FilterRow } from '../../parts/filter-chip.tsx';
import { PeriodFilter } from '../../parts/period-filter.tsx';
import type { LogFilter } from './fund-log-model.ts';

const RESULTS: readonly FundEntry['result'][] = ['success', 'failure', 'review', 'ignored'];

export function LogFilters(props: { filter: LogFilter; onChange: (change: Partial<LogFilter>) => void }) {
  const { t, language } = useText();
  const { filter, onChange } = props;
  return (
    <FilterRow>
      <AssetFilter value={filter.asset} onChange={(asset) => onChange({ asset })} />
      <PeriodFilter value={filter} onChange={onChange} />
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
