import type { FundEntry } from '@fairtick/protocol';
import { Tabs } from '@fairtick/ui';
import { useMemo, useState } from 'react';
import { get } from '../../api/client.ts';
import { serverNow } from '../../live/clock.ts';
import { useOnNotice } from '../../live/notices.ts';
import { useOnOrder } from '../../live/orders.ts';
import { useText } from '../../messages/text-context.tsx';
import { LoadMore } from '../../parts/load-more.tsx';
import { Listed } from '../../parts/loaded.tsx';
import { pageOf } from '../../parts/page.tsx';
import { usePages } from '../../parts/pages.ts';
import { PullToRefresh } from '../../parts/pull-to-refresh.tsx';
import { useWidth } from '../../parts/use-width.ts';
import { useNavbar } from '../../shell/navbar.tsx';
import { NoRecords, RecordSkeletons, RecordsByDay } from '../parts/record-list.tsx';
import css from '../parts/records.module.css';
import { EntryRow, EntryTable } from './entries.tsx';
import { ExportDialog } from './export-dialog.tsx';
import { EVERYTHING, type LogFilter, statementOf, summarise } from './fund-log-model.ts';
import { LogFilters } from './log-filters.tsx';
import { StatementCard } from './statement-card.tsx';

/** `/changeLog`: all movements of the customer's money with the balance after each, and a download. */
export default pageOf('wallet', FundLog);

const LIMIT = 30;
/** A hold of an authority is rare: it stands among all, without a tab. */
const TYPES: readonly FundEntry['type'][] = [
  'deposit',
  'withdrawal',
  'purchase',
  'settlement',
  'earnIn',
  'earnOut',
  'interest',
];

function FundLog() {
  const { t } = useText();
  const [filter, setFilter] = useState(EVERYTHING);
  const change = (part: Partial<LogFilter>) => setFilter({ ...filter, ...part });
  const [isOpen, setOpen] = useState(false);
  useNavbar(useMemo(() => ({ rightText: t('log.export'), onClickRight: () => setOpen(true) }), [t]));
  const { query, items: entries, more } = useFundLog(filter);
  const isWide = useWidth() === 'desktop';
  const statement = query.hasNextPage ? null : statementOf(filter, entries);
  const isFiltered = JSON.stringify(filter) !== JSON.stringify(EVERYTHING);
  return (
    <PullToRefresh onRefresh={() => query.refetch({ throwOnError: true })}>
      <div className={css.head}>
        <LogFilters filter={filter} onChange={change} />
        <Tabs
          label={t('log.types')}
          id="log"
          value={filter.type}
          className={css.tabs ?? ''}
          tabs={[
            { value: 'all', label: t('requests.all') },
            ...TYPES.map((value) => ({ value, label: t(`log.type.${value}`) })),
          ]}
          onChange={(type) => change({ type })}
        />
      </div>
      <div role="tabpanel" aria-labelledby={`log-${filter.type}`}>
        <Listed
          query={query}
          items={entries}
          waiting={<RecordSkeletons />}
          empty={
            <NoRecords title={t('log.empty')} hint={t(isFiltered ? 'list.emptyFilter' : 'log.emptyHint')} />
          }
        >
          <div className={`px-side ${css.list}`}>
            {statement && <StatementCard statement={statement} />}
            {isWide ? (
              <EntryTable entries={entries} more={more} />
            ) : (
              <>
                <RecordsByDay records={entries} timeOf={({ time }) => time}>
                  {(entry) => <EntryRow entry={entry} />}
                </RecordsByDay>
                <LoadMore {...more} />
              </>
            )}
          </div>
        </Listed>
      </div>
      <ExportDialog isOpen={isOpen} filter={filter} onClose={() => setOpen(false)} />
    </PullToRefresh>
  );
}

function useFundLog(filter: LogFilter) {
  const pages = usePages(['funds', 'log', filter], (cursor, signal) =>
    get('fund/log', { ...summarise(filter, serverNow()), limit: LIMIT, cursor }, { signal }),
  );
  const again = () => void pages.query.refetch();
  useOnNotice(again);
  useOnOrder(again);
  return pages;
}
