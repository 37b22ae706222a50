import type { Order } from '@fairtick/protocol';
import { Empty, FileIcon, Skeleton, Tabs } from '@fairtick/ui';
import { groupBy } from '@fairtick/ui/group-by';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { get } from '../api/client.ts';
import { laterOf, onOrder } from '../live/orders.ts';
import { useText } from '../messages/text-context.tsx';
import { LoadMore, type MoreState } from '../parts/load-more.tsx';
import { PullToRefresh } from '../parts/pull-to-refresh.tsx';
import { QueryFault } from '../parts/query-fault.tsx';
import { formatDay } from '../state/format.ts';
import css from './history.module.css';
import { OrderCard } from './order-card.tsx';

type Status = 'all' | 'unsettled' | 'settled';
interface Page {
  readonly items: Order[];
  readonly nextCursor: string | null;
}

const LIMIT = 20;

/** The customer's orders, newest first, filtered by status. */
export function OrderHistory({ isShown }: { isShown: boolean }) {
  const { t } = useText();
  const [status, setStatus] = useState<Status>('all');
  const query = useHistory(status);
  const live = useLiveOrders();
  const listed = query.data?.pages.flatMap((page) => page.items) ?? [];
  const orders = query.data ? withLive(listed, live, { status, isWhole: !query.hasNextPage }) : [];
  return (
    <PullToRefresh
      onRefresh={async () => {
        await query.refetch({ throwOnError: true });
      }}
    >
      <Tabs
        label={t('orders.status')}
        id="orders"
        value={status}
        onChange={setStatus}
        className={css.tabs ?? ''}
        tabs={[
          { value: 'all', label: t('orders.statusAll') },
          { value: 'unsettled', label: t('orders.statusOpen') },
          { value: 'settled', label: t('orders.statusSettled') },
        ]}
      />
      <div role="tabpanel" aria-labelledby={`orders-${status}`}>
        {query.isPending ? (
          <CardSkeletons />
        ) : orders.length === 0 ? (
          query.error ? (
            <QueryFault error={query.error} onAgain={() => void query.refetch()} />
          ) : (
            <Empty icon={<FileIcon size={28} />} title={t('orders.empty')}>
              {t('orders.emptyHint')}
            </Empty>
          )
        ) : (
          <>
            <OrdersByDay orders={orders} />
            {isShown && <LoadMore state={moreState(query)} onMore={() => void query.fetchNextPage()} />}
          </>
        )}
      </div>
    </PullToRefresh>
  );
}

function OrdersByDay({ orders }: { orders: readonly Order[] }) {
  const { tag } = useText();
  const days = groupBy(orders, (order) => formatDay(order.createdAt, tag));
  return (
    <div className={css.list}>
      {[...days].map(([day, ofDay]) => (
        <section key={day}>
          <h2 className={css.day}>{day}</h2>
          <div className={css.cards}>
            {ofDay.map((order) => (
              <OrderCard key={order.id} order={order} />
            ))}
          </div>
        </section>
      ))}
    </div>
  );
}

function useHistory(status: Status) {
  return useInfiniteQuery({
    queryKey: ['orders', 'history', status],
    queryFn: ({ pageParam, signal }) =>
      get(
        'order/list',
        { limit: LIMIT, status: status === 'all' ? undefined : status, cursor: pageParam ?? undefined },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page: Page) => page.nextCursor,
  });
}

/**
 * Changes of orders since the list was opened, by id. Kept beside the pages instead of in them, because a page still loading
 * would overwrite them.
 */
function useLiveOrders(): ReadonlyMap<string, Order> {
  const [live, setLive] = useState<ReadonlyMap<string, Order>>(new Map());
  useEffect(
    () =>
      onOrder((order) =>
        setLive((known) => new Map(known).set(order.id, laterOf(known.get(order.id), order))),
      ),
    [],
  );
  return live;
}

/** Merges changes into the list: a known order changes in place, a new one goes on top, one that no longer matches is removed. */
function withLive(
  listed: readonly Order[],
  live: ReadonlyMap<string, Order>,
  { status, isWhole }: { status: Status; isWhole: boolean },
): readonly Order[] {
  const orders = new Map(listed.map((order) => [order.id, order]));
  const oldest = Number(listed.at(-1)?.id ?? 0);
  for (const order of live.values()) {
    const known = orders.get(order.id);
    // Orders older than the loaded pages come with the next page.
    const isInReach = known !== undefined || isWhole || Number(order.id) > oldest;
    if (isInReach) orders.set(order.id, laterOf(known, order));
  }
  return [...orders.values()]
    .filter((order) => status === 'all' || order.status === status)
    .sort((a, b) => Number(b.id) - Number(a.id));
}

function moreState(query: ReturnType<typeof useHistory>): MoreState {
  if (query.isFetchingNextPage) return 'loading';
  if (query.isFetchNextPageError) return 'fault';
  return query.hasNextPage ? 'more' : 'end';
}

function CardSkeletons() {
  return (
    <div className={css.list} aria-busy="true">
      <div className={css.cards}>
        {Array.from({ length: 5 }, (_, at) => (
          <Skeleton key={at} width="100%" height={74} />
        ))}
      </div>
    </div>
  );
}
