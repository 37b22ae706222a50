import { launch, origin, place } from '@fairtick/kit/browser/browser.ts';
import { type Member, member } from '@fairtick/kit/browser/screens.ts';
import { soon } from '@fairtick/kit/browser/trader.ts';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const SYMBOL = 'BTC/USDT';

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

const openProduct = async (page: Page) => {
  await page.goto(`${origin()}/product?symbol=${SYMBOL}`);
  await page.locator('canvas:visible').first().waitFor();
};
const chips = (page: Page) =>
  page.getByRole('list', { name: 'Open orders of this product' }).getByRole('button');

/** The widths of the upright lines in the colour of ends that cross the pane of prices, px of the canvas, from the left. */
const ends = (page: Page) =>
  page.evaluate(() => {
    const chart = document.querySelector('[role=img][aria-label^="Price chart"]') as HTMLElement;
    const canvases = [...chart.querySelectorAll('canvas')];
    const area = ({ width, height }: HTMLCanvasElement) => width * height;
    const pane = canvases.sort((a, b) => area(b) - area(a))[0] as HTMLCanvasElement;
    const copy = document.createElement('canvas');
    const { width, height } = Object.assign(copy, { width: pane.width, height: pane.height + 1 });
    const context = copy.getContext('2d', { willReadFrequently: true }) as CanvasRenderingContext2D;
    // The colour of ends, in a row of its own below the picture.
    context.fillStyle = getComputedStyle(chart).getPropertyValue('--gold-mark').trim();
    context.fillRect(0, pane.height, 1, 1);
    context.drawImage(pane, 0, 0);
    const { data } = context.getImageData(0, 0, width, height);
    const [r = 0, g = 0, b = 0] = data.slice(pane.height * width * 4);
    const isEnd = (x: number) => {
      let hits = 0;
      for (let y = 0; y < height; y += 1) {
        const at = (y * width + x) * 4;
        const far = [r, g, b].map((value, part) => Math.abs(value - (data[at + part] ?? 0)));
        if (Math.max(...far) < 60) hits += 1;
      }
      return hits > height * 0.4;
    };
    const widths: number[] = [];
    for (let x = 0, was = false; x < width; x += 1) {
      const is = isEnd(x);
      if (is && was) widths[widths.length - 1] = (widths.at(-1) ?? 0) + 1;
      else if (is) widths.push(1);
      was = is;
    }
    return widths;
  });

describe('open orders on the chart', () => {
  let reader: Member;
  beforeAll(async () => {
    reader = await member(browser, { language: 'en', width: 1280, height: 900 });
    await place(reader.token, { symbol: SYMBOL, minutes: '3' });
    await place(reader.token, { symbol: SYMBOL, minutes: '5', direction: 'down', amount: '250' });
  });

  test('each has its end over the candles and a place in the strip, which picks one', async () => {
    const { page, complaints } = reader;
    await openProduct(page);
    await soon(() => chips(page).count()).toBe(2);
    const [first, second] = [chips(page).first(), chips(page).last()];
    await soon(() => first.textContent()).toMatch(/100\.00 DEMO.*(\+82\.00|−100\.00|0\.00)$/);
    await soon(() => second.textContent()).toMatch(/250\.00 DEMO.*(\+212\.50|−250\.00|0\.00)$/);
    // The picked one's end is the wider line.
    const isWider = async (at: 0 | 1) => {
      const widths = await ends(page);
      return widths.length === 2 && (widths[at] ?? 0) > (widths[1 - at] ?? 0);
    };
    expect(await first.getAttribute('aria-pressed')).toBe('true');
    await soon(() => isWider(0)).toBe(true);
    await second.click();
    expect(await second.getAttribute('aria-pressed')).toBe('true');
    await soon(() => isWider(1)).toBe(true);
    // They are on a line of seconds as well, with its own prices.
    await page.getByRole('radio', { name: '1s', exact: true }).check({ force: true });
    await page.getByRole('img', { name: /^Price chart/, description: /^\d+ seconds?,/ }).waitFor();
    expect(await chips(page).count()).toBe(2);
    await page.getByRole('radio', { name: '1m', exact: true }).check({ force: true });
    expect(complaints).toEqual([]);
  });

  test('every period is in sight beside a ticket, and the strip is below the times in a low window', async () => {
    const { page, complaints } = reader;
    for (const [width, height] of [
      [768, 1024],
      [1024, 768],
      [812, 375],
    ] as const) {
      await page.setViewportSize({ width, height });
      await chips(page).first().waitFor();
      const cut = await page
        .getByRole('group', { name: 'Period' })
        .evaluate((group) => group.scrollWidth - group.clientWidth);
      expect([width, cut]).toEqual([width, 0]);
      const chart = (await page.getByRole('img', { name: /^Price chart/ }).boundingBox())!;
      const strip = (await chips(page).first().boundingBox())!;
      expect(strip.y).toBeGreaterThanOrEqual(chart.y + chart.height);
      expect(strip.y + strip.height).toBeLessThanOrEqual(height);
    }
    expect(complaints).toEqual([]);
  });

  test('a phone’s ticket has a line with them in the place of the chart, and the full screen the buttons to buy', async () => {
    const { page, complaints } = reader;
    await page.setViewportSize({ width: 375, height: 812 });
    await page.locator('canvas:visible').first().waitFor();
    await page.getByRole('button', { name: 'Full screen' }).click();
    const full = page.getByRole('dialog', { name: 'Bitcoin' });
    await chips(page).first().waitFor();
    await full.getByRole('button', { name: 'Buy down', exact: true }).click();
    const ticket = page.getByRole('dialog', { name: 'Purchase' });
    await ticket.waitFor();
    expect(await full.count()).toBe(0);
    expect(await ticket.getByRole('radio', { name: 'Buy down' }).isChecked()).toBe(true);
    expect(await page.locator('canvas:visible').count()).toBe(0);
    const line = page.getByTestId('line');
    await line.getByText(/^250\.00 DEMO · At the live price [+−]?[\d.]+$/).waitFor();
    // An opening line for each order; the price.
    expect(await line.locator('svg g').count()).toBe(2);
    await line
      .getByText(/^[\d,]+\.\d\d$/)
      .first()
      .waitFor();
    // The full screen has drawn the chart, and the ticket has hidden it: it comes back at the newest candle, with the ends.
    await page.keyboard.press('Escape');
    await page.locator('canvas:visible').first().waitFor();
    await soon(async () => (await ends(page)).length > 0).toBe(true);
    expect(await page.getByRole('button', { name: 'Back to now' }).count()).toBe(0);
    expect(complaints).toEqual([]);
  });
});

test('what the reader scrolled to stays when another layout draws the chart', async () => {
  const { page, token, complaints, context } = await member(browser, {
    language: 'en',
    width: 1280,
    height: 900,
  });
  await place(token, { symbol: SYMBOL, minutes: '30' });
  await openProduct(page);
  await soon(async () => (await ends(page)).length > 0).toBe(true);
  // The newest candle stays in sight, and the order’s end leaves the window.
  const { x, y, width, height } = (await page.getByRole('img', { name: /^Price chart/ }).boundingBox())!;
  const [fromX, middle] = [x + width / 3, y + height / 2];
  await page.mouse.move(fromX, middle);
  await page.mouse.down();
  await page.mouse.move(fromX + 200, middle, { steps: 7 });
  await page.mouse.up();
  await soon(async () => (await ends(page)).length).toBe(0);
  for (const size of [
    { width: 375, height: 812 },
    { width: 1280, height: 900 },
  ]) {
    await page.setViewportSize(size);
    await page.locator('canvas:visible').first().waitFor();
    await chips(page).first().waitFor();
    await page.getByTestId('candle').filter({ hasText: /\d/ }).waitFor({ state: 'attached' });
    await page.evaluate(
      () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
    );
    expect([size.width, await ends(page)]).toEqual([size.width, []]);
  }
  expect(complaints).toEqual([]);
  await context.close();
});
