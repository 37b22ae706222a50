import { launch, visit } from '@fairtick/kit/browser/browser.ts';
import { axeFindings, follow, member, open, shown, view } from '@fairtick/kit/browser/screens.ts';
import { openProduct, trader, untilPriceMoves } from '@fairtick/kit/browser/trader.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';

const browser = forFile(() => launch());

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
  const { page, context, complaints } = await visit(browser, { language: 'en' });
  await plantFault(page, 'register-page');
  await open(page, '/register');
  const account = view(page).getByLabel('Account', { exact: true });
  const password = view(page).getByLabel('Password', { exact: true });
  const fillIn = async () => {
    await account.fill('typedaccount');
    await password.fill('Typed-246813');
    // A shown password is a field of text.
    await view(page).getByRole('button', { name: /^Show/ }).first().click();
  };
  await fillIn();
  await plant(page, 'the text typedaccount Typed-246813');
  await account.press('9');
  const alert = view(page).getByRole('alert');
  await alert.getByText('This screen has failed').waitFor();
  expect(await alert.evaluate((own) => own === document.activeElement)).toBe(true);
  expect(await axeFindings(page)).toEqual([]);
  // The rest works.
  await follow(page, '/index');
  await shown(page, '/index');
  await follow(page, '/register');
  await alert.getByText('This screen has failed').waitFor();
  await plant(page, '');
  await alert.getByRole('button', { name: 'Try again' }).click();
  await expect.poll(() => account.inputValue()).toContain('typedaccount');
  expect(await password.inputValue()).toBe('');

  await fillIn();
  await plant(page, 'again');
  await account.press('8');
  await alert.getByText('This screen has failed').waitFor();
  const kept = await page.evaluate(() => JSON.stringify([{ ...sessionStorage }, { ...localStorage }]));
  expect(kept).toContain('typedaccount');
  expect(kept).not.toContain('246813');
  await alert.getByRole('button', { name: 'Reload' }).click();
  await expect.poll(() => account.inputValue()).toContain('typedaccount');
  expect(await password.inputValue()).toBe('');
  expect(complaints.filter((text) => text.includes('A screen failed')).length).toBeGreaterThan(1);
  expect(complaints.filter((text) => /246813|typedaccount/.test(text))).toEqual([]);
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
