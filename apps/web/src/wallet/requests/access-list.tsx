import { Tabs } from '@fairtick/ui';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useReducer } from 'react';
import { get } from '../../api/client.ts';
import { useText } from '../../messages/text-context.tsx';
import { LoadMore } from '../../parts/load-more.tsx';
import { PullToRefresh } from '../../parts/pull-to-refresh.tsx';
import { QueryFault } from '../../parts/query-fault.tsx';
import { Link } from '../../shell/link.tsx';
import { go } from '../../shell/navigate.ts';
import { formatAmount, formatTime } from '../../state/format.ts';
import { FilterChip } from '../parts/filter-chip.tsx';
import { OutcomeTag } from '../parts/outcome-tag.tsx';
import { moreState, NoRecords, RecordSkeletons, RecordsByDay } from '../parts/record-list.tsx';
import css from '../parts/records.module.css';
import { isApproved, STATUS_TEXTS } from '../parts/request-words.ts';
import { type Kind, REQUESTS, type Request, useLiveRequests } from '../parts/requests.ts';
import {
  type AccessFilter,
  addressOf,
  merge,
  readDetail,
  readFilter,
  reduce,
  STATUSES,
} from './requests-model.ts';

const LIMIT = 20;

/** Deposits and withdrawals, newest first, by type and status. */
export function AccessList({ search, isShown }: { search: string; isShown: boolean }) {
  const { t } = useText();
  const { filter, choose } = useFilter(search);
  const deposits = useRequests('deposit', filter);
  const withdrawals = useRequests('withdrawal', filter);
  useLiveRequests();
  const queries = [
    ...(filter.type === 'withdrawal' ? [] : [deposits]),
    ...(filter.type === 'deposit' ? [] : [withdrawals]),
  ];
  const fault = queries.find(({ data, error }) => !data && error);
  const requests = merge(
    queries.map(({ data, hasNextPage }) => ({
      items: data?.pages.flatMap(({ items }) => items) ?? [],
      hasMore: hasNextPage,
    })),
  );
  const readMore = () => {
    for (const query of queries)
      if (query.hasNextPage && !query.isFetchingNextPage) void query.fetchNextPage();
  };
  return (
    <PullToRefresh
      onRefresh={async () => {
        await Promise.all(queries.map((query) => query.refetch({ throwOnError: true })));
      }}
    >
      <Head filter={filter} onChange={choose} />
      <div role="tabpanel" aria-labelledby={`requests-${filter.type}`}>
        {queries.some(({ isPending }) => isPending) ? (
          <RecordSkeletons />
        ) : fault ? (
          <QueryFault
            error={fault.error}
            onAgain={() => {
              for (const query of queries) void query.refetch();
            }}
          />
        ) : requests.length === 0 && moreState(...queries) === 'end' ? (
          <NoRecords
            title={t('access.empty')}
            hint={t(
              filter.type === 'all' && filter.status === 'all' ? 'access.emptyHint' : 'wallet.emptyFilter',
            )}
          />
        ) : (
          <div className={css.list}>
            <RecordsByDay
              records={requests}
              timeOf={({ submittedAt }) => submittedAt}
              keyOf={({ kind, id }) => `${kind}${id}`}
            >
              {(request) => <RequestRow request={request} />}
            </RecordsByDay>
            {isShown && <LoadMore state={moreState(...queries)} onMore={readMore} />}
          </div>
        )}
      </div>
    </PullToRefresh>
  );
}

/** The filter in the address, so that links can set one; unchanged while a single request is shown. */
function useFilter(search: string) {
  const [filter, change] = useReducer((_: AccessFilter, next: AccessFilter) => next, readFilter(search));
  const asked = addressOf(readFilter(search));
  const isDetail = readDetail(search) !== null;
  useEffect(() => {
    if (!isDetail) change(readFilter(asked.split('?')[1] ?? ''));
  }, [asked, isDetail]);
  const choose = (next: AccessFilter) => {
    change(next);
    go(addressOf(next), { isReplacing: true });
  };
  return { filter, choose };
}

function useRequests(kind: Kind, { type, status }: AccessFilter) {
  const { language } = useText();
  return useInfiniteQuery({
    queryKey: [...REQUESTS, kind, 'list', status, language],
    queryFn: async ({ pageParam, signal }): Promise<{ items: Request[]; nextCursor: string | null }> => {
      const fields = {
        limit: LIMIT,
        status: status === 'all' ? undefined : status,
        cursor: pageParam ?? undefined,
      };
      if (kind === 'deposit') {
        const { items, nextCursor } = await get('recharge/list', fields, { signal });
        return { items: items.map((item) => ({ kind, ...item })), nextCursor };
      }
      const { items, nextCursor } = await get('withdraw/list', fields, { signal });
      return { items: items.map((item) => ({ kind, ...item })), nextCursor };
    },
    enabled: type === 'all' || type === kind,
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
}

function Head({ filter, onChange }: { filter: AccessFilter; onChange: (filter: AccessFilter) => void }) {
  const { t } = useText();
  return (
    <div className={css.head}>
      <div className={css.filters}>
        <FilterChip
          label={t('access.status')}
          value={filter.status}
          options={STATUSES.map((value) => ({
            value,
            label: t(value === 'all' ? 'wallet.allStatuses' : STATUS_TEXTS[value]),
          }))}
          onChange={(value) => onChange(reduce(filter, { type: 'status', value }))}
        />
      </div>
      <Tabs
        label={t('access.type')}
        id="requests"
        value={filter.type}
        className={css.tabs ?? ''}
        tabs={[
          { value: 'all', label: t('access.all') },
          { value: 'deposit', label: t('title.recharge') },
          { value: 'withdrawal', label: t('title.with') },
        ]}
        onChange={(value) => onChange(reduce(filter, { type: 'type', value }))}
      />
    </div>
  );
}

function RequestRow({ request }: { request: Request }) {
  const { t, tag } = useText();
  const isDeposit = request.kind === 'deposit';
  const where = isDeposit
    ? request.network === 'bank'
      ? t('deposit.bankTransfer')
      : request.network
    : request.destination.label;
  const amount = isDeposit ? (request.credited ?? request.amount) : request.amount;
  return (
    <Link
      href={`/accessLog?${request.kind}=${request.id}`}
      className={css.row}
      data-request={`${request.kind}:${request.id}`}
      data-status={request.status}
    >
      <div>
        <span className={css.name}>
          {t(isDeposit ? 'log.type.deposit' : 'log.type.withdrawal')}
          <OutcomeTag status={request.status} isApproved={isApproved(request)} />
        </span>
        <p className={`caption ${css.note}`}>{`${formatTime(request.submittedAt, tag)} · ${where}`}</p>
      </div>
      <div className={css.sum} data-still={request.status === 'success' ? undefined : ''}>
        <b translate="no">{`${signOf(request)}${formatAmount(amount)} ${request.asset}`}</b>
      </div>
    </Link>
  );
}

/** The sign of what moved: a withdrawal is held from its submission, a deposit moves only once it is credited. */
function signOf({ kind, status }: Request): string {
  if (kind === 'deposit') return status === 'success' ? '+' : '';
  return status === 'success' || status === 'review' ? '\u2212' : '';
}
