import { expect, test } from 'vitest';
import { LoopTurns } from './loop-turns.ts';

/** Keeps the processor busy. */
function work(ms: number): void {
  const untilMs = performance.now() + ms;
  while (performance.now() < untilMs);
}

test('waiting callers get turns in order of arrival, and other work of the process runs in between', async () => {
  const turns = new LoopTurns();
  const done: number[] = [];
  const doneByOthersTurn: number[] = [];
  const all = Promise.all(
    Array.from({ length: 300 }, async (_, place) => {
      await turns.take('one network');
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

test('networks take turns: the first request of one goes before the second of another', async () => {
  const turns = new LoopTurns();
  const done: string[] = [];
  const ask = async (network: string) => {
    await turns.take(network);
    done.push(network);
  };
  await Promise.all([...Array.from({ length: 100 }, () => ask('flood')), ask('visitor'), ask('visitor')]);
  expect(done.slice(0, 4)).toEqual(['flood', 'visitor', 'flood', 'visitor']);
  expect(done.length).toBe(102);
});

test('turns are given again after all waiting callers had theirs', async () => {
  const turns = new LoopTurns();
  await turns.take('one');
  await new Promise((resolve) => setImmediate(resolve));
  await Promise.all([turns.take('one'), turns.take('another')]);
});
