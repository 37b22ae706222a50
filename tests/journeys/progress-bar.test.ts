import { launch, visit } from '@fairtick/kit/browser/browser.ts';
import { open, shown, view } from '@fairtick/kit/browser/screens.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';

const browser = forFile(() => launch());
describe('the progress bar', () => {
  test('is in #app while a page loads, with its constants, and disappears when the page is shown (S2-40, S4-29, S4-30, S4-31, S4-32, S4-33, S4-34, S9-06)', async () => {
    const { page, context } = await visit(browser, { language: 'en', moves: true });
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    // The page's code loads slowly, as on a bad connection.
    await page.route(/\/assets\/login-page-.*\.js/, async (route) => {
      await held;
      await route.continue();
    });
    await open(page, '/index');
    await page.waitForLoadState('networkidle', { timeout: 3_000 }).catch(() => {});
    await page.locator('.bprogress').waitFor({ state: 'detached' });
    await recordBar(page);
    await view(page).getByRole('link', { name: 'Log in' }).click();
    await page.waitForFunction(() => (window as unknown as Recorded).bar.length >= 8);
    const steps = await page.evaluate(() => (window as unknown as Recorded).bar);
    expect(new Set(steps.map(({ parent }) => parent))).toEqual(new Set(['app']));
    expect(await page.locator('.bprogress .spinner').count()).toBe(0);
    const { easing, duration, hasHeight } = await page.locator('.bprogress .bar').evaluate((bar) => {
      const style = getComputedStyle(bar);
      return {
        easing: style.transitionTimingFunction,
        duration: style.transitionDuration,
        hasHeight: bar.getBoundingClientRect().height,
      };
    });
    expect({ easing, duration, hasHeight }).toEqual({ easing: 'ease', duration: '0.5s', hasHeight: 2 });
    const shares = steps.map(({ share }) => share).filter((share) => share > 0);
    expect(shares[0]).toBeCloseTo(0.3);
    // The bar advances every 200 ms; on a busy machine later, as every timer of the page, never earlier.
    const times = steps.filter(({ share }, at) => share > (steps[at - 1]?.share ?? 0)).map(({ ms }) => ms);
    const middle = middleGap(times.slice(1));
    const beat = middleGap(await page.evaluate(() => (window as unknown as Recorded).beats));
    expect(middle).toBeGreaterThan(150);
    expect(middle / beat).toBeLessThan(1.75);
    release();
    await shown(page, '/login');
    await page.locator('.bprogress').waitFor({ state: 'detached' });
    await context.close();
  });
});

interface Recorded {
  bar: { ms: number; share: number; parent: string | undefined }[];
  /** Times of a timer of 200 ms in the same page. */
  beats: number[];
}

function middleGap(times: readonly number[]): number {
  const gaps = times.slice(1).map((ms, at) => ms - (times[at] as number));
  return gaps.toSorted((a, b) => a - b)[Math.floor(gaps.length / 2)] as number;
}

/** Records every step of the bar, its visible share and time, beside a timer of the same pace. */
function recordBar(page: Page): Promise<void> {
  return page.evaluate(() => {
    const steps: Recorded['bar'] = [];
    const beats: number[] = [];
    Object.assign(window, { bar: steps, beats });
    const beat = () => {
      beats.push(performance.now());
      setTimeout(beat, 200);
    };
    beat();
    new MutationObserver(() => {
      const bar = document.querySelector<HTMLElement>('.bprogress .bar');
      if (!bar) return;
      const percent = Number(bar.style.transform.match(/-?[\d.]+(?=%)/)?.[0] ?? -100);
      const share = Math.round(100 + percent) / 100;
      if (share === steps.at(-1)?.share) return;
      steps.push({ ms: performance.now(), share, parent: bar.closest('.bprogress')?.parentElement?.id });
    }).observe(document.documentElement, {
      subtree: true,
      childList: true,
      attributes: true,
      attributeFilter: ['style'],
    });
  });
}
