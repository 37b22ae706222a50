import { launch, place } from '@fairtick/kit/browser/browser.ts';
import { layoutFaults } from '@fairtick/kit/browser/layout.ts';
import { payee } from '@fairtick/kit/browser/payee.ts';
import { follow, MEMBER_SCREENS, open, shown, view } from '@fairtick/kit/browser/screens.ts';
import { trader } from '@fairtick/kit/browser/trader.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';

/** The text size that a reader has set in the browser, long sums on a small phone, and paper. */
const browser = forFile(() => launch());

const PRODUCT = '/product?symbol=EUR/USD';
const WALK = [...MEMBER_SCREENS.map(({ path }) => path), PRODUCT];

/** Sets the size of text in the browser's settings, of which 16 px is usual. */
async function setTextSize(page: Page, standard: number): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Page.setFontSizes', { fontSizes: { standard } });
}

/** Waits until the screen is there and drawn. */
async function settled(page: Page, path: string): Promise<void> {
  await shown(page, path);
  if (path === PRODUCT) await page.locator('canvas:visible').first().waitFor();
  await page.waitForFunction(
    () => ![...document.querySelectorAll('[aria-busy=true]')].some((part) => part.checkVisibility()),
  );
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

/** What is wider than the window. */
const tooWide = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [document.scrollingElement as Element, ...document.querySelectorAll('main')].flatMap((element) => {
      if (!element.checkVisibility() || element.scrollWidth <= Math.min(innerWidth, element.clientWidth) + 1)
        return [];
      const edge = element.getBoundingClientRect().left + element.clientWidth + 1;
      const parts = [...element.querySelectorAll('*')].filter(
        (part) => part.children.length === 0 && part.getBoundingClientRect().right > edge,
      );
      return [
        `${element.localName} ${element.scrollWidth}: ${parts
          .slice(0, 4)
          .map((part) => `${part.localName}.${part.className} ${part.textContent?.slice(0, 30)}`)
          .join(' | ')}`,
      ];
    }),
  );

describe('the browser’s own text size', () => {
  const account = forFile(async () => {
    const one = await payee({ balance: '912.67' });
    await place(one.token, { symbol: 'EUR/USD', minutes: '60', amount: '150', asset: 'USDT' });
    return one;
  });

  test.each([
    [320, 16],
    [320, 24],
    [320, 32],
    [375, 24],
    [375, 32],
  ])(
    'at %i px and text of %i px every screen is whole, without a sideways scroll',
    async (width, size) => {
      const { page, context } = await trader(browser, { account, width });
      const faults: string[] = [];
      await open(page, '/mine');
      await setTextSize(page, size);
      for (const path of WALK) {
        await follow(page, path);
        await settled(page, path);
        const body = await page.evaluate(() => Number.parseFloat(getComputedStyle(document.body).fontSize));
        expect([path, body]).toEqual([path, (size * 15) / 16]);
        const found = [...(await layoutFaults(page)), ...(await tooWide(page))];
        faults.push(...found.map((fault) => `${path}: ${fault}`));
      }
      expect(faults).toEqual([]);
      await context.close();
    },
    240_000,
  );

  test('is that of the chart, on its axes too, also when it changes while the chart is shown', async () => {
    const { page, context } = await trader(browser, { account, width: 320 });
    await open(page, PRODUCT);
    await settled(page, PRODUCT);
    const axis = () =>
      page.evaluate(() => {
        const cells = [...document.querySelectorAll('[role=img] table tr:first-child td')];
        const canvas = cells.at(-1)?.querySelector('canvas');
        return canvas ? canvas.getBoundingClientRect().width : 0;
      });
    const usual = await axis();
    expect(usual).toBeGreaterThan(40);
    await setTextSize(page, 32);
    await expect.poll(async () => (await axis()) / usual).toBeGreaterThan(1.7);
    expect(await axis()).toBeLessThan(200);
    await setTextSize(page, 16);
    await expect.poll(axis).toBe(usual);
    await context.close();
  });
});

describe('a long sum', () => {
  test('a balance of twelve digits stays on a small phone', async () => {
    const { page, context } = await trader(browser, { width: 320 });
    const faults: string[] = [];
    await page.route('**/api/user/getUserInfo*', async (route) => {
      const response = await route.fetch();
      const envelope = (await response.json()) as { data: { balances: Record<string, string>[] } };
      for (const balance of envelope.data.balances)
        for (const part of ['available', 'held', 'earning'])
          if (part in balance) balance[part] = '123456789012.345678';
      await route.fulfill({ response, json: envelope });
    });
    for (const path of ['/index', '/mine', '/with', '/product?symbol=EUR/USD', '/changeLog']) {
      await open(page, path);
      await view(page)
        .getByText('123,456,789,012')
        .first()
        .waitFor({ timeout: 5_000 })
        .catch(() => {});
      faults.push(...(await tooWide(page)).map((fault) => `${path}: ${fault}`));
    }
    expect(faults).toEqual([]);
    await context.close();
  });
});

describe('paper', () => {
  test('has the whole of a page, in light colours, without what is pressed', async () => {
    const { page, context } = await trader(browser, { width: 794, height: 600, theme: 'dark' });
    for (const path of ['/transparency', '/changeLog', '/product', '/historyOrder']) {
      await open(page, path);
      await page.waitForFunction(
        () => ![...document.querySelectorAll('[aria-busy=true]')].some((part) => part.checkVisibility()),
      );
      await page.emulateMedia({ media: 'print', colorScheme: 'dark', reducedMotion: 'reduce' });
      const look = await page.evaluate(() => {
        const main = [...document.querySelectorAll('main')].find((each) => each.checkVisibility()) as Element;
        const { backgroundColor, color } = getComputedStyle(document.body);
        return {
          backgroundColor,
          isDarkInk: Number(/\d+/.exec(color)?.[0]) < 60,
          isWhole: main.scrollHeight <= main.clientHeight + 1,
          bars: [...document.querySelectorAll('nav')].filter((bar) => bar.checkVisibility()).length,
        };
      });
      expect([path, look]).toEqual([
        path,
        { backgroundColor: 'rgb(255, 255, 255)', isDarkInk: true, isWhole: true, bars: 0 },
      ]);
      await page.emulateMedia({ media: null, colorScheme: 'dark', reducedMotion: 'reduce' });
    }
    await open(page, '/transparency');
    await page.getByRole('heading', { name: 'Rules' }).first().waitFor();
    const pages = (await page.pdf()).toString('latin1').match(/\/Type \/Page\b/g)?.length ?? 0;
    expect(pages).toBeGreaterThan(2);
    await context.close();
  });
});
