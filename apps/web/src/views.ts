import type { ScreenName } from '@fairtick/protocol/screens';
import { untilLoaded } from '@fairtick/ui/load-code';
import { type ComponentType, lazy } from 'react';
import { routeOf } from './shell/routes.ts';

type Loader = () => Promise<{ default: ComponentType }>;

const LOADERS: Readonly<Record<ScreenName, Loader>> = {
  index: () => import('./trade/market/index-page.tsx'),
  product: () => import('./trade/product-page.tsx'),
  profit: () => import('./earnings/earnings-page.tsx'),
  chat: () => import('./support/chat-page.tsx'),
  news: () => import('./news/news-page.tsx'),
  mine: () => import('./account/mine-page.tsx'),
  register: () => import('./account/register-page.tsx'),
  login: () => import('./account/login-page.tsx'),
  changeLog: () => import('./wallet/fund-log/fund-log-page.tsx'),
  historyOrder: () => import('./orders/history-page.tsx'),
  setPayWord: () => import('./destinations/set-withdrawal-password-page.tsx'),
  recharge: () => import('./wallet/deposits/deposit-page.tsx'),
  with: () => import('./wallet/withdrawals/withdrawal-page.tsx'),
  realName: () => import('./verification/real-name-page.tsx'),
  editAddress: () => import('./destinations/edit-address-page.tsx'),
  bank: () => import('./destinations/bank-page.tsx'),
  editBank: () => import('./destinations/edit-bank-page.tsx'),
  accessLog: () => import('./wallet/requests/requests-page.tsx'),
  home: () => import('./landing/landing-page.tsx'),
  whoLooked: () => import('./account/who-looked-page.tsx'),
  security: () => import('./security/security-page.tsx'),
  devices: () => import('./security/devices-page.tsx'),
  myData: () => import('./security/my-data-page.tsx'),
  notices: () => import('./wallet/notices/notices-page.tsx'),
  limits: () => import('./protection/limits-page.tsx'),
  alerts: () => import('./protection/alerts-page.tsx'),
  statistics: () => import('./protection/statistics-page.tsx'),
  transparency: () => import('./transparency/transparency-page.tsx'),
};

export const VIEWS = Object.fromEntries(
  Object.entries(LOADERS).map(([name, load]) => [name, lazy(() => untilLoaded(load))]),
) as unknown as Readonly<Record<ScreenName, ComponentType>>;

/** Fetches the code of a path's view ahead of the visit. */
export async function preloadView(path: string): Promise<void> {
  const route = routeOf(path.split('?')[0] ?? '');
  if (route) await LOADERS[route.name]();
}
