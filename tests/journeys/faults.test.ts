import { launch } from '@fairtick/kit/browser/browser.ts';
import { axeFindings, follow, member, open, shown, view } from '@fairtick/kit/browser/screens.ts';
import { openProduct, trader, untilPriceMoves } from '@fairtick/kit/browser/trader.ts';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

/** Lets a screen throw when it is drawn while the page's `planted` is a text, which the error carries. */
async function plantFault(page: Page, chunk: string): Promise<void> {
  await page.route(new RegExp(`/assets/${chunk}-[^/]+\\.js$`), (route) =>
    route.fulfill({
      contentType: 'text/javascript',
      body: `import Screen from '${new URL(route.request().url()).pathname}?own';
        export default function Planted(props) {
          if (window.planted) throw new Error(window.planted);
          return Screen(props);
        }`,
    }),
  );
}
const plant = (page: Page, text: string) =>
  page.evaluate((planted) => void Object.assign(window, { planted }), text);

test('a fault in a screen leaves the rest working, keeps what was typed except secrets, and logs none of it', async () => {
  const { page, context, complaints } = await member(browser, { language: 'en' });
  await plantFault(page, 'set-withdrawal-password-page');
  await plantFault(page, 'edit-address-page');
  await open(page, '/editAddress');
  const field = view(page).getByRole('textbox').first();
  await field.fill('TN3W4H6rK2ce4vX9YnFQHwKENnHjoxb3m');
  await plant(page, 'typed TN3W4H6rK2ce4vX9YnFQHwKENnHjoxb3m9');
  await field.press('9');
  const alert = view(page).getByRole('alert');
  await alert.getByText('This screen has failed').waitFor();
  expect(await alert.evaluate((own) => own === document.activeElement)).toBe(true);
  expect(await axeFindings(page)).toEqual([]);
  // The rest works.
  await follow(page, '/mine');
  await shown(page, '/mine');
  await page.getByRole('button', { name: 'Log out' }).waitFor();
  await follow(page, '/editAddress');
  await alert.getByText('This screen has failed').waitFor();
  await plant(page, '');
  await alert.getByRole('button', { name: 'Try again' }).click();
  await expect.poll(() => field.inputValue()).toMatch(/^TN3W4H6rK2ce4vX9YnFQHwKENnHjoxb3m/);

  await plant(page, 'again');
  await field.press('8');
  const typed = await page.evaluate(() => sessionStorage.getItem('typed'));
  await alert.getByRole('button', { name: 'Reload' }).click();
  await expect.poll(() => field.inputValue()).toMatch(/^TN3W4H6rK2ce4vX9YnFQHwKENnHjoxb3m/);
  expect(typed).toContain('TN3W4H6rK2ce4vX9YnFQHwKENnHjoxb3m');

  // Passwords, also shown ones, and codes.
  await open(page, '/setPayWord');
  for (const [at, secret] of (await view(page).locator('input').all()).entries())
    await secret.fill(`46813${at}`);
  for (const eye of await view(page)
    .getByRole('button', { name: /^Show / })
    .all())
    await eye.click();
  await plant(page, '468130');
  await view(page).locator('input').first().press('Backspace');
  await alert.getByText('This screen has failed').waitFor();
  expect((await page.evaluate(() => sessionStorage.getItem('typed'))) ?? '').not.toContain('4681');
  expect(complaints.filter((text) => text.includes('A screen failed')).length).toBeGreaterThan(2);
  expect(complaints.filter((text) => /468|TN3W/.test(text))).toEqual([]);
  await context.close();
});

test('a part of the app that an upgrade has removed is offered as a reload, after one by itself', async () => {
  const { page, context } = await member(browser, { language: 'en' });
  await open(page, '/mine');
  let isGone = true;
  let loads = 0;
  page.on('load', () => {
    loads += 1;
  });
  await page.route(/\/assets\/security-page-[^/]+\.js$/, (route) =>
    isGone ? route.fulfill({ status: 404, body: '' }) : route.continue(),
  );
  await follow(page, '/devices');
  await shown(page, '/devices');
  await page.evaluate(() => history.pushState({ isOurs: true }, '', '/security'));
  await page.waitForEvent('load');
  const offer = page.getByRole('alert').filter({ hasText: 'Reload' }).first();
  await offer.waitFor();
  await page.waitForTimeout(7_000);
  expect(loads).toBe(1);
  isGone = false;
  await page.getByText('Reload', { exact: false }).last().click();
  await shown(page, '/security');
  await context.close();
});

/** Replaces or wraps every text, now and as it comes, as the translators of browsers do. */
const translate = (page: Page, how: 'replace' | 'wrap') =>
  page.evaluate((kind) => {
    const isOurs = (text: Text) =>
      text.data.trim() !== '' &&
      text.parentElement !== null &&
      text.parentElement.closest('[translate=no], .notranslate, font, script, style, svg, textarea') === null;
    const run = (root: Node) => {
      const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
      const texts: Text[] = [];
      while (walker.nextNode())
        if (isOurs(walker.currentNode as Text)) texts.push(walker.currentNode as Text);
      for (const text of texts) {
        const outer = document.createElement('font');
        const inner = outer.appendChild(document.createElement('font'));
        text.parentNode?.replaceChild(outer, text);
        if (kind === 'wrap') inner.append(text);
        else inner.textContent = `«${text.data}»`;
      }
    };
    run(document.body);
    setInterval(() => run(document.body), 200);
  }, how);

test.for(['replace', 'wrap'] as const)(
  'a page that the browser translates (%s) goes on: prices, screens, ticket, order',
  async (how) => {
    const { page, context, complaints } = await trader(browser);
    await openProduct(page, 'BTC/USDT');
    await translate(page, how);
    await page.waitForTimeout(600);
    await untilPriceMoves(page);
    // Prices, amounts and codes are left alone.
    for (const price of await page.locator('[data-testid=price]').all())
      expect(await price.locator('font').count()).toBe(0);
    for (const path of ['/index', '/mine', '/historyOrder', '/with', '/news', '/product?symbol=BTC/USDT']) {
      await follow(page, path);
      await shown(page, path);
      expect(await page.locator('font').count()).toBeGreaterThan(0);
    }
    await page
      .locator('button', { hasText: /Buy up/ })
      .last()
      .click();
    await page.locator('#ticket-amount').fill('25');
    const confirm = page.locator('button[data-state]');
    await confirm.click();
    await expect.poll(() => confirm.textContent()).toContain('Tap again');
    await page.keyboard.press('Escape');
    await expect.poll(() => confirm.textContent()).not.toContain('Tap again');
    await follow(page, '/index');
    await shown(page, '/index');
    expect(await page.getByRole('alert').filter({ hasText: 'failed' }).count()).toBe(0);
    expect(complaints.filter((text) => !text.startsWith('warning'))).toEqual([]);
    await context.close();
  },
);
