import type { Direction } from '@fairtick/trading';
import { BackIcon, Button, Empty, FaultIcon, IconButton } from '@fairtick/ui';
import { untilLoaded } from '@fairtick/ui/load-code';
import { lazy, Suspense, useState } from 'react';
import { RefusedError } from '../api/client.ts';
import { Queries } from '../api/query-client.tsx';
import { useText } from '../messages/text-context.tsx';
import { DemoMark } from '../shell/demo-mark.tsx';
import { go, goBack } from '../shell/navigate.ts';
import { useRow } from '../state/market.ts';
import css from './low-trade.module.css';
import { ProductChart } from './open-order/product-chart.tsx';
import { PriceHeader } from './price-header.tsx';
import { AlertLink, EntryBar, Lists, OwnOrders, WatchButton } from './product-screen.tsx';
import { RulesDialog } from './rules-dialog.tsx';
import { StaleNotice } from './stale-notice.tsx';
import { useDetail, useWatched } from './use-detail.ts';

const Ticket = lazy(() => untilLoaded(() => import('./ticket/ticket.tsx')));

/** One product in a window that is wide and low, such as a phone held sideways: the chart in full height, the ticket on demand. */
export default function LowTrade({ symbol }: { symbol: string }) {
  return (
    <Queries>
      <Product symbol={symbol} />
    </Queries>
  );
}

function Product({ symbol }: { symbol: string }) {
  const { t } = useText();
  const row = useRow(symbol);
  const { detail, error } = useDetail(symbol);
  const [entry, setEntry] = useState<Direction | null>(null);
  /** The button that last opened the ticket; it gets the focus back on closing. */
  const [taken, setTaken] = useState<Direction | null>(null);
  const [isRulesOpen, setRulesOpen] = useState(false);
  useWatched(symbol);
  const enter = (direction: Direction) => {
    setTaken(direction);
    setEntry(direction);
  };
  const isRefused = error instanceof RefusedError;
  return (
    <div className={css.layout} data-ticket={entry !== null || undefined}>
      <div className={css.pane}>
        <div className={css.screen}>
          <header className={css.head}>
            <IconButton label={t('shell.back')} onClick={() => (entry === null ? goBack() : setEntry(null))}>
              <BackIcon />
            </IconButton>
            <DemoMark />
            <h1>{row?.name ?? detail?.name ?? symbol}</h1>
            <span className={css.actions}>
              <AlertLink symbol={symbol} />
              <WatchButton symbol={symbol} />
              <button type="button" className={css.rules} onClick={() => setRulesOpen(true)}>
                {t('product.rules')}
              </button>
            </span>
          </header>
          {isRefused ? (
            <Empty icon={<FaultIcon size={28} />} title={error.message}>
              <Button size="small" onClick={() => go('/product', { isReplacing: true })}>
                {t('product.backToList')}
              </Button>
            </Empty>
          ) : (
            <ProductChart symbol={symbol} decimals={row?.decimals ?? detail?.decimals ?? 2} height="fill" />
          )}
        </div>
        {!isRefused && (
          <>
            <OwnOrders symbol={symbol} />
            <Lists symbol={symbol} />
            <StaleNotice />
          </>
        )}
      </div>
      {!isRefused && (
        <aside className={css.side}>
          <PriceHeader symbol={symbol} detail={detail} />
          {entry === null ? (
            <EntryBar symbol={symbol} taken={taken} onChoose={enter} isStacked />
          ) : (
            <Suspense>
              <Ticket
                symbol={symbol}
                detail={detail}
                first={entry}
                layout="sheet"
                onClose={() => setEntry(null)}
                onShowRules={() => setRulesOpen(true)}
              />
            </Suspense>
          )}
        </aside>
      )}
      {detail && <RulesDialog detail={detail} isOpen={isRulesOpen} onClose={() => setRulesOpen(false)} />}
    </div>
  );
}
