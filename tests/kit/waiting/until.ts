import { setTimeout as sleep } from 'node:timers/promises';

/**
 * How long tests wait for an expected event, in ms: far longer than it takes on a busy machine. Only benchmarks and long modes
 * test durations.
 */
export const PATIENCE_MS = 45_000;

/** Waits until a condition is true, and throws if it takes too long. */
export async function until(
  isTrue: () => Promise<boolean> | boolean,
  withinMs: number = PATIENCE_MS,
): Promise<void> {
  await seen(isTrue, { withinMs, what: 'it' });
}

/** Polls until `look` returns a value, and returns it; throws if there is none in time. */
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
