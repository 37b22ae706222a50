import { expect, test } from 'vitest';
import type { Request } from '../parts/requests.ts';
import { addressOf, merge, readDetail, readFilter } from './requests-model.ts';

const one = (kind: Request['kind'], id: string, submittedAt: number) =>
  ({ kind, id, submittedAt }) as unknown as Request;
const ids = (requests: readonly Request[]) => requests.map(({ kind, id }) => `${kind[0]}${id}`);

test('two lists become one, newest first', () => {
  const merged = merge([
    { items: [one('deposit', '3', 30), one('deposit', '1', 10)], hasMore: false },
    { items: [one('withdrawal', '2', 20)], hasMore: false },
  ]);
  expect(ids(merged)).toEqual(['d3', 'w2', 'd1']);
});

test('a request is held back while an unread page of the other list could hold a newer one (S2-76)', () => {
  const deposits = { items: [one('deposit', '9', 90), one('deposit', '8', 80)], hasMore: true };
  const withdrawals = [one('withdrawal', '7', 85), one('withdrawal', '6', 40)];
  expect(ids(merge([deposits, { items: withdrawals, hasMore: false }]))).toEqual(['d9', 'w7', 'd8']);
  expect(
    ids(
      merge([
        { ...deposits, hasMore: false },
        { items: withdrawals, hasMore: false },
      ]),
    ),
  ).toEqual(['d9', 'w7', 'd8', 'w6']);
  // No page of the other list is loaded yet.
  expect(merge([deposits, { items: [], hasMore: true }])).toEqual([]);
  expect(merge([])).toEqual([]);
});

test('an address names a filter or a request, and unknown values mean no filter (S2-73, S2-74)', () => {
  expect(readFilter('type=deposit&status=review')).toEqual({ type: 'deposit', status: 'review' });
  expect(readFilter('type=gift&status=')).toEqual({ type: 'all', status: 'all' });
  expect(addressOf({ type: 'withdrawal', status: 'all' })).toBe('/accessLog?type=withdrawal');
  expect(addressOf(readFilter(''))).toBe('/accessLog');
  expect(readDetail('withdrawal=12')).toEqual({ kind: 'withdrawal', id: '12' });
  expect(readDetail('deposit=')).toBeNull();
});
