import type { Order } from '@fairtick/protocol';
import { Empty, FileIcon, Skeleton, Tabs } from '@fairtick/ui';
import { groupBy } from '@fairtick/ui/group-by';
import { useState } from 'react';
import { get } from '../api/client.ts';
import { useSymbols } from '../live/market.ts';
import { laterOf, useOnOrder } from '../live/orders.ts';
import { useText } from '../messages/text-context.tsx';
import { AssetFilter, FilterChip, FilterRow } from '../parts/filter-chip.tsx';
import { LoadMore } from '../parts/load-more.tsx';
import { Listed } from '../parts/loaded.tsx';
import { usePages } from '../parts/pages.ts';
import { PullToRefresh } from '../parts/pull-to-refresh.tsx';
import { useWidth } from '../parts/use-width.ts';
import { formatDay } from '../state/format.ts';
import css from './history.module.css';
import { OrderCard } from './order-card.tsx';
import { OrderTable } from './order-table.tsx';

type Status = 'all' | 'unsettled' | 'settled';
/** The server filters; `all` leaves nothing out. */
interface Filter {
  readonly status: Status;
  readonly symbol: string;
  readonly asset: string;
}

const LIMIT = 20;
const EVERYTHING: Filter = { status: 'all', symbol: 'all', asset: 'all' };

export function OrderHistory({ isShown }: { isShown: boolean }) {
  const { t } = useText();
  const [filter, setFilter] = useState<Filter>(EVERYTHING);
  const { query, items: listed, more } = useHistory(filter);
  const live = useLiveOrders();
  const orders = query.data ? withLive(listed, live, { filter, isWhole: !query.hasNextPage }) : [];
  const isWide = useWidth() === 'desktop';
  const isFiltered = filter.symbol !== 'all' || filter.asset !== 'all';
  return (
    <PullToRefresh onRefresh={() => query.refetch({ throwOnError: true })}>
      <HistoryFilters filter={filter} onChange={setFilter} />
      <div role="tabpanel" aria-labelledby={`orders-${filter.status}`}>
        <Listed
          query={query}
          items={orders}
          waiting={<CardSkeletons />}
          empty={
            <Empty icon={<FileIcon size={28} />} title={t('orders.empty')}>
              {t(isFiltered ? 'list.emptyFilter' : 'orders.emptyHint')}
            </Empty>
          }
        >
          {isWide ? (
            <div className={`pt-12 px-side ${css.list}`}>
              <OrderTable orders={orders} more={more} />
            </div>
          ) : (
            <>
              <OrdersByDay orders={orders} />
              {isShown && <LoadMore {...more} />}
            </>
          )}
        </Listed>
      </div>
    </PullToRefresh>
  );
}

function HistoryFilters({ filter, onChange }: { filter: Filter; onChange: (filter: Filter) => void }) {
  const { t } = useText();
  const symbols = useSymbols();
  return (
    <div className={css.head}>
      <FilterRow>
        <FilterChip
          label={t('orders.product')}
          value={filter.symbol}
          options={[
            { value: 'all', label: t('orders.allProducts') },
            ...symbols.map((symbol) => ({ value: symbol, label: symbol })),
          ]}
          onChange={(symbol) => onChange({ ...filter, symbol })}
        />
        <AssetFilter value={filter.asset} onChange={(asset) => onChange({ ...filter, asset })} />
      </FilterRow>
      <Tabs
        label={t('orders.status')}
        id="orders"
        value={filter.status}
        onChange={(status) => onChange({ ...filter, status })}
        className={css.tabs ?? ''}
        tabs={[
          { value: 'all', label: t('orders.statusAll') },
          { value: 'unsettled', label: t('orders.statusOpen') },
          { value: 'settled', label: t('orders.statusSettled') },
        ]}
      />
    </div>
  );
}

function OrdersByDay({ orders }: { orders: readonly Order[] }) {
  const { tag } = useText();
  const days = groupBy(orders, (order) => formatDay(order.createdAt, tag));
  return (
    <div className={`pt-12 px-side ${css.list}`}>
      {[...days].map(([day, ofDay]) => (
        <section key={day}>
          <h2 className={`text-13 ink-3 ${css.day}`}>{day}</h2>
          <div className="stack gap-10 mb-16">
            {ofDay.map((order) => (
              <OrderCard key={order.id} order={order} />
            ))}
          </div>
        </section>
      ))}
    </div>
  );
}

function useHistory(filter: Filter) {
  const chosen = (value: string) => (value === 'all' ? undefined : value);
  const fields = {
    limit: LIMIT,
    status: filter.status === 'all' ? undefined : filter.status,
    symbol: chosen(filter.symbol),
    asset: chosen(filter.asset),
  };
  return usePages(['orders', 'history', filter], (cursor, signal) =>
    get('order/list', { ...fields, cursor }, { signal }),
  );
}

/**
 * Changes of orders since the list was opened, by id. Kept beside the pages instead of in them, because a page still loading
 * would overwrite them.
 */
function useLiveOrders(): ReadonlyMap<string, Order> {
  const [live, setLive] = useState<ReadonlyMap<string, Order>>(new Map());
  useOnOrder((order) =>
    setLive((known) => new Map(known).set(order.id, laterOf(known.get(order.id), order))),
  );
  return live;
}

/** Merges changes into the list: a known order changes in place, a new one goes on top, one that no longer matches is removed. */
function withLive(
  listed: readonly Order[],
  live: ReadonlyMap<string, Order>,
  { filter, isWhole }: { filter: Filter; isWhole: boolean },
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
    .filter((order) => matches(order, filter))
    .sort((a, b) => Number(b.id) - Number(a.id));
}

const matches = (order: Order, { status, symbol, asset }: Filter): boolean =>
  (status === 'all' || order.status === status) &&
  (symbol === 'all' || order.symbol === symbol) &&
  (asset === 'all' || order.asset === asset);

function CardSkeletons() {
  return (
    <div className={`pt-12 px-side ${css.list}`} aria-busy="true">
      <div className="stack gap-10 mb-16">
        {Array.from({ length: 5 }, (_, at) => (
          <Skeleton key={at} width="100%" height={74} />
        ))}
      </div>
    </div>
  );
}
