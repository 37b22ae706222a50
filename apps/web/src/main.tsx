import '@fairtick/ui/tokens.css';
import '@fairtick/ui/print.css';
import './shell/web.css';
import '@fairtick/ui/layout.css';
import './shell/progress.css';
import { FaultBoundary, faultTexts, logFault } from '@fairtick/ui';
import { followContrast } from '@fairtick/ui/contrast';
import { followSystem } from '@fairtick/ui/follow-system';
import { offerReload, untilLoaded, whenLoaded } from '@fairtick/ui/load-code';
import { surviveTranslation } from '@fairtick/ui/survive-translation';
import { forgetTyped } from '@fairtick/ui/typed-text';
import { StrictMode, startTransition, useEffect, useLayoutEffect, useMemo, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { guardSession } from './api/client.ts';
import { serverClock } from './api/server-clock.ts';
import { stream, useStream } from './api/stream.ts';
import { App } from './app.tsx';
import { readBootData } from './live/boot.ts';
import { followTime } from './live/clock.ts';
import { followMarket, market } from './live/market.ts';
import { followOrders } from './live/orders.ts';
import { followFunds } from './live/user-info.ts';
import { loadText, setTextNow, type Text } from './messages/text.ts';
import { TextProvider } from './messages/text-context.tsx';
import { refreshNames, takeSystemLanguage } from './shell/choose-language.ts';
import { forgetKept, keepForOffline } from './shell/keep-offline.ts';
import { go } from './shell/navigate.ts';
import { setPreloader } from './shell/preload.ts';
import { startProgressBar } from './shell/progress.tsx';
import { destinationOf } from './shell/routes.ts';
import { untilLoadedAll } from './state/loading.ts';
import { useReauth } from './state/reauth.ts';
import { isLoggedIn, useSession } from './state/session.ts';
import { endSession, followStored, followTabs, onSessionEnd, setLeave } from './state/session-lifecycle.ts';
import { applyToRoot, takeSystemDark, useSettings } from './state/settings.ts';
import { useToast } from './state/toast.ts';
import { preloadView } from './views.ts';

applyToRoot();
followContrast();
followSystem({ dark: takeSystemDark, language: takeSystemLanguage });
surviveTranslation();
setPreloader(preloadView);
// Forgets the path to return to after a login, because the next user may be another person.
setLeave((path) => go(path, { isReplacing: true, from: null }));
guardSession({ isCurrent: followStored, onEnd: (token) => endSession({ hasLapsed: true, token }) });
followTabs();
onSessionEnd(() => useReauth.getState().answer(false));
onSessionEnd(forgetKept);
onSessionEnd(forgetTyped);

/** Whether the page comes from the offline cache, because the server did not answer. */
const isKept = 'kept' in document.documentElement.dataset;
const boot = readBootData();
if (boot) {
  // A page from the offline cache does not tell the present time, only the time of its prices.
  if (isKept) useStream.setState({ lastMs: boot.serverTime, isStale: true });
  else serverClock.begin(boot.serverTime, pageReceivedMs());
  if ('symbol' in document.documentElement.dataset) market.begin(boot.board);
  else market.load(boot.board);
}

/** When the page's answer began to arrive. */
function pageReceivedMs(): number {
  const [page] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  return page?.responseStart || performance.now();
}

/** Provides the texts of the chosen language; the old ones stay until the new ones are loaded. */
function Root({ first }: { first: Text }) {
  const language = useSettings((state) => state.language);
  const [text, setText] = useState(first);
  useLayoutEffect(() => {
    // The app has replaced the prerendered page: remove what hid parts of it for another address, width or kind of reader.
    document.documentElement.classList.remove('other-page', 'other-chart', 'member');
    delete document.documentElement.dataset.page;
    delete document.documentElement.dataset.symbol;
    if (isKept) document.documentElement.dataset.kept = '';
  }, []);
  useEffect(() => void startRest(), []);
  setTextNow(text);
  useEffect(() => {
    void whenLoaded(() => import('./trade/ticket/follow-placings.ts')).then(({ followPlacings }) =>
      followPlacings(),
    );
  }, []);
  const switches = useSession((state) => state.switches);
  // biome-ignore lint/correctness/useExhaustiveDependencies: told once for each switch
  useEffect(() => {
    const { userInfo } = useSession.getState();
    if (switches > 0 && userInfo)
      useToast.getState().show(text.t('shell.otherAccount', { account: userInfo.account }));
  }, [switches]);
  const isHidden = useSettings((state) => state.isBalanceHidden);
  useEffect(() => {
    if (language === text.language) return;
    let isCurrent = true;
    void loadText(language).then((loaded) => isCurrent && setText(loaded));
    return () => {
      isCurrent = false;
    };
  }, [language, text]);
  // Whoever shows figures has them from functions that hide them, and hears of it by a new text.
  const shown = useMemo(() => ({ ...text, t: text.t.bind(text), isHidden }), [text, isHidden]);
  return (
    <TextProvider text={shown}>
      <FaultBoundary screen="app" root={() => null} texts={faultTexts(text.t)}>
        <App key={switches} />
      </FaultBoundary>
    </TextProvider>
  );
}

async function start(): Promise<void> {
  const path = destinationOf(location.pathname, isLoggedIn(useSession.getState()));
  // Loads texts and the view's code in parallel; the prerendered page stays until both are there.
  const [text] = await Promise.all([
    loadText(useSettings.getState().language),
    // Without its code the screen itself says what it needs, in place of a prerendered page that would stay.
    Promise.race([
      isKept ? preloadView(path).catch(() => {}) : untilLoaded(() => preloadView(path)),
      new Promise((resolve) => setTimeout(resolve, 6_000)),
    ]),
  ]);
  const container = document.getElementById('app');
  if (!container) throw new Error('there is no #app');
  const root = createRoot(container, { onCaughtError: logFault, onUncaughtError: logFault });
  // A transition is rendered in slices, so that a slow phone answers taps meanwhile.
  startTransition(() =>
    root.render(
      <StrictMode>
        <Root first={text} />
      </StrictMode>,
    ),
  );
  if (boot && boot.language !== text.language) void refreshNames();
  stream.start();
  followMarket();
  followTime();
  followFunds();
  followOrders();
  // Marks stale prices everywhere by an attribute on the root element.
  const markStale = ({ isStale }: { readonly isStale: boolean }) =>
    document.documentElement.toggleAttribute('data-stale', isStale);
  markStale(useStream.getState());
  useStream.subscribe(markStale);
  void startProgressBar();
}

const untilLoggedIn = (): Promise<void> =>
  new Promise((resolve) => {
    const look = () => isLoggedIn(useSession.getState()) && resolve();
    look();
    useSession.subscribe(look);
  });

/** Loads the rest after the first screen, with whose parts it would compete for the line and the processor. */
async function startRest(): Promise<void> {
  await untilLoadedAll();
  void whenLoaded(() => import('./wallet/notices/follow-notices.ts')).then(({ followNotices }) =>
    followNotices(),
  );
  // The verifier that comes with this code is a third of the first load, and a visitor has no orders.
  void untilLoggedIn()
    .then(() => whenLoaded(() => import('./orders/follow-evidence.ts')))
    .then(({ followEvidence }) => followEvidence());
  void whenLoaded(() => import('./support/follow-chat.ts')).then(({ followChat }) => followChat());
  if (import.meta.env.PROD) keepForOffline();
}

// A task of its own, because a slow phone needs long for the code's evaluation and for the start.
setTimeout(() => void start().catch(offerReload));
