import { launch, origin, PASSWORD, visit } from '@fairtick/kit/browser/browser.ts';
import {
  call,
  follow,
  MEMBER_SCREENS,
  member,
  open,
  pathOf,
  SCREENS,
  shown,
  stored,
  unfold,
  view,
} from '@fairtick/kit/browser/screens.ts';
import { soon } from '@fairtick/kit/browser/trader.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { fullTest } from '@fairtick/kit/size.ts';
import { searchProducts } from '@fairtick/ui/search-products';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';

const browser = forFile(() => launch());

const tab = (page: Page, name: string) => view(page).getByRole('navigation').getByRole('link', { name });
const back = (page: Page) => view(page).getByRole('button', { name: 'Back', exact: true });

describe('routes and bars', () => {
  test('the root leads to the trading home, and no address below a route exists (S2-01, S2-02)', async () => {
    const { page, context } = await visit(browser, { language: 'en' });
    await page.goto(`${origin()}/`);
    await shown(page, '/index');
    expect(pathOf(page)).toBe('/index');
    for (const path of ['/product/EURUSD', '/historyOrder/1', '/news/1']) {
      expect((await fetch(`${origin()}${path}`)).status, path).toBe(404);
    }
    await context.close();
  });

  test('every route exists for a customer, with tab bar and top bar by its flags (S2-03, S2-04, S2-05, S2-06, S2-07, S2-08, S2-09, S2-10, S2-11, S2-12, S2-13, S2-14, S2-15, S2-16, S2-17, S2-18, S2-19, S2-20, S2-21, S2-22, S2-23, S2-24, S2-37, S2-42, S6-05)', async () => {
    const visitor = await visit(browser, { language: 'en' });
    const customer = await member(browser, { language: 'en' });
    for (const { page } of [visitor, customer]) await open(page, '/home');
    for (const { path, hasTabbar } of SCREENS) {
      const { page } = MEMBER_SCREENS.some((screen) => screen.path === path) ? customer : visitor;
      const answer = await fetch(`${origin()}${path}`);
      expect([answer.status, answer.headers.get('content-type')], path).toEqual([
        200,
        'text/html; charset=utf-8',
      ]);
      await follow(page, path);
      await shown(page, path);
      expect(
        {
          path: pathOf(page),
          hasTabbar: await view(page).getByRole('navigation', { name: 'Main navigation' }).isVisible(),
          hasTopBar: await back(page).isVisible(),
        },
        path,
      ).toEqual({ path, hasTabbar, hasTopBar: !hasTabbar });
      // Each screen has a title: in its bar or heading, and in the browser's tab.
      expect((await view(page).locator('h1, h2').first().textContent())?.trim(), path).not.toBe('');
      expect(await page.title(), path).toMatch(/^\S.* · Fairtick$/);
    }
    expect([...visitor.complaints, ...customer.complaints]).toEqual([]);
    for (const { context } of [visitor, customer]) await context.close();
  });

  fullTest(
    'the demo has its mark on every screen, and the same pages in live mode have no mark at all',
    async () => {
      const { page, context } = await member(browser, { language: 'en' });
      const marks = async () => ((await page.locator('[data-demo]:visible').count()) > 0 ? path : null);
      let path = '';
      const paths = [
        '/index',
        '/product',
        '/profit',
        '/chat',
        '/news',
        '/mine',
        '/bank',
        '/home',
        '/transparency',
      ];
      for (path of paths) {
        await open(page, path);
        await soon(marks).toBe(path);
      }
      // The same pages as in live mode.
      await page.route(
        (url) => paths.includes(url.pathname),
        async (route) => {
          const answer = await route.fetch();
          const body = (await answer.text()).replace('data-mode="demo"', 'data-mode="live"');
          await route.fulfill({ response: answer, body });
        },
      );
      for (path of paths) {
        await open(page, path);
        await page.locator('[data-demo]').first().waitFor({ state: 'attached' });
        expect(await marks()).toBe(null);
      }
      await context.close();
    },
  );

  test('an app-wide setting overrules the flags: a product fills a phone’s screen, and the list shows its tab bar again (S2-25, S2-26, S3-01, S4-25)', async () => {
    const { page, context } = await visit(browser, { language: 'en' });
    await open(page, '/product');
    await tab(page, 'News').waitFor();
    await page.getByRole('link', { name: 'EUR/USD' }).first().click();
    await back(page).waitFor();
    expect(await view(page).getByRole('navigation').count()).toBe(0);
    await back(page).click();
    await tab(page, 'News').waitFor();
    expect(await back(page).count()).toBe(0);
    await context.close();
  });

  test('five tabs are in order, each with its icon and target, gold when current and grey otherwise, in both themes (S2-27, S2-28, S2-29, S2-30, S2-31, S2-32, S2-33, S2-34, S9-05)', async () => {
    const { page, context } = await member(browser, { language: 'en' });
    await open(page, '/index');
    await tab(page, 'My Account').waitFor();
    const seen = await readTabs(page);
    expect(seen.map(({ label, path, icon }) => [label, path, icon])).toEqual([
      ['Trade', '/product', 'refund'],
      ['Earnings', '/profit', 'balance-pay'],
      ['Customer Service', '/chat', 'chat'],
      ['News', '/news', 'fire'],
      ['My Account', '/mine', 'manager'],
    ]);
    expect(new Set(seen.map(({ drawing }) => drawing)).size).toBe(5);
    for (const theme of ['light', 'dark']) {
      for (const { label, path } of seen) {
        await tab(page, label).click();
        await shown(page, path);
        await expect
          .poll(() => coloursOf(page), { message: `${theme}: ${path}` })
          .toEqual(seen.map((other) => (other.path === path ? 'gold' : 'grey')));
      }
      await unfold(page);
      await page.getByRole('button', { name: 'Appearance' }).click();
    }
    // A desktop shows the same five in its header.
    await page.setViewportSize({ width: 1280, height: 800 });
    await expect
      .poll(async () => (await readTabs(page)).map(({ label, path }) => [label, path]))
      .toEqual(seen.map(({ label, path }) => [label, path]));
    await expect.poll(() => coloursOf(page)).toEqual(['grey', 'grey', 'grey', 'grey', 'gold']);
    await context.close();
  });

  fullTest(
    'the back arrow leads to the previous page, or home from a page that was opened directly (S2-35)',
    async () => {
      const { page, context } = await member(browser, { language: 'en' });
      await open(page, '/index');
      await tab(page, 'My Account').click();
      await page.getByRole('link', { name: 'Orders' }).click();
      await shown(page, '/historyOrder');
      await back(page).click();
      await shown(page, '/mine');
      // A page that was loaded as a whole.
      await open(page, '/bank');
      await back(page).click();
      await shown(page, '/mine');
      const other = await context.newPage();
      await open(other, '/bank');
      await back(other).click();
      await shown(other, '/index');
      await context.close();
    },
  );

  fullTest('the top bar shows the title, and a right text that raises an event (S2-37, S2-38)', async () => {
    const { page, context } = await visit(browser, { language: 'en' });
    await open(page, '/product?symbol=XAU/USD');
    const bar = view(page).getByRole('banner').or(view(page).locator('header')).first();
    await soon(() => bar.getByRole('heading', { level: 1 }).textContent()).toBe('Gold / US Dollar');
    await bar.getByRole('button', { name: 'Rules' }).click();
    await page.getByRole('dialog', { name: /^Rules for Gold/ }).waitFor();
    await context.close();
  });
});

interface SeenTab {
  readonly label: string;
  readonly path: string;
  readonly icon: string | null;
  readonly drawing: string;
  readonly colour: string;
}

function readTabs(page: Page): Promise<SeenTab[]> {
  return page
    .getByRole('navigation', { name: 'Main navigation' })
    .getByRole('link')
    .evaluateAll((links) =>
      (links as HTMLAnchorElement[]).map((link) => ({
        label: link.textContent?.trim() ?? '',
        path: link.pathname,
        icon: link.dataset.icon ?? null,
        drawing: link.querySelector('svg')?.innerHTML ?? '',
        colour: getComputedStyle(link).color,
      })),
    );
}

const coloursOf = async (page: Page) => (await readTabs(page)).map(({ colour }) => kindOf(colour));

/** A colour by hue and strength, so that shades may vary and colours may not. */
function kindOf(colour: string): string {
  const [r, g, b] = (colour.match(/[\d.]+/g) ?? []).map(Number) as [number, number, number];
  const strength = (Math.max(r, g, b) - Math.min(r, g, b)) / Math.max(r, g, b);
  if (strength < 0.25) return 'grey';
  const hue = (60 * (g - b)) / (r - b);
  return r >= g && g >= b && hue > 35 && hue < 52 && strength > 0.5 ? 'gold' : colour;
}

describe('theme', () => {
  const isDark = (page: Page) => page.evaluate(() => document.documentElement.classList.contains('dark'));

  test('the system decides until a choice is stored; the switch flips the class `dark` and stores true or false (S1-33, S1-35, S1-36, S1-37, S3-04)', async () => {
    const { page, context } = await visit(browser, { language: 'en', theme: 'dark' });
    await open(page, '/index');
    expect(await isDark(page)).toBe(true);
    expect((await stored(page)).dark).toBeUndefined();
    const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const night = await paper();
    await page.getByRole('button', { name: 'Light' }).first().click();
    await expect.poll(() => isDark(page)).toBe(false);
    expect((await stored(page)).dark).toBe('false');
    // With reduced motion every change of a style takes until the next frame.
    await expect.poll(paper).not.toBe(night);
    await page.getByRole('button', { name: 'Dark' }).first().click();
    await expect.poll(() => isDark(page)).toBe(true);
    expect((await stored(page)).dark).toBe('true');
    await context.close();
  });

  fullTest('a stored choice overrules the theme of the system (S1-34)', async () => {
    for (const theme of ['light', 'dark'] as const) {
      const { page, context } = await visit(browser, { language: 'en', theme });
      await open(page, '/index');
      expect(await isDark(page)).toBe(theme === 'dark');
      await page.evaluate((dark) => localStorage.setItem('dark', String(dark)), theme === 'light');
      await open(page, '/index');
      expect(await isDark(page)).toBe(theme === 'light');
      await context.close();
    }
  });
});

describe('language', () => {
  const lang = (page: Page) => page.evaluate(() => document.documentElement.lang);
  const heading = (page: Page) => view(page).getByRole('heading', { level: 1 }).textContent();

  test('is Chinese by default, also if an unknown code is stored (S1-27, S1-28, S1-29, S1-32, S9-02)', async () => {
    const { page, context } = await visit(browser);
    await open(page, '/product');
    expect([await lang(page), await heading(page)]).toEqual(['zh-CN', '行情']);
    await page.evaluate(() => localStorage.setItem('language', 'fr'));
    await open(page, '/product');
    expect([await lang(page), await heading(page)]).toEqual(['zh-CN', '行情']);
    await context.close();
  });

  fullTest(
    'changes every text at once on a choice, is stored under `language`, and stays (S1-27, S1-30, S1-32, S2-65)',
    async () => {
      const { page, context } = await member(browser);
      await open(page, '/mine');
      for (const [from, name, code, tag, title] of [
        ['语言', 'English', 'en', 'en-US', 'My Account'],
        ['Language', '繁體中文', 'tw', 'zh-TW', '我的'],
        ['語言', '简体中文', 'zh', 'zh-CN', '我的'],
      ] as const) {
        await unfold(page);
        await page.getByRole('button', { name: from }).click();
        await page.getByRole('dialog').getByRole('button', { name }).click();
        await expect.poll(() => lang(page)).toBe(tag);
        await expect.poll(() => page.title()).toBe(`${title} · Fairtick`);
        expect((await stored(page)).language).toBe(code);
        await open(page, '/mine');
        await expect
          .poll(async () => [await lang(page), await page.title()])
          .toEqual([tag, `${title} · Fairtick`]);
      }
      await context.close();
    },
  );
});

describe('cached views', () => {
  test('typed text and scroll position survive a visit to another view (S2-39, S3-03, S4-26)', async () => {
    const { page, context } = await member(browser, { language: 'en' });
    await open(page, '/product');
    const search = page.getByRole('searchbox');
    await search.fill('us');
    const main = view(page).locator('main');
    // The names are in the reader's language, and the search has taken effect: the list stays as it is.
    const { data } = await call('product/list?lang=en', '');
    const found = searchProducts(data as { symbol: string; name: string }[])('us');
    await expect.poll(() => main.locator('li a[href^="/product?symbol="]').count()).toBe(found.length);
    await expect.poll(() => main.evaluate((element) => element.scrollHeight)).toBeGreaterThan(2_000);
    await main.evaluate((element) => element.scrollTo(0, 900));
    await tab(page, 'News').click();
    await shown(page, '/news');
    await tab(page, 'Trade').click();
    await shown(page, '/product');
    expect(await search.inputValue()).toBe('us');
    await expect.poll(() => main.evaluate((element) => element.scrollTop)).toBe(900);

    // Logging out clears them, so the next customer starts fresh.
    await tab(page, 'My Account').click();
    await page.getByRole('button', { name: 'Log out' }).click();
    await shown(page, '/login');
    await back(page).click();
    await shown(page, '/product');
    expect(await search.inputValue()).toBe('');
    await context.close();
  });

  fullTest(
    'the view of a route is kept after leaving it exactly if its flag says so (S2-39, S3-03, S4-26, S4-27)',
    async () => {
      const { page, context } = await member(browser, { language: 'en' });
      await open(page, '/index');
      for (const { path, isCached } of MEMBER_SCREENS.filter((one) => one.path !== '/index')) {
        await follow(page, path);
        await shown(page, path);
        await follow(page, '/index');
        await shown(page, '/index');
        expect([path, (await page.locator(`[data-view=${path.slice(1)}]`).count()) === 1]).toEqual([
          path,
          isCached,
        ]);
      }
      await context.close();
    },
  );

  fullTest('a view that is marked no-cache starts empty (S2-39, S4-26)', async () => {
    const { page, context } = await visit(browser, { language: 'en' });
    await open(page, '/login');
    await page.getByLabel('Account').fill('half_typed');
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await view(page).getByRole('link', { name: 'Register' }).click();
    await shown(page, '/register');
    await view(page).getByRole('link', { name: 'Log in' }).click();
    await shown(page, '/login');
    expect(await page.getByLabel('Account').inputValue()).toBe('');
    expect(await page.getByLabel('Password', { exact: true }).inputValue()).toBe('');
    await context.close();
  });
});
