import { launch, place as order, visit } from '@fairtick/kit/browser/browser.ts';
import { type Desk, sitDown } from '@fairtick/kit/browser/desk.ts';
import { follow, type Member, member, open, pathOf, shown, unfold } from '@fairtick/kit/browser/screens.ts';
import { soon } from '@fairtick/kit/browser/trader.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';

const PRODUCT = '/product?symbol=EUR%2FUSD';
const TICKET = 'Purchase';

const browser = forFile(() => launch());

const sheet = (page: Page, name: string) => page.getByRole('dialog', { name });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const goBack = (page: Page) => page.evaluate(() => history.back());
/** The path and the entries of layers at the current one, once they stay the same. */
const place = async (page: Page) => {
  await page.waitForTimeout(200);
  return page.evaluate(() => ({ path: location.pathname, layers: history.state?.layers ?? 0 }));
};

describe('the way back of a phone', () => {
  let customer: Member;
  let page: Page;
  beforeAll(async () => {
    customer = await member(browser, { language: 'en' });
    page = customer.page;
  });

  /** From the home to `path`, so that the way back from there leads home. */
  async function goTo(path: string) {
    await open(page, '/index');
    await follow(page, path);
    await shown(page, path);
  }

  async function leadsHome() {
    await soon(() => place(page)).toMatchObject({ layers: 0 });
    await goBack(page);
    await soon(() => pathOf(page)).toBe('/index');
    await shown(page, '/index');
    expect(await place(page)).toEqual({ path: '/index', layers: 0 });
  }

  async function openTicket() {
    await button(page, 'Buy up').click();
    await sheet(page, TICKET).waitFor();
    await soon(() => place(page)).toMatchObject({ layers: 1 });
  }

  test('closes the ticket, a sheet over it, the full screen and the menu of languages, the topmost first, then leaves the page', async () => {
    await goTo(PRODUCT);
    await openTicket();
    await button(page, 'All rules').click();
    const rules = page.locator('dialog[open]');
    await rules.waitFor();
    await soon(() => place(page)).toMatchObject({ layers: 2 });
    await goBack(page);
    await soon(() => rules.count()).toBe(0);
    expect(await sheet(page, TICKET).isVisible()).toBe(true);
    await goBack(page);
    await soon(() => sheet(page, TICKET).count()).toBe(0);
    expect(pathOf(page)).toBe('/product');

    await page.getByRole('button', { name: 'Full screen' }).click();
    await rules.waitFor();
    await soon(() => place(page)).toMatchObject({ layers: 1 });
    await goBack(page);
    await soon(() => rules.count()).toBe(0);
    expect(pathOf(page)).toBe('/product');
    await leadsHome();
  });

  test('after a sheet was closed by its button, by Esc or quickly opened again, leads to the previous page, once', async () => {
    await goTo('/mine');
    await unfold(page);
    for (const close of [
      () => button(page, 'Close').click(),
      () => page.keyboard.press('Escape'),
      // A press beside it.
      () => page.mouse.click(180, 20),
    ]) {
      await page.getByRole('button', { name: /^Language/ }).click();
      await sheet(page, 'Language').waitFor();
      await soon(() => place(page)).toMatchObject({ layers: 1 });
      await close();
      await soon(() => sheet(page, 'Language').count()).toBe(0);
      await soon(() => place(page)).toMatchObject({ layers: 0 });
    }
    // Opened and closed several times in one task.
    await page.evaluate(async () => {
      const press = async (name: RegExp) => {
        const buttons = [...document.querySelectorAll<HTMLElement>('[data-view=mine] button')];
        buttons.find((one) => name.test(one.getAttribute('aria-label') ?? one.textContent ?? ''))?.click();
        await Promise.resolve();
      };
      for (let count = 0; count < 3; count += 1) {
        await press(/^Language/);
        await press(/^Close$/);
      }
      await press(/^Language/);
      // While the browser goes back from the closed sheet, the sheet is opened again.
      await new Promise((later) => setTimeout(later, 50));
      await press(/^Close$/);
      await new Promise((later) => setTimeout(later, 0));
      await press(/^Language/);
    });
    await sheet(page, 'Language').waitFor();
    await soon(() => place(page)).toEqual({ path: '/mine', layers: 1 });
    await goBack(page);
    await soon(() => sheet(page, 'Language').count()).toBe(0);
    await leadsHome();
  });

  test('from a page that a link in a sheet opened leads to the page of the sheet, and forward again', async () => {
    // Money that an order holds is a link to the orders.
    await order(customer.token, {});
    await goTo('/mine');
    await button(page, 'All assets').click();
    await sheet(page, 'All assets').waitFor();
    await soon(() => place(page)).toMatchObject({ layers: 1 });
    const link = sheet(page, 'All assets').getByRole('link', { name: /open orders/i });
    const target = '/historyOrder';
    await link.click();
    await soon(() => place(page)).toEqual({ path: target, layers: 0 });
    await goBack(page);
    await soon(() => pathOf(page)).toBe('/mine');
    await page.evaluate(() => history.forward());
    await soon(() => pathOf(page)).toBe(target);
    await goBack(page);
    await soon(() => pathOf(page)).toBe('/mine');
  });

  test('leads to the previous page after a reload with an open sheet, and after the forward button', async () => {
    await goTo(PRODUCT);
    await openTicket();
    await page.reload();
    await shown(page, PRODUCT);
    await leadsHome();

    await goTo(PRODUCT);
    await openTicket();
    await goBack(page);
    await soon(() => sheet(page, TICKET).count()).toBe(0);
    await page.evaluate(() => history.forward());
    await soon(() => place(page)).toEqual({ path: '/product', layers: 0 });
    expect(await sheet(page, TICKET).count()).toBe(0);
    await leadsHome();
  });

  test('of the app’s own bar does the same while the ticket is open', async () => {
    await goTo(PRODUCT);
    await openTicket();
    await button(page, 'Back').first().click();
    await soon(() => sheet(page, TICKET).count()).toBe(0);
    await button(page, 'Back').first().click();
    await soon(() => place(page)).toEqual({ path: '/index', layers: 0 });
  });

  test('no browser console has a complaint', () => expect(customer.complaints).toEqual([]));
});

test('the way back closes the menu of languages of a visitor', async () => {
  const { page, context } = await visit(browser, { language: 'en' });
  await open(page, '/index');
  await follow(page, '/home');
  await shown(page, '/home');
  await page.getByRole('button', { name: 'Language' }).first().click();
  await page.getByRole('menu').waitFor();
  await soon(() => place(page)).toMatchObject({ layers: 1 });
  await goBack(page);
  await soon(() => page.getByRole('menu').count()).toBe(0);
  expect(pathOf(page)).toBe('/home');
  await context.close();
});

describe('the way back of the office', () => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await sitDown(browser, process.env.FAIRTICK_OFFICE ?? '', 'cashier_1', { width: 375 });
  });

  test('closes a dialog first, and a link in the frame leaves no entry of it behind', async () => {
    const { page, office } = desk;
    const isAt = (path: string) => soon(() => place(page)).toEqual({ path, layers: 0 });
    await page.goto(`${office}/dashboard`);
    await page.locator('nav a[href="/deposits"]').click();
    await isAt('/deposits');
    await page.keyboard.press('?');
    await sheet(page, 'Keyboard shortcuts').waitFor();
    await soon(() => place(page)).toMatchObject({ layers: 1 });
    await goBack(page);
    await soon(() => sheet(page, 'Keyboard shortcuts').count()).toBe(0);
    await isAt('/deposits');
    await goBack(page);
    await isAt('/dashboard');
    expect(desk.complaints).toEqual([]);
    await desk.close();
  });
});
