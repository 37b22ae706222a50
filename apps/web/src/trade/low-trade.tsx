import { BackIcon, IconButton } from '@fairtick/ui';
import { useMemo, useState } from 'react';
import { useText } from '../messages/text-context.tsx';
import { pageOf } from '../parts/page.tsx';
import { DemoMark } from '../shell/demo-mark.tsx';
import { useNavbar } from '../shell/navbar.tsx';
import { goBack } from '../shell/navigate.ts';
import { ChartPanel } from './chart/chart-panel.tsx';
import css from './low-trade.module.css';
import { StaleNotice } from './market/stale-notice.tsx';
import { useProduct } from './market/use-product.ts';
import { PriceHeader } from './price-header.tsx';
import { AlertLink, WatchButton } from './product-bar.tsx';
import { FullBuyButtons, Lists, OwnOrders, TicketOnDemand, UnknownProduct } from './product-screen.tsx';
import { Rules } from './rules.tsx';
import type { Entry } from './ticket/open-ticket.ts';

/** One product in a window that is wide and low, such as a phone held sideways: the chart in full height, the ticket on demand. */
export default pageOf(null, Product);

function Product({ symbol, entry }: { symbol: string; entry: Entry }) {
  const { t } = useText();
  const { detail, refusal, name, decimals } = useProduct(symbol);
  const { ticket, enter, leave } = entry;
  const [isRulesOpen, setRulesOpen] = useState(false);
  useNavbar(useMemo(() => ({ symbol }), [symbol]));
  return (
    <div className={css.layout} data-ticket={ticket !== null || undefined}>
      <div className={css.pane}>
        <div className={`flex-column ${css.screen}`}>
          <header className={`row rigid gap-4 ${css.head}`}>
            <IconButton label={t('shell.back')} onClick={() => (ticket === null ? goBack() : leave())}>
              <BackIcon />
            </IconButton>
            <DemoMark />
            <h1 className="ellipsis px-8 title-15">{name}</h1>
            {!refusal && (
              <span className="row rigid ml-auto">
                <AlertLink symbol={symbol} />
                <WatchButton symbol={symbol} />
                <button type="button" className="px-12 ink-2 touch" onClick={() => setRulesOpen(true)}>
                  {t('product.rules')}
                </button>
              </span>
            )}
          </header>
          {refusal ? (
            <UnknownProduct refusal={refusal} />
          ) : (
            <ChartPanel
              symbol={symbol}
              decimals={decimals}
              height="fill"
              buyButtons={<FullBuyButtons symbol={symbol} onChoose={enter} />}
            />
          )}
        </div>
        {!refusal && (
          <>
            <OwnOrders symbol={symbol} />
            <Lists symbol={symbol} />
            <StaleNotice />
          </>
        )}
      </div>
      {!refusal && (
        <aside className={`flex-column ${css.side}`}>
          <PriceHeader symbol={symbol} detail={detail} />
          <TicketOnDemand
            symbol={symbol}
            entry={entry}
            detail={detail}
            onShowRules={() => setRulesOpen(true)}
            isStacked
          />
        </aside>
      )}
      <Rules detail={detail} isOpen={isRulesOpen} onClose={() => setRulesOpen(false)} />
    </div>
  );
}
