import { expect, test } from 'vitest';
import { type Route, routeOf } from './routes.ts';
import { tabWithin } from './tab-bar.tsx';

const within = (path: string, search = '') => tabWithin(routeOf(path) as Route, search);

test('a screen of the account belongs to My Account, an order to Trade, and a tab’s own or a public screen to none', () => {
  for (const path of ['/bank', '/limits', '/changeLog', '/historyOrder']) expect(within(path)).toBe('mine');
  expect(within('/historyOrder', '?id=7')).toBe('product');
  for (const path of ['/index', '/product', '/mine', '/chat', '/login', '/transparency'])
    expect(within(path)).toBe(null);
});
