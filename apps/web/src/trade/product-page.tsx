import { useLayoutEffect } from 'react';
import { useSearch } from 'wouter/use-browser-location';
import { later } from '../parts/later.tsx';
import { LOW, useIsLow, useWidth, type Width } from '../parts/use-width.ts';
import { PageLoading } from '../shell/progress.tsx';
import { useUi } from '../state/ui.ts';
import { ProductListScreen } from './market/product-list-screen.tsx';
import { useEntry } from './ticket/open-ticket.ts';

const loadPhone = () => import('./product-screen.tsx');
const loadLow = () => import('./low-trade.tsx');
const loadLowList = () => import('./low-list.tsx');
const loadWide = () => import('./wide-trade.tsx');
const waiting = <PageLoading />;
const ProductScreen = later(loadPhone, { waiting });
const LowTrade = later(loadLow, { waiting });
const LowList = later(loadLowList, { waiting });
const WideTrade = later(loadWide, { waiting });

/** The product that a wide or low screen shows before one is chosen. */
const FIRST_SYMBOL = 'EUR/USD';

type Layout = 'list' | 'phone' | 'lowList' | 'low' | 'wide';

/** A phone shows the list or one product; a low window too, with a ticket beside the list; a wider and higher one shows all. */
function layoutOf(search: string, { width, isLow }: { width: Width; isLow: boolean }): Layout {
  if (width !== 'phone' && !isLow) return 'wide';
  if (!new URLSearchParams(search).has('symbol')) return isLow ? 'lowList' : 'list';
  return isLow ? 'low' : 'phone';
}

/** One product fills a small screen, with a way back and without the tab bar. A low one has its own bar, beside the ticket. */
const showAlone = (layout: 'phone' | 'low') =>
  useUi.setState({ isShowNavbar: layout === 'phone', isShowTabbar: false });

// For a visit that begins with a product: sets the bars before its code loads, because the first paint shows them, and fetches the
// code before the first render asks for it. A failure shows there.
if (globalThis.location?.pathname === '/product') {
  const width = matchMedia('(min-width: 48em)').matches ? 'tablet' : 'phone';
  const first = layoutOf(location.search, { width, isLow: matchMedia(LOW).matches });
  if (first === 'phone' || first === 'low') showAlone(first);
  const load = {
    list: null,
    phone: loadPhone,
    lowList: loadLowList,
    low: loadLow,
    wide: loadWide,
  }[first];
  load?.().catch(() => {});
}

/** A product on a phone; its ticket stays open when the phone is turned. */
function Alone({ symbol, layout }: { symbol: string; layout: 'phone' | 'low' }) {
  const entry = useEntry(symbol);
  const Screen = layout === 'phone' ? ProductScreen : LowTrade;
  return <Screen symbol={symbol} entry={entry} />;
}

/** `/product`: the list of all products, and with `?symbol=` one of them. */
export default function ProductPage() {
  const search = useSearch();
  const symbol = new URLSearchParams(search).get('symbol') ?? FIRST_SYMBOL;
  const layout = layoutOf(search, { width: useWidth(), isLow: useIsLow() });
  // A layout effect: after painting, the screen would jump by the height of the bar.
  useLayoutEffect(() => {
    if (layout !== 'phone' && layout !== 'low') return;
    showAlone(layout);
    return () => useUi.setState({ isShowNavbar: null, isShowTabbar: null });
  }, [layout]);

  if (layout === 'list') return <ProductListScreen />;
  if (layout === 'lowList') return <LowList symbol={FIRST_SYMBOL} />;
  if (layout === 'phone' || layout === 'low') return <Alone key={symbol} symbol={symbol} layout={layout} />;
  return <WideTrade symbol={symbol} />;
}
