import { addStyles, launch, visit } from '@fairtick/kit/browser/browser.ts';
import { axeFindings, follow, MEMBER_SCREENS, member, open, shown } from '@fairtick/kit/browser/screens.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { fullTest, sample } from '@fairtick/kit/size.ts';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';

const browser = forFile(() => launch());

/** Screens with content of their own. */
const VISITOR = ['/index', '/product', '/product?symbol=EUR/USD', '/login', '/register'];
const DETAILS = [
  '/realName',
  '/bank',
  '/editBank',
  '/editAddress',
  '/setPayWord',
  '/whoLooked',
  '/security',
  '/devices',
  '/myData',
  '/limits',
  '/alerts',
  '/statistics',
];
const MONEY = ['/recharge', '/with', '/accessLog', '/changeLog', '/notices'];
const MEMBER = [
  '/index',
  '/product?symbol=BTC/USDT',
  '/mine',
  '/historyOrder',
  '/news',
  '/profit',
  '/chat',
  ...DETAILS,
  ...MONEY,
];

/** Checking this many screens by all of axe's rules takes minutes while other tests run. */
const PATIENCE_MS = 420_000;

/** Waits until all parts of the screen have loaded. */
async function settled(page: Page, path: string): Promise<void> {
  await shown(page, path);
  if (path.includes('symbol=')) await page.locator('canvas:visible').first().waitFor();
  await page.waitForFunction(
    () => ![...document.querySelectorAll('[aria-busy=true]')].some((part) => part.checkVisibility()),
  );
}

/** Waits for the rules that only those load who ask for more contrast. */
const contrasted = (page: Page) =>
  page.waitForFunction(
    () => getComputedStyle(document.documentElement).getPropertyValue('--rim').trim() !== 'transparent',
  );

/** Waits two frames: charts and layouts take the window's new width with the next one. */
const drawn = (page: Page) =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

test.each([375, 1280])(
  'at %i px, screens write nothing to the console, are no wider than the window and have no serious accessibility fault, in light, dark and with more contrast (S1-01, S1-33, S2-77)',
  async (width) => {
    const findings: string[] = [];
    for (const [reader, paths] of [
      [await visit(browser, { width, language: 'en' }), sample(VISITOR, 2)],
      [await member(browser, { width, language: 'en' }), sample(MEMBER, 4)],
    ] as const) {
      const { page, context, complaints } = reader;
      await page.emulateMedia({ reducedMotion: 'reduce' });
      await open(page, '/home');
      // A colour in mid-transition would give a wrong contrast.
      await addStyles(page, '*, *::before, *::after { transition: none !important }');
      for (const path of paths) {
        await follow(page, path);
        await settled(page, path);
        await drawn(page);
        const wide = await overflows(page);
        const light = await axeFindings(page);
        const small = await axeFindings(page, 'target-size');
        // Whoever asks for more contrast gets 7:1.
        await page.emulateMedia({ reducedMotion: 'reduce', contrast: 'more' });
        await contrasted(page);
        const strong = await axeFindings(page, 'color-contrast-enhanced');
        await page.emulateMedia({ reducedMotion: 'reduce', contrast: 'no-preference' });
        // The dark theme is a class on the root, and only contrast depends on colours.
        await page.evaluate(() => document.documentElement.classList.add('dark'));
        const dark = await axeFindings(page, 'color-contrast');
        await page.evaluate(() => document.documentElement.classList.remove('dark'));
        findings.push(
          ...[...wide, ...light, ...small, ...strong, ...dark].map((finding) => `${path}: ${finding}`),
        );
      }
      expect(complaints).toEqual([]);
      await context.close();
    }
    expect(findings).toEqual([]);
  },
  PATIENCE_MS,
);

test('in forced colours, what is chosen, edges and arrows are still seen', async () => {
  const { page, context } = await member(browser, { language: 'en', width: 1280 });
  await page.emulateMedia({ forcedColors: 'active', reducedMotion: 'reduce' });
  await open(page, '/product?symbol=BTC/USDT');
  await settled(page, '/product?symbol=BTC/USDT');
  await page.locator('[data-direction=up]:visible').first().waitFor();
  await contrasted(page);
  const seen = await page.evaluate(() => {
    const look = (selector: string, part?: string) => {
      const found = [...document.querySelectorAll(selector)].find((element) => element.checkVisibility());
      const { backgroundColor, color, clipPath, outlineStyle } = getComputedStyle(found as Element, part);
      return { backgroundColor, color, clipPath, outlineStyle };
    };
    return {
      chosen: look('label:has(input[name=minutes]:checked)'),
      other: look('label:has(input[name=minutes]:not(:checked))'),
      amount: look('div:has(> #ticket-amount)'),
      arrow: look('[data-direction=up]', '::before'),
      page: look('body'),
    };
  });
  expect(seen.chosen.backgroundColor).not.toBe(seen.other.backgroundColor);
  expect([seen.other.outlineStyle, seen.amount.outlineStyle]).toEqual(['solid', 'solid']);
  expect(seen.arrow.clipPath).toMatch(/^polygon/);
  expect(seen.arrow.backgroundColor).not.toBe(seen.page.backgroundColor);
  await context.close();
});

fullTest(
  'nothing is wider than the window, on a small phone, a phone, a tablet and a desktop (S1-01, S2-77)',
  async () => {
    for (const [reader, paths] of [
      [await visit(browser, { language: 'en', width: 800 }), VISITOR],
      [
        await member(browser, { language: 'en', width: 800 }),
        [...MEMBER, ...MEMBER_SCREENS.map(({ path }) => path)],
      ],
    ] as const) {
      const { page, context } = reader;
      await open(page, '/home');
      const wide: string[] = [];
      for (const width of [320, 375, 800, 1280]) {
        await page.setViewportSize({ width, height: 800 });
        for (const path of paths) {
          await follow(page, path);
          await settled(page, path);
          await drawn(page);
          const faults = await overflows(page);
          wide.push(...faults.map((fault) => `${path} at ${width}: ${fault}`));
        }
      }
      expect(wide).toEqual([]);
      await context.close();
    }
  },
  PATIENCE_MS,
);

/** Elements wider than their container: the document, or the part of the view that would clip it. */
function overflows(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const main = [...document.querySelectorAll('main')].find((element) => element.checkVisibility());
    const root = document.scrollingElement as Element;
    return [
      root.scrollWidth > innerWidth ? `document: ${root.scrollWidth}` : '',
      main && main.scrollWidth > main.clientWidth ? `main: ${main.scrollWidth}` : '',
    ].filter(Boolean);
  });
}
