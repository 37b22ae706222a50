import { api, launch, origin, visit } from '@fairtick/kit/browser/browser.ts';
import { member } from '@fairtick/kit/browser/screens.ts';
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
  // A tap anywhere on the chart takes the crosshair away; the library takes a quick one as the second of two.
  await page.waitForTimeout(600);
  await page.touchscreen.tap(box.x + 180, box.y + 60);
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
  await page.getByRole('radio', { name: '5m', exact: true }).check({ force: true });
  await openTools(page);
  await page.getByRole('radio', { name: 'Area', exact: true }).check({ force: true });
  for (const name of ['Moving average (MA', 'Bollinger', 'Relative strength', 'MACD'])
    await page.getByRole('checkbox', { name }).check();
  await closeDialog(page);
  const values = (name: string) => page.getByText(new RegExp(`^${name} ?−?[\\d,.]+`));
  const figure = '−?[\\d,.]+';
  const bands = `BOLL 20, 2Upper ${figure}Middle ${figure}Lower `;
  const macd = `MACD 12, 26, 9MACD ${figure}Signal ${figure}Histogram `;
  for (const name of ['MA 5', 'MA 30', bands, 'RSI 14', macd]) await values(name).waitFor();
  expect(hasLoaded('studies-view')).toBe(true);
  // Panes of their own, one below the other.
  const topOf = async (name: string) => (await values(name).boundingBox())!.y;
  expect(await topOf('RSI 14')).toBeGreaterThan((await topOf('MA 5')) + 50);
  expect(await topOf(macd)).toBeGreaterThan((await topOf('RSI 14')) + 20);

  await openChart(page, 'LTC/USDT');
  await values('RSI 14').waitFor();
  expect(await page.getByRole('radio', { name: '5m', exact: true }).isChecked()).toBe(true);
  await openTools(page);
  expect(await page.getByRole('radio', { name: 'Area', exact: true }).isChecked()).toBe(true);
  // Numbers that an indicator can't have are refused with the reason, and the last good ones stay.
  const length = page.getByRole('spinbutton', { name: 'Relative strength index (RSI), number 1' });
  await length.fill('7');
  await values('RSI 7').waitFor();
  await length.fill('1');
  await page.getByText('Whole numbers from 2 to 200.').waitFor();
  expect(await length.getAttribute('aria-invalid')).toBe('true');
  await page.getByRole('radio', { name: 'Percent', exact: true }).check({ force: true });
  await closeDialog(page);
  await page.addInitScript(noteDrawnTexts);
  await page.reload();
  await values('RSI 7').waitFor();
  // The prices are in percent, and the index has its own scale.
  const drawn = () => page.evaluate(() => [...(globalThis as unknown as { drawn: Set<string> }).drawn]);
  await soon(drawn).toEqual(
    expect.arrayContaining(['70.00', '30.00', expect.stringMatching(/^−?\d+\.\d\d%$/)]),
  );
  await openTools(page);
  expect(await page.getByRole('radio', { name: 'Percent', exact: true }).isChecked()).toBe(true);
  await length.fill('14');
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

/** Keeps the texts that are drawn on canvases. */
function noteDrawnTexts(): void {
  const drawn = new Set<string>();
  Object.assign(globalThis, { drawn });
  const { fillText } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.fillText = function (text, ...place) {
    drawn.add(text);
    fillText.call(this, text, ...place);
  };
}

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
  await page.getByRole('radio', { name: '30m', exact: true }).check({ force: true });
  expect(await drawnItems(page)).toEqual(['Trend line', 'Rectangle']);

  // A retracement with the magnet stands at prices of candles; Ctrl+Z takes the last change back, and the button one more.
  await openTools(page);
  await page.getByRole('checkbox', { name: /^Magnet/ }).check();
  await page.getByRole('button', { name: 'Fibonacci' }).click();
  await page.mouse.click(box.x + 300, box.y + 60);
  await page.mouse.click(box.x + 400, box.y + 130);
  await page.getByRole('application', { name: /^Fibonacci: Drag to move/ }).waitFor();
  const placed = await page.evaluate(
    () =>
      JSON.parse(localStorage.getItem('drawings') ?? '[]')
        .at(-1)[1]
        .at(-1).points as { time: number; price: number }[],
  );
  const known = await api<Record<string, string | number>[]>('product/candles', '', {
    symbol: 'ETH/USDT',
    period: '30m',
    limit: '200',
  });
  for (const { time, price } of placed) {
    const candle = known.find((one) => one.time === time);
    expect(['open', 'high', 'low', 'close'].map((name) => Number(candle?.[name]))).toContain(price);
  }
  await page.keyboard.press('Delete');
  expect(await drawnItems(page)).toEqual(['Trend line', 'Rectangle']);
  await page.keyboard.press('Control+z');
  expect(await drawnItems(page)).toEqual(['Trend line', 'Rectangle', 'Fibonacci']);
  await openTools(page);
  await page.getByRole('dialog').getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('checkbox', { name: /^Magnet/ }).uncheck();
  await closeDialog(page);
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

test('seconds are a line of their own with a table of prices, and a candle says when it ends', async () => {
  const { page, context, complaints } = await visit(browser, { language: 'en', width: 1280, height: 900 });
  await openChart(page, 'BTC/USDT');
  await page
    .getByRole('timer', { name: 'Candle ends in' })
    .getByText(/^00:[0-5]\d$/)
    .waitFor();
  await page.getByRole('radio', { name: '1s', exact: true }).check({ force: true });
  const seconds = page.getByRole('img', { name: /^Price chart/, description: /^\d+ seconds?,/ });
  await seconds.waitFor();
  expect(await page.getByRole('timer').count()).toBe(0);
  // One price each; each is one of the log's.
  await soon(async () => (await legend(page)).length).toBe(1);
  await page.getByRole('button', { name: 'Table' }).click();
  const table = page.getByRole('region', { name: 'Table' }).getByRole('table');
  await soon(() => table.getByRole('columnheader').allTextContents()).toEqual(['Time', 'Close']);
  const newest = () => table.getByRole('rowheader').first().textContent();
  const before = await newest();
  await soon(newest).not.toBe(before);
  const shown = (await table.getByRole('cell').allTextContents()).map((price) => price.replaceAll(',', ''));
  const now = Date.now();
  const log = await api<{ price: string }[]>('product/ticks', '', {
    symbol: 'BTC/USDT',
    from: String(now - 240_000),
    to: String(now),
  });
  const prices = new Set(log.map(({ price }) => price));
  expect(shown.filter((price) => prices.has(price)).length).toBeGreaterThan(0);
  expect(complaints).toEqual([]);
  await context.close();
});

/** The share of a chart's width, from the left, that has no candle. */
const emptyShare = (page: Page) =>
  drawing(page).evaluate((chart) => {
    const area = ({ width, height }: HTMLCanvasElement) => width * height;
    const [pane] = [...chart.querySelectorAll('canvas')].sort((a, b) => area(b) - area(a));
    if (!pane) return 1;
    const copy = document.createElement('canvas');
    Object.assign(copy, { width: pane.width, height: pane.height });
    const context = copy.getContext('2d', { willReadFrequently: true }) as CanvasRenderingContext2D;
    context.drawImage(pane, 0, 0);
    const { data } = context.getImageData(0, 0, pane.width, pane.height);
    // Candles are coloured; the grid and the background are grey.
    const isColoured = (x: number, y: number) => {
      const at = (y * pane.width + x) * 4;
      const [r = 0, g = 0, b = 0, alpha = 0] = data.slice(at, at + 4);
      return alpha > 200 && Math.max(r, g, b) - Math.min(r, g, b) > 80;
    };
    for (let x = 0; x < pane.width; x += 1) {
      let hits = 0;
      for (let y = 0; y < pane.height; y += 1) if (isColoured(x, y)) hits += 1;
      if (hits > 3) return x / pane.width;
    }
    return 1;
  });

test('another product is compared on a scale in percent, at the times of the chart’s own candles', async () => {
  const { page, complaints, context } = await visit(browser, { language: 'en', width: 1280, height: 900 });
  await page.goto(`${origin()}/product?symbol=BTC/USDT`);
  await page.getByRole('button', { name: 'Tools' }).click();
  await page.getByRole('combobox', { name: 'Compare with' }).selectOption('ETH/USDT');
  await page.keyboard.press('Escape');
  await page.getByText('Compared with Ethereum').waitFor();
  const about = { name: /^Price chart/, description: /^24\d candles/ };
  await page.getByRole('img', about).waitFor();
  // Kept for the next product; a product is not compared with itself.
  await page.goto(`${origin()}/product?symbol=EUR/USD`);
  await page.getByText('Compared with Ethereum').waitFor();
  await page.goto(`${origin()}/product?symbol=ETH/USDT`);
  await page.getByRole('img', about).locator('canvas').first().waitFor();
  expect(await page.getByText('Compared with').count()).toBe(0);
  expect(complaints).toEqual([]);
  await context.close();
});

test('the few candles of months share the width', async () => {
  const { page, context } = await visit(browser, { language: 'en', width: 1280, height: 900 });
  await openChart(page, 'BTC/USDT');
  await page.getByRole('radio', { name: '1mo', exact: true }).check({ force: true });
  await soon(() => emptyShare(page)).toBeLessThan(0.15);
  await context.close();
});

test('an alert is set at a price on the chart, shown there, and refused with the reason', async () => {
  const { page, context, complaints, token } = await member(browser, {
    language: 'en',
    width: 1280,
    height: 900,
  });
  await openChart(page, 'ETH/USDT');
  await openTools(page);
  await page.getByRole('button', { name: 'Price alert' }).click();
  const bar = page.getByRole('form', { name: 'Price alert' });
  const field = bar.getByRole('textbox');
  await field.waitFor();
  const box = (await drawing(page).boundingBox())!;
  await page.mouse.click(box.x + 200, box.y + 40);
  await soon(() => field.inputValue()).toMatch(/^\d+\.\d+$/);
  const price = await field.inputValue();
  await bar.getByRole('button', { name: 'Set alert' }).click();
  await page.getByText('Alert added').waitFor();
  const { waiting } = await api<{ waiting: { symbol: string; price: string }[] }>('alert/list', token);
  expect(waiting.map((alert) => [alert.symbol, Number(alert.price)])).toEqual([['ETH/USDT', Number(price)]]);
  const onChart = page.getByRole('list', { name: 'Price alerts on the chart' }).getByRole('listitem');
  await soon(() => onChart.allTextContents().then((all) => all.map(Number))).toEqual([Number(price)]);
  await openTools(page);
  await page.getByRole('button', { name: 'Price alert' }).click();
  await field.fill('0');
  await bar.getByRole('button', { name: 'Set alert' }).click();
  await bar.getByRole('alert').getByText(/./).waitFor();
  await field.press('Escape');
  await soon(() => bar.count()).toBe(0);
  expect(complaints).toEqual([]);
  await context.close();
});
