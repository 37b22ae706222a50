/** A screen of the customer's app. A tab has its own heading and the bottom tab bar; other screens have the top bar. */
export interface Screen {
  readonly isTab?: true;
  /** Whether the view stays mounted after it is left. */
  readonly isCacheable: boolean;
  readonly access: 'public' | 'session';
  /** How wide its content is where there is room: a form unless said, texts to read, or figures and tables. */
  readonly width?: 'text' | 'wide';
}

const TAB: Screen = { isTab: true, isCacheable: true, access: 'session' };
const PAGE: Screen = { isCacheable: true, access: 'session' };
const ONCE: Screen = { isCacheable: false, access: 'session' };

/** All screens by the names of their paths: first the specification's, in its order, then our own. */
export const SCREENS = {
  index: { ...TAB, access: 'public' },
  product: { ...TAB, access: 'public' },
  profit: { ...TAB, width: 'wide' },
  chat: { ...TAB, width: 'text' },
  news: { ...TAB, width: 'text' },
  mine: { ...TAB, width: 'wide' },
  register: { ...ONCE, access: 'public' },
  login: { ...ONCE, access: 'public' },
  changeLog: { ...PAGE, width: 'wide' },
  historyOrder: { ...PAGE, width: 'wide' },
  setPayWord: ONCE,
  recharge: ONCE,
  with: ONCE,
  realName: ONCE,
  editAddress: ONCE,
  bank: PAGE,
  editBank: ONCE,
  accessLog: { ...PAGE, width: 'wide' },
  home: { ...PAGE, access: 'public' },
  // Our own, beyond the specification.
  whoLooked: { ...PAGE, width: 'text' },
  notices: { ...PAGE, width: 'text' },
  limits: { ...PAGE, width: 'wide' },
  alerts: { ...PAGE, width: 'wide' },
  statistics: { ...PAGE, width: 'wide' },
  transparency: { ...PAGE, access: 'public', width: 'wide' },
  security: ONCE,
  devices: { ...ONCE, width: 'text' },
  myData: { ...ONCE, width: 'text' },
} satisfies Record<string, Screen>;

export type ScreenName = keyof typeof SCREENS;
