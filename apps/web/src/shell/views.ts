import { type ComponentType, lazy } from 'react';
import { untilLoaded } from '../api/load-code.ts';
import { type RouteName, routeOf } from './routes.ts';

type Loader = () => Promise<{ default: ComponentType }>;

/** A screen that is not built yet says so. */
const later: Loader = () => import('../pages/later.tsx');

/** The code of each view, fetched when it is first needed. */
const LOADERS: Readonly<Record<RouteName, Loader>> = {
  index: () => import('../trade/index-page.tsx'),
  product: () => import('../trade/product-page.tsx'),
  profit: later,
  chat: later,
  news: later,
  mine: () => import('../account/mine-page.tsx'),
  register: () => import('../account/register-page.tsx'),
  login: () => import('../account/login-page.tsx'),
  changeLog: later,
  historyOrder: () => import('../orders/history-page.tsx'),
  setPayWord: later,
  recharge: later,
  with: later,
  realName: later,
  editAddress: later,
  bank: later,
  editBank: later,
  accessLog: later,
  home: later,
};

export const VIEWS = Object.fromEntries(
  Object.entries(LOADERS).map(([name, load]) => [name, lazy(() => untilLoaded(load))]),
) as unknown as Readonly<Record<RouteName, ComponentType>>;

/** Fetches the code of a path's view ahead of the visit. */
export async function preloadView(path: string): Promise<void> {
  const route = routeOf(path.split('?')[0] ?? '');
  if (route) await LOADERS[route.name]();
}
