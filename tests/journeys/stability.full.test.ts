import { launch, origin, PASSWORD, place, visit } from '@fairtick/kit/browser/browser.ts';
import { open } from '@fairtick/kit/browser/screens.ts';
import { noteShifts, type Shift, shiftsOf } from '@fairtick/kit/browser/shifts.ts';
import { anotherTab, register, trader } from '@fairtick/kit/browser/trader.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { PATIENCE_MS } from '@fairtick/kit/waiting/until.ts';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';

const WATCHED_MS = 10_000;
/** A screen must tick more often than this while it is watched; on a slow machine it is watched for longer. */
const FEW_TICKS = 10;
const SYMBOL = 'BTC/USDT';

const total = (shifts: readonly Shift[]) => shifts.reduce((sum, { value }) => sum + value, 0);

/** The number of prices on the screen that changed while it was watched, without input. */
function ticksOf(page: Page): Promise<number> {
  return page.evaluate(
    ([leastMs, mostMs, few]) =>
      new Promise<number>((resolve) => {
        const startMs = performance.now();
        let ticks = 0;
        const observer = new MutationObserver((changes) => {
          for (const { target } of changes) {
            const element = target instanceof Element ? target : target.parentElement;
            if (element?.closest('[data-testid=price], main li, dl')) ticks += 1;
          }
        });
        observer.observe(document.body, { subtree: true, childList: true, characterData: true });
        const timer = setInterval(() => {
          const ms = performance.now() - startMs;
          if (ms < leastMs || (ticks <= few && ms < mostMs)) return;
          clearInterval(timer);
          observer.disconnect();
          resolve(ticks);
        }, 100);
      }),
    [WATCHED_MS, PATIENCE_MS, FEW_TICKS] as const,
  );
}

describe('a screen with ticking prices', () => {
  const browser = forFile(() => launch());

  test.for([375, 1280])(
    'shifts almost nothing while it loads at a width of %i, and nothing at all on a tick (S1-01, S2-77)',
    async (width) => {
      const account = await register();
      await place(account.token, { symbol: SYMBOL, minutes: '5' });
      const { page: home, complaints, context } = await trader(browser, { account, width });
      await noteShifts(context);
      const product = await anotherTab({ page: home, complaints, context });
      // A returning customer: the browser knows the open orders from the first paint.
      await home.goto(`${origin()}/index`);
      await home.locator('[data-left]').first().waitFor();
      await Promise.all([home.reload(), product.goto(`${origin()}/product?symbol=${SYMBOL}`)]);
      for (const page of [home, product]) {
        const isCard = width < 768 || page === home;
        await (isCard ? page.locator('[data-left]') : page.getByRole('row')).first().waitFor();
        await page.locator('[data-price], [data-testid=price] span').first().waitFor();
      }
      await product.locator('canvas').first().waitFor();
      // The last part to load: the device's check of the log.
      const checked = width < 768 ? [home] : [home, product];
      for (const page of checked) await page.getByText('Checked on this device').waitFor();
      for (const page of [home, product]) {
        const shifts = await shiftsOf(page);
        expect(total(shifts), JSON.stringify(shifts, null, 1)).toBeLessThan(0.01);
      }

      const before = await Promise.all([home, product].map(shiftsOf));
      const ticks = await Promise.all([home, product].map(ticksOf));
      for (const count of ticks) expect(count).toBeGreaterThan(FEW_TICKS);
      for (const [at, page] of [home, product].entries()) {
        const since = (await shiftsOf(page)).slice(before[at]?.length);
        expect(total(since), JSON.stringify(since, null, 1)).toBe(0);
      }
      expect(complaints).toEqual([]);
    },
  );

  test('a login on a new device has the open orders on its first screen, before the stream brings them', async () => {
    const { token, userInfo } = await register();
    const { account } = userInfo as { account: string };
    await place(token, { symbol: SYMBOL, minutes: '5' });
    const { page } = await visit(browser, { language: 'en' });
    await page.routeWebSocket(/\/api\/stream/, () => {});
    await open(page, '/login');
    await page.getByLabel('Account', { exact: true }).fill(account);
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    // The first moment at which the home is shown with the balance: its open orders are there or not.
    const cards = page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          const observer = new MutationObserver(() => {
            if (!document.querySelector('[data-view=index] [data-testid=balance]')) return;
            observer.disconnect();
            resolve(document.querySelectorAll('[data-view=index] [data-left]').length);
          });
          observer.observe(document.body, { subtree: true, childList: true });
        }),
    );
    await page.getByRole('button', { name: 'Log in', exact: true }).click();
    expect(await cards).toBe(1);
  });

  test('a slow connection shows prices first and everything in the end, and marks no current price as old (S2-44)', async () => {
    const { page, complaints } = await trader(browser, { language: 'zh' });
    const session = await page.context().newCDPSession(page);
    await session.send('Network.enable');
    await session.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 400,
      downloadThroughput: 400_000 / 8,
      uploadThroughput: 400_000 / 8,
    });
    // The prices are in the HTML: they are painted while every script is held back.
    const scripts = Promise.withResolvers<void>();
    await page.route(/\.js$/, async (route) => {
      await scripts.promise;
      await route.continue();
    });
    await page.goto(`${origin()}/index`, { waitUntil: 'commit' });
    const price = page
      .getByRole('link', { name: /BTC\/USDT/ })
      .locator('[data-price]')
      .last();
    await price.waitFor();
    expect(await price.textContent()).toMatch(/^[\d,]+\.\d+$/);
    await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint').length > 0);
    scripts.resolve();
    const first = await price.textContent();
    await expect.poll(() => price.textContent()).not.toBe(first);
    await price.click();
    await page.getByRole('img', { name: /BTC\/USDT/ }).waitFor();
    await page.getByRole('button', { name: '买涨' }).click();
    await page.getByRole('dialog', { name: '买入' }).waitFor();
    expect(await page.getByText(/行情已中断/).count()).toBe(0);
    expect(complaints).toEqual([]);
  });
});
