import { api, launch, origin, visit } from '@fairtick/kit/browser/browser.ts';
import { soon } from '@fairtick/kit/browser/trader.ts';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

const drawing = (page: Page) => page.getByRole('img', { name: /^Price chart/ });

async function openChart(page: Page, symbol: string): Promise<void> {
  await page.goto(`${origin()}/product?symbol=${symbol}`);
  await drawing(page).locator('canvas').first().waitFor();
}

/** Figures of the candle that the chart's legend shows: open, high, low, close. */
const legend = (page: Page) => page.getByTestId('candle').locator('span b').allTextContents();
const pointed = (page: Page) => page.locator('[data-testid=candle][data-pointed]').count();
const openTools = (page: Page) => page.getByRole('button', { name: 'Tools' }).click();
const closeDialog = (page: Page) => page.getByRole('button', { name: 'Close' }).click();

const drawnItems = async (page: Page) => {
  await openTools(page);
  const items = page.getByRole('dialog').getByRole('listitem');
  await page.getByRole('heading', { name: 'Draw' }).waitFor();
  const texts = await items.allTextContents();
  await closeDialog(page);
  return texts.map((text) => text.split(',')[0]);
};

test('a tap shows a candle’s open, high, low and close, and the tap that opens a product shows none', async () => {
  const { page, context, complaints } = await visit(browser, { language: 'en', height: 812 });
  await page.goto(`${origin()}/product`);
  await page
    .getByRole('link', { name: /BTC\/USDT/ })
    .first()
    .tap();
  await page.getByRole('img', { name: /^Price chart/, description: /^\d{3} candles,/ }).waitFor();
  await page.waitForTimeout(500);
  expect(await pointed(page)).toBe(0);
  const box = (await drawing(page).boundingBox())!;
  await page.touchscreen.tap(box.x + 120, box.y + 100);
  await expect.poll(() => pointed(page)).toBe(1);
  const shown = (await legend(page)).map((figure) => figure.replaceAll(',', '')).join(' ');
  const candles = await api<Record<string, string>[]>('product/candles', '', {
    symbol: 'BTC/USDT',
    period: '1m',
    limit: '100',
  });
  const known = candles.map(({ open, high, low, close }) => [open, high, low, close].join(' '));
  expect(known.slice(0, -2)).toContain(shown);
  await page.waitForTimeout(600);
  await page.touchscreen.tap(box.x + 120, box.y + 100);
  await expect.poll(() => pointed(page)).toBe(0);
  expect(complaints).toEqual([]);
  await context.close();
});

test('on a phone the strip has equal gaps within the margins, and the table whole rows', async () => {
  const { page, context, complaints } = await visit(browser, { language: 'en', height: 812 });
  await openChart(page, 'BTC/USDT');
  const texts = await page.getByRole('group', { name: 'Period' }).evaluate((group) =>
    [...group.querySelectorAll('label')].map((label) => {
      const range = document.createRange();
      range.selectNodeContents(label.lastChild as Node);
      const { left, right } = range.getBoundingClientRect();
      return { left, right };
    }),
  );
  const gaps = texts.slice(1).map(({ left }, at) => left - (texts[at]?.right ?? 0));
  expect(Math.max(...gaps) - Math.min(...gaps)).toBeLessThan(4);
  expect(texts[0]?.left).toBeGreaterThanOrEqual(19);
  const full = (await page.getByRole('button', { name: 'Full screen' }).boundingBox())!;
  expect(full.y + full.height).toBeLessThanOrEqual((await drawing(page).boundingBox())!.y + 1);
  await page.getByRole('button', { name: 'Table' }).click();
  const region = page.getByRole('region', { name: 'Table' });
  await region.getByRole('row').nth(20).waitFor();
  const cut = await region.evaluate((box) => {
    const { top, bottom } = box.getBoundingClientRect();
    const isCut = (row: Element) => {
      const place = row.getBoundingClientRect();
      return place.top < bottom - 2 && place.bottom > bottom + 2 && place.top > top;
    };
    return [...box.querySelectorAll('tr')].filter(isCut).length;
  });
  expect(cut).toBe(0);
  expect(complaints).toEqual([]);
  await context.close();
});

test('period, type and indicators are remembered, indicators load when they are used, and the full screen closes on Esc', async () => {
  const { page, context, complaints } = await visit(browser, { language: 'en', width: 1280, height: 900 });
  const loaded: string[] = [];
  page.on('request', (request) => loaded.push(request.url()));
  const hasLoaded = (name: string) => loaded.some((url) => url.includes(`/${name}-`));
  await openChart(page, 'ETH/USDT');
  for (const name of ['studies-view', 'drawing-surface', 'chart-tools']) expect(hasLoaded(name)).toBe(false);
  await page.getByRole('radio', { name: '5 min', exact: true }).check({ force: true });
  await openTools(page);
  await page.getByRole('radio', { name: 'Area', exact: true }).check({ force: true });
  for (const name of ['Moving average (MA', 'Bollinger', 'Relative strength', 'MACD'])
    await page.getByRole('checkbox', { name }).check();
  await closeDialog(page);
  const values = (name: string) => page.getByText(new RegExp(`^${name} −?[\\d,.]+`));
  for (const name of ['MA 5', 'MA 30', 'BOLL 20, 2', 'RSI 14', 'MACD 12, 26, 9'])
    await values(name).waitFor();
  expect(hasLoaded('studies-view')).toBe(true);
  // Panes of their own, one below the other.
  const topOf = async (name: string) => (await values(name).boundingBox())!.y;
  expect(await topOf('RSI 14')).toBeGreaterThan((await topOf('MA 5')) + 50);
  expect(await topOf('MACD 12, 26, 9')).toBeGreaterThan((await topOf('RSI 14')) + 20);

  await openChart(page, 'LTC/USDT');
  await values('RSI 14').waitFor();
  expect(await page.getByRole('radio', { name: '5 min', exact: true }).isChecked()).toBe(true);
  await openTools(page);
  expect(await page.getByRole('radio', { name: 'Area', exact: true }).isChecked()).toBe(true);
  await closeDialog(page);

  await page.getByRole('button', { name: 'Full screen' }).click();
  const full = page.getByRole('dialog', { name: 'Litecoin' });
  await values('RSI 14').waitFor();
  const box = (await full.boundingBox())!;
  expect([box.width, box.height]).toEqual([1280, 900]);
  await page.keyboard.press('Escape');
  await soon(() => full.count()).toBe(0);
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label')))
    .toBe('Full screen');
  expect(complaints).toEqual([]);
  await context.close();
});

test('a chart opened while the product’s past is still being made fills in by itself', async () => {
  const { page, context, complaints } = await visit(browser, { language: 'en', height: 812 });
  let isMade = false;
  await page.route('**/api/product/candles?*', async (route) => {
    const response = await route.fetch();
    const answer = await response.json();
    const isOlder = new URL(route.request().url()).searchParams.has('before');
    if (!isMade) answer.data = isOlder ? [] : answer.data.slice(-1);
    await route.fulfill({ response, json: answer });
  });
  await openChart(page, 'ETH/USDT');
  const showing = (description: RegExp) =>
    page.getByRole('img', { name: 'Price chart of ETH/USDT', description });
  await showing(/^\d+ candles?,/).waitFor();
  isMade = true;
  await showing(/^\d{3} candles,/).waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

test('a chart whose candles could not be read shows them by itself once they can be', async () => {
  const { page, context } = await visit(browser, { language: 'en', height: 812 });
  await page.route('**/api/product/candles?*', (route) => route.abort());
  await page.goto(`${origin()}/product?symbol=ETH%2FUSDT`);
  await page.getByRole('button', { name: 'Try again' }).waitFor();
  await page.unrouteAll();
  await page.getByRole('img', { name: 'Price chart of ETH/USDT' }).waitFor();
  await context.close();
});

test('lines and rectangles are drawn with keyboard, mouse or finger, kept for their product, and deleted', async () => {
  const { page, context, complaints } = await visit(browser, { language: 'en', width: 1280, height: 900 });
  await openChart(page, 'ETH/USDT');
  await openTools(page);
  await page.getByRole('button', { name: 'Trend line' }).click();
  await page.getByRole('application', { name: /^Trend line: Tap the first point/ }).waitFor();
  for (const key of ['Shift+ArrowLeft', 'ArrowUp', 'Enter', 'ArrowRight', 'ArrowUp', 'Enter'])
    await page.keyboard.press(key);
  await page.getByRole('application', { name: /^Trend line: Drag to move/ }).waitFor();

  await openTools(page);
  await page.getByRole('button', { name: 'Rectangle' }).click();
  await page.getByRole('application', { name: /^Rectangle/ }).waitFor();
  const box = (await drawing(page).boundingBox())!;
  await page.mouse.click(box.x + 100, box.y + 60);
  await page.mouse.click(box.x + 200, box.y + 120);
  await page.getByRole('application', { name: /^Rectangle: Drag to move/ }).waitFor();
  const corner = () =>
    page.evaluate(
      () => JSON.parse(localStorage.getItem('drawings') ?? '[]')[0][1][1].points[0].price as number,
    );
  const before = await corner();
  // The outline, between two corners.
  await page.mouse.move(box.x + 150, box.y + 60);
  await page.mouse.down();
  await page.mouse.move(box.x + 150, box.y + 160, { steps: 4 });
  await page.mouse.up();
  expect(await corner()).toBeLessThan(before);

  await openChart(page, 'LTC/USDT');
  expect(await drawnItems(page)).toEqual([]);
  await openChart(page, 'ETH/USDT');
  await page.getByRole('radio', { name: '30 min', exact: true }).check({ force: true });
  expect(await drawnItems(page)).toEqual(['Trend line', 'Rectangle']);

  // A drawing that is chosen in the list is deleted with the key.
  await openTools(page);
  await page.getByRole('button', { name: /^Trend line, \d/ }).click();
  await page.getByRole('application', { name: /^Trend line/ }).waitFor();
  await page.keyboard.press('Delete');
  expect(await drawnItems(page)).toEqual(['Rectangle']);
  await openTools(page);
  await page.getByRole('button', { name: /^Delete: Rectangle/ }).click();
  await page.getByText('Drawings stay on this device').waitFor();
  await closeDialog(page);

  // Dragged to the past, the chart offers the way back.
  await page.mouse.move(box.x + 200, box.y + 100);
  await page.mouse.down();
  await page.mouse.move(box.x + 400, box.y + 100, { steps: 5 });
  await page.mouse.up();
  await page.getByRole('button', { name: 'Back to now' }).click();
  await soon(() => page.getByRole('button', { name: 'Back to now' }).count()).toBe(0);
  expect(complaints).toEqual([]);
  await context.close();

  const phone = await visit(browser, { language: 'en', height: 812 });
  await openChart(phone.page, 'ETH/USDT');
  await openTools(phone.page);
  await phone.page.getByRole('button', { name: 'Horizontal line' }).tap();
  await phone.page.getByRole('application', { name: /^Horizontal line/ }).waitFor();
  const plot = (await drawing(phone.page).boundingBox())!;
  await phone.page.touchscreen.tap(plot.x + 120, plot.y + 80);
  await phone.page.getByRole('button', { name: 'Delete' }).waitFor();
  expect(await drawnItems(phone.page)).toEqual(['Horizontal line']);
  expect(phone.complaints).toEqual([]);
  await phone.context.close();
});
