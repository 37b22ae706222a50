import { untilLoaded } from '@fairtick/ui/load-code';
import { lazy, Suspense, useLayoutEffect } from 'react';
import { useSearch } from 'wouter/use-browser-location';
import { PageLoading } from '../shell/progress.tsx';
import { useWidth, type Width } from '../shell/use-width.ts';
import { useUi } from '../state/ui.ts';
import { ProductListScreen } from './product-list-screen.tsx';

const ProductScreen = lazy(() => untilLoaded(() => import('./product-screen.tsx')));
const WideTrade = lazy(() => untilLoaded(() => import('./wide-trade.tsx')));

/** The product that a wide screen shows before one is chosen. */
const FIRST_SYMBOL = 'EUR/USD';

/** On a phone one product fills the screen, with a way back and without the tab bar. */
const showAlone = () => useUi.setState({ isShowNavbar: true, isShowTabbar: false });

// For a visit that begins with a product, sets the bars before its code loads, because the first paint shows them.
if (
  globalThis.location?.pathname === '/product' &&
  isProductAlone(location.search, matchMedia('(min-width: 768px)').matches ? 'tablet' : 'phone')
)
  showAlone();

function isProductAlone(search: string, width: Width): boolean {
  return width === 'phone' && new URLSearchParams(search).has('symbol');
}

/** `/product`: the list of all products, and with `?symbol=` one of them. A phone shows one of the two, a wider screen both. */
export default function ProductPage() {
  const search = useSearch();
  const symbol = new URLSearchParams(search).get('symbol');
  const width = useWidth();
  const isAlone = isProductAlone(search, width);
  // A layout effect: after painting, the screen would jump by the height of the bar.
  useLayoutEffect(() => {
    if (!isAlone) return;
    showAlone();
    return () => useUi.setState({ isShowNavbar: null, isShowTabbar: null });
  }, [isAlone]);

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
