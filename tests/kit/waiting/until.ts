import { setTimeout as sleep } from 'node:timers/promises';

/**
 * How long tests wait for something that must happen, in ms: far longer than it takes on a busy machine. Only benchmarks and
 * long modes bound a time.
 */
export const PATIENCE_MS = 45_000;

/** Waits for something to come to pass, and fails when it does not in time. */
export async function until(isTrue: () => Promise<boolean> | boolean, withinMs: number): Promise<void> {
  await seen(isTrue, { withinMs, what: 'it' });
}

/** Looks again and again until there is something to see, and returns it; fails when there is nothing in time. */
export async function seen<T>(
  look: () => T | Promise<T>,
  {
    withinMs = PATIENCE_MS,
    everyMs = 10,
    what = 'what was waited for',
  }: { withinMs?: number; everyMs?: number; what?: string } = {},
): Promise<NonNullable<Exclude<T, false>>> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const found = await look();
    if (found !== false && found != null) return found as NonNullable<Exclude<T, false>>;
    if (performance.now() > deadline) throw new Error(`${what} was not seen within ${withinMs} ms`);
    await sleep(everyMs);
  }
}
