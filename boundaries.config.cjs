/**
 * Who may import whom; anything else fails the build. `docs/ARCHITECTURE.md` has the picture.
 *
 *   money <- trading <- protocol <- web, office, server
 *   money <- trading <- proof <- server, web         money, protocol <- ui <- web, office
 */
const PACKAGES = {
  money: [],
  trading: ['money'],
  protocol: ['money', 'trading'],
  proof: ['money', 'trading'],
  ui: ['money', 'protocol'],
};

/** Rooms of the server (`apps/server/src`), each with the rooms that it may import. `processes`, `commands` and `main.ts` may import all. */
const ROOMS = {
  platform: [],
  config: ['platform'],
  market: ['platform', 'config'],
  news: ['platform', 'config'],
  trading: ['platform', 'market'],
  customers: ['platform', 'market'],
  money: ['platform', 'market', 'trading', 'customers'],
  notices: ['platform', 'market', 'customers', 'money'],
  support: ['platform', 'customers'],
  stream: ['platform', 'market', 'trading', 'customers', 'notices', 'support'],
  office: ['platform', 'config', 'market', 'trading', 'customers', 'money'],
  transparency: ['platform', 'market', 'trading'],
  pages: ['platform', 'config', 'market'],
};

/** Rooms of the customer's app below its screens, lowest first; screens may import all of them. The files of `apps/web/src` itself wire the app. */
const WEB = {
  messages: [],
  state: ['messages'],
  api: ['messages', 'state'],
  live: ['state', 'api'],
  parts: ['messages', 'state', 'api'],
  shell: ['messages', 'state', 'api', 'live'],
};

/** Screens of the customer's app, each with the screens whose parts it may import. */
const WEB_SCREENS = {
  orders: [],
  wallet: ['destinations'],
  support: [],
  destinations: [],
  trade: ['orders'],
  account: ['trade'],
  security: ['account', 'orders'],
  earnings: ['wallet'],
  news: ['wallet'],
  verification: ['wallet'],
  transparency: ['orders', 'trade'],
  protection: ['orders', 'transparency'],
  landing: ['orders', 'trade'],
};

/** The same for the office. */
const OFFICE = {
  messages: [],
  state: ['messages'],
  api: ['messages', 'state'],
  shell: ['messages', 'state', 'api'],
};

const OFFICE_SCREENS = {
  audit: [],
  dashboard: [],
  news: [],
  session: [],
  proposals: [],
  reviews: [],
  catalogue: ['proposals'],
  sources: ['catalogue'],
  staff: ['proposals'],
  treasury: ['proposals'],
  customers: ['reviews'],
  support: ['reviews'],
};

/** Folders inside a room, each with the ones beside it that import it and that it may not import. */
const INNER = {
  'server/src/customers/identity': 'server/src/customers/(personal-data|verification)',
  'server/src/platform/http': 'server/src/platform/uploads',
  'web/src/trade/market': 'web/src/trade/ticket',
};

const any = (paths) => (paths.length === 0 ? '^$' : `^(${paths.join('|')})`);

const packageRules = Object.entries(PACKAGES).map(([name, allowed]) => ({
  name: `package-${name}`,
  severity: 'error',
  from: { path: `^packages/${name}/(src|bin)/`, pathNot: '\\.test\\.ts$' },
  to: {
    path: '^(packages|apps)/',
    pathNot: any([`packages/${name}/`, ...allowed.map((other) => `packages/${other}/src/`)]),
  },
}));

/** Rules for the rooms of an app: each imports itself and what `rooms` allows it. */
const rulesOfRooms = (app, rooms) =>
  Object.entries(rooms).map(([name, allowed]) => ({
    name: `room-${app}-${name}`,
    severity: 'error',
    from: { path: `^apps/${app}/src/${name}/`, pathNot: '\\.test\\.tsx?$' },
    to: {
      path: `^apps/${app}/src/`,
      pathNot: any([name, ...allowed].map((other) => `apps/${app}/src/${other}/`)),
    },
  }));

/** Adds to each screen's own list the rooms below all screens. */
const aboveAll = (rooms, screens) => ({
  ...rooms,
  ...Object.fromEntries(
    Object.entries(screens).map(([name, allowed]) => [name, [...Object.keys(rooms), ...allowed]]),
  ),
});

const roomRules = [
  ...rulesOfRooms('server', ROOMS),
  ...rulesOfRooms('web', aboveAll(WEB, WEB_SCREENS)),
  ...rulesOfRooms('office', aboveAll(OFFICE, OFFICE_SCREENS)),
];

const innerRules = Object.entries(INNER).map(([folder, above]) => ({
  name: `inner-${folder.replaceAll('/', '-')}`,
  severity: 'error',
  from: { path: `^apps/${folder}/`, pathNot: '\\.test\\.tsx?$' },
  to: { path: `^apps/${above}/` },
}));

module.exports = {
  forbidden: [
    ...packageRules,
    ...roomRules,
    ...innerRules,
    {
      name: 'web-knows-no-server',
      comment: 'The app never imports the server.',
      severity: 'error',
      from: { path: '^apps/web/' },
      to: { path: '^(apps/server|apps/office)/' },
    },
    {
      name: 'office-knows-no-server',
      comment: 'Nor does the office; and of the app it takes only what both are built with.',
      severity: 'error',
      from: { path: '^apps/office/' },
      to: {
        path: '^(apps/server|apps/web|packages/(trading|proof))/',
        pathNot: '^apps/web/(messages-plugin|browsers|older-styles)\\.ts$',
      },
    },
    {
      name: 'office-takes-types-of-the-protocol',
      comment:
        'Schemas are for the server: the browser gets their types, the lists of languages and roles, the lifecycles, and the check of days.',
      severity: 'error',
      from: { path: '^apps/office/src/', pathNot: '\\.test\\.ts$' },
      to: {
        path: '^packages/protocol/',
        pathNot:
          '^packages/protocol/src/(languages|lifecycles|day|picture|staff-roles|office/statement-fields)\\.ts$',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'web-takes-types-of-the-protocol',
      comment:
        'Schemas are for the server: the browser gets their types, the lists of languages, countries and notices, the lifecycles, and the checks of addresses and days.',
      severity: 'error',
      from: { path: '^apps/web/src/', pathNot: '\\.test\\.ts$' },
      to: {
        path: '^packages/protocol/',
        pathNot:
          '^packages/protocol/src/(languages|lifecycles|day|notice-kinds|picture|identity/countries|money/(addresses|bank-accounts))\\.ts$',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'the-registrars-alone-count',
      comment:
        'Operations declare their limits, and their registrars count calls and guesses. A handler gets `guess` with its context.',
      severity: 'error',
      from: {
        path: '^apps/server/src/',
        pathNot: [
          '\\.test\\.ts$',
          '^apps/server/src/(platform/throttle|config)/',
          '^apps/server/src/processes/api/(api|api-parts)\\.ts$',
          '^apps/server/src/office/core/(office-api|start-office)\\.ts$',
        ],
      },
      to: { path: '^apps/server/src/platform/throttle/' },
    },
    {
      name: 'no-circles',
      severity: 'error',
      from: { path: '^(apps|packages)/' },
      to: { circular: true },
    },
    {
      name: 'no-lost-imports',
      severity: 'error',
      comment: 'A module that the build makes (`virtual:`) is on no disk; the build fails without it.',
      from: { path: '^(apps|packages)/' },
      to: { couldNotResolve: true, pathNot: '^virtual:' },
    },
    {
      name: 'tests-are-not-imported',
      severity: 'error',
      from: { pathNot: '(\\.test\\.ts$|/test/|^tests/)' },
      to: { path: '(\\.test\\.ts$|/test/|^tests/)' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(/dist/|\\.module\\.css$|\\.css$|\\.json$)' },
    tsPreCompilationDeps: 'specify',
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types', 'default'] },
  },
};
