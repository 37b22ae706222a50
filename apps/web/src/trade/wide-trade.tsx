import { Button, ListIcon, Tabs } from '@fairtick/ui';
import { useMemo, useState } from 'react';
import { useSearch } from 'wouter/use-browser-location';
import { useRow } from '../live/market.ts';
import { useText } from '../messages/text-context.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { later } from '../parts/later.tsx';
import { pageOf } from '../parts/page.tsx';
import { useHasRoomForMarkets, useHasRoomForSparks } from '../parts/use-width.ts';
import { DemoMark } from '../shell/demo-mark.tsx';
import { HomeLink } from '../shell/home-link.tsx';
import { useNavbar } from '../shell/navbar.tsx';
import { VisitorControls } from '../shell/visitor-controls.tsx';
import { VisitorLinks } from '../shell/visitor-links.tsx';
import { formatPrice } from '../state/format.ts';
import { useIsLoggedIn } from '../state/session.ts';
import { ChartPanel } from './chart/chart-panel.tsx';
import { DesktopOrders } from './desktop-orders.tsx';
import { LatestTrades } from './latest-trades.tsx';
import { LogPulse } from './market/log-pulse.tsx';
import { LIST_TABS, MarketList, tabOf } from './market/market-list.tsx';
import listCss from './market/product-list.module.css';
import SearchBox from './market/search-box.tsx';
import { StaleNotice } from './market/stale-notice.tsx';
import { useProduct } from './market/use-product.ts';
import { PriceHeader } from './price-header.tsx';
import { AlertLink, WatchButton } from './product-bar.tsx';
import { UnknownProduct } from './product-screen.tsx';
import { Rules } from './rules.tsx';
import { openTicket } from './ticket/open-ticket.ts';
import Ticket from './ticket/ticket.tsx';
import css from './wide-trade.module.css';

const KeysHelp = later(() => import('./keys-help.tsx'), { part: 'chart' });

export default pageOf(null, Layout);

function Layout({ symbol }: { symbol: string }) {
  const hasMarkets = useHasRoomForMarkets();
  return (
    <div className={css.layout}>
      {hasMarkets && (
        <aside className={css.products}>
          <ProductColumn symbol={symbol} />
        </aside>
      )}
      <Middle key={symbol} symbol={symbol} hasDrawer={!hasMarkets} />
    </div>
  );
}

function ProductColumn({ symbol }: { symbol: string }) {
  const [query, setQuery] = useState('');
  const first = tabOf(useSearch());
  const hasSparks = useHasRoomForSparks();
  const { t } = useText();
  return (
    <>
      {/* Lets keyboard users skip the list of products. */}
      <button
        type="button"
        className={`px-16 strong ink touch ${css.skip}`}
        onClick={() => document.querySelector<HTMLElement>('[data-layout=column] input:checked')?.focus()}
      >
        {t('product.skipToTicket')}
      </button>
      <header className={listCss.header}>
        <SearchBox query={query} onQuery={setQuery} />
      </header>
      <MarketList
        key={first}
        tabs={LIST_TABS}
        first={first}
        query={query}
        currentSymbol={symbol}
        hasSparks={hasSparks}
      />
      <StaleNotice />
    </>
  );
}

type List = 'orders' | 'trades';

function Middle({ symbol, hasDrawer }: { symbol: string; hasDrawer: boolean }) {
  const { t } = useText();
  const { detail, refusal, decimals } = useProduct(symbol);
  const isMember = useIsLoggedIn();
  const [ticket] = useState(() => openTicket(symbol, null));
  const [list, setList] = useState<List>('orders');
  const [isRulesOpen, setRulesOpen] = useState(false);
  useNavbar(useMemo(() => ({ symbol }), [symbol]));
  if (refusal) return <UnknownProduct refusal={refusal} />;
  return (
    <>
      <div className={`flex-column min-0 ${css.middle}`}>
        <ProductTitle symbol={symbol} hasDrawer={hasDrawer} />
        <div className={`row wrap ${css.figures}`}>
          <PriceHeader symbol={symbol} detail={detail} />
          <DayFigures symbol={symbol} />
        </div>
        <ChartPanel symbol={symbol} decimals={decimals} height="fill" />
        <section className={`flex-column line-above ${css.lists}`}>
          <Tabs
            label={t('product.lists')}
            id="lists"
            value={list}
            onChange={setList}
            className={css.listTabs ?? ''}
            tabs={[
              { value: 'orders', label: t('orders.mine') },
              { value: 'trades', label: t('product.latestTrades') },
            ]}
          />
          <div role="tabpanel" aria-labelledby={`lists-${list}`} className={css.listBody}>
            {list === 'orders' ? <DesktopOrders symbol={symbol} /> : <LatestTrades symbol={symbol} />}
            {hasDrawer && <StaleNotice />}
          </div>
        </section>
      </div>
      <aside className={`flex-column ${css.ticket}`}>
        <Ticket ticket={ticket} detail={detail} onShowRules={() => setRulesOpen(true)} />
        <div className={css.pulse}>
          <LogPulse />
          {!hasDrawer && <KeysHelp />}
          {!isMember && <VisitorLinks className={css.links} />}
        </div>
      </aside>
      <Rules detail={detail} isOpen={isRulesOpen} onClose={() => setRulesOpen(false)} />
    </>
  );
}

function ProductTitle({ symbol, hasDrawer }: { symbol: string; hasDrawer: boolean }) {
  const { t } = useText();
  const row = useRow(symbol);
  const [isOpen, setOpen] = useState(false);
  return (
    <header className={`row gap-8 touch ${css.title}`}>
      {hasDrawer && <HomeLink />}
      {hasDrawer && (
        <span className="narrow">
          <DemoMark />
        </span>
      )}
      {hasDrawer && (
        <Button size="small" look="quiet" onClick={() => setOpen(true)}>
          <ListIcon size={18} />
          {t('title.product')}
        </Button>
      )}
      <h1 className="ellipsis title-17">{row?.name ?? symbol}</h1>
      <span className="note">{symbol}</span>
      <WatchButton symbol={symbol} />
      <AlertLink symbol={symbol} />
      {hasDrawer && (
        <span className="flex ml-auto">
          <VisitorControls isCompact />
        </span>
      )}
      {hasDrawer && (
        <Dialog title={t('title.product')} isOpen={isOpen} onClose={() => setOpen(false)}>
          <div className={css.drawer} onClickCapture={() => setOpen(false)}>
            <MarketList tabs={LIST_TABS} first="all" currentSymbol={symbol} hasSparks={false} />
          </div>
        </Dialog>
      )}
    </header>
  );
}

function DayFigures({ symbol }: { symbol: string }) {
  const { t } = useText();
  const row = useRow(symbol);
  return (
    <dl className={`flex gap-24 px-side text-12 ${css.day}`}>
      <div>
        <dt className="ink-3">{t('product.dayHigh')}</dt>
        <dd translate="no">{row?.high ? formatPrice(row.high) : '–'}</dd>
      </div>
      <div>
        <dt className="ink-3">{t('product.dayLow')}</dt>
        <dd translate="no">{row?.low ? formatPrice(row.low) : '–'}</dd>
      </div>
    </dl>
  );
}
