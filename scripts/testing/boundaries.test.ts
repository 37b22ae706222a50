import { join } from 'node:path';
import { expect, test } from 'vitest';
import { faultsOf } from './boundaries.ts';
import { importsOf, sourceFiles } from './imports.ts';

const ROOT = join(import.meta.dirname, '../..');
const line = (from: string, to: string, more: { isLost?: true; isType?: true } = {}) => ({
  from,
  to,
  line: 3,
  isLost: false,
  isType: false,
  ...more,
});

test('an upward import is a fault that says what its folder may import, and where the rule stands', () => {
  expect(
    faultsOf([line('apps/server/src/market/candles/candles.ts', 'apps/server/src/money/requests/x.ts')]),
  ).toEqual([
    'apps/server/src/market/candles/candles.ts:3 imports apps/server/src/money/requests/x.ts: of apps/server/src, market may import itself, platform, config (rule room-server-market of boundaries.config.ts)',
  ]);
  expect(
    faultsOf([line('apps/server/src/money/requests/x.ts', 'apps/server/src/market/candles/candles.ts')]),
  ).toEqual([]);
});

test.each([
  ['a package', 'packages/money/src/a.ts', 'packages/trading/src/b.ts', 'package-money'],
  ['a screen', 'apps/web/src/orders/a.tsx', 'apps/web/src/wallet/b.tsx', 'room-web-orders'],
  [
    'a folder of a room',
    'apps/web/src/trade/market/a.ts',
    'apps/web/src/trade/ticket/b.ts',
    'inner-web-src-trade-market',
  ],
  ['the app', 'apps/web/vite.config.ts', 'apps/server/src/a.ts', 'web-knows-no-server'],
  ['the office', 'apps/office/src/staff/a.ts', 'packages/proof/src/a.ts', 'office-knows-no-server'],
  ['a handler', 'apps/server/src/trading/a.ts', 'apps/server/src/platform/throttle/b.ts', 'the-registrars'],
  ['the product', 'apps/server/src/main.ts', 'tests/kit/size.ts', 'tests-are-not-imported'],
])('%s keeps to its rule', (_, from, to, rule) => {
  expect(faultsOf([line(from, to)]).join()).toContain(`(rule ${rule}`);
});

test('a browser gets types of the protocol, but no schema', () => {
  const imported = ['apps/web/src/wallet/a.ts', 'packages/protocol/src/index.ts'] as const;
  expect(faultsOf([line(...imported, { isType: true })])).toEqual([]);
  expect(faultsOf([line(...imported)])).toHaveLength(1);
});

test('a lost import and a circle are faults', () => {
  const [a, b, c] = ['packages/money/src/a.ts', 'packages/money/src/b.ts', 'packages/money/src/c.ts'];
  expect(faultsOf([line(a, b, { isLost: true })])).toEqual([`${a}:3 imports ${b}, which does not exist`]);
  expect(faultsOf([line(a, b), line(b, c), line(c, b)])).toEqual([
    `these files import each other in a circle, which is never allowed: ${b} → ${c} → ${b}`,
  ]);
});

test('imports are found in all their forms', () => {
  const [file = ''] = sourceFiles(ROOT).filter((path) => path.endsWith('testing/boundaries.test.ts'));
  expect(importsOf(ROOT, [file]).map(({ to, line: at }) => `${at} ${to}`)).toEqual([
    '3 scripts/testing/boundaries.ts',
    '4 scripts/testing/imports.ts',
  ]);
  const all = importsOf(ROOT, sourceFiles(ROOT));
  const hasTo = (from: string, to: string) => all.some((each) => each.from === from && each.to === to);
  expect(hasTo('apps/web/src/orders/order-card.tsx', 'packages/ui/src/index.ts')).toBe(true);
  expect(all.filter(({ to }) => to.endsWith('.css')).length).toBeGreaterThan(100);
  expect(
    all.filter(({ to, isType }) => isType && to.startsWith('packages/protocol/')).length,
  ).toBeGreaterThan(100);
});
