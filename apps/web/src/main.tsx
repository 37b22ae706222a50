import '@fairtick/ui/tokens.css';
import './shell/progress.css';
import { untilLoaded, whenLoaded } from '@fairtick/ui/load-code';
import { StrictMode, useEffect, useLayoutEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { handleSessionEnd } from './api/client.ts';
import { stream, useStream } from './api/stream.ts';
import { loadText, type Text } from './messages/text.ts';
import { TextProvider } from './messages/text-context.tsx';
import { App } from './shell/app.tsx';
import { refreshNames } from './shell/choose-language.ts';
import { forgetKept, keepForOffline } from './shell/keep-offline.ts';
import { go } from './shell/navigate.ts';
import { setPreloader } from './shell/preload.ts';
import { startProgressBar } from './shell/progress.tsx';
import { destinationOf } from './shell/routes.ts';
import { preloadView } from './shell/views.ts';
import { readBootData } from './state/boot.ts';
import { followTime, setServerTime } from './state/clock.ts';
import { endSession, onSessionEnd, setLeave } from './state/end-session.ts';
import { followFunds } from './state/funds.ts';
import { followMarket, market } from './state/market.ts';
import { followOrders } from './state/orders.ts';
import { useReauth } from './state/reauth.ts';
import { isLoggedIn, useSession } from './state/session.ts';
import { applyToRoot, useSettings } from './state/settings.ts';

applyToRoot();
setPreloader(preloadView);
// Whoever comes next may be somebody else.
setLeave((path) => go(path, { isReplacing: true, from: null }));
handleSessionEnd(endSession);
onSessionEnd(() => useReauth.getState().answer(false));
onSessionEnd(forgetKept);

const boot = readBootData();
if (boot) {
  // A page that was kept says nothing of the time now, but of when its prices were the newest.
  if ('kept' in document.documentElement.dataset) useStream.setState({ lastMs: boot.serverTime });
  else setServerTime(boot.serverTime);
  market.load(boot.board);
}

/** Texts in the chosen language; the old ones stay until the new ones are there. */
function Root({ first }: { first: Text }) {
  const language = useSettings((state) => state.language);
  const [text, setText] = useState(first);
  useLayoutEffect(() => {
    // The app stands in place of the prerendered page: what hid parts of that, for another language or width, can go.
    document.documentElement.classList.remove('other-language');
    delete document.documentElement.dataset.page;
  }, []);
  useEffect(() => {
    if (language === text.language) return;
    let isCurrent = true;
    void loadText(language).then((loaded) => isCurrent && setText(loaded));
    return () => {
      isCurrent = false;
    };
  }, [language, text]);
  return (
    <TextProvider text={text}>
      <App />
    </TextProvider>
  );
}

async function start(): Promise<void> {
  const path = destinationOf(location.pathname, isLoggedIn(useSession.getState()));
  // Texts and the view's code travel side by side; the prerendered page stays until both are there.
  const [text] = await Promise.all([
    loadText(useSettings.getState().language),
    untilLoaded(() => preloadView(path)),
  ]);
  const container = document.getElementById('app');
  if (!container) throw new Error('there is no #app');
  const root = createRoot(container);
  root.render(
    <StrictMode>
      <Root first={text} />
    </StrictMode>,
  );
  if (boot && boot.language !== text.language) void refreshNames();
  stream.start();
  followMarket();
  followTime();
  followFunds();
  followOrders();
  // Old prices are marked wherever they stand.
  useStream.subscribe(({ isStale }) => document.documentElement.toggleAttribute('data-stale', isStale));
  void startProgressBar();
  // Nothing on the first screen waits for it.
  void whenLoaded(() => import('./wallet/notices/follow-notices.ts')).then(({ followNotices }) =>
    followNotices(),
  );
  if (import.meta.env.PROD) keepForOffline();
  void whenLoaded(() => import('./support/follow-chat.ts')).then(({ followChat }) => followChat());
}

void start();
