import { launch } from '@fairtick/kit/browser/browser.ts';
import { open, view } from '@fairtick/kit/browser/screens.ts';
import { trader } from '@fairtick/kit/browser/trader.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';

/** Long sums on a small phone, and paper. */
const browser = forFile(() => launch());

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
