import { launch, origin, place, visit } from '@fairtick/kit/browser/browser.ts';
import { sitDown } from '@fairtick/kit/browser/desk.ts';
import { layoutFaults } from '@fairtick/kit/browser/layout.ts';
import { follow, type Member, member, open, shown } from '@fairtick/kit/browser/screens.ts';
import { soon, trader } from '@fairtick/kit/browser/trader.ts';
import { isFull } from '@fairtick/kit/size.ts';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const PRODUCT = '/product?symbol=BTC/USDT';
const SCREENS = [
  PRODUCT,
  '/product',
  '/index',
  '/mine',
  '/historyOrder',
  '/recharge',
  '/with',
  '/changeLog',
  '/accessLog',
];

/** Phones held sideways, tablets, laptops, and a large screen, the last at 200 % as well. */
const SIZES = [
  [812, 375],
  [667, 375],
  [820, 1180],
  [1366, 657],
  [1920, 1080],
  [960, 540],
] as const;
const LANGUAGES = ['zh', 'tw', 'en'] as const;

/** What is left of a phone's height above its keyboard. */
const ABOVE_KEYBOARD = { width: 375, height: 407 };

async function settled(page: Page, path: string): Promise<void> {
  await shown(page, path);
  if (path === PRODUCT) await page.locator('canvas:visible').first().waitFor();
  await page.waitForFunction(
    () => ![...document.querySelectorAll('[aria-busy=true]')].some((part) => part.checkVisibility()),
  );
  await drawn(page);
}

/** Charts take a new size a frame after the layout. */
const drawn = (page: Page) =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

describe('the layout', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser.close());

  // Other systems than Linux have no fontconfig.
  if (process.platform === 'linux')
    test('is measured in the fonts of the kit, whatever the machine has', async () => {
      const page = await browser.newPage();
      const widths = await page.evaluate(() => {
        const ruler = document.createElement('canvas').getContext('2d') as CanvasRenderingContext2D;
        const samples = { '100px Arial': 'Fairtick 0.5', '600 100px serif': '0.5', '100px monospace': '0f' };
        return Object.entries({ ...samples, '100px sans-serif': '涨價' }).map(([font, text]) => {
          ruler.font = font;
          return Math.round(ruler.measureText(text).width);
        });
      });
      expect(widths).toEqual([489, 139, 120, 200]);
      await page.close();
    });

  test('nothing overlaps and nothing is cut off, at any size', async () => {
    const { page, context, complaints } = await member(browser, { language: 'en', width: 800 });
    await open(page, '/home');
    const faults: string[] = [];
    for (const [at, [width, height]] of SIZES.entries()) {
      await page.setViewportSize({ width, height });
      // In `npm test` each other screen at one size or two.
      const others = SCREENS.slice(1);
      for (const path of isFull ? SCREENS : [PRODUCT, others[at % others.length] as string]) {
        await follow(page, path);
        await settled(page, path);
        faults.push(...(await layoutFaults(page)).map((fault) => `${path} at ${width}×${height}: ${fault}`));
      }
    }
    expect(faults).toEqual([]);
    expect(complaints).toEqual([]);
    await context.close();
  });

  test('finds two texts over each other, and content that is scrolled sideways out of reach', async () => {
    const page = await browser.newPage();
    await page.setContent(`<main>
      <p style="margin:0">A first text</p>
      <p style="margin:-12px 0 0 20px">A second text</p>
      <div id="row" style="overflow:hidden;width:100px;white-space:nowrap"><b>One</b> <b style="padding-left:120px">two</b></div>
    </main>`);
    await page.locator('#row').evaluate((row) => row.scrollTo({ left: 60 }));
    const faults = await layoutFaults(page);
    expect(faults.filter((fault) => fault.includes('overlap'))).toHaveLength(1);
    expect(faults.filter((fault) => fault.includes('is scrolled sideways'))).toHaveLength(1);
    await page.close();
  });

  describe('of a product', () => {
    let reader: Member;
    beforeAll(async () => {
      reader = await member(browser, { language: 'en', width: 375, height: 667 });
    });

    /** The part of an element's height that is inside the window. */
    const seenHeight = (page: Page, selector: string) =>
      page.locator(selector).evaluate((element) => {
        const { top, bottom } = element.getBoundingClientRect();
        return Math.min(bottom, innerHeight) - Math.max(top, 0);
      });

    test('on a phone price, line and button stay in sight while the ticket is filled in, also above a keyboard', async () => {
      const { page } = reader;
      await open(page, PRODUCT);
      await page.getByRole('button', { name: 'Buy up' }).click();
      const ticket = page.getByRole('dialog', { name: 'Purchase' });
      await ticket.waitFor();
      const confirm = ticket.getByRole('button', { name: 'Enter an amount' });
      const line = '[data-testid=line] svg:has(> polyline):visible';
      await page.locator(line).waitFor();
      for (const size of [{ width: 375, height: 667 }, { width: 360, height: 640 }, ABOVE_KEYBOARD]) {
        await page.setViewportSize(size);
        await ticket.getByLabel('Amount (stake)', { exact: true }).focus();
        await drawn(page);
        expect(await page.locator('canvas:visible').count()).toBe(0);
        expect(await seenHeight(page, '[data-testid=price]')).toBeGreaterThan(30);
        expect(await seenHeight(page, line)).toBeGreaterThan(30);
        expect(await confirm.evaluate((button) => button.getBoundingClientRect().bottom)).toBeLessThan(
          size.height,
        );
        expect(await layoutFaults(page)).toEqual([]);
      }
      const bounds = ticket.getByText('Min. purchase');
      expect(await bounds.isVisible()).toBe(false);
      await ticket.getByText('Details').click();
      expect(await bounds.isVisible()).toBe(true);
      // A higher phone has a higher line; the chart is there again after the ticket.
      await page.setViewportSize({ width: 375, height: 812 });
      await soon(() => seenHeight(page, line)).toBeGreaterThan(90);
      await page.keyboard.press('Escape');
      await page.locator('canvas:visible').first().waitFor();
    });

    test('held sideways a phone shows the chart in full height, the ticket on demand, and the lists below', async () => {
      const { page } = reader;
      await page.setViewportSize({ width: 667, height: 375 });
      await open(page, PRODUCT);
      const chart = page.getByRole('img', { name: /BTC\/USDT/ });
      await chart.waitFor();
      const box = async () => (await chart.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
      const before = await box();
      expect(before.height).toBeGreaterThan(375 * 0.7);
      expect(before.y + before.height).toBeLessThanOrEqual(375);
      await page.getByRole('button', { name: 'Buy down' }).click();
      const ticket = page.getByRole('dialog', { name: 'Purchase' });
      await ticket.waitFor();
      // Nothing of the chart goes but some of its width.
      await expect.poll(async () => (await box()).width).toBeLessThan(before.width);
      expect((await box()).height).toBe(before.height);
      expect(await ticket.getByRole('radio', { name: 'Buy down' }).isChecked()).toBe(true);
      expect(await layoutFaults(page)).toEqual([]);
      await page.getByRole('button', { name: 'Back' }).click();
      await ticket.waitFor({ state: 'detached' });
      // Turned and turned back, the ticket stays open and keeps what is filled in.
      const amount = page.getByLabel('Amount (stake)', { exact: true });
      await page.setViewportSize({ width: 375, height: 812 });
      await page.getByRole('button', { name: 'Buy up' }).click();
      await page.getByRole('radio', { name: 'Buy down' }).check({ force: true });
      await amount.fill('123');
      for (const [width, height] of [
        [812, 375],
        [667, 375],
        [375, 812],
      ] as const) {
        await page.setViewportSize({ width, height });
        await page.locator(width > height ? 'aside [role=dialog]' : '[data-navbar] [role=dialog]').waitFor();
        expect(await amount.inputValue()).toBe('123');
        expect(await ticket.getByRole('radio', { name: 'Buy down' }).isChecked()).toBe(true);
        for (const [part, count] of [
          ['#ticket-amount', 1],
          ['[role=group] > button[aria-pressed]', 4],
          ['button[data-state]', 1],
        ] as const)
          await expect.poll(() => inSight(page, part), { message: `${part} at ${width}` }).toBe(count);
        expect(await layoutFaults(page)).toEqual([]);
      }
      await page.goBack();
      await ticket.waitFor({ state: 'detached' });
      await page.setViewportSize({ width: 667, height: 375 });
      await page.getByRole('tab', { name: 'My orders' }).scrollIntoViewIfNeeded();
      await page.getByRole('tab', { name: 'My orders' }).click();
      await page.getByText('No orders for this product').waitFor();
      expect(reader.complaints).toEqual([]);
    });

    test('the strip of open orders has its place beforehand, at every size, so that an order moves nothing', async () => {
      const { page, context, complaints, token } = await member(browser, { language: 'en', height: 812 });
      await open(page, PRODUCT);
      const panel = page
        .locator('section')
        .filter({ has: page.getByRole('img', { name: /^Price chart/ }) })
        .last();
      const chips = page.getByRole('list', { name: 'Open orders of this product' }).getByRole('button');
      const heights = async () => {
        const all: (number | undefined)[] = [];
        for (const [width, height] of [
          [375, 812],
          [667, 375],
          [1280, 720],
        ] as const) {
          await page.setViewportSize({ width, height });
          await page.locator('canvas:visible').first().waitFor();
          await drawn(page);
          all.push((await panel.boundingBox())?.height);
          expect(await layoutFaults(page)).toEqual([]);
        }
        return all;
      };
      const before = await heights();
      await place(token, { symbol: 'BTC/USDT', minutes: '5' });
      await chips.first().waitFor();
      expect(await heights()).toEqual(before);
      expect(complaints).toEqual([]);
      await context.close();
    });
  });

  /** Elements that are wholly inside the window and not below a bar that sticks. */
  const inSight = (page: Page, selector: string) =>
    page.locator(selector).evaluateAll(
      (all) =>
        all.filter((element) => {
          const { left, right, top, bottom } = element.getBoundingClientRect();
          const hit = document.elementFromPoint((left + right) / 2, bottom - 2);
          return (
            top >= 0 && left >= 0 && right <= innerWidth && bottom <= innerHeight && element.contains(hit)
          );
        }).length,
    );

  test.each(LANGUAGES)(
    'a low window shows two products at least, with the ticket beside the list, in %s',
    async (language) => {
      const { page, context, complaints } = await member(browser, { language, width: 812, height: 375 });
      for (const path of ['/index', '/product']) {
        await open(page, path);
        await settled(page, path);
        await expect
          .poll(() => inSight(page, 'a[href^="/product?symbol="]:has(b):visible'))
          .toBeGreaterThan(1);
        expect(await layoutFaults(page)).toEqual([]);
      }
      await expect.poll(() => inSight(page, 'button[data-state]')).toBe(1);
      await page.locator('#ticket-amount').fill('100');
      await page.locator('button[data-state]').click();
      await page.locator('button[data-state=armed]').waitFor();
      expect(await inSight(page, 'button[data-state=armed]')).toBe(1);
      expect(complaints).toEqual([]);
      await context.close();
    },
  );

  test('the result of an order is in sight beside the chart, from a tablet to a laptop', async () => {
    const { page, context, token } = await member(browser, { language: 'en', width: 768, height: 1024 });
    await place(token, { symbol: 'BTC/USDT', minutes: '60' });
    await open(page, PRODUCT);
    for (const width of [768, 820, 1024, 1100, 1180, 1279]) {
      await page.setViewportSize({ width, height: width < 1024 ? 1180 : 768 });
      await settled(page, PRODUCT);
      // A small tablet has a card in the place of the table's row.
      const result = width < 992 ? 'a[href^="/historyOrder?id="]' : 'tr:has([data-order]) td:nth-child(7)';
      await page.locator(result).waitFor();
      expect(await inSight(page, result), `at ${width}`).toBe(1);
    }
    await context.close();
  });

  test('on a large screen the account’s screens are listed beside each, which is as wide as its content deserves', async () => {
    const { page, context } = await member(browser, { language: 'en', width: 1024, height: 768 });
    await open(page, '/mine');
    const list = page.getByRole('navigation', { name: 'My Account' });
    const widthOf = async (path: string) => {
      const box = await page.locator(`[data-view=${path.slice(1)}] main .page`).boundingBox();
      return Math.round((box?.width ?? 0) / 16);
    };
    const widths: (readonly [string, number])[] = [];
    await page.setViewportSize({ width: 1600, height: 900 });
    for (const [name, path] of [
      ['Limits and breaks', '/limits'],
      ['Who viewed my data', '/whoLooked'],
      ['Withdrawal password', '/setPayWord'],
    ] as const) {
      await list.getByRole('link', { name, exact: true }).click();
      await shown(page, path);
      expect(await list.locator('[aria-current=page]').innerText()).toBe(name);
      widths.push([path, await widthOf(path)]);
    }
    expect(widths).toEqual([
      ['/limits', 65],
      ['/whoLooked', 43],
      ['/setPayWord', 30],
    ]);
    await page.setViewportSize({ width: 1000, height: 768 });
    await list.waitFor({ state: 'detached' });
    await context.close();
  });

  test('on a large screen My Account stands in two columns, and more products follow the watchlist', async () => {
    const { page, context } = await member(browser, { language: 'en', width: 1280, height: 720 });
    await open(page, '/mine');
    const left = await page.getByTestId('total').boundingBox();
    const right = await page.getByRole('button', { name: 'Log out' }).boundingBox();
    expect(right?.x).toBeGreaterThan((left?.x ?? 0) + (left?.width ?? 0));
    await follow(page, '/index');
    await shown(page, '/index');
    await page.getByRole('list', { name: 'More products' }).getByRole('listitem').nth(10).waitFor();
    await context.close();
    const phone = await visit(browser, { language: 'en' });
    await open(phone.page, '/index');
    await phone.page.getByRole('list', { name: 'Markets' }).waitFor();
    expect(await phone.page.getByRole('list', { name: 'More products' }).count()).toBe(0);
    await phone.context.close();
  });

  test('on a large screen an order stands in two columns, and nothing takes the place of open orders without a word', async () => {
    const { page, context, token } = await member(browser, { language: 'en', width: 1280, height: 720 });
    await open(page, '/index');
    await page.getByText('No open orders').waitFor();
    await page.getByRole('tab', { name: 'Featured' }).waitFor();
    await page.getByRole('searchbox').fill('jpy');
    const listed = page.getByRole('list', { name: 'Markets' }).first().getByRole('listitem');
    await expect
      .poll(async () => (await listed.allTextContents()).every((text) => text.includes('JPY')))
      .toBe(true);
    const order = await place(token, { symbol: 'BTC/USDT', minutes: '5' });
    await page.getByText('No open orders').waitFor({ state: 'detached' });
    await open(page, `/historyOrder?id=${order.id}`);
    const [time, proof] = await Promise.all(
      [page.getByRole('timer'), page.getByRole('heading', { name: 'Evidence' })].map((part) =>
        part.boundingBox(),
      ),
    );
    expect(proof?.x).toBeGreaterThan((time?.x ?? 0) + (time?.width ?? 0));
    expect(Math.abs((proof?.y ?? 0) - (time?.y ?? 0))).toBeLessThan(100);
    expect(await layoutFaults(page)).toEqual([]);
    await context.close();
    const visitor = await visit(browser, { language: 'en', width: 1280, height: 720 });
    await open(visitor.page, '/index');
    await visitor.page.getByText('A sample receipt').waitFor();
    await visitor.context.close();
  });

  test('the last tab in sight fades, also without movement, and a segmented control’s track shows on a light ground', async () => {
    const { page, context } = await visit(browser, { language: 'en', theme: 'light' });
    await open(page, '/product');
    const tabs = page.getByRole('tablist');
    const faded = () =>
      tabs.evaluate((row) => {
        const style = getComputedStyle(row);
        return style.maskImage.includes('gradient') && Number(style.getPropertyValue('--row-fade'));
      });
    await expect.poll(faded).toBe(1);
    await tabs.evaluate((row) => row.scrollTo({ left: row.scrollWidth }));
    await expect.poll(faded).toBe(0);
    await open(page, PRODUCT);
    await page.getByRole('button', { name: 'Buy up' }).click();
    const [track, ground] = await page.getByRole('group', { name: 'Direction' }).evaluate((group) => {
      const sheet = group.closest('[role=dialog]') as Element;
      return [group, sheet].map((element) => getComputedStyle(element).backgroundColor);
    });
    expect(ground).toBe('rgb(255, 255, 255)');
    expect(track).toBe('rgb(231, 234, 238)');
    await context.close();
  });

  test('the office’s tables end where the eye still holds a row, on a large screen', async () => {
    const office = process.env.FAIRTICK_OFFICE ?? '';
    const { page, close, complaints } = await sitDown(browser, office, 'cashier_1', {
      width: 1920,
      height: 1080,
    });
    for (const path of ['/deposits', '/ledger', '/channels']) {
      await page.locator(`nav a[href="${path}"]`).click();
      const frame = page.locator('div:has(> table)').first();
      await frame.waitFor();
      expect((await frame.boundingBox())?.width).toBeLessThan(1320);
      expect((await layoutFaults(page)).map((fault) => `${path}: ${fault}`)).toEqual([]);
    }
    expect(complaints).toEqual([]);
    await close();
  });

  test('the last of many orders is reached by the keyboard in a wide window, and the page stays where it is', async () => {
    const { page, token } = await trader(browser, { width: 1280, height: 720 });
    for (let number = 0; number < 8; number += 1)
      await place(token, { symbol: 'BTC/USDT', minutes: '60', amount: '10' });
    await page.goto(`${origin()}${PRODUCT}`);
    await settled(page, PRODUCT);
    const details = page.getByRole('link', { name: /^Details: / });
    await soon(() => details.count()).toBe(8);
    const search = page.getByRole('searchbox');
    const before = await search.boundingBox();
    await details.last().focus();
    expect(await search.boundingBox()).toEqual(before);
  });
});
