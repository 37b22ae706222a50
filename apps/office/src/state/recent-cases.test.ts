import { beforeEach, expect, test, vi } from 'vitest';
import { recentCases, rememberCase } from './recent-cases.ts';

// The settings ask for it when they are loaded.
vi.hoisted(() => vi.stubGlobal('matchMedia', () => ({ matches: false })));

const stored = new Map<string, string>();
beforeEach(() => {
  stored.clear();
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => stored.set(key, value),
  });
});

test('the cases that a member of staff opened: newest first, each once, at most ten', () => {
  for (let id = 1; id <= 12; id += 1) rememberCase('7', `/deposits/${id}`, id);
  rememberCase('7', '/deposits/5', 13);
  rememberCase('7', '/withdrawals/5', 14);
  expect(recentCases('7').map(({ kind, id }) => `${kind} ${id}`)).toEqual([
    'withdrawals 5',
    'deposits 5',
    ...[12, 11, 10, 9, 8, 7, 6, 4].map((id) => `deposits ${id}`),
  ]);
  expect(recentCases('8')).toEqual([]);
});

test('the device keeps kind, number and time alone; other addresses are not cases', () => {
  for (const path of ['/deposits', '/deposits/', '/staff/7', '/customers/x', '/ledger/reconciliation'])
    rememberCase('7', path, 1);
  rememberCase('7', '/customers/1001/orders', 2);
  expect([...stored]).toEqual([['recent 7', '[{"kind":"customers","id":"1001","openedAt":2}]']]);
});

test.each(['', '{', '7', '[null, 1, {"kind":"staff","id":"1","openedAt":1}]', '[{"kind":"chats","id":"1"}]'])(
  'an edited store counts as empty: %s',
  (value) => {
    stored.set('recent 7', value);
    expect(recentCases('7')).toEqual([]);
  },
);
