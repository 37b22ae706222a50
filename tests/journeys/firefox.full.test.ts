import { api, newAccount, origin, PASSWORD } from '@fairtick/kit/browser/browser.ts';
import { firefoxTab, launchFirefox, open } from '@fairtick/kit/browser/firefox.ts';
import { MEMBER_SCREENS, showsScreen } from '@fairtick/kit/browser/screens.ts';
import { PATIENCE_MS, seen } from '@fairtick/kit/waiting/until.ts';
import { type Browser, Locator, type Page } from 'puppeteer-core';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

/** The ticket's button, when it takes a tap. */
const BUTTON = '[data-view=product] button[data-state]:enabled:not([data-state=sending], [aria-disabled])';

/** Registers over the API, and logs in through the form. */
async function logIn(page: Page): Promise<void> {
  const account = newAccount();
  const form = { account, password: PASSWORD, confirmPassword: PASSWORD, lang: 'en' };
  await fetch(`${origin()}/api/user/register`, { method: 'POST', body: new URLSearchParams(form) });
  await open(page, `${origin()}/login`);
  await page.locator('[data-view=login] ::-p-aria([name="Account"][role="textbox"])').fill(account);
  await page.locator('[data-view=login] input[type=password]').fill(PASSWORD);
  await page.locator('[data-view=login] ::-p-aria([name="Log in"][role="button"])').click();
  await page.waitForSelector('[data-view=index] main', { visible: true });
}

/** Opens a product of the home screen, waits until its price moves, and buys. @returns the order's id */
async function buy(page: Page): Promise<string> {
  await page.locator('[data-view=index] a[href*="symbol=SOL"]').click();
  const price = await page.waitForSelector(
    '::-p-xpath(//*[@data-testid="price" and translate(., "0123456789", "") != .])',
  );
  const first = await price?.evaluate((element) => element.textContent);
  await page.waitForFunction(
    (before) => document.querySelector('[data-testid=price]')?.textContent !== before,
    {},
    first,
  );
  await page.locator('label:has(input[name=minutes][value="1"])').click();
  await page.locator('#ticket-amount').fill('100');
  const token = await page.evaluate(() => localStorage.getItem('token') ?? '');
  const orders = async () => (await api<{ items: { id: string }[] }>('order/list', token)).items;
  // Two taps, and two more while a busy server refuses the order.
  const id = await seen(
    async () => {
      const [order] = await orders();
      if (order === undefined) await (await page.$(BUTTON))?.click();
      return order?.id;
    },
    { everyMs: 500, what: 'an order' },
  );
  await page.waitForSelector(`[data-view=product] [data-order="${id}"]`);
  expect(await orders()).toHaveLength(1);
  return id;
}

/** Asks for the check of a settled order until there is a report: the receipt is ready once the log has been signed again. */
async function checkReceipt(page: Page): Promise<void> {
  const check = page.locator('::-p-aria([name="Check this settlement"][role="button"])');
  // The report takes the place of the button; a click on it does nothing.
  const reportOrCheck = Locator.race([page.locator('section[data-valid] h2'), check]).setTimeout(PATIENCE_MS);
  await seen(
    async () => {
      await reportOrCheck.click();
      return page.$('section[data-valid]');
    },
    { everyMs: 500, what: 'the report of a receipt' },
  );
  expect(await page.$eval('section[data-valid] h2', (heading) => heading.textContent)).toBe(
    'Checked on this device: everything matches',
  );
}

describe('Firefox', () => {
  let browser: Browser;
  beforeAll(async () => {
    // Scrollbars that take room, as on most desktops, in a dark system.
    browser = await launchFirefox({
      'widget.gtk.overlay-scrollbars.enabled': false,
      'ui.systemUsesDarkTheme': 1,
    });
  }, 300_000);
  afterAll(() => browser?.close());

  test('a customer logs in, buys, sees the order settle, checks the receipt and opens every screen, and the console stays empty', async () => {
    const { page, complaints } = await firefoxTab(browser);
    await open(page, `${origin()}/home?lang=en`);
    await logIn(page);
    const order = await buy(page);
    await page.locator(`[data-view=product] a[data-order="${order}"]`).click();
    await page.waitForSelector('[data-status=settled]', { timeout: 60_000 + PATIENCE_MS });
    await checkReceipt(page);
    // As links within the app do: Firefox complains in the console about code that is still loading when a page is left.
    for (const { path } of MEMBER_SCREENS) {
      await page.evaluate((to) => history.pushState({ isOurs: true }, '', to), path);
      await page.waitForFunction(showsScreen, {}, path.slice(1));
      expect(await page.evaluate(() => document.body.innerText), path).not.toContain(
        'This screen has failed',
      );
    }
    expect(complaints).toEqual([]);
  }, 300_000);

  test('no light strip stands at the edge of a dark page', async () => {
    const { page } = await firefoxTab(browser);
    for (const path of ['/index', '/home', '/mine']) {
      await open(page, `${origin()}${path}`);
      const picture = sharp(await page.screenshot());
      const { width = 0, height = 0 } = await picture.metadata();
      const edge = { left: width - 16, top: 0, width: 16, height };
      const { channels } = await picture.extract(edge).stats();
      // Mean brightness: a light scrollbar is above 200, dark ones with their thumb below 100.
      for (const { mean } of channels.slice(0, 3)) expect(mean, path).toBeLessThan(100);
    }
  }, 120_000);
});
