import type { Candle, Landing } from '@fairtick/protocol';
import type { Language } from '@fairtick/protocol/languages';
import type { Messages } from '@lingui/core';
import { StrictMode } from 'react';
import { renderToString } from 'react-dom/server';
import LandingPage, { LANDING_BAR } from './landing/landing-page.tsx';
import { type BoardRow, market } from './live/market.ts';
import en from './messages/en.json';
import { createText } from './messages/text.ts';
import { TextProvider, useText } from './messages/text-context.tsx';
import tw from './messages/tw.json';
import zh from './messages/zh.json';
import { DesktopHeader } from './shell/desktop-header.tsx';
import { type Route, routeOf } from './shell/routes.ts';
import shell from './shell/shell.module.css';
import { TabBar } from './shell/tab-bar.tsx';
import { TopBar } from './shell/top-bar.tsx';
import { useSettings } from './state/settings.ts';
import { PrerenderedChart } from './trade/chart/chart-panel.tsx';
import IndexPage from './trade/market/index-page.tsx';
import { ProductListScreen } from './trade/market/product-list-screen.tsx';
import { PriceHeader } from './trade/price-header.tsx';
import product from './trade/product.module.css';
import { BarActions } from './trade/product-bar.tsx';

// Compiled at build time into the form that the translation layer takes.
const CATALOGUES: Readonly<Record<Language, unknown>> = { zh, tw, en };

/** Pages with the same first screen for every reader, which can be prerendered. */
export type PrerenderedPage = 'index' | 'product' | 'oneProduct' | 'home';

/**
 * Renders the first screen as HTML with the prices of `board`, for readers to see before any code has loaded. The app then
 * renders the same in its place. Synchronous, so that pages in two languages never mix in the stores.
 */
export function prerender(
  page: PrerenderedPage,
  language: Language,
  {
    board,
    candles,
    landing,
  }: {
    board: readonly BoardRow[];
    candles: readonly Candle[];
    landing: Landing | null;
  },
): string {
  useSettings.setState({ language });
  const [first] = board;
  if (page === 'oneProduct') market.begin(board);
  else market.load(board);
  const name = page === 'oneProduct' ? 'product' : page;
  const hasTabBar = page === 'index' || page === 'product';
  return renderToString(
    <StrictMode>
      <TextProvider text={createText(language, CATALOGUES[language] as Messages)}>
        <div className={shell.app}>
          <DesktopHeader route={routeOf(`/${name}`) as Route} />
          <div
            className={`flex-column ${shell.view}`}
            data-view={name}
            data-tabbar={hasTabBar || undefined}
            data-navbar={!hasTabBar || undefined}
          >
            {page === 'home' && landing && <TopBar {...LANDING_BAR} title={landing.title} />}
            {page === 'oneProduct' && first && <ProductBar {...first} />}
            <main className={shell.main}>
              {page === 'index' && <IndexPage isPrerendered />}
              {page === 'product' && <ProductListScreen />}
              {page === 'oneProduct' && first && (
                <div className={`flex-column ${product.screen}`}>
                  <div className={product.stage}>
                    <PriceHeader symbol={first.symbol} detail={null} />
                    <PrerenderedChart symbol={first.symbol} decimals={first.decimals} candles={candles} />
                  </div>
                </div>
              )}
              {page === 'home' && <LandingPage prerendered={landing} />}
            </main>
            {hasTabBar && <TabBar routeName={page} />}
          </div>
        </div>
      </TextProvider>
    </StrictMode>,
  );
}

function ProductBar({ symbol, name }: BoardRow) {
  const { t } = useText();
  return (
    <TopBar
      title={name}
      rightText={t('product.rules')}
      right={<BarActions symbol={symbol} isPrerendered />}
    />
  );
}
