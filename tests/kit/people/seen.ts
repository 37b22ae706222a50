import { setTimeout as sleep } from 'node:timers/promises';

/** Looks again and again until there is something to see, and returns it; fails when there is nothing in time. */
export async function seen<T>(
  look: () => T | Promise<T>,
  { withinMs = 5_000, what = 'what was waited for' }: { withinMs?: number; what?: string } = {},
): Promise<NonNullable<Exclude<T, false>>> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const found = await look();
    if (found !== false && found != null) return found as NonNullable<Exclude<T, false>>;
    if (performance.now() > deadline) throw new Error(`${what} was not seen within ${withinMs} ms`);
    await sleep(10);
  }
}
