import { launch, neverGiveUp, origin, visit } from '@fairtick/kit/browser/browser.ts';
import { axeFindings, pathOf, view } from '@fairtick/kit/browser/screens.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { fullTest } from '@fairtick/kit/size.ts';
import { describe, expect, test } from 'vitest';

/** The marketing page for a first-time visitor, with scripts and without. */
const browser = forFile(() => launch());

const read = async (path: string, cookie = '', asked = '') =>
  (await fetch(`${origin()}${path}`, { headers: { cookie, 'accept-language': asked } })).text();

describe('the landing page', () => {
  fullTest(
    'is in the HTML in the language of its address, with the metadata of a shared link (S1-13, S2-22)',
    async () => {
      for (const [lang, tag, words] of [
        ['zh', 'zh-CN', '进入交易大厅'],
        ['tw', 'zh-TW', '進入交易大廳'],
        ['en', 'en-US', 'Start trading'],
      ] as const) {
        const html = await read(`/home?lang=${lang}`);
        expect(html).toContain(`<html lang="${tag}"`);
        expect(html).toContain(words);
        expect(html).toContain(`<link rel="canonical" href="${origin()}/home?lang=${lang}">`);
        expect(html.match(/hreflang="/g)).toHaveLength(4);
        expect(html).toMatch(/<meta property="og:title" content="[^"]+"/);
      }
      // Without a language in the address, the reader's own language counts.
      expect(await read('/home', 'language=en')).toContain('<html lang="en-US"');
      expect(await read('/home')).toContain('<html lang="zh-CN"');
      // Each address is its own canonical link, whatever language was requested before.
      expect(await read('/home', 'language=en')).toContain(`<link rel="canonical" href="${origin()}/home">`);
      expect(await read('/home?lang=zh')).toContain(`<link rel="canonical" href="${origin()}/home?lang=zh">`);
      expect(await read('/sitemap.xml')).toContain(`${origin()}/home?lang=tw`);
      expect(await read('/robots.txt')).toContain('Disallow: /api/');
      const known = (name: string) => fetch(`${origin()}/.well-known/${name}`, { redirect: 'manual' });
      expect((await known('change-password')).headers.get('location')).toBe('/mine');
      // This house has no operator's profile, and so nobody to name.
      expect((await known('security.txt')).status).toBe(404);
      expect((await fetch(`${origin()}/share.png`)).headers.get('content-type')).toBe('image/png');
    },
  );

  test('follows the browser: its language at once, and its theme and language as they change, until the reader chooses', async () => {
    expect(await read('/home', '', 'en-GB,en;q=0.9')).toContain('<html lang="en-US"');
    expect(await read('/home', 'language=tw', 'en-GB,en;q=0.9')).toContain('<html lang="zh-TW"');
    // The default language of the app itself stays.
    expect(await read('/index', '', 'en-GB,en;q=0.9')).toContain('<html lang="zh-CN"');
    const { page, context } = await visit(browser, { width: 1280 });
    await page.setExtraHTTPHeaders({ 'accept-language': 'en-GB,en;q=0.9' });
    const isDark = () => page.evaluate(() => document.documentElement.classList.contains('dark'));
    const changeLanguage = (tag: string) =>
      page.evaluate((language) => {
        Object.defineProperty(navigator, 'language', { value: language, configurable: true });
        dispatchEvent(new Event('languagechange'));
      }, tag);
    await page.goto(`${origin()}/home`);
    await page.getByRole('link', { name: 'Start trading' }).first().waitFor();
    await page.getByRole('button', { name: 'Language' }).first().waitFor();
    expect(await isDark()).toBe(false);
    await page.emulateMedia({ colorScheme: 'dark' });
    await expect.poll(isDark).toBe(true);
    await changeLanguage('zh-Hant-TW');
    await page.getByRole('link', { name: '進入交易大廳' }).first().waitFor();
    await page.evaluate(() => {
      localStorage.setItem('dark', 'true');
      localStorage.setItem('language', 'tw');
    });
    await page.emulateMedia({ colorScheme: 'light' });
    await changeLanguage('en-US');
    await page.waitForFunction(() => matchMedia('(prefers-color-scheme: light)').matches);
    expect([await isDark(), await page.evaluate(() => document.documentElement.lang)]).toEqual([
      true,
      'zh-TW',
    ]);
    await context.close();
  });

  test('shows counts, moving prices, marked samples, risk and regions, and leads to the trading hall (S1-13, S1-19, S1-21, S1-24, S1-25, S1-26, S2-21, S2-41, S6-02)', async () => {
    const { page, complaints, context } = await visit(browser, { language: 'zh' });
    await page.goto(`${origin()}/home?lang=en`);
    // The address sets the language once; from then on the reader's choice counts.
    await page.waitForFunction(() => location.search === '');
    await page.getByRole('heading', { name: /^\d{3} products$/ }).waitFor();
    const claims = page.locator('[data-claim]');
    await expect.poll(() => claims.count()).toBe(6);
    await claims.getByText('CFD and forex broker', { exact: true }).waitFor();
    for (const claim of await claims.all()) expect(await claim.innerText()).toContain('Sample');
    await page.getByText('Mainland China', { exact: true }).waitFor();
    await page.getByText('any order can lose its whole stake').first().waitFor();
    const prices = page.locator('[data-price]');
    await expect.poll(() => prices.count()).toBeGreaterThanOrEqual(2);
    // Every row's content is drawn, those far below the screen, too. One script finds and judges the prices: each new price is a new element.
    expect(
      await page.evaluate(() =>
        Array.from(document.querySelectorAll('[data-price]'), (price) =>
          price.checkVisibility({ contentVisibilityAuto: true }),
        ),
      ),
    ).not.toContain(false);
    const before = await prices.allInnerTexts();
    await expect.poll(async () => (await prices.allInnerTexts()).join()).not.toBe(before.join());
    expect(await axeFindings(page)).toEqual([]);
    // Each class is counted and leads to its own list.
    const classes = page.locator('[data-count]');
    expect((await classes.allInnerTexts()).map((text) => text.replace(/\s+/g, ' '))).toEqual(
      ['Currency pairs', 'Energy', 'Indices', 'Stocks', 'Metals', 'Crypto'].map((label) =>
        expect.stringMatching(new RegExp(`^${label} \\d+$`)),
      ),
    );
    await classes.getByRole('link', { name: /^Energy/ }).click();
    await page.waitForURL(`${origin()}/product?class=energy`);
    expect(await view(page).getByRole('tab', { name: 'Energy' }).getAttribute('aria-selected')).toBe('true');
    await page.goBack();
    await page.getByRole('link', { name: 'Start trading' }).first().click();
    await page.waitForURL(`${origin()}/index`);
    expect(pathOf(page)).toBe('/index');
    expect(complaints).toEqual([]);
    await context.close();
  });

  fullTest(
    'has a receipt, said to be of this server or an example, that the visitor’s own browser checks',
    async () => {
      const { page, complaints, context } = await visit(browser, { language: 'en' });
      await page.goto(`${origin()}/home`);
      await page
        .getByRole('heading', { name: /^(A receipt of this server|An example of a receipt)$/ })
        .waitFor();
      expect(await page.getByText('Proven on this device').count()).toBe(0);
      await page.getByRole('button', { name: 'Check this one' }).click();
      await page.getByText('Proven on this device').waitFor();
      await page.getByRole('button', { name: 'Every check' }).click();
      const dialog = page.getByRole('dialog', { name: 'Every check' });
      await dialog.getByText('All checks', { exact: true }).click();
      await dialog.getByText('The log is signed', { exact: true }).waitFor();
      expect(await dialog.locator('li[data-wrong]').count()).toBe(0);
      expect(await axeFindings(page)).toEqual([]);
      await page.keyboard.press('Escape');
      await page.getByRole('link', { name: 'How checking works' }).click();
      await page.waitForURL(`${origin()}/transparency`);
      expect(complaints).toEqual([]);
      await context.close();
    },
  );

  fullTest('changes the language without a reload (S1-27)', async () => {
    const { page, complaints, context } = await visit(browser, { language: 'en', width: 1280 });
    await page.goto(`${origin()}/home`);
    await page.getByRole('button', { name: 'Language' }).first().click();
    await page.getByRole('menuitemradio', { name: '繁體中文' }).first().click();
    await page.getByRole('link', { name: '進入交易大廳' }).first().waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  fullTest(
    'keeps the language that was chosen last while an earlier one is still loading (S1-27)',
    async () => {
      const { page, complaints, context } = await visit(browser, { language: 'en', width: 1280 });
      await neverGiveUp(page);
      // The server sends the page in another language than the stored one.
      await page.setExtraHTTPHeaders({ 'accept-language': 'zh-CN' });
      const english = /\/api\/app\/landing\?lang=en/;
      const first = Promise.withResolvers<void>();
      await page.route(english, async (route) => {
        await first.promise;
        await route.continue();
      });
      // The header offers the language before the page's own code has come and asks for its content.
      const asked = page.waitForRequest(english);
      await page.goto(`${origin()}/home`);
      await asked;
      await page.getByRole('button', { name: 'Language' }).first().click();
      await page.getByRole('menuitemradio', { name: '繁體中文' }).first().click();
      const hall = page.getByRole('link', { name: '進入交易大廳' }).first();
      await hall.waitFor();
      const late = page.waitForResponse(english);
      first.resolve();
      await (await late).finished();
      await hall.waitFor();
      await expect.poll(() => page.locator('[data-landing=tw]').count()).toBe(1);
      expect(complaints).toEqual([]);
      await context.close();
    },
  );
});
