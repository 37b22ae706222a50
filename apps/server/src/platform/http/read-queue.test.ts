import { expect, test } from 'vitest';
import type { Asker } from '../fairness/fair-line.ts';
import { ReadQueue } from './read-queue.ts';

test('reads take turns by network, as many at once as there are connections', async () => {
  const line = new ReadQueue(2);
  const done: string[] = [];
  let running = 0;
  let most = 0;
  const read = (asker: Asker) =>
    line.take(asker, async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      done.push(asker.who);
    });
  const flood = Array.from({ length: 50 }, () => read({ kind: 'anyone', who: 'flood' }));
  await Promise.all([
    ...flood,
    read({ kind: 'anyone', who: 'visitor' }),
    read({ kind: 'inside', who: 'customer' }),
  ]);
  expect(most).toBe(2);
  // Two reads of the flood run already, and one more has its turn before the visitor's.
  expect(done.indexOf('visitor')).toBeLessThan(6);
  expect(done.indexOf('customer')).toBeLessThan(6);
  expect(done.length).toBe(52);
});
