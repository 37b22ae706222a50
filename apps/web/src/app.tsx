import { FaultBoundary, faultTexts } from '@fairtick/ui';
import { whenLoaded } from '@fairtick/ui/load-code';
import { Activity, Suspense, useEffect, useLayoutEffect, useState } from 'react';
import { usePathname, useSearch } from 'wouter/use-browser-location';
import { useRefused } from './live/evidence.ts';
import { refreshUserInfo } from './live/user-info.ts';
import { useText } from './messages/text-context.tsx';
import { later } from './parts/later.tsx';
import { useWidth } from './parts/use-width.ts';
import { useBrowserTitle } from './shell/browser-title.ts';
import { DesktopHeader } from './shell/desktop-header.tsx';
import { arriveAt } from './shell/focus-memory.ts';
import { BRAND_BAR, NavbarContext, type NavbarSlots } from './shell/navbar.tsx';
import { go } from './shell/navigate.ts';
import navigation from './shell/navigation.module.css';
import { PageLoading } from './shell/progress.tsx';
import { destinationOf, ROUTES, type Route, routeOf, sectionOf } from './shell/routes.ts';
import css from './shell/shell.module.css';
import { TabBar } from './shell/tab-bar.tsx';
import { ToastArea } from './shell/toast-area.tsx';
import { TopBar } from './shell/top-bar.tsx';
import { untilLoadedAll } from './state/loading.ts';
import { useReauth } from './state/reauth.ts';
import { customerNow, useIsLoggedIn, useSession } from './state/session.ts';
import { useCachedViews, useUi } from './state/ui.ts';
import { VIEWS } from './views.ts';

export function App() {
  const path = usePathname();
  const isMember = useIsLoggedIn();
  const destination = destinationOf(path, isMember);
  const route = routeOf(destination) as Route;

  useLayoutEffect(() => {
    if (destination === path) return;
    const wanted = destination === '/login' ? { from: path + location.search } : {};
    go(destination, { isReplacing: true, ...wanted });
  }, [destination, path]);
  useRefreshedUserInfo(route);

  return (
    <div className={css.app}>
      <DesktopHeader route={route} />
      <Framed route={route} />
      <Reauth />
      <Companion />
      <Refused />
      <ToastArea />
    </div>
  );
}

const SectionList = later(() => whenLoaded(() => import('./shell/sections.tsx')), { part: 'identity' });

/** The views; beside those of the account, the list of its screens where there is room. */
function Framed({ route }: { route: Route }) {
  const { t } = useText();
  const isMember = useIsLoggedIn();
  const isWide = useWidth() === 'desktop';
  const section = sectionOf(route.name, useSearch());
  const hasList = isMember && isWide && section !== null;
  return (
    <div className={css.frame} data-sections={hasList || undefined}>
      {hasList && (
        <nav className={navigation.sections} aria-label={t('title.mine')}>
          <SectionList current={section} />
        </nav>
      )}
      <Views current={route} />
    </div>
  );
}

const CompanionParts = later(() => whenLoaded(() => import('./protection/companion.tsx')));

/** Notices of settlements and time reminders; loaded late, because the first screen does not need them. */
function Companion() {
  const isMember = useIsLoggedIn();
  const [isWanted, setWanted] = useState(false);
  useEffect(() => void untilLoadedAll().then(() => setWanted(true)), []);
  return isMember && isWanted && <CompanionParts />;
}

const RefusedDialog = later(() => import('./trade/ticket/refused-dialog.tsx'));

/** A contradiction about an order that has no page. */
function Refused() {
  return useRefused((state) => state.refused !== null) && <RefusedDialog />;
}

const LastKnown = later(() => whenLoaded(() => import('./shell/last-known.tsx')));

const ReauthSheet = later(() => import('./account/reauth-sheet.tsx'));

/** The sheet that asks for the password again. Once loaded it stays mounted, so that it can restore the focus on closing. */
function Reauth() {
  const isAsking = useReauth((state) => state.isAsking);
  const [isNeeded, setNeeded] = useState(false);
  if (isAsking && !isNeeded) setNeeded(true);
  return isNeeded && <ReauthSheet />;
}

function useRefreshedUserInfo(route: Route): void {
  // A change of the query string, as from a list to an entry, also counts as a navigation.
  const place = `${route.path}?${useSearch()}`;
  useEffect(() => {
    if (routeOf(place.split('?')[0] ?? '')?.access === 'session') void refreshUserInfo();
  }, [place]);
}

function Views({ current }: { current: Route }) {
  const cachedViews = useCachedViews((state) => state.cachedViews);
  const add = useCachedViews((state) => state.add);
  const place = `${current.path}?${useSearch()}`;
  useEffect(() => {
    add(current.name, current.isCacheable);
  }, [add, current]);
  // Moves the focus to the new view for keyboard and screen-reader users; a change of the query string counts, too.
  useEffect(() => arriveAt(current.name, place), [current, place]);
  const alive = ROUTES.filter((route) => route === current || cachedViews.includes(route.name));
  return (
    <>
      {alive.map((route) => (
        <Activity key={route.name} mode={route === current ? 'visible' : 'hidden'} name={route.name}>
          <View route={route} />
        </Activity>
      ))}
    </>
  );
}

/** Screens that show themselves how old their prices are, or that have no data. */
const OWN_NOTICE: ReadonlySet<Route['name']> = new Set(['index', 'product', 'login', 'register']);

function View({ route }: { route: Route }) {
  const { t } = useText();
  const customer = useSession(customerNow);
  const { isShowNavbar, isShowTabbar } = useUi();
  const [slots, setSlots] = useState<NavbarSlots>(route.name === 'home' ? BRAND_BAR : {});
  const showNavbar = isShowNavbar ?? route.showNavbar;
  const showTabbar = isShowTabbar ?? route.showTabbar;
  const Page = VIEWS[route.name];
  const title = slots.title ?? t(route.title);
  useBrowserTitle(title, slots.symbol);
  return (
    <NavbarContext value={setSlots}>
      <div
        className={`flex-column ${css.view}`}
        data-frame
        data-view={route.name}
        data-width={route.width}
        data-navbar={showNavbar || undefined}
        data-tabbar={showTabbar || undefined}
      >
        {showNavbar && <TopBar {...slots} title={title} />}
        {!OWN_NOTICE.has(route.name) && <LastKnown />}
        <main className={css.main} tabIndex={-1}>
          <FaultBoundary
            screen={`${route.name} ${customer}`}
            root={() => document.querySelector(`[data-view=${route.name}] main`)}
            texts={faultTexts(t)}
          >
            <Suspense fallback={<PageLoading />}>
              <Page />
            </Suspense>
          </FaultBoundary>
        </main>
        {showTabbar && <TabBar routeName={route.name} />}
      </div>
    </NavbarContext>
  );
}
