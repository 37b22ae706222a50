/** A screen of the customer's app. A tab has its own heading and the bottom tab bar; other screens have the top bar. */
export interface Screen {
  readonly isTab?: true;
  /** Whether the view stays mounted after it is left. */
  readonly isCacheable: boolean;
  readonly access: 'public' | 'session';
}

const TAB: Screen = { isTab: true, isCacheable: true, access: 'session' };
const PAGE: Screen = { isCacheable: true, access: 'session' };
const ONCE: Screen = { isCacheable: false, access: 'session' };

/** All screens by the names of their paths: first the specification's, in its order, then our own. */
export const SCREENS = {
  index: { ...TAB, access: 'public' },
  product: { ...TAB, access: 'public' },
  profit: TAB,
  chat: TAB,
  news: TAB,
  mine: TAB,
  register: { ...ONCE, access: 'public' },
  login: { ...ONCE, access: 'public' },
  changeLog: PAGE,
  historyOrder: PAGE,
  setPayWord: ONCE,
  recharge: ONCE,
  with: ONCE,
  realName: ONCE,
  editAddress: ONCE,
  bank: PAGE,
  editBank: ONCE,
  accessLog: PAGE,
  home: { ...PAGE, access: 'public' },
  // Our own, beyond the specification.
  whoLooked: PAGE,
  notices: PAGE,
  limits: PAGE,
  alerts: PAGE,
  statistics: PAGE,
  transparency: { ...PAGE, access: 'public' },
  security: ONCE,
  devices: ONCE,
  myData: ONCE,
} satisfies Record<string, Screen>;

export type ScreenName = keyof typeof SCREENS;
