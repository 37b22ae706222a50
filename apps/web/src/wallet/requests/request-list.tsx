import { stateText } from '@fairtick/protocol/request-states';
import { Tabs } from '@fairtick/ui';
import { useEffect, useState } from 'react';
import { get } from '../../api/client.ts';
import { useText } from '../../messages/text-context.tsx';
import { FilterChip, FilterRow } from '../../parts/filter-chip.tsx';
import { LoadMore } from '../../parts/load-more.tsx';
import { QueryFault } from '../../parts/loaded.tsx';
import { moreState, usePages } from '../../parts/pages.ts';
import { PullToRefresh } from '../../parts/pull-to-refresh.tsx';
import { useWidth } from '../../parts/use-width.ts';
import { go } from '../../shell/navigate.ts';
import { NoRecords, RecordSkeletons, RecordsByDay } from '../parts/record-list.tsx';
import css from '../parts/records.module.css';
import { type Kind, REQUESTS, type Request, useLiveRequests } from '../parts/requests.ts';
import { keyOf, RequestRow, RequestTable } from './request-rows.tsx';
import { addressOf, merge, type RequestFilter, readDetail, readFilter, STATUSES } from './requests-model.ts';

const LIMIT = 20;

export function RequestList({ search, isShown }: { search: string; isShown: boolean }) {
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
  const more = { state: moreState(...queries), onMore: readMore };
  const isWide = useWidth() === 'desktop';
  return (
    <PullToRefresh
      onRefresh={() => Promise.all(queries.map((query) => query.refetch({ throwOnError: true })))}
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
            title={t('requests.empty')}
            hint={t(
              filter.type === 'all' && filter.status === 'all' ? 'requests.emptyHint' : 'list.emptyFilter',
            )}
          />
        ) : (
          <div className={`px-side ${css.list}`}>
            {isWide ? (
              <RequestTable requests={requests} more={more} />
            ) : (
              <>
                <RecordsByDay records={requests} timeOf={({ submittedAt }) => submittedAt} keyOf={keyOf}>
                  {(request) => <RequestRow request={request} />}
                </RecordsByDay>
                {isShown && <LoadMore {...more} />}
              </>
            )}
          </div>
        )}
      </div>
    </PullToRefresh>
  );
}

/** The filter in the address, so that links can set one; unchanged while a single request is shown. */
function useFilter(search: string) {
  const [filter, change] = useState(() => readFilter(search));
  const asked = addressOf(readFilter(search));
  const isDetail = readDetail(search) !== null;
  useEffect(() => {
    if (!isDetail) change(readFilter(asked.split('?')[1] ?? ''));
  }, [asked, isDetail]);
  const choose = (next: RequestFilter) => {
    change(next);
    go(addressOf(next), { isReplacing: true });
  };
  return { filter, choose };
}

function useRequests(kind: Kind, { type, status }: RequestFilter) {
  const { language } = useText();
  const read = async (cursor: string | undefined, signal: AbortSignal) => {
    const fields = { limit: LIMIT, status: status === 'all' ? undefined : status, cursor };
    if (kind === 'deposit') {
      const { items, nextCursor } = await get('recharge/list', fields, { signal });
      return { items: items.map((item): Request => ({ kind, ...item })), nextCursor };
    }
    const { items, nextCursor } = await get('withdraw/list', fields, { signal });
    return { items: items.map((item): Request => ({ kind, ...item })), nextCursor };
  };
  const key = [...REQUESTS, kind, 'list', status, language];
  return usePages(key, read, { enabled: type === 'all' || type === kind }).query;
}

function Head({ filter, onChange }: { filter: RequestFilter; onChange: (filter: RequestFilter) => void }) {
  const { t, language } = useText();
  return (
    <div className={css.head}>
      <FilterRow>
        <FilterChip
          label={t('requests.status')}
          value={filter.status}
          options={STATUSES.map((value) => ({
            value,
            label: value === 'all' ? t('wallet.allStatuses') : stateText(value, null, language),
          }))}
          onChange={(status) => onChange({ ...filter, status })}
        />
      </FilterRow>
      <Tabs
        label={t('requests.type')}
        id="requests"
        value={filter.type}
        className={css.tabs ?? ''}
        tabs={[
          { value: 'all', label: t('requests.all') },
          { value: 'deposit', label: t('log.type.deposit') },
          { value: 'withdrawal', label: t('log.type.withdrawal') },
        ]}
        onChange={(type) => onChange({ ...filter, type })}
      />
    </div>
  );
}
