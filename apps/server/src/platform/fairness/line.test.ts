import { expect, test } from 'vitest';
import { type Asker, Line, Places } from './line.ts';
import { OverloadError } from './overload-error.ts';

test('a caller that takes as many places as it can leaves enough for others', () => {
  const places = new Places(1_000);
  const takeAll = (who: string) => {
    let taken = 0;
    while (places.take(who)) taken += 1;
    return taken;
  };
  expect(takeAll('greedy')).toBe(200);
  for (let other = 0; other < 10; other += 1) expect(takeAll(`other ${other}`)).toBeLessThan(200);
  expect(takeAll('honest')).toBeGreaterThan(10);
  for (let place = 0; place < 200; place += 1) places.giveBack('greedy');
  expect(takeAll('honest')).toBeGreaterThan(30);
  // When all places are taken, a place that is given back goes to the next caller.
  for (let other = 0; places.hasRoom(`single ${other}`); other += 1) places.take(`single ${other}`);
  expect(places.take('late')).toBe(false);
  places.giveBack('single 1');
  expect(places.take('late')).toBe(true);
});

const pause = () => new Promise((resolve) => setImmediate(resolve));

/** Runs tasks of these callers; each entry of `done` is a caller, `most` the tasks that ran at once. */
function observed(line: Line) {
  const done: string[] = [];
  let running = 0;
  let most = 0;
  const run = (asker: Asker) =>
    line.take(asker, async () => {
      running += 1;
      most = Math.max(most, running);
      await pause();
      running -= 1;
      done.push(asker.who);
    });
  return { run, done, most: () => most };
}
const many = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);

test('tasks take turns by kind and network, a number of them at once', async () => {
  const { run, done, most } = observed(new Line({ atOnce: 2, waiting: 1_000 }));
  await Promise.all([
    ...many(50, () => run({ kind: 'anyone', who: 'flood' })),
    run({ kind: 'anyone', who: 'visitor' }),
    run({ kind: 'inside', who: 'customer' }),
  ]);
  expect(most()).toBe(2);
  // Two tasks of the flood run already, and one more has its turn before the visitor's.
  expect(done.indexOf('visitor')).toBeLessThan(6);
  expect(done.indexOf('customer')).toBeLessThan(6);
  expect(done.length).toBe(52);
});

test('tasks of one caller run one after the other, beside those of others', async () => {
  const { run, done, most } = observed(new Line({ ofOne: 1, waiting: 100 }));
  const flood = Promise.allSettled(many(40, () => run({ kind: 'anyone', who: 'flood' })));
  await run({ kind: 'anyone', who: 'visitor' });
  expect(done.filter((who) => who === 'flood').length).toBeLessThanOrEqual(1);
  expect(most()).toBe(2);
  const ends = await flood;
  const refused = ends.filter((end) => end.status === 'rejected');
  expect(ends.length - refused.length).toBe(1 + 20);
  expect(refused.every(({ reason }) => reason instanceof OverloadError)).toBe(true);
});

test('a task whose deadline is over before its turn does not begin, and the line goes on', async () => {
  const { run, done } = observed(new Line({ atOnce: 1, waiting: 100 }));
  const late = { kind: 'anyone', who: 'late', untilMs: performance.now() } as const;
  const ends = await Promise.allSettled([
    run({ kind: 'anyone', who: 'first' }),
    run(late),
    run({ kind: 'anyone', who: 'last' }),
  ]);
  expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(done).toEqual(['first', 'last']);
});
