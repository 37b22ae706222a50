import { lazy, Suspense, useEffect } from 'react';
import { useSearch } from 'wouter/use-browser-location';
import { PageLoading } from '../shell/progress.tsx';
import { useWidth } from '../shell/use-width.ts';
import { useUi } from '../state/ui.ts';
import { ProductListScreen } from './product-list-screen.tsx';

const ProductScreen = lazy(() => import('./product-screen.tsx'));
const WideTrade = lazy(() => import('./wide-trade.tsx'));

/** What a wide screen shows before anything was chosen. */
const FIRST_SYMBOL = 'EUR/USD';

/**
 * `/product`: the list of all products, and with `?symbol=` one of them. A phone shows one or the other, a wider screen
 * both.
 */
export default function ProductPage() {
  const symbol = new URLSearchParams(useSearch()).get('symbol');
  const width = useWidth();
  const isAlone = width === 'phone' && symbol !== null;
  const { setNavbar, setTabbar } = useUi();
  useEffect(() => {
    if (!isAlone) return;
    // One product fills the phone's screen: it goes without the tab bar and has a way back.
    setNavbar(true);
    setTabbar(false);
    return () => {
      setNavbar(null);
      setTabbar(null);
    };
  }, [isAlone, setNavbar, setTabbar]);

  if (width === 'phone' && symbol === null) return <ProductListScreen />;
  return (
    <Suspense fallback={<PageLoading />}>
      {width === 'phone' ? (
        <ProductScreen key={symbol} symbol={symbol ?? FIRST_SYMBOL} />
      ) : (
        <WideTrade symbol={symbol ?? FIRST_SYMBOL} width={width} />
      )}
    </Suspense>
  );
}
