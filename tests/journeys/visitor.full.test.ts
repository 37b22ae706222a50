import { launch, newAccount, origin, PASSWORD, visit } from '@fairtick/kit/browser/browser.ts';
import { member, open, SCREENS, shown, view } from '@fairtick/kit/browser/screens.ts';
import { fillTicket, openProduct } from '@fairtick/kit/browser/trader.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { fullTest } from '@fairtick/kit/size.ts';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';

/** Finding one's way: the home, language and theme, and what a visitor wanted before having an account. */
const browser = forFile(() => launch());

const TABS = SCREENS.filter(({ hasTabbar }) => hasTabbar).map(({ path }) => path);
const PUBLIC = SCREENS.filter(({ access }) => access === 'public').map(({ path }) => path);

async function fillRegistration(page: Page): Promise<void> {
  await page.getByLabel('Account').fill(newAccount());
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByLabel('Confirm password').fill(PASSWORD);
  await page.getByRole('checkbox').check();
  await page.getByRole('button', { name: 'Register' }).click();
  await page.getByRole('button', { name: 'I have saved them' }).click();
}

const amount = (page: Page) => page.getByLabel('Amount (stake)', { exact: true });
const chosenDirection = (page: Page) =>
  page.getByRole('radio', { name: 'Buy down' }).evaluate((radio) => (radio as HTMLInputElement).checked);

describe('the one home', () => {
  test('is one tap away from every other tab screen of a phone', async () => {
    const { page, complaints, context } = await member(browser, { language: 'en' });
    await open(page, '/index');
    for (const path of TABS.filter((other) => other !== '/index')) {
      await view(page)
        .getByRole('navigation', { name: 'Main navigation' })
        .locator(`a[href="${path}"]`)
        .click();
      await shown(page, path);
      await view(page).getByRole('link', { name: 'Home', exact: true }).click();
      await shown(page, '/index');
    }
    expect(complaints).toEqual([]);
    await context.close();
  });
});

describe('language and theme', () => {
  async function switchBoth(width: number): Promise<void> {
    const { page, complaints, context } = await visit(browser, { language: 'en', width });
    for (const path of [...PUBLIC, '/product?symbol=EUR/USD']) {
      await open(page, path);
      const menu = page.getByRole('button', { name: /^Language/ });
      await menu.click();
      await page.getByRole('menuitemradio', { name: '简体中文' }).click();
      await expect
        .poll(() => page.evaluate(() => document.documentElement.lang), { message: path })
        .toBe('zh-CN');
      await page.getByRole('button', { name: /^语言/ }).waitFor();
      const isDark = () => page.evaluate(() => document.documentElement.classList.contains('dark'));
      const wasDark = await isDark();
      const other = wasDark ? '浅色' : '深色';
      const single = page.getByRole('button', { name: other, exact: true });
      if ((await single.count()) === 0) await page.getByRole('button', { name: '语言与外观' }).click();
      await single.or(page.getByRole('menuitem', { name: other })).click();
      expect(await isDark(), path).toBe(!wasDark);
      await page.evaluate(() => localStorage.setItem('language', 'en'));
    }
    expect(complaints).toEqual([]);
    await context.close();
  }

  test('can be switched by a visitor on every screen of a phone (S1-30, S1-36)', () => switchBoth(375));
  test('can be switched by a visitor on every screen of a tablet (S1-30, S1-36)', () => switchBoth(820));
  fullTest('can be switched by a visitor on every screen of a desktop (S1-30, S1-36)', () =>
    switchBoth(1280),
  );
});

describe('what a visitor wanted', () => {
  test('on a phone, product, direction and stake are there after the registration, and only once', async () => {
    const { page, complaints, context } = await visit(browser, { language: 'en' });
    await openProduct(page, 'GBP/USD');
    await fillTicket(page, '25', 'down');
    await page.getByRole('link', { name: 'Log in to trade' }).click();
    await shown(page, '/login');
    await view(page).getByRole('link', { name: 'Register' }).click();
    await shown(page, '/register');
    await fillRegistration(page);
    await page.waitForURL(
      ({ pathname, searchParams }) => `${pathname} ${searchParams.get('symbol')}` === '/product GBP/USD',
    );
    await expect.poll(() => amount(page).inputValue()).toBe('25');
    expect(await chosenDirection(page)).toBe(true);
    // Nothing is sent by itself, and the stake is not remembered beyond this.
    await page.getByRole('button', { name: /^Buy down 25/ }).waitFor();
    await openProduct(page, 'GBP/USD');
    await fillTicket(page, '', 'up');
    expect(await amount(page).inputValue()).toBe('');
    expect(complaints).toEqual([]);
    await context.close();
  });

  test('on a desktop, they are there after the login', async () => {
    const account = newAccount();
    const form = { account, password: PASSWORD, confirmPassword: PASSWORD, acceptRisk: 'true', lang: 'en' };
    await fetch(`${origin()}/api/user/register`, { method: 'POST', body: new URLSearchParams(form) });
    const { page, complaints, context } = await visit(browser, { language: 'en', width: 1280 });
    await openProduct(page, 'GBP/USD');
    await page.getByRole('radio', { name: 'Buy down' }).check({ force: true });
    await amount(page).fill('30');
    await page.getByRole('link', { name: 'Log in', exact: true }).click();
    await shown(page, '/login');
    await page.getByLabel('Account').fill(account);
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Log in', exact: true }).click();
    await page.waitForURL(
      ({ pathname, searchParams }) => `${pathname} ${searchParams.get('symbol')}` === '/product GBP/USD',
    );
    await expect.poll(() => amount(page).inputValue()).toBe('30');
    expect(await chosenDirection(page)).toBe(true);
    expect(complaints).toEqual([]);
    await context.close();
  });
});

test('a visitor finds the landing page and transparency on the home, the product and the ways into an account', async () => {
  const { page, complaints, context } = await visit(browser, { language: 'en' });
  for (const from of ['/index', '/login', '/register']) {
    for (const [link, to] of [
      ['About Fairtick', '/home'],
      ['Transparency', '/transparency'],
    ] as const) {
      await open(page, from);
      await view(page).getByRole('link', { name: link }).click();
      await shown(page, to);
    }
  }
  await page.setViewportSize({ width: 1280, height: 800 });
  await open(page, '/product');
  await view(page).getByRole('link', { name: 'About Fairtick' }).click();
  await shown(page, '/home');
  expect(complaints).toEqual([]);
  await context.close();
});
