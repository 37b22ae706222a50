import type { ProductDetail } from '@fairtick/protocol';
import type { Direction } from '@fairtick/trading';
import { Button, DirectionMark, Empty, FaultIcon, FileIcon, Tabs } from '@fairtick/ui';
import { untilLoaded } from '@fairtick/ui/load-code';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { RefusedError } from '../api/client.ts';
import { useText } from '../messages/text-context.tsx';
import { OrderCard } from '../orders/order-card.tsx';
import { useOpenOrders, useProductOrders } from '../orders/product-orders.ts';
import { later } from '../parts/later.tsx';
import { pageOf } from '../parts/page.tsx';
import { useNavbar } from '../shell/navbar.tsx';
import { go, goBack } from '../shell/navigate.ts';
import { ChartPanel } from './chart/chart-panel.tsx';
import { useFullScreen } from './chart/full-screen.tsx';
import { useKeyboardRoom } from './keyboard-room.ts';
import { LatestTrades } from './latest-trades.tsx';
import { StateLine } from './market/product-state.tsx';
import { StaleNotice } from './market/stale-notice.tsx';
import { useProduct } from './market/use-product.ts';
import { PriceHeader } from './price-header.tsx';
import css from './product.module.css';
import { BarActions } from './product-bar.tsx';
import { Rules } from './rules.tsx';
import type { Entry } from './ticket/open-ticket.ts';
import { useProductState } from './ticket/own-state.ts';

const loadTicket = () => import('./ticket/ticket.tsx');
const Ticket = later(loadTicket);
const loadLine = () => import('./live-line.tsx');
const LiveLine = later(loadLine);

export default pageOf(null, Product);

function Product({ symbol, entry }: { symbol: string; entry: Entry }) {
  const { t } = useText();
  const { detail, refusal, name, decimals } = useProduct(symbol);
  const { ticket, enter, leave } = entry;
  const [isRulesOpen, setRulesOpen] = useState(false);
  useKeyboardRoom();
  const onClickRight = useCallback(() => setRulesOpen(true), []);
  const onBack = useCallback(() => (ticket === null ? goBack() : leave()), [ticket, leave]);
  useNavbar(
    useMemo(
      () => ({
        title: name,
        symbol,
        onBack,
        ...(!refusal && {
          rightText: t('product.rules'),
          onClickRight,
          right: <BarActions symbol={symbol} />,
        }),
      }),
      [name, t, onClickRight, onBack, symbol, refusal],
    ),
  );
  if (refusal) return <UnknownProduct refusal={refusal} />;
  return (
    <div className={`flex-column ${css.screen}`} data-ticket={ticket !== null || undefined}>
      <div className={css.stage}>
        <PriceHeader symbol={symbol} detail={detail} />
        {ticket !== null && <LiveLine symbol={symbol} />}
        {/* Beside the ticket there is room for a line, and the chart waits for the way back. */}
        <div hidden={ticket !== null}>
          <ChartPanel
            symbol={symbol}
            decimals={decimals}
            height="tall"
            buyButtons={<FullBuyButtons symbol={symbol} onChoose={enter} />}
          />
        </div>
      </div>
      {ticket === null && (
        <>
          <OwnOrders symbol={symbol} />
          <Lists symbol={symbol} />
        </>
      )}
      <div className={css.foot}>
        <StaleNotice />
        <TicketOnDemand symbol={symbol} entry={entry} detail={detail} onShowRules={onClickRight} />
      </div>
      <Rules detail={detail} isOpen={isRulesOpen} onClose={() => setRulesOpen(false)} />
    </div>
  );
}

export function TicketOnDemand(props: {
  symbol: string;
  entry: Entry;
  detail: ProductDetail | null;
  onShowRules: () => void;
  /** One button below the other, for a narrow column. */
  isStacked?: boolean;
}) {
  const { symbol, isStacked, detail, onShowRules } = props;
  const { ticket, taken, enter, leave } = props.entry;
  if (ticket === null)
    return <EntryBar symbol={symbol} taken={taken} onChoose={enter} isStacked={isStacked ?? false} />;
  return <Ticket ticket={ticket} detail={detail} onClose={leave} onShowRules={onShowRules} />;
}

/** In place of a product that the server does not know. */
export function UnknownProduct({ refusal }: { refusal: RefusedError }) {
  const { t } = useText();
  return (
    <Empty icon={<FaultIcon size={28} />} title={refusal.message}>
      {t('product.unknownHint')}
      <Button size="small" className="mt-16" onClick={() => go('/product', { isReplacing: true })}>
        {t('product.backToList')}
      </Button>
    </Empty>
  );
}

export function OwnOrders({ symbol }: { symbol: string }) {
  const own = useOpenOrders(symbol);
  if (own.length === 0) return null;
  return (
    <section className="stack gap-10 mt-8 mx-side">
      {own.slice(0, 3).map((order) => (
        <OrderCard key={order.id} order={order} hasProduct={false} />
      ))}
    </section>
  );
}

/** The customer's newest orders of a product, whatever became of them. */
function MyOrders({ symbol }: { symbol: string }) {
  const { t } = useText();
  const orders = useProductOrders(symbol);
  if (!orders || orders.length === 0) {
    return (
      <Empty icon={<FileIcon size={28} />} title={t('orders.emptyProduct')}>
        {t('orders.emptyHint')}
      </Empty>
    );
  }
  return (
    <div className={`stack gap-10 ${css.orderCards}`}>
      {orders.map((order) => (
        <OrderCard key={order.id} order={order} hasProduct={false} />
      ))}
    </div>
  );
}

type List = 'trades' | 'orders';

export function Lists({ symbol }: { symbol: string }) {
  const { t } = useText();
  const [list, setList] = useState<List>('trades');
  return (
    <section className="grow mt-14 mx-side">
      <Tabs
        label={t('product.lists')}
        id="lists"
        value={list}
        onChange={setList}
        tabs={[
          { value: 'trades', label: t('product.latestTrades') },
          { value: 'orders', label: t('orders.mine') },
        ]}
      />
      <div role="tabpanel" aria-labelledby={`lists-${list}`}>
        {list === 'trades' ? <LatestTrades symbol={symbol} /> : <MyOrders symbol={symbol} />}
      </div>
    </section>
  );
}

/** The two buttons in full screen, which leave it for the ticket. */
export function FullBuyButtons(props: { symbol: string; onChoose: (direction: Direction) => void }) {
  const choose = (direction: Direction) => {
    useFullScreen.setState({ symbol: null });
    props.onChoose(direction);
  };
  return <EntryBar symbol={props.symbol} taken={null} onChoose={choose} />;
}

/**
 * The two buttons that open the ticket; while the product takes no orders or the customer is on a break, also the reason and its end.
 */
function EntryBar(props: {
  symbol: string;
  taken: Direction | null;
  onChoose: (direction: Direction) => void;
  isStacked?: boolean;
}) {
  const { symbol, taken, onChoose, isStacked = false } = props;
  const { t } = useText();
  const state = useProductState(symbol);
  useEffect(() => {
    // Preloaded, so that the ticket opens at once, even if the connection is gone by then.
    void untilLoaded(loadTicket);
    if (!isStacked) void untilLoaded(loadLine);
  }, [isStacked]);
  const back = useRef<HTMLButtonElement>(null);
  useEffect(() => back.current?.focus({ preventScroll: true }), []);
  return (
    <div className={`halves gap-12 line-above ${css.entryBar}`} data-stacked={isStacked || undefined}>
      {state && (
        <div className={css.closed}>
          <StateLine state={state} />
        </div>
      )}
      {(['up', 'down'] as const).map((direction) => (
        <Button
          key={direction}
          ref={direction === taken ? back : null}
          look="quiet"
          isBlock
          disabled={state !== null}
          onClick={() => onChoose(direction)}
        >
          <DirectionMark way={direction} className={css.entryMark ?? ''}>
            <span>{t(`trade.${direction}`)}</span>
          </DirectionMark>
        </Button>
      ))}
    </div>
  );
}
