import { launch, place } from '@fairtick/kit/browser/browser.ts';
import { layoutFaults } from '@fairtick/kit/browser/layout.ts';
import {
  announceDeposit,
  customerGet,
  customerPost,
  payee,
  WITHDRAWAL_PASSWORD,
} from '@fairtick/kit/browser/payee.ts';
import { follow, open, shown } from '@fairtick/kit/browser/screens.ts';
import { targetFaults } from '@fairtick/kit/browser/targets.ts';
import { type Account, trader } from '@fairtick/kit/browser/trader.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { isFull } from '@fairtick/kit/size.ts';
import type { Language } from '@fairtick/protocol';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';

/** Every main screen at every width and in low and high windows: nothing is cut off, covered, scrolled sideways or too small to press. */
const LIST = '/product';
const PRODUCT = '/product?symbol=BTC/USDT';
/** The main routes; the markets both as a list and with one product. */
const ROUTES = [
  '/home',
  '/index',
  LIST,
  PRODUCT,
  '/profit',
  '/chat',
  '/news',
  '/mine',
  '/changeLog',
  '/historyOrder',
  '/recharge',
  '/with',
  '/accessLog',
  '/limits',
  '/statistics',
  '/alerts',
];
const LANGUAGES: readonly Language[] = ['zh', 'tw', 'en'];
type Size = readonly [width: number, height: number];
const [FIRST, LAST, STEP] = [320, 1920, 20];
const HEIGHTS = [360, 600, 768, 1080];
/** Every width with one of the heights, and those of common devices with each. */
const SIZES: readonly Size[] = [
  ...Array.from(
    { length: (LAST - FIRST) / STEP + 1 },
    (_, at): Size => [FIRST + at * STEP, HEIGHTS[at % HEIGHTS.length] as number],
  ),
  ...[320, 768, 1024, 1280, 2560].flatMap((width) => HEIGHTS.map((height): Size => [width, height])),
];
const TABLET = 768;

/** Sizes of a sampled run: different ones for each route and language, so that all of them together meet most sizes. */
const SAMPLED = 2;
function sizesOf(route: string, language: Language): readonly Size[] {
  if (isFull) return SIZES;
  const first = (ROUTES.indexOf(route) * LANGUAGES.length + LANGUAGES.indexOf(language)) * SAMPLED;
  return Array.from({ length: SAMPLED }, (_, at) => SIZES[((first + at) * 31) % SIZES.length] as Size);
}

/** A customer with orders, deposits and withdrawals, so that no list is empty. */
async function customerWithRecords(): Promise<Account> {
  const account = await payee({ balance: '400' });
  const { token } = account;
  for (const symbol of ['BTC/USDT', 'EUR/USD', 'BTC/USDT'])
    await place(token, { symbol, minutes: '60', amount: '1234' });
  await announceDeposit(token, '12345.67');
  const { destinations } = await customerGet<{ destinations: { id: string; asset: string }[] }>(
    'withdraw/options',
    token,
  );
  const destinationId = destinations.find(({ asset }) => asset === 'USDT')?.id ?? '';
  const request = { destinationId, asset: 'USDT', amount: '120', payWord: WITHDRAWAL_PASSWORD };
  await customerPost('withdraw/submit', token, request);
  return account;
}

async function settled(page: Page, path: string): Promise<void> {
  await shown(page, path);
  // A low window shows the list with a ticket, but without a chart.
  const isWide = await page.evaluate(
    (tablet) => innerWidth >= tablet && (innerWidth >= 1024 || innerHeight >= 560),
    TABLET,
  );
  const hasChart = path === PRODUCT || (path === LIST && isWide);
  if (hasChart) await page.locator('canvas:visible').first().waitFor();
  await page.waitForFunction(
    () => ![...document.querySelectorAll('[aria-busy=true]')].some((part) => part.checkVisibility()),
  );
  // Charts take a new size a frame after the layout.
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

const browser = forFile(() => launch());
let account: Account;
beforeAll(async () => {
  account = await customerWithRecords();
});

/** What is wrong with screens at their widths, in one language; with fingers below a tablet's width, and a mouse above. */
async function faultsOf(routes: readonly string[], language: Language): Promise<string[]> {
  const faults: string[] = [];
  for (const isPhone of [true, false]) {
    const width = isPhone ? FIRST : LAST;
    const { page, context, complaints } = await trader(browser, { account, language, width, height: 800 });
    await open(page, '/home');
    for (const path of routes) {
      const sizes = sizesOf(path, language).filter(([width]) => width < TABLET === isPhone);
      if (sizes.length > 0) await follow(page, path);
      for (const [width, height] of sizes) {
        await page.setViewportSize({ width, height });
        await settled(page, path);
        const found = [...(await layoutFaults(page)), ...(await targetFaults(page, isPhone))];
        faults.push(...found.map((fault) => `${path} at ${width}×${height}: ${fault}`));
      }
    }
    faults.push(...complaints);
    await context.close();
  }
  return faults;
}

describe.each(LANGUAGES)('in %s', (language) => {
  // One after the other in a test each, so that one which fails names its screen; in `npm test` all in one, to start fewer browsers.
  test.each(isFull ? ROUTES.map((path) => [path]) : [ROUTES])(
    'at every width the screen is whole and can be pressed: %s',
    async (...routes) => {
      expect((await faultsOf(routes, language)).join('\n')).toBe('');
    },
    // A chart is drawn anew at each of a hundred sizes.
    600_000,
  );
});

test('a control below 24 px is found, and on a phone a main button below 44 px', async () => {
  const page = await browser.newPage();
  await page.setContent(`<main style="font:16px/20px serif">
    <button style="width:20px;height:40px;padding:0">Small</button>
    <button style="position:relative;width:20px;height:20px" class="wide">Wide</button>
    <p>Read <a href="/">this</a> first</p>
    <button data-look="gold" style="width:200px;height:36px">Send</button>
    <style>.wide::after { content: ""; position: absolute; inset: -4px }</style>
  </main>`);
  expect((await targetFaults(page, false)).map((fault) => /"(\w+)" is/.exec(fault)?.[1])).toEqual(['Small']);
  expect(await targetFaults(page, true)).toHaveLength(2);
  await page.close();
});
