import { setTimeout as sleep } from 'node:timers/promises';

/** Waits for something to come to pass, and fails when it does not in time. */
export async function until(isTrue: () => Promise<boolean> | boolean, withinMs: number): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await isTrue())) {
    if (performance.now() > deadline) throw new Error(`it did not come to pass within ${withinMs} ms`);
    await sleep(10);
  }
}
