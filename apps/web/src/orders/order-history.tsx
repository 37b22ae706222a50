import type { Order } from '@fairtick/protocol';
import { Empty, FileIcon, Skeleton, Tabs } from '@fairtick/ui';
import { groupBy } from '@fairtick/ui/group-by';
import { useMemo, useState } from 'react';
import { get } from '../api/client.ts';
import { useAnswer } from '../api/use-answer.ts';
import { serverNow } from '../live/clock.ts';
import { useSymbols } from '../live/market.ts';
import { laterOf, useOnOrder } from '../live/orders.ts';
import { useText } from '../messages/text-context.tsx';
import { AssetFilter, FilterChip, FilterRow } from '../parts/filter-chip.tsx';
import { LoadMore } from '../parts/load-more.tsx';
import { Listed } from '../parts/loaded.tsx';
import { usePages } from '../parts/pages.ts';
import { ALL_DAYS, type Period, timesOf } from '../parts/period.ts';
import { PeriodFilter } from '../parts/period-filter.tsx';
import { PullToRefresh } from '../parts/pull-to-refresh.tsx';
import { useWidth } from '../parts/use-width.ts';
import { useNavbar } from '../shell/navbar.tsx';
import { formatDay } from '../state/format.ts';
import { ExportDialog } from './export-dialog.tsx';
import css from './history.module.css';
import { OrderCard } from './order-card.tsx';
import { OrderTable } from './order-table.tsx';
import { TotalsCard } from './totals-card.tsx';

type Status = 'all' | 'unsettled' | 'settled';
/** The server filters; `all` leaves nothing out. */
interface Filter extends Period {
  readonly status: Status;
  readonly symbol: string;
  readonly asset: string;
  readonly result: 'all' | NonNullable<Order['result']>;
}

const LIMIT = 20;
const EVERYTHING: Filter = { status: 'all', symbol: 'all', asset: 'all', result: 'all', ...ALL_DAYS };

/** The filter as fields for the server; an absent field filters nothing. */
type Asked = ReturnType<typeof askedOf>;
function askedOf(filter: Filter) {
  const chosen = (value: string) => (value === 'all' ? undefined : value);
  return {
    status: chosen(filter.status),
    symbol: chosen(filter.symbol),
    asset: chosen(filter.asset),
    result: chosen(filter.result),
    ...timesOf(filter, serverNow()),
  };
}

export function OrderHistory({ isShown }: { isShown: boolean }) {
  const { t } = useText();
  const [filter, setFilter] = useState<Filter>(EVERYTHING);
  const asked = useMemo(() => askedOf(filter), [filter]);
  const {
    query,
    items: listed,
    more,
  } = usePages(['orders', 'history', asked], (cursor, signal) =>
    get('order/list', { ...asked, limit: LIMIT, cursor }, { signal }),
  );
  const totals = useAnswer('order/totals', asked);
  useOnOrder(() => void totals.refetch());
  const live = useLiveOrders();
  const orders = query.data ? withLive(listed, live, { asked, isWhole: !query.hasNextPage }) : [];
  const isWide = useWidth() === 'desktop';
  const isFiltered = JSON.stringify(filter) !== JSON.stringify({ ...EVERYTHING, status: filter.status });
  const [isExporting, setExporting] = useState(false);
  const hasExport = isShown && orders.length > 0;
  useNavbar(
    useMemo(
      () => (hasExport ? { rightText: t('log.export'), onClickRight: () => setExporting(true) } : {}),
      [hasExport, t],
    ),
  );
  return (
    <PullToRefresh onRefresh={() => query.refetch({ throwOnError: true })}>
      <HistoryFilters filter={filter} onChange={setFilter} />
      <div role="tabpanel" aria-labelledby={`orders-${filter.status}`}>
        <Listed
          // Both at once: the sums stand above the list, which they must not move.
          query={totals.isPending && !query.error ? { ...query, data: undefined } : query}
          items={orders}
          waiting={<CardSkeletons />}
          empty={
            <Empty icon={<FileIcon size={28} />} title={t('orders.empty')}>
              {t(isFiltered ? 'list.emptyFilter' : 'orders.emptyHint')}
            </Empty>
          }
        >
          {totals.data && <TotalsCard totals={totals.data} />}
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
      <ExportDialog isOpen={isExporting} asked={asked} onClose={() => setExporting(false)} />
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
        <PeriodFilter value={filter} onChange={(period) => onChange({ ...filter, ...period })} />
        <FilterChip
          label={t('log.result')}
          value={filter.result}
          options={[
            { value: 'all', label: t('wallet.allStatuses') },
            { value: 'profit', label: t('orders.profit') },
            { value: 'loss', label: t('orders.loss') },
            { value: 'none', label: t('orders.noneOrVoid') },
          ]}
          onChange={(result) => onChange({ ...filter, result })}
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
  { asked, isWhole }: { asked: Asked; isWhole: boolean },
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
    .filter((order) => matches(order, asked))
    .sort((a, b) => Number(b.id) - Number(a.id));
}

const matches = (order: Order, { from = 0, to = Number.POSITIVE_INFINITY, ...asked }: Asked): boolean =>
  order.createdAt >= from &&
  order.createdAt <= to &&
  (['status', 'symbol', 'asset', 'result'] as const).every(
    (field) => asked[field] === undefined || asked[field] === order[field],
  );

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
