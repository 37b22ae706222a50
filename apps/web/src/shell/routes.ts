import { SCREENS, type Screen, type ScreenName } from '@fairtick/protocol/screens';
import type { MessageId } from '../messages/text.ts';

/** A view of the app. Routes have no path parameters; views read the query string themselves. */
export interface Route extends Omit<Screen, 'isTab'> {
  readonly name: ScreenName;
  readonly path: string;
  readonly title: MessageId;
  /** Whether the bottom tab bar and the top bar show; `useUi` can override both. */
  readonly showTabbar: boolean;
  readonly showNavbar: boolean;
}

export const ROUTES: readonly Route[] = (Object.entries(SCREENS) as [ScreenName, Screen][]).map(
  ([name, { isTab = false, ...screen }]) => ({
    name,
    path: `/${name}`,
    title: `title.${name}`,
    showTabbar: isTab,
    showNavbar: !isTab,
    ...screen,
  }),
);

const byPath = new Map(ROUTES.map((entry) => [entry.path, entry]));

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

/** The list beside the screens of My Account in a wide window, in groups with their headings. */
export const SECTIONS = [
  { heading: null, screens: ['mine'] },
  {
    heading: 'mine.group.records',
    screens: ['recharge', 'with', 'accessLog', 'changeLog', 'historyOrder', 'notices'],
  },
  {
    heading: 'mine.group.account',
    screens: ['realName', 'bank', 'editAddress', 'setPayWord', 'security', 'devices', 'whoLooked', 'myData'],
  },
  { heading: 'mine.group.care', screens: ['limits', 'alerts', 'statistics', 'transparency'] },
] as const satisfies readonly { heading: MessageId | null; screens: readonly ScreenName[] }[];

/** The entry of that list to which a screen belongs. An order belongs to the trading screens. */
export function sectionOf(name: ScreenName, search: string): ScreenName | null {
  if (name === 'editBank') return 'bank';
  if (name === 'historyOrder' && new URLSearchParams(search).has('id')) return null;
  return SECTIONS.some(({ screens }) => (screens as readonly ScreenName[]).includes(name)) ? name : null;
}

export const TABS = [
  { name: 'product', label: 'tab.product', icon: 'refund' },
  { name: 'profit', label: 'tab.profit', icon: 'balance-pay' },
  { name: 'chat', label: 'tab.chat', icon: 'chat' },
  { name: 'news', label: 'tab.news', icon: 'fire' },
  { name: 'mine', label: 'tab.mine', icon: 'manager' },
] as const satisfies readonly { name: string; label: MessageId; icon: string }[];
