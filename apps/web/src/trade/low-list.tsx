import { useState } from 'react';
import { pageOf } from '../parts/page.tsx';
import { Link } from '../shell/link.tsx';
import css from './low-trade.module.css';
import { ProductListScreen } from './market/product-list-screen.tsx';
import { useProduct } from './market/use-product.ts';
import { PriceHeader } from './price-header.tsx';
import { Rules } from './rules.tsx';
import { openTicket } from './ticket/open-ticket.ts';
import Ticket from './ticket/ticket.tsx';

/** All products in a window that is wide and low, with the ticket of one beside them. The others open with their charts. */
export default pageOf(null, List);

function List({ symbol }: { symbol: string }) {
  return (
    <div className={css.layout} data-list>
      <div className={css.pane}>
        <ProductListScreen />
      </div>
      <TicketPane symbol={symbol} />
    </div>
  );
}

function TicketPane({ symbol }: { symbol: string }) {
  const { detail, refusal, name } = useProduct(symbol);
  const [ticket] = useState(() => openTicket(symbol, null));
  const [isRulesOpen, setRulesOpen] = useState(false);
  if (refusal) return null;
  return (
    <aside className={`flex-column ${css.side}`}>
      <h2 className={css.name}>
        <Link href={`/product?symbol=${encodeURIComponent(symbol)}`}>{name}</Link>
      </h2>
      <div className={css.ticket}>
        <PriceHeader symbol={symbol} detail={detail} />
        <Ticket ticket={ticket} detail={detail} onShowRules={() => setRulesOpen(true)} />
      </div>
      <Rules detail={detail} isOpen={isRulesOpen} onClose={() => setRulesOpen(false)} />
    </aside>
  );
}
