import { useEffect } from 'react';
import { market, priceNow } from '../live/market.ts';
import { formatPrice } from '../state/format.ts';

/** Names the screen in the browser's tab; of a product its price and symbol, so that a reader of another tab sees it move. */
export function useBrowserTitle(title: string, symbol: string | undefined): void {
  useEffect(() => {
    const show = () => {
      const price = symbol === undefined ? null : priceNow(market.get(symbol));
      const words =
        symbol === undefined ? title : price === null ? symbol : `${formatPrice(price)} ${symbol}`;
      document.title = `${words} · Fairtick`;
    };
    show();
    if (symbol === undefined) return;
    const timer = setInterval(show, 1000);
    return () => clearInterval(timer);
  }, [title, symbol]);
}
