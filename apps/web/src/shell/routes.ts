import type { MessageId } from '../messages/text.ts';

/** A view of the app. Routes have no path parameters; views read the query string themselves. */
export interface Route {
  readonly name: RouteName;
  readonly path: string;
  readonly title: MessageId;
  /** Whether the bottom tab bar and the top bar show; `useUi` can override both. */
  readonly showTabbar: boolean;
  readonly showNavbar: boolean;
  /** Whether the view stays mounted after it is left. */
  readonly isCacheable: boolean;
  readonly access: 'public' | 'session';
}

type Flags = Pick<Route, 'showTabbar' | 'showNavbar' | 'isCacheable' | 'access'>;

/** A tab screen has its own heading; other screens have the top bar. */
const TAB: Flags = { showTabbar: true, showNavbar: false, isCacheable: true, access: 'session' };
const PAGE: Flags = { showTabbar: false, showNavbar: true, isCacheable: true, access: 'session' };

/** All routes: first the specification's, in its order, then our own. */
const FLAGS = {
  index: { ...TAB, access: 'public' },
  product: { ...TAB, access: 'public' },
  profit: TAB,
  chat: TAB,
  news: TAB,
  mine: TAB,
  register: { ...PAGE, isCacheable: false, access: 'public' },
  login: { ...PAGE, isCacheable: false, access: 'public' },
  changeLog: PAGE,
  historyOrder: PAGE,
  setPayWord: { ...PAGE, isCacheable: false },
  recharge: { ...PAGE, isCacheable: false },
  with: { ...PAGE, isCacheable: false },
  realName: { ...PAGE, isCacheable: false },
  editAddress: { ...PAGE, isCacheable: false },
  bank: PAGE,
  editBank: { ...PAGE, isCacheable: false },
  accessLog: PAGE,
  home: { ...PAGE, access: 'public' },
  // Our own, beyond the specification.
  whoLooked: PAGE,
  notices: PAGE,
  limits: PAGE,
  alerts: PAGE,
  statistics: PAGE,
  transparency: { ...PAGE, access: 'public' },
  security: { ...PAGE, isCacheable: false },
  devices: { ...PAGE, isCacheable: false },
  myData: { ...PAGE, isCacheable: false },
} satisfies Record<string, Flags>;

export type RouteName = keyof typeof FLAGS;

export const ROUTES: readonly Route[] = (Object.entries(FLAGS) as [RouteName, Flags][]).map(
  ([name, flags]) => ({
    name,
    path: `/${name}`,
    title: `title.${name}`,
    ...flags,
  }),
);

const byPath = new Map(ROUTES.map((entry) => [entry.path, entry]));

/** The route of a path; null for a path that is none. */
export function routeOf(path: string): Route | null {
  return byPath.get(path) ?? null;
}

/** Where a path leads, given whether the reader is logged in: to itself, to the login, or to the home. */
export function destinationOf(path: string, isLoggedIn: boolean): string {
  if (path === '/') return '/index';
  const found = routeOf(path);
  if (!found) return '/index';
  return found.access === 'public' || isLoggedIn ? path : '/login';
}

/** The five tabs, in order. */
export const TABS = [
  { name: 'product', label: 'tab.product', icon: 'refund' },
  { name: 'profit', label: 'tab.profit', icon: 'balance-pay' },
  { name: 'chat', label: 'tab.chat', icon: 'chat' },
  { name: 'news', label: 'tab.news', icon: 'fire' },
  { name: 'mine', label: 'tab.mine', icon: 'manager' },
] as const satisfies readonly { name: string; label: MessageId; icon: string }[];
