import { addStyles, launch, place, visit } from '@fairtick/kit/browser/browser.ts';
import { sitDown } from '@fairtick/kit/browser/desk.ts';
import { member, open, view } from '@fairtick/kit/browser/screens.ts';
import { soon } from '@fairtick/kit/browser/trader.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';

const browser = forFile(() => launch());

/** Names of the links, buttons and pictures in sight, without states such as `[disabled]`. */
async function names(page: Page): Promise<string[]> {
  const tree = await view(page).ariaSnapshot();
  const lines = tree.split('\n').map((line) => line.trim().replace(/( \[[^\]]*\])*:?$/, ''));
  return lines.filter((line) => /^- '?(link|button|img) /.test(line));
}

/** Names that are gone once `prices` show another text. A name that arrives later is no fault. */
async function namesLost(page: Page, prices: Locator): Promise<string[]> {
  const shown = await prices.allTextContents();
  const before = await names(page);
  expect(before.length).toBeGreaterThan(10);
  await soon(async () => (await prices.allTextContents()).join() === shown.join()).toBe(false);
  const after = new Set(await names(page));
  return before.filter((name) => !after.has(name));
}

describe('a screen reader', () => {
  test.each([375, 1280])(
    'hears one name of each link, button and picture while prices change, at %i px',
    async (width) => {
      const { page, token, context, complaints } = await member(browser, {
        language: 'en',
        width,
        height: 2_000,
      });
      await open(page, '/product?symbol=BTC/USDT');
      const chart = { name: 'Price chart of BTC/USDT', description: /last price [\d,.]+/ };
      await page.getByRole('img', chart).waitFor();
      expect(await namesLost(page, page.getByTestId('price').locator('visible=true'))).toEqual([]);

      await place(token, { symbol: 'BTC/USDT', minutes: '5' });
      await open(page, '/index');
      const left = page.locator('[data-left]:visible');
      const order = {
        name: /^Buy up BTC\/USDT Stake .* DEMO Buy price [\d,.]+ In the public log 5 min · Settles \d\d:\d\d:\d\d$/,
        description: /^\d\d:\d\d Current price [\d,.]+$/,
      };
      await page.getByRole('link', order).locator(left).waitFor();
      expect(await namesLost(page, left)).toEqual([]);
      const row = page.getByRole('link', { name: 'Bitcoin BTC/USDT', exact: true, description: /[\d,.]+/ });
      await row.locator('visible=true').first().waitFor();
      await page.locator('[data-price]:visible').first().waitFor();
      expect(await namesLost(page, page.locator('[data-price]:visible'))).toEqual([]);
      expect(complaints).toEqual([]);
      await context.close();
    },
  );
});

describe('the focus', () => {
  test.each([375, 1280])(
    'is not hidden by the tabs that stick above a list, at %i px (WCAG 2.4.11)',
    async (width) => {
      const { page, context } = await visit(browser, { language: 'en', width, height: 640 });
      await open(page, '/product');
      const rows = page.locator('li > a[href^="/product?symbol="]:visible');
      await soon(() => rows.count()).toBeGreaterThan(30);
      await rows.nth(24).focus();
      const hidden: string[] = [];
      for (let step = 0; step < 20; step += 1) {
        await page.keyboard.press('Shift+Tab');
        const fault = await page.evaluate(() => {
          const active = document.activeElement as HTMLElement;
          const { left, top, bottom } = active.getBoundingClientRect();
          const seen = [top + 3, bottom - 3].every((y) =>
            active.contains(document.elementFromPoint(left + 30, y)),
          );
          return seen ? null : active.getAttribute('aria-label');
        });
        if (fault !== null) hidden.push(fault);
      }
      expect(hidden).toEqual([]);
      await context.close();
    },
  );

  test('is drawn around a field in forced colours, where a frame’s shadow is not', async () => {
    const { page, context } = await member(browser, { language: 'en', width: 1280, height: 900 });
    await page.emulateMedia({ forcedColors: 'active' });
    for (const [path, field] of [
      ['/product?symbol=BTC/USDT', '#ticket-amount'],
      ['/with', 'input[inputmode=decimal]'],
      ['/alerts', 'select'],
      ['/editAddress', 'textarea'],
    ] as const) {
      await open(page, path);
      const input = page.locator(field).locator('visible=true').first();
      await input.focus();
      await soon(() => input.evaluate((element) => getComputedStyle(element).outlineWidth)).toBe('3px');
      expect(await input.evaluate((element) => getComputedStyle(element).outlineStyle)).toBe('solid');
    }
    await context.close();
  });
});

describe('the office in forced colours', () => {
  test('shows which page is open, one frame around a labelled field, and the focus of a choice', async () => {
    const office = process.env.FAIRTICK_OFFICE ?? '';
    const { page, complaints, close } = await sitDown(browser, office, 'auditor_1');
    await page.emulateMedia({ forcedColors: 'active' });
    await page.goto(`${office}/ledger`);
    const asset = page.getByLabel('Asset', { exact: true });
    await asset.focus();
    await soon(() => asset.evaluate((element) => getComputedStyle(element).outlineWidth)).toBe('3px');
    const field = page.getByLabel('Customer number', { exact: true });
    expect(
      await field.evaluate((element) => [
        getComputedStyle(element).outlineStyle,
        getComputedStyle(element.parentElement as Element).outlineStyle,
      ]),
    ).toEqual(['solid', 'none']);
    const background = (name: string) =>
      page.getByRole('link', { name }).evaluate((element) => getComputedStyle(element).backgroundColor);
    expect(await background('Ledger')).not.toBe(await background('Audit log'));
    expect(complaints).toEqual([]);
    await close();
  });
});

describe('wider spacing of text (WCAG 1.4.12)', () => {
  test('cuts no title, name or line of a list on a phone', async () => {
    const { page, context } = await member(browser, { language: 'en', width: 375 });
    await open(page, '/index');
    for (const path of ['/index', '/editAddress', '/changeLog', '/bank']) {
      await open(page, path);
      await addStyles(
        page,
        '* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important }',
      );
      await view(page).locator('h1, [data-entry], li a').locator('visible=true').first().waitFor();
      const cut = await view(page)
        .locator('h1, li b, [data-entry] p')
        .evaluateAll((all) =>
          all
            .filter(
              (element) =>
                element.scrollWidth > element.clientWidth + 1 ||
                element.scrollHeight > element.clientHeight + 3,
            )
            .filter((element) => getComputedStyle(element).overflow !== 'visible')
            .map((element) => element.textContent),
        );
      expect(cut, path).toEqual([]);
    }
    await context.close();
  });
});
