import { Empty, SearchIcon, Skeleton, StarIcon, Tabs } from '@fairtick/ui';
import { untilLoaded } from '@fairtick/ui/load-code';
import { Fragment, use, useDeferredValue, useId, useLayoutEffect, useMemo, useState } from 'react';
import { type BoardRow, market, useSymbols } from '../../live/market.ts';
import { useText } from '../../messages/text-context.tsx';
import { later } from '../../parts/later.tsx';
import { useWidth } from '../../parts/use-width.ts';
import css from './market.module.css';
import { PriceRow } from './price-row.tsx';
import { GROUP, groupsOf, useIsOwnWatchlist, useWatchlist } from './watchlist.ts';

const WatchOrder = later(() => import('./watch-order.tsx'));

type MarketTab = 'watch' | 'all' | 'movers' | BoardRow['assetClass'];

const CLASSES = ['forex', 'metal', 'energy', 'index', 'stock', 'crypto'] as const;
export const HOME_TABS: readonly MarketTab[] = ['watch', 'movers', ...CLASSES];
export const LIST_TABS: readonly MarketTab[] = ['all', 'watch', ...CLASSES];

/** The list of a class that the address names, as in `/product?class=energy`; else all products. */
export const tabOf = (search: string): MarketTab => {
  const named = new URLSearchParams(search).get('class');
  return CLASSES.find((name) => name === named) ?? 'all';
};

/** Number of rows rendered at once; the rest follows when the browser is idle. */
const FIRST_ROWS = 12;
/** Of each class: among all together the coins would be alone. */
const MOVERS = 3;
const MORE = 20;

export function MarketList(props: {
  tabs: readonly MarketTab[];
  first: MarketTab;
  query?: string;
  currentSymbol?: string | null;
  hasSparks?: boolean;
  /** Lists more products below the watchlist, where a wide screen has room for them. */
  hasMore?: boolean;
}) {
  const { t } = useText();
  const [chosen, setTab] = useState(props.first);
  const id = useId();
  // On a wide screen the movers have a column of their own beside the list.
  const isWide = useWidth() === 'desktop';
  const offered = isWide ? props.tabs.filter((value) => value !== 'movers') : props.tabs;
  const tab = offered.includes(chosen) ? chosen : props.first;
  const isOwn = useIsOwnWatchlist();
  // After the first paint.
  const isReady = useDeferredValue(true, false);
  const tabs = offered.map((value) => ({
    value,
    label: t(value === 'watch' && !isOwn ? 'market.featured' : `market.${value}`),
  }));
  return (
    <section className={css.market}>
      <Tabs
        label={t('market.tabs')}
        id={id}
        value={tab}
        tabs={tabs}
        onChange={setTab}
        className={css.marketTabs ?? ''}
      />
      <div role="tabpanel" aria-labelledby={`${id}-${tab}`}>
        <p className={`caption px-side ${css.span}`}>{t('market.span')}</p>
        {tab === 'movers' && !props.query ? (
          <MoverRows hasSparks={props.hasSparks ?? true} />
        ) : (
          <Rows
            tab={tab}
            query={props.query ?? ''}
            currentSymbol={props.currentSymbol ?? null}
            hasSparks={props.hasSparks ?? true}
          />
        )}
        {tab === 'watch' && !props.query && <div className={css.reorder}>{isReady && <WatchOrder />}</div>}
        {props.hasMore && tab === 'watch' && !props.query && <More />}
      </div>
    </section>
  );
}

/** Products that are not on the watchlist, in the market's order; on a phone none. */
function More() {
  const { t } = useText();
  const isPhone = useWidth() === 'phone';
  const all = useSymbols();
  const watched = useWatchlist();
  // After the first paint: the watchlist comes first.
  const isReady = useDeferredValue(true, false);
  const symbols = all.filter((symbol) => !watched.includes(symbol)).slice(0, MORE);
  if (isPhone || !isReady || symbols.length === 0) return null;
  return (
    <>
      <h2 className={`mt-24 line-above ${css.moreTitle}`}>{t('market.more')}</h2>
      <ul className={css.rows} aria-label={t('market.more')}>
        {symbols.map((symbol) => (
          <PriceRow key={symbol} symbol={symbol} hasSpark />
        ))}
      </ul>
    </>
  );
}

/** The products that moved most, as a column of their own on a wide screen. */
export function Movers() {
  const { t } = useText();
  const isWide = useWidth() === 'desktop';
  if (!isWide) return null;
  return (
    <section className={css.market}>
      <h2 className={css.moversTitle}>{t('market.movers')}</h2>
      <MoverRows hasSparks={false} />
    </section>
  );
}

/** The products of each class that moved most. */
function MoverRows({ hasSparks }: { hasSparks: boolean }) {
  const { t } = useText();
  const movers = useMovers();
  if (movers.length === 0) return <RowSkeletons />;
  return movers.map(({ name, symbols }) => (
    <Fragment key={name}>
      <h3 className={`text-12 ink-3 ${css.moverClass}`}>{t(`market.${name}`)}</h3>
      <ul className={css.rows} aria-label={`${t('market.movers')}: ${t(`market.${name}`)}`}>
        {symbols.map((symbol, at) => (
          // A mover with a new rank is a new element, which causes no layout shift.
          <PriceRow key={`${at} ${symbol}`} symbol={symbol} hasSpark={hasSparks} />
        ))}
      </ul>
    </Fragment>
  ));
}

function Rows(props: { tab: MarketTab; query: string; currentSymbol: string | null; hasSparks: boolean }) {
  const { t } = useText();
  const query = useDeferredValue(props.query);
  const symbols = useSymbolsOf(props.tab, query);
  const count = useDeferredValue(symbols?.length ?? 0, FIRST_ROWS);
  if (symbols === null) return <RowSkeletons />;
  if (symbols.length === 0) {
    return query !== '' ? (
      <Empty icon={<SearchIcon size={28} />} title={t('market.nothingFound')}>
        {t('market.nothingFoundHint')}
      </Empty>
    ) : (
      <Empty icon={<StarIcon size={28} />} title={t('market.watchEmpty')}>
        {t('market.watchEmptyHint')}
      </Empty>
    );
  }
  return groupsOf(symbols.slice(0, Math.max(count, FIRST_ROWS))).map((group) => (
    <Fragment key={group.name}>
      {group.name !== '' && <h3 className={`text-12 ink-3 ${css.moverClass}`}>{group.name}</h3>}
      <ul className={css.rows} aria-label={group.name || t('market.tabs')}>
        {group.symbols.map((symbol) => (
          <PriceRow
            key={symbol}
            symbol={symbol}
            isCurrent={symbol === props.currentSymbol}
            hasSpark={props.hasSparks}
          />
        ))}
      </ul>
    </Fragment>
  ));
}

/** The symbols of a tab with names of groups, or the results of a search over all tabs; null until the list is loaded. */
function useSymbolsOf(tab: MarketTab, query: string): readonly string[] | null {
  const all = useSymbols();
  const watched = useWatchlist();
  const found = useFound(all, query);
  return useMemo(() => {
    if (all.length === 0) return null;
    if (found) return found;
    switch (tab) {
      case 'all':
        return all;
      case 'watch':
        return watched.filter((entry) => entry.startsWith(GROUP) || market.get(entry));
      default:
        return all.filter((symbol) => market.get(symbol)?.assetClass === tab);
    }
  }, [all, tab, found, watched]);
}

let search: ReturnType<typeof importSearch> | null = null;
const importSearch = () => untilLoaded(() => import('@fairtick/ui/search-products'));

/** Loads the words by which products are found, once somebody turns to a search. */
export const loadSearch = () => {
  search ??= importSearch();
  return search;
};

function useFound(symbols: readonly string[], query: string): readonly string[] | null {
  // The query is a deferred value: until the words are there, the rows stay as they are.
  const words = query.trim() === '' ? null : use(loadSearch());
  const find = useMemo(
    () => words?.searchProducts(symbols.flatMap((symbol) => market.get(symbol) ?? [])),
    [words, symbols],
  );
  return useMemo(() => find?.(query).map(({ symbol }) => symbol) ?? null, [find, query]);
}

/**
 * The open products of each class that moved most today, up or down. They are ranked when the list is opened and when the reader comes back to the
 * page: no row moves while somebody reads or taps it.
 */
function useMovers(): ReturnType<typeof computeMovers> {
  const isKnown = useSymbols().length > 0;
  const [movers, setMovers] = useState<ReturnType<typeof computeMovers>>([]);
  // A layout effect: before painting, so that the list is never shown empty.
  useLayoutEffect(() => {
    if (!isKnown) return;
    const rank = () => document.visibilityState === 'visible' && setMovers(computeMovers());
    rank();
    document.addEventListener('visibilitychange', rank);
    return () => document.removeEventListener('visibilitychange', rank);
  }, [isKnown]);
  return movers;
}

const computeMovers = () => {
  const moved = market
    .all()
    .filter((row) => row.isOpen && row.changeRate !== null)
    .sort((a, b) => Math.abs(Number(b.changeRate)) - Math.abs(Number(a.changeRate)));
  return CLASSES.flatMap((name) => {
    const symbols = moved.filter(({ assetClass }) => assetClass === name).map(({ symbol }) => symbol);
    return symbols.length === 0 ? [] : [{ name, symbols: symbols.slice(0, MOVERS) }];
  });
};

function RowSkeletons() {
  return (
    <ul className={css.rows} aria-busy="true">
      {Array.from({ length: 8 }, (_, at) => (
        <li key={at} className={css.row}>
          <span className={css.rowLink}>
            <span className={`stack fill ${css.rowName}`}>
              <Skeleton width={84} height={18} />
              <Skeleton width={56} height={12} />
            </span>
            <span className={`flex-column items-end ${css.rowPrice}`}>
              <Skeleton width={76} height={18} />
              <Skeleton width={52} height={12} />
            </span>
          </span>
        </li>
      ))}
    </ul>
  );
}
