import type { BrowserContext } from 'playwright-core';

/** Sets the device's clock wrong by this much, for pages opened from now on. The monotonic clock stays as it is. */
export async function setClockWrong(context: BrowserContext, offMs: number): Promise<void> {
  await context.addInitScript((ms) => {
    const now = Date.now.bind(Date);
    const Real = Date;
    Object.assign(globalThis, {
      Date: class extends Real {
        constructor(...parts: []) {
          super(...((parts.length === 0 ? [now() + ms] : parts) as []));
        }
        static override now() {
          return now() + ms;
        }
      },
    });
  }, offMs);
}
