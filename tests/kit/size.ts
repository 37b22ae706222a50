import { test } from 'vitest';

/** Whether this is `npm run test:full`: samples are taken whole, and every test runs. */
export const isFull = process.env.TEST_SIZE === 'full';

/** A test that runs in `npm run test:full` only; `npm test` does not register it. */
export const fullTest: typeof test = isFull ? test : notNow();

/** All cases in `test:full`, otherwise `count` of them, evenly spread with the first and the last. */
export function sample<T>(cases: readonly T[], count: number): T[] {
  if (isFull || count >= cases.length) return [...cases];
  return Array.from(
    { length: count },
    (_, n) => cases[Math.round((n * (cases.length - 1)) / Math.max(1, count - 1))] as T,
  );
}

/** A count that is `full` in `test:full` and `small` otherwise. */
export const sized = (small: number, full: number): number => (isFull ? full : small);

/** Takes the arguments of `test`, `test.each` and `test.for`, and registers no test. */
function notNow(): typeof test {
  const nothing = () => {};
  return Object.assign(() => {}, { each: () => nothing, for: () => nothing }) as unknown as typeof test;
}
