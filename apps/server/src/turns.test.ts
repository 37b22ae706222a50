import { expect, test } from 'vitest';
import { Turns } from './turns.ts';

/** Keeps the processor busy. */
function work(ms: number): void {
  const untilMs = performance.now() + ms;
  while (performance.now() < untilMs);
}

test('whoever waits has a turn, in the order of asking, and others have theirs in between', async () => {
  const turns = new Turns();
  const done: number[] = [];
  const doneByOthersTurn: number[] = [];
  const all = Promise.all(
    Array.from({ length: 300 }, async (_, place) => {
      await turns.take();
      // Continuations of a turn count as its work.
      await null;
      work(1);
      done.push(place);
    }),
  );
  const looking = setInterval(() => doneByOthersTurn.push(done.length), 0);
  await all;
  clearInterval(looking);
  expect(done).toEqual(Array.from({ length: 300 }, (_, place) => place));
  // 300 ms of work in slices of 8 ms: timers run between slices, at most one slice late.
  expect(doneByOthersTurn.length).toBeGreaterThan(10);
  const steps = doneByOthersTurn.map((count, place) => count - (doneByOthersTurn[place - 1] ?? 0));
  expect(Math.max(...steps)).toBeLessThan(20);
});

test('turns that were all taken begin anew', async () => {
  const turns = new Turns();
  await turns.take();
  await new Promise((resolve) => setImmediate(resolve));
  await Promise.all([turns.take(), turns.take()]);
});
