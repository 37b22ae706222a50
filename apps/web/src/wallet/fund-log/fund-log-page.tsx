import type { FundEntry } from '@fairtick/protocol';
import { Tabs } from '@fairtick/ui';
import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useMemo, useReducer, useState } from 'react';
import { get } from '../../api/client.ts';
import { Queries } from '../../api/query-client.tsx';
import { serverNow } from '../../live/clock.ts';
import { onNotice } from '../../live/notices.ts';
import { onOrder } from '../../live/orders.ts';
import type { MessageId } from '../../messages/text.ts';
import { useText, WithTexts } from '../../messages/text-context.tsx';
import { LoadMore } from '../../parts/load-more.tsx';
import { PullToRefresh } from '../../parts/pull-to-refresh.tsx';
import { QueryFault } from '../../parts/query-fault.tsx';
import { Link } from '../../shell/link.tsx';
import { useNavbar } from '../../shell/navbar.tsx';
import { formatAmount, formatSigned, formatTime } from '../../state/format.ts';
import { OutcomeTag } from '../parts/outcome-tag.tsx';
import { moreState, NoRecords, RecordSkeletons, RecordsByDay } from '../parts/record-list.tsx';
import css from '../parts/records.module.css';
import { DaysDialog } from './days-dialog.tsx';
import { ExportDialog } from './export-dialog.tsx';
import { EVERYTHING, type LogFilter, reduce, statementOf, summarise } from './fund-log-model.ts';
import { LogFilters } from './log-filters.tsx';
import { StatementCard } from './statement-card.tsx';

/** `/changeLog`: all movements of the customer's money with the balance after each, and a download. */
export default function FundLogPage() {
  return (
    <WithTexts part="wallet">
      <Queries>
        <ChangeLog />
      </Queries>
    </WithTexts>
  );
}

const LIMIT = 30;
const TYPES: readonly FundEntry['type'][] = [
  'deposit',
  'withdrawal',
  'purchase',
  'settlement',
  'earnIn',
  'earnOut',
  'interest',
];
export const TYPE_TEXTS: Readonly<Record<FundEntry['type'], MessageId>> = {
  deposit: 'log.type.deposit',
  withdrawal: 'log.type.withdrawal',
  purchase: 'log.type.purchase',
  settlement: 'log.type.settlement',
  earnIn: 'log.type.earnIn',
  earnOut: 'log.type.earnOut',
  interest: 'log.type.interest',
};

function ChangeLog() {
  const { t } = useText();
  const [filter, change] = useReducer(reduce, EVERYTHING);
  const [open, setOpen] = useState<'days' | 'export' | null>(null);
  useNavbar(useMemo(() => ({ rightText: t('log.export'), onClickRight: () => setOpen('export') }), [t]));
  const query = useFundLog(filter);
  const entries = query.data?.pages.flatMap(({ items }) => items) ?? [];
  const statement = query.hasNextPage ? null : statementOf(filter, entries);
  const isFiltered = JSON.stringify(filter) !== JSON.stringify(EVERYTHING);
  return (
    <PullToRefresh
      onRefresh={async () => {
        await query.refetch({ throwOnError: true });
      }}
    >
      <div className={css.head}>
        <LogFilters filter={filter} onChange={change} onChooseDays={() => setOpen('days')} />
        <Tabs
          label={t('log.types')}
          id="log"
          value={filter.type}
          className={css.tabs ?? ''}
          tabs={[
            { value: 'all', label: t('access.all') },
            ...TYPES.map((value) => ({ value, label: t(TYPE_TEXTS[value]) })),
          ]}
          onChange={(type) => change({ type: 'set', change: { type } })}
        />
      </div>
      <div role="tabpanel" aria-labelledby={`log-${filter.type}`}>
        {query.isPending ? (
          <RecordSkeletons />
        ) : !query.data ? (
          <QueryFault error={query.error} onAgain={() => void query.refetch()} />
        ) : entries.length === 0 ? (
          <NoRecords title={t('log.empty')} hint={t(isFiltered ? 'wallet.emptyFilter' : 'log.emptyHint')} />
        ) : (
          <div className={css.list}>
            {statement && <StatementCard statement={statement} />}
            <RecordsByDay records={entries} timeOf={({ time }) => time}>
              {(entry) => <EntryRow entry={entry} />}
            </RecordsByDay>
            <LoadMore state={moreState(query)} onMore={() => void query.fetchNextPage()} />
          </div>
        )}
      </div>
      <DaysDialog
        isOpen={open === 'days'}
        filter={filter}
        onChoose={(days) => {
          change({ type: 'days', ...days });
          setOpen(null);
        }}
        onClose={() => setOpen(null)}
      />
      <ExportDialog isOpen={open === 'export'} filter={filter} onClose={() => setOpen(null)} />
    </PullToRefresh>
  );
}

function useFundLog(filter: LogFilter) {
  const query = useInfiniteQuery({
    queryKey: ['funds', 'log', filter],
    queryFn: ({ pageParam, signal }) =>
      get(
        'fund/log',
        { ...summarise(filter, serverNow()), limit: LIMIT, cursor: pageParam ?? undefined },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
  const { refetch } = query;
  useEffect(() => {
    const again = () => void refetch();
    const leave = [onNotice(again), onOrder(again)];
    return () => {
      for (const stop of leave) stop();
    };
  }, [refetch]);
  return query;
}

function EntryRow({ entry }: { entry: FundEntry }) {
  const { t, tag } = useText();
  const { about, href } = useCause(entry);
  const isInterest = entry.type === 'interest';
  const isBack = isReturn(entry);
  const hasMoved = entry.balance !== null || isInterest;
  const inside: ReactNode = (
    <>
      <div>
        <span className={css.name}>
          {t(isBack ? 'log.withdrawalReturned' : TYPE_TEXTS[entry.type])}
          {/* The request failed; its money came back. */}
          {entry.result !== 'success' && !isBack && <OutcomeTag status={entry.result} />}
        </span>
        <p className={`caption ${css.note}`}>{`${formatTime(entry.time, tag)} · ${about}`}</p>
      </div>
      <div className={css.sum} data-still={hasMoved ? undefined : ''}>
        <b translate="no">{`${hasMoved ? formatSigned(entry.amount) : formatAmount(entry.amount)} ${entry.asset}`}</b>
        <small>
          {entry.balance === null
            ? t(isInterest ? 'log.intoEarnings' : 'log.notMoved')
            : t('log.balance', { amount: formatAmount(entry.balance) })}
        </small>
      </div>
    </>
  );
  return href ? (
    <Link href={href} className={css.row} data-entry={entry.id} data-type={entry.type}>
      {inside}
    </Link>
  ) : (
    <div className={css.row} data-entry={entry.id} data-type={entry.type}>
      {inside}
    </div>
  );
}

/** Whether the entry puts a withdrawal's held money back. */
const isReturn = ({ ref, amount }: FundEntry): boolean =>
  ref.startsWith('withdrawal:') && !amount.startsWith('-');

/** The cause of an entry in words, and a link to it. */
function useCause({ ref, order }: FundEntry): { about: string; href: string | null } {
  const { t } = useText();
  const [kind, id = ''] = ref.split(':');
  switch (kind) {
    case 'order':
      return {
        about: order
          ? `${order.symbol} · ${t('trade.minutes', { minutes: order.minutes })}`
          : t('log.ofOrder', { id }),
        href: `/historyOrder?id=${id}`,
      };
    case 'deposit':
      return { about: t('log.ofDeposit', { id }), href: `/accessLog?deposit=${id}` };
    case 'withdrawal':
      return { about: t('log.ofWithdrawal', { id }), href: `/accessLog?withdrawal=${id}` };
    case 'demo':
      return { about: t('log.ofPractice'), href: null };
    case 'correction':
      return { about: t('log.ofCorrection', { id }), href: null };
    case 'interest':
      return { about: t('log.ofDay', { day: id }), href: '/profit' };
    case 'earnings':
      return { about: t('log.ofEarnings', { id }), href: '/profit' };
    default:
      return { about: ref, href: null };
  }
}
