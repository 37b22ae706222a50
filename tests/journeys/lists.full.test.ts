import {
  api,
  holdAnswers,
  launch,
  neverGiveUp,
  origin,
  place,
  visit,
} from '@fairtick/kit/browser/browser.ts';
import { register, soon, trader } from '@fairtick/kit/browser/trader.ts';
import { fullTest } from '@fairtick/kit/size.ts';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const ORDERS = 45;
const PAGE = 20;

interface Product {
  readonly symbol: string;
  readonly name: string;
  readonly assetClass: string;
  readonly isOpen: boolean;
}

/** Pulls the screen down with a finger, runs `whilePulled`, and lets go. */
async function pull(page: Page, distance: number, whilePulled: () => Promise<void>): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', y: number) =>
    session.send('Input.dispatchTouchEvent', {
      type,
      touchPoints: type === 'touchEnd' ? [] : [{ x: 180, y }],
    });
  await touch('touchStart', 150);
  for (let step = 1; step <= 8; step += 1) await touch('touchMove', 150 + (distance * step) / 8);
  await whilePulled();
  await touch('touchEnd', 0);
  await session.detach();
}

const idsOn = (page: Page) =>
  page
    .locator('[data-view=historyOrder] [data-order]')
    .evaluateAll((cards) => cards.map((card) => (card as HTMLElement).dataset.order ?? ''));

/** The symbols of the rows that are listed, top to bottom. */
const symbolsOn = (page: Page) =>
  page
    .getByRole('main')
    .locator('ul[aria-label] > li a[href^="/product?symbol="]')
    .evaluateAll((links) =>
      links.map((link) => new URL((link as HTMLAnchorElement).href).searchParams.get('symbol') ?? ''),
    );

describe('lists', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser.close());

  fullTest(
    'orders come page by page, newest first, without duplicates, and a failed page is read again on request (S2-59, S2-76)',
    async () => {
      const account = await register();
      for (let at = 0; at < ORDERS; at += 1) {
        await place(account.token, { amount: '10', minutes: '60', symbol: at % 2 ? 'EUR/USD' : 'BTC/USDT' });
      }
      const { page, token } = await trader(browser, { account });
      await page.route(/order\/list\?.*cursor/, (route) => route.abort('connectionreset'));
      await page.goto(`${origin()}/historyOrder`);
      await soon(async () => (await idsOn(page)).length).toBe(PAGE);
      await page.locator('[data-view=historyOrder] [data-order]').last().scrollIntoViewIfNeeded();
      const again = page.getByRole('button', { name: 'Try again' });
      await again.waitFor();
      await page.unroute(/order\/list\?.*cursor/);
      await again.click();
      await soon(async () => (await idsOn(page)).length).toBeGreaterThan(PAGE);
      // A new order appears on top, and the pages below neither lose nor repeat one.
      const newest = await place(token, { amount: '10', minutes: '60' });
      await soon(async () => (await idsOn(page))[0]).toBe(newest.id);
      await soon(async () => {
        await page.locator('[data-view=historyOrder] [data-order]').last().scrollIntoViewIfNeeded();
        return page.getByText('No more items', { exact: true }).count();
      }).toBe(1);
      const ids = (await idsOn(page)).map(Number);
      expect(ids.length).toBe(ORDERS + 1);
      expect(new Set(ids).size).toBe(ORDERS + 1);
      expect(ids).toEqual(ids.toSorted((a, b) => b - a));

      await page.getByRole('tab', { name: 'Unsettled' }).click();
      await soon(async () => (await idsOn(page)).length).toBe(PAGE);
      await page.getByRole('tab', { name: 'Settled', exact: true }).click();
      await page.getByText('No orders yet').waitFor();
    },
  );

  test('pulling down shows its state and reads the list again, and a short pull does nothing (S2-75)', async () => {
    const { page, token, complaints } = await trader(browser);
    await neverGiveUp(page);
    // A stream that is lost and comes back would read the list again, too.
    await page.routeWebSocket(/\/api\/stream/, () => {});
    await page.goto(`${origin()}/historyOrder`);
    await page.getByText('No orders yet').waitFor();
    let calls = 0;
    let answer = () => {};
    await page.route('**/api/order/list?*', async (route) => {
      calls += 1;
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      await route.continue();
    });
    await pull(page, 80, () => page.getByText('Pull to refresh').waitFor());
    await page
      .locator('[aria-hidden=true]')
      .filter({ hasText: 'Pull to refresh' })
      .waitFor({ state: 'attached' });
    expect(calls).toBe(0);
    await pull(page, 180, () => page.getByText('Release to refresh').waitFor());
    await page.getByRole('status').filter({ hasText: 'Refreshing' }).waitFor();
    await expect.poll(() => calls).toBe(1);
    answer();
    await page.getByText('Refreshing').waitFor({ state: 'detached' });
    expect(calls).toBe(1);
    expect(await api<{ items: unknown[] }>('order/list', token)).toMatchObject({ items: [] });

    await page.goto(`${origin()}/product`);
    await page
      .getByRole('main')
      .getByRole('link', { name: /EUR\/USD/ })
      .waitFor();
    const board = page.waitForResponse('**/api/product/board?*');
    await pull(page, 180, () => page.getByText('Release to refresh').waitFor());
    expect((await board).ok()).toBe(true);
    expect(complaints).toEqual([]);
  });

  fullTest('a list that cannot be read says so and reads again when asked (S2-77, S8-04)', async () => {
    const { page } = await trader(browser);
    await page.route('**/api/order/list?*', (route) => route.abort('connectionrefused'));
    await page.goto(`${origin()}/historyOrder`);
    await page.getByText('Network Error').waitFor();
    await page.unroute('**/api/order/list?*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('No orders yet').waitFor();
    await page.getByText('All your orders will appear here.').waitFor();
  });

  test.for(['zh', 'tw', 'en'] as const)(
    'a product is found by its code and by its name in %s (S2-44, S1-27)',
    async (language) => {
      const { page, complaints } = await visit(browser, { language });
      const products = await api<Product[]>('product/list', '', { lang: language });
      const gold = products.find(({ symbol }) => symbol === 'XAU/USD');
      expect(gold?.name).toMatch({ zh: /黄金/, tw: /黃金/, en: /Gold/ }[language]);
      await page.goto(`${origin()}/index`);
      await page.locator('a[href="/product?search=1"]').click();
      const search = page.getByRole('searchbox');
      await search.waitFor();
      // The search box has the focus.
      await soon(() => search.evaluate((box) => box === document.activeElement)).toBe(true);
      await page.keyboard.type(gold?.name ?? '');
      // Until the search has taken effect, all products are listed.
      await soon(() => symbolsOn(page)).toSatisfy(
        (found: string[]) => found.includes('XAU/USD') && found.length < 5,
      );
      await search.fill('eurusd');
      const byCode = () => symbolsOn(page);
      await soon(byCode).toEqual(['EUR/USD']);
      await search.fill('eur/');
      const expected = products.filter(({ symbol }) => symbol.startsWith('EUR/')).map(({ symbol }) => symbol);
      await soon(byCode).toEqual(expected);
      await search.fill('zzzz');
      const nothing = { zh: '没有找到', tw: '沒有找到', en: 'No results' }[language];
      await page.getByText(nothing).first().waitFor();
      await page.locator('label').filter({ has: search }).getByRole('button').click();
      await soon(async () => (await symbolsOn(page)).length).toBeGreaterThan(12);
      expect(complaints).toEqual([]);
    },
  );

  fullTest('each class lists its products, and the movers those that moved most (S2-44)', async () => {
    const { page } = await visit(browser, { language: 'en' });
    const products = await api<Product[]>('product/list', '');
    await page.goto(`${origin()}/index`);
    const tabs = {
      FX: 'forex',
      Metals: 'metal',
      Energy: 'energy',
      Indices: 'index',
      Stocks: 'stock',
      Crypto: 'crypto',
    };
    for (const [label, assetClass] of Object.entries(tabs)) {
      await page.getByRole('tab', { name: label, exact: true }).click();
      const expected = products.filter((product) => product.assetClass === assetClass);
      expect(expected.length).toBeGreaterThan(2);
      await soon(() => symbolsOn(page)).toEqual(expected.map(({ symbol }) => symbol));
    }
    await page.getByRole('tab', { name: 'Top movers' }).click();
    for (const [label, assetClass] of Object.entries(tabs)) {
      const list = page.getByRole('list', { name: `Top movers: ${label}` });
      // As they are now: on a slow machine the first reading is old.
      const moved = (await api<(Product & { changeRate: string | null })[]>('product/list', ''))
        .filter((one) => one.assetClass === assetClass && one.isOpen && one.changeRate !== null)
        .sort((a, b) => Math.abs(Number(b.changeRate)) - Math.abs(Number(a.changeRate)))
        .map(({ symbol }) => symbol);
      // At the weekend most classes are closed.
      if (moved.length === 0) continue;
      await list.waitFor();
      // Ranks change while prices move: the first few must be among the first few.
      const shown = await list
        .getByRole('link')
        .evaluateAll((links) =>
          links.map((link) => new URL((link as HTMLAnchorElement).href).searchParams.get('symbol')),
        );
      expect(shown.length).toBe(Math.min(3, moved.length));
      expect(moved.slice(0, 6)).toEqual(expect.arrayContaining(shown));
    }
  });

  fullTest(
    'a customer puts the watchlist in an order of their own, which another device shows (S2-44)',
    async () => {
      const account = await register();
      const { page } = await trader(browser, { account });
      await page.goto(`${origin()}/index`);
      const before = await (async () => {
        await soon(async () => (await symbolsOn(page)).length).toBeGreaterThan(3);
        return symbolsOn(page);
      })();
      await page.getByRole('button', { name: 'Edit watchlist' }).click();
      await page.getByRole('button', { name: `Move ${before[2]} up` }).click();
      await page.getByRole('button', { name: `Remove from watchlist: ${before[0]}` }).click();
      // A group takes the symbols below its name.
      await page.getByLabel('New group').fill('Majors, late');
      await page.getByRole('button', { name: 'Add group' }).click();
      await page.getByRole('button', { name: 'Move Majors late up' }).click();
      const saved = page.waitForResponse('**/api/user/setWatchlist');
      await page.getByRole('button', { name: 'Done' }).click();
      await saved;
      const wanted = [before[2], before[1], ...before.slice(3)];
      await soon(() => symbolsOn(page)).toEqual(wanted);
      const other = await trader(browser, { account });
      await other.page.goto(`${origin()}/mine`);
      await other.page.getByRole('link', { name: /Trade/ }).click();
      await other.page.getByRole('tab', { name: 'Watchlist' }).click();
      await soon(() => symbolsOn(other.page)).toEqual(wanted);
      await other.page.getByRole('heading', { name: 'Majors late' }).waitFor();
      const grouped = other.page.getByRole('list', { name: 'Majors late' }).getByRole('link');
      expect(await grouped.count()).toBe(1);
    },
  );

  fullTest(
    'a star is kept for a customer on every device, for a visitor on this one, and undone if it cannot be saved (S2-44, S8-04)',
    async () => {
      const account = await register();
      const { page } = await trader(browser, { account });
      await page.goto(`${origin()}/product?symbol=NZD/USD`);
      const add = page.getByRole('button', { name: 'Add to watchlist' });
      const kept = page.getByRole('button', { name: 'Remove from watchlist' });
      await page.route('**/api/user/setWatchlist', (route) => route.abort('connectionrefused'));
      await add.click();
      await page.getByRole('status').filter({ hasText: 'Network Error' }).waitFor();
      await add.waitFor();
      await page.unroute('**/api/user/setWatchlist');
      const saved = page.waitForResponse('**/api/user/setWatchlist');
      await add.click();
      await kept.waitFor();
      await saved;
      const other = await trader(browser, { account });
      // This browser still holds the old user info: the next protected page refreshes it.
      await other.page.goto(`${origin()}/mine`);
      await other.page.getByRole('link', { name: /Trade/ }).click();
      await other.page.getByRole('tab', { name: 'Watchlist' }).click();
      await soon(() => symbolsOn(other.page)).toContain('NZD/USD');

      const visitor = (await visit(browser, { language: 'en' })).page;
      await visitor.goto(`${origin()}/product?symbol=NZD/USD`);
      await visitor.getByRole('button', { name: 'Add to watchlist' }).click();
      await visitor.goto(`${origin()}/index`);
      await soon(() => symbolsOn(visitor)).toContain('NZD/USD');
    },
  );

  test('the small line of a product is of the day that its change is of, which the list says', async () => {
    const read = async (path: string) => (await (await fetch(`${origin()}/api/${path}`)).json()).data;
    const board = await read('product/board');
    const row = board.find(({ symbol }: { symbol: string }) => symbol === 'BTC/USDT');
    const closes = (await read('product/sparks?symbols=BTC/USDT'))['BTC/USDT'];
    const [day] = await read('product/candles?symbol=BTC/USDT&period=1d&limit=1');
    expect(closes[0]).toBe(day.open);
    // The list's own change is from that price to its last one.
    expect(Number(row.price) - Number(row.change)).toBeCloseTo(Number(closes[0]), 2);
    const halfHours = await read('product/candles?symbol=BTC/USDT&period=30m&limit=50');
    const ended = halfHours.filter(({ time }: { time: number }) => time >= day.time).slice(0, -1);
    expect(closes.slice(1, 1 + ended.length)).toEqual(ended.map(({ close }: { close: string }) => close));
    const { page, context } = await visit(browser, { language: 'en', width: 1280 });
    await page.goto(`${origin()}/index`);
    await page.getByText('Today', { exact: true }).first().waitFor();
    await context.close();
  });

  test('every period shows candles, as a drawing and as a table with all their figures (S2-54, S9-04, S3-50, S3-51, S3-52, S3-53, S3-54)', async () => {
    const { page, complaints } = await visit(browser, { language: 'en', height: 900 });
    await page.goto(`${origin()}/product?symbol=BTC/USDT`);
    const periods = {
      '1m': '1m',
      '5m': '5m',
      '15m': '15m',
      '30m': '30m',
      '1h': '1h',
      '4h': '4h',
      '1d': '1d',
      '1w': '1w',
      '1mo': '1M',
    };
    const chart = page.getByRole('group', { name: 'Period' });
    // These, and a line of seconds.
    await soon(() => chart.getByRole('radio').count()).toBe(10);
    const tableButton = page.getByRole('button', { name: 'Table' });
    for (const [label, period] of Object.entries(periods)) {
      await chart.getByRole('radio', { name: label, exact: true }).check({ force: true });
      const drawing = page.getByRole('img', {
        name: 'Price chart of BTC/USDT',
        description: /^[1-9]\d+ candles/,
      });
      await drawing.waitFor();
      await expect.poll(() => drawing.locator('canvas').count()).toBeGreaterThan(0);
      await tableButton.click();
      const table = page.getByRole('region', { name: 'Table' }).getByRole('table');
      await expect
        .poll(() => table.getByRole('columnheader').allTextContents())
        .toEqual(['Time', 'Open', 'High', 'Low', 'Close', 'Volume (ticks)', 'Turnover', 'Change']);
      // The candle before the open one is finished; the table may still be loading, and a minute may end meanwhile.
      const figures = table.getByRole('row').filter({ has: page.getByRole('cell') });
      const secondRow = figures.nth(1).getByRole('cell');
      expect(await table.evaluate((element) => element.scrollWidth - element.clientWidth)).toBeLessThan(1);
      await expect
        .poll(async () => {
          const shown = (await secondRow.allTextContents()).map(plain).join(' ');
          const candles = await api<Record<string, string>[]>('product/candles', '', {
            symbol: 'BTC/USDT',
            period,
            limit: '3',
          });
          const finished = candles.map((one) => FIGURES.map((name) => plain(one[name] ?? '')).join(' '));
          return { shown, isFinished: finished.includes(shown) };
        })
        .toMatchObject({ isFinished: true });
      await tableButton.click();
    }
    expect(complaints).toEqual([]);
  });

  fullTest('the chart shows a candle that the stream sent before the first answer came', async () => {
    const { page, complaints } = await visit(browser, { language: 'en', height: 900 });
    await neverGiveUp(page);
    let answered: { readonly time: number; readonly close: string } | null = null;
    const told = Promise.withResolvers<string>();
    let isTold = false;
    // Of the candles after the answer the page gets one alone, with another price.
    await page.routeWebSocket('**/api/stream', (socket) => {
      const server = socket.connectToServer();
      server.onMessage((text) => {
        const { topic, type, data } = JSON.parse(String(text));
        if (topic === 'candle:BTC/USDT:1m' && type === 'change') {
          if (isTold) return;
          if (answered && data.time >= answered.time && data.close !== answered.close) {
            isTold = true;
            told.resolve(data.close);
          }
        }
        socket.send(text);
      });
    });
    const held = await holdAnswers(page, 'product/candles');
    await page.goto(`${origin()}/product?symbol=BTC/USDT`);
    answered = (await (await held.first).json()).data.at(-1);
    const close = await told.promise;
    await held.release();
    const drawing = page.getByRole('img', { name: 'Price chart of BTC/USDT' });
    const about = await drawing.getAttribute('aria-describedby');
    expect(plain((await page.locator(`[id='${about}']`).textContent()) ?? '')).toContain(
      `last price ${close}.`,
    );
    expect(complaints).toEqual([]);
  });
});

const FIGURES = ['open', 'high', 'low', 'close', 'volume', 'turnover', 'change'];
const plain = (figure: string) => figure.replace(/[,+]/g, '').replace('\u2212', '-');
