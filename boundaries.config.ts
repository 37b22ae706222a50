/** Imports that are forbidden: those by a file that matches `from`, of a file that matches `to`. Paths are relative to this folder. */
export interface Rule {
  readonly name: string;
  readonly from: { readonly path: RegExp; readonly pathNot?: RegExp };
  readonly to: { readonly path: RegExp; readonly pathNot?: RegExp };
  /** Imports of types alone are allowed. */
  readonly allowsTypes?: true;
  /** Ends the message of a fault: what is allowed. */
  readonly says: string;
}

/** Names of packages, rooms or screens, each with those that it may import. */
type Allowed = Readonly<Record<string, readonly string[]>>;

/**
 * Who may import whom; anything else fails `npm run check`. `docs/ARCHITECTURE.md` has the picture.
 *
 *   money <- trading <- protocol <- web, office, server
 *   money <- trading <- proof <- server, ui, web     money, protocol, proof <- ui <- web, office
 */
const PACKAGES: Allowed = {
  money: [],
  trading: ['money'],
  protocol: ['money', 'trading'],
  proof: ['money', 'trading'],
  ui: ['money', 'trading', 'protocol', 'proof'],
};

/** Rooms of the server (`apps/server/src`), each with the rooms that it may import. `processes`, `commands` and `main.ts` may import all. */
const ROOMS: Allowed = {
  platform: [],
  config: ['platform'],
  market: ['platform', 'config'],
  news: ['platform', 'config'],
  trading: ['platform', 'market'],
  customers: ['platform', 'config', 'market'],
  money: ['platform', 'config', 'market', 'trading', 'customers'],
  notices: ['platform', 'market', 'customers', 'money'],
  support: ['platform', 'customers'],
  stream: ['platform', 'market', 'trading', 'customers', 'notices', 'support'],
  office: ['platform', 'config', 'market', 'trading', 'customers', 'money', 'notices'],
  transparency: ['platform', 'market', 'trading'],
  pages: ['platform', 'config', 'market'],
};

/** Rooms of the customer's app below its screens, lowest first; screens may import all of them. The files of `apps/web/src` itself wire the app. */
const WEB: Allowed = {
  messages: [],
  state: ['messages'],
  api: ['messages', 'state'],
  live: ['state', 'api'],
  parts: ['messages', 'state', 'api'],
  shell: ['messages', 'state', 'api', 'live'],
};

/** Screens of the customer's app, each with the screens whose parts it may import. */
const WEB_SCREENS: Allowed = {
  orders: [],
  wallet: ['destinations', 'orders'],
  support: [],
  destinations: [],
  trade: ['orders'],
  account: ['trade', 'orders'],
  security: ['account', 'orders'],
  earnings: ['wallet'],
  news: ['wallet'],
  verification: ['wallet'],
  transparency: ['orders', 'trade'],
  protection: ['orders', 'transparency'],
  landing: ['orders', 'trade'],
};

/** The same for the office. */
const OFFICE: Allowed = {
  messages: [],
  state: ['messages'],
  api: ['messages', 'state'],
  shell: ['messages', 'state', 'api'],
};

const OFFICE_SCREENS: Allowed = {
  audit: [],
  dashboard: [],
  news: [],
  reports: [],
  session: [],
  proposals: [],
  payouts: ['proposals'],
  reviews: [],
  catalogue: ['proposals'],
  sources: ['catalogue'],
  staff: ['proposals'],
  treasury: ['proposals', 'bank-files'],
  customers: ['reviews', 'proposals'],
  orders: ['reviews'],
  support: ['reviews', 'customers', 'proposals'],
};

/** Folders inside a room, each with the ones beside it that import it and that it may not import. */
const INNER = {
  'server/src/customers/identity': 'server/src/customers/(personal-data|verification)',
  'server/src/platform/http': 'server/src/platform/uploads',
  'web/src/trade/market': 'web/src/trade/ticket',
};

const TEST = /\.test\.tsx?$/;
const any = (paths: readonly string[]) => new RegExp(`^(${paths.join('|')})`);
const mayImport = (folder: string, allowed: readonly string[]) =>
  `${folder} may import ${['itself', ...allowed].join(', ')}`;

const packageRules = Object.entries(PACKAGES).map(
  ([name, allowed]): Rule => ({
    name: `package-${name}`,
    from: { path: new RegExp(`^packages/${name}/(src|bin)/`), pathNot: TEST },
    to: {
      path: /^(packages|apps)\//,
      pathNot: any([`packages/${name}/`, ...allowed.map((other) => `packages/${other}/src/`)]),
    },
    says: mayImport(
      `packages/${name}`,
      allowed.map((other) => `packages/${other}`),
    ),
  }),
);

/** Rules for the rooms of an app: each imports itself and what `rooms` allows it. */
const rulesOfRooms = (app: string, rooms: Allowed) =>
  Object.entries(rooms).map(
    ([name, allowed]): Rule => ({
      name: `room-${app}-${name}`,
      from: { path: new RegExp(`^apps/${app}/src/${name}/`), pathNot: TEST },
      to: {
        path: new RegExp(`^apps/${app}/src/`),
        pathNot: any([name, ...allowed].map((other) => `apps/${app}/src/${other}/`)),
      },
      says: `of apps/${app}/src, ${mayImport(name, allowed)}`,
    }),
  );

/** Adds to each screen's own list the rooms below all screens. */
const aboveAll = (rooms: Allowed, screens: Allowed): Allowed => ({
  ...rooms,
  ...Object.fromEntries(
    Object.entries(screens).map(([name, allowed]) => [name, [...Object.keys(rooms), ...allowed]]),
  ),
});

const innerRules = Object.entries(INNER).map(
  ([folder, above]): Rule => ({
    name: `inner-${folder.replaceAll('/', '-')}`,
    from: { path: new RegExp(`^apps/${folder}/`), pathNot: TEST },
    to: { path: new RegExp(`^apps/${above}/`) },
    says: `apps/${above} imports apps/${folder}, never the other way round`,
  }),
);

export const RULES: readonly Rule[] = [
  ...packageRules,
  ...rulesOfRooms('server', ROOMS),
  ...rulesOfRooms('web', aboveAll(WEB, WEB_SCREENS)),
  ...rulesOfRooms('office', aboveAll(OFFICE, OFFICE_SCREENS)),
  ...innerRules,
  {
    name: 'web-knows-no-server',
    from: { path: /^apps\/web\// },
    to: { path: /^apps\/(server|office)\// },
    says: 'the customer’s app imports neither the server nor the office',
  },
  {
    name: 'office-knows-no-server',
    from: { path: /^apps\/office\// },
    to: {
      path: /^(apps\/(server|web)|packages\/(trading|proof))\//,
      pathNot: /^apps\/web\/(messages-plugin|browsers|older-styles)\.ts$/,
    },
    says: 'of the customer’s app, the office imports what both are built with, and nothing of the server, trading and proof',
  },
  {
    name: 'office-takes-types-of-the-protocol',
    from: { path: /^apps\/office\/src\//, pathNot: TEST },
    to: {
      path: /^packages\/protocol\//,
      pathNot:
        /^packages\/protocol\/src\/(languages|lifecycles|day|picture|request-states|staff-roles|identity\/countries|market\/product-state|office\/(customer-lists|report-kinds|statement-fields))\.ts$/,
    },
    allowsTypes: true,
    says: 'schemas are for the server; the browser gets their types, the lists of languages, countries, roles, reports and customers’ pages, the lifecycles and words of states, and the check of days',
  },
  {
    name: 'web-takes-types-of-the-protocol',
    from: { path: /^apps\/web\/src\//, pathNot: TEST },
    to: {
      path: /^packages\/protocol\//,
      pathNot:
        /^packages\/protocol\/src\/(languages|lifecycles|day|notice-kinds|picture|request-states|screens|market\/product-state|identity\/(countries|device-name)|money\/(addresses|bank-accounts))\.ts$/,
    },
    allowsTypes: true,
    says: 'schemas are for the server; the browser gets their types, the lists of languages, countries, notices and screens, the lifecycles and words of states, and the checks of addresses and days',
  },
  {
    name: 'the-signer-knows-no-server',
    from: { path: /^scripts\/payout-sign\.ts$/ },
    to: { path: /^(apps|tests)\/|^packages\/(?!protocol\/src\/money\/payout-file\.ts)/ },
    says: 'the program that has the key imports the form of its files, and nothing else of the project',
  },
  {
    name: 'the-registrars-alone-count',
    from: {
      path: /^apps\/server\/src\//,
      pathNot:
        /\.test\.ts$|^apps\/server\/src\/((platform\/throttle|config)\/|processes\/api\/(api|api-parts)\.ts$|office\/core\/(office-api|start-office)\.ts$)/,
    },
    to: { path: /^apps\/server\/src\/platform\/throttle\// },
    says: 'operations declare their limits, and their registrars count calls and guesses; a handler gets `guess` with its context',
  },
  {
    name: 'tests-are-not-imported',
    from: { path: /^(apps|packages)\//, pathNot: /\.test\.ts$|\/test\// },
    to: { path: /\.test\.ts$|\/test\/|^tests\// },
    says: 'code of the product imports no test and nothing of tests/kit',
  },
];
