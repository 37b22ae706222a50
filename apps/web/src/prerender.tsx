import type { Landing } from '@fairtick/protocol';
import type { Language } from '@fairtick/protocol/languages';
import type { Messages } from '@lingui/core';
import { StrictMode } from 'react';
import { renderToString } from 'react-dom/server';
import LandingPage, { LANDING_BAR } from './landing/landing-page.tsx';
import { type BoardRow, market } from './live/market.ts';
import en from './messages/en.json';
import { createText } from './messages/text.ts';
import { TextProvider } from './messages/text-context.tsx';
import tw from './messages/tw.json';
import zh from './messages/zh.json';
import { DesktopHeader } from './shell/desktop-header.tsx';
import { type Route, routeOf } from './shell/routes.ts';
import shell from './shell/shell.module.css';
import { TabBar } from './shell/tab-bar.tsx';
import { TopBar } from './shell/top-bar.tsx';
import { useSettings } from './state/settings.ts';
import IndexPage from './trade/market/index-page.tsx';
import { ProductListScreen } from './trade/market/product-list-screen.tsx';

// Compiled at build time into the form that the translation layer takes.
const CATALOGUES: Readonly<Record<Language, unknown>> = { zh, tw, en };

/** Pages with the same first screen for every reader, which can be prerendered. */
export type PrerenderedPage = 'index' | 'product' | 'home';

/**
 * Renders the first screen as HTML with the prices of `board`, for readers to see before any code has loaded. The app then
 * renders the same in its place. Synchronous, so that pages in two languages never mix in the stores.
 */
export function prerender(
  page: PrerenderedPage,
  language: Language,
  { board, landing }: { board: readonly BoardRow[]; landing: Landing | null },
): string {
  useSettings.setState({ language });
  market.load(board);
  return renderToString(
    <StrictMode>
      <TextProvider text={createText(language, CATALOGUES[language] as Messages)}>
        <div className={shell.app}>
          <DesktopHeader route={routeOf(`/${page}`) as Route} />
          <div
            className={shell.view}
            data-view={page}
            data-tabbar={page === 'home' ? undefined : true}
            data-navbar={page === 'home' || undefined}
          >
            {page === 'home' && landing && <TopBar {...LANDING_BAR} title={landing.title} />}
            <main className={shell.main}>
              {page === 'index' && <IndexPage isPrerendered />}
              {page === 'product' && <ProductListScreen />}
              {page === 'home' && <LandingPage prerendered={landing} />}
            </main>
            {page !== 'home' && <TabBar routeName={page} />}
          </div>
        </div>
      </TextProvider>
    </StrictMode>,
  );
}
