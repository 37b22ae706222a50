import type { BrowserContext, Page } from 'playwright-core';

/** A layout shift that no tap or key caused. */
export interface Shift {
  readonly value: number;
  readonly atMs: number;
  readonly what: readonly string[];
}

/** Records the layout shifts of all pages that the context opens from now on, from the first paint on. */
export const noteShifts = (context: BrowserContext): Promise<unknown> => context.addInitScript(record);

/** The shifts recorded so far. */
export const shiftsOf = (page: Page): Promise<Shift[]> =>
  page.evaluate(() => (globalThis as unknown as { layoutShifts: Shift[] }).layoutShifts);

function record(): void {
  const shifts: Shift[] = [];
  Object.assign(globalThis, { layoutShifts: shifts });
  type Entry = PerformanceEntry & {
    value: number;
    hadRecentInput: boolean;
    sources: { node: Node | null; previousRect: DOMRect; currentRect: DOMRect }[];
  };
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as Entry[]) {
      if (entry.hadRecentInput) continue;
      shifts.push({
        value: entry.value,
        atMs: Math.round(entry.startTime),
        what: entry.sources.map(
          ({ node, previousRect: { x, y }, currentRect }) =>
            `${(node as HTMLElement | null)?.outerHTML?.slice(0, 120) ?? node?.textContent} from ${x},${y} to ${currentRect.x},${currentRect.y}`,
        ),
      });
    }
  }).observe({ type: 'layout-shift', buffered: true });
}
