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

/** Between the folders of the server: each may import itself and these. */
const SERVER = {
  db: ['market-data/catalogue', 'news/samples'],
  'news/samples': [],
  landing: ['market-data', 'operator-profile.ts'],
  news: ['db', 'http/context.ts', 'uploads/uploads.ts'],
  'market-data/catalogue': [],
  'market-data': ['db', 'http/context.ts', 'http/read-line.ts'],
  orders: ['db', 'market-data', 'http/context.ts', 'identity/throttle.ts', 'alerts/fire-alerts.ts'],
  identity: [
    'db',
    'market-data/products.ts',
    'http/context.ts',
    'http/shares.ts',
    'config.ts',
    'personal-data/destinations.ts',
    'verification/reasons.ts',
    'protection/own-limits.ts',
  ],
  uploads: ['db', 'http/context.ts', 'personal-data'],
  'personal-data': ['db', 'identity', 'http/context.ts', 'uploads'],
  verification: ['db', 'http/context.ts', 'personal-data', 'uploads'],
  funds: ['db', 'identity', 'orders/routes.ts', 'http/context.ts'],
  recharge: [
    'db',
    'identity',
    'orders/routes.ts',
    'orders/placement-queue.ts',
    'funds/claim-key.ts',
    'http/context.ts',
    'uploads',
    'personal-data',
    'protection/refusals.ts',
  ],
  withdraw: [
    'db',
    'identity',
    'orders/routes.ts',
    'funds/claim-key.ts',
    'http/context.ts',
    'recharge',
    'personal-data',
  ],
  earnings: [
    'db',
    'orders/routes.ts',
    'funds/claim-key.ts',
    'http/context.ts',
    'recharge/amounts.ts',
    'recharge/refusals.ts',
    'recharge/office-cases.ts',
  ],
  treasury: ['db', 'http/context.ts', 'recharge', 'market-data/log/hash.ts'],
  catalogue: ['db', 'market-data', 'http/context.ts', 'recharge/office-cases.ts'],
  dashboard: ['db', 'market-data', 'http/context.ts', 'orders/exposure-book.ts', 'recharge/office-cases.ts'],
  notices: [
    'db',
    'orders/routes.ts',
    'http/context.ts',
    'market-data/products.ts',
    'recharge',
    'verification/reasons.ts',
  ],
  protection: ['db', 'http/context.ts', 'recharge/amounts.ts'],
  alerts: ['db', 'http/context.ts', 'market-data/products.ts', 'orders/routes.ts'],
  statistics: ['db', 'http/context.ts', 'market-data/products.ts'],
  support: [
    'db',
    'http/context.ts',
    'identity',
    'orders/routes.ts',
    'personal-data',
    'uploads',
    'recharge/office-cases.ts',
    'recharge/turns.ts',
  ],
  stream: ['db', 'identity', 'market-data', 'orders', 'notices', 'support'],
  http: ['db', 'identity', 'market-data', 'orders', 'stream', 'config.ts', 'operator-profile.ts'],
  office: ['db', 'identity', 'http', 'config.ts', 'personal-data/key-ring.ts'],
  'customer-view': [
    'db',
    'http/context.ts',
    'funds/fund-log.ts',
    'personal-data',
    'recharge/office-cases.ts',
  ],
  'data-export': ['db', 'http/context.ts', 'personal-data', 'uploads'],
  'app-shell': ['db'],
  backup: ['db'],
  liabilities: ['db', 'market-data', 'http/context.ts'],
  transparency: ['db', 'market-data', 'liabilities', 'http/context.ts'],
  replay: ['db', 'market-data', 'orders/order-terms.ts'],
};
/** Small files beside the folders that all of them may use. */
const SERVER_FILES = [
  'network.ts',
  'assets.ts',
  'cached.ts',
  'idempotency.ts',
  'office-area.ts',
  'packed.ts',
  'route-access.ts',
  'turns.ts',
  'fair-line.ts',
  'round-robin.ts',
];

const escapeRegExp = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
const any = (paths) => (paths.length === 0 ? '^$' : `^(${paths.join('|')})`);

const packageRules = Object.entries(PACKAGES).map(([name, allowed]) => ({
  name: `package-${name}`,
  severity: 'error',
  from: { path: `^packages/${name}/src/`, pathNot: '\\.(test|full)\\.ts$' },
  to: {
    path: '^(packages|apps)/',
    pathNot: any([name, ...allowed].map((other) => `packages/${other}/src/`)),
  },
}));

const serverRules = Object.entries(SERVER).map(([name, allowed]) => ({
  name: `server-${name.replace('/', '-')}`,
  severity: 'error',
  from: {
    path: `^apps/server/src/${name}/`,
    pathNot: [
      '\\.(test|full)\\.ts$',
      ...Object.keys(SERVER)
        .filter((other) => other.startsWith(`${name}/`))
        .map((other) => `^apps/server/src/${other}/`),
    ],
  },
  to: {
    path: '^apps/server/src/',
    pathNot: any([
      ...[name, ...allowed].map((other) => `apps/server/src/${escapeRegExp(other)}`),
      ...SERVER_FILES.map((file) => `apps/server/src/${escapeRegExp(file)}`),
    ]),
  },
}));

module.exports = {
  forbidden: [
    ...packageRules,
    ...serverRules,
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
        pathNot: '^apps/web/messages-plugin\\.ts$',
      },
    },
    {
      name: 'office-takes-types-of-the-protocol',
      comment:
        'Schemas are for the server: the browser gets their types, the lists of languages and roles, and the check of days.',
      severity: 'error',
      from: { path: '^apps/office/src/', pathNot: '\\.(test|full)\\.ts$' },
      to: {
        path: '^packages/protocol/',
        pathNot: '^packages/protocol/src/(languages|day|office/roles)\\.ts$',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'web-takes-types-of-the-protocol',
      comment:
        'Schemas are for the server: the browser gets their types, the lists of languages and countries, and the checks of addresses and days.',
      severity: 'error',
      from: { path: '^apps/web/src/', pathNot: '\\.(test|full)\\.ts$' },
      to: {
        path: '^packages/protocol/',
        pathNot: '^packages/protocol/src/(languages|day|countries|addresses)\\.ts$',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'no-circles',
      severity: 'error',
      from: { path: '^(apps|packages)/' },
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'no-lost-imports',
      severity: 'error',
      from: { path: '^(apps|packages)/' },
      to: { couldNotResolve: true },
    },
    {
      name: 'tests-are-not-imported',
      severity: 'error',
      from: { pathNot: '(\\.(test|full)\\.ts$|/test/|^tests/)' },
      to: { path: '(\\.(test|full)\\.ts$|/test/|^tests/)' },
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
