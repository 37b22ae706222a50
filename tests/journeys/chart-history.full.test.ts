import { launch, origin, visit } from '@fairtick/kit/browser/browser.ts';
import { axeFindings } from '@fairtick/kit/browser/screens.ts';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';

const NO_SOURCE = {
  because: 'no_source',
  since: null,
  until: null,
  reason: null,
  sources: null,
  assets: null,
};

/** Charts that begin with the history of a venue. */
let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

test.each([
  ['en', 'From Binance', /Candles before .+ are the history of Binance/, 'Table', 'No price source'],
  ['zh', '来自 Binance', /之前的 K 线是 Binance 的历史行情/, '表格', '无报价来源'],
  ['tw', '來自 Binance', /之前的 K 線是 Binance 的歷史行情/, '表格', '無報價來源'],
] as const)(
  'candles from before the log name their venue in %s, and a closed product says why',
  async (language, from, note, table, why) => {
    const { page, context, complaints } = await visit(browser, { language, height: 812 });
    await page.route('**/api/product/candles?*', async (route) => {
      const response = await route.fetch();
      const answer = await response.json();
      const isOlder = new URL(route.request().url()).searchParams.has('before');
      for (const candle of answer.data.slice(0, isOlder ? undefined : -20))
        Object.assign(candle, { source: 'binance', volume: null, turnover: null });
      await route.fulfill({ response, json: answer });
    });
    await page.route('**/api/product/board*', async (route) => {
      const response = await route.fetch();
      const answer = await response.json();
      for (const row of answer.data)
        if (row.symbol === 'ETH/USDT') Object.assign(row, { isOpen: false, closed: NO_SOURCE, n: 10 ** 12 });
      await route.fulfill({ response, json: answer });
    });
    await page.goto(`${origin()}/product?symbol=BTC/USDT`);
    await page.getByText(note).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('button', { name: table }).click();
    const rows = page.getByRole('region', { name: table }).getByRole('row');
    await rows.filter({ hasText: from }).waitFor();
    const texts = await rows.allTextContents();
    const begins = texts.indexOf(from);
    expect(begins).toBeGreaterThan(18);
    expect(texts[begins + 1]).toContain('––');
    expect(texts[begins - 1]).not.toContain('–');
    await page.goto(`${origin()}/product?symbol=ETH/USDT`);
    await page.getByText(why).first().waitFor();
    await page.unrouteAll({ behavior: 'wait' });
    expect(complaints).toEqual([]);
    await context.close();
  },
);

test('a chart that slept for longer than it has candles fetches what it missed, and leaves no hole', async () => {
  const { page, context, complaints } = await visit(browser, { language: 'en', width: 1280, height: 812 });
  const MINUTE_MS = 60_000;
  const asked: (string | null)[] = [];
  const oldest: number[] = [];
  await page.route('**/api/product/candles?*', async (route) => {
    const url = new URL(route.request().url());
    // As if the page had been opened 300 minutes ago and heard nothing since.
    const wasThen = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS - 300 * MINUTE_MS;
    asked.push(url.searchParams.get('before'));
    if (asked.length === 1) url.searchParams.set('before', String(wasThen));
    const response = await route.fetch({ url: url.href });
    const { data } = (await response.json()) as { data: { time: number }[] };
    oldest.push(data[0]?.time ?? 0);
    await route.fulfill({ response });
  });
  // The stream stays silent until the page has shown these.
  let wake = () => {};
  const isAwake = new Promise<void>((done) => {
    wake = done;
  });
  await page.routeWebSocket(/\/api\/stream/, (socket) => {
    const said: (string | Buffer)[] = [];
    let server: ReturnType<typeof socket.connectToServer> | null = null;
    socket.onMessage((message) => (server ? server.send(message) : said.push(message)));
    void isAwake.then(() => {
      server = socket.connectToServer();
      for (const message of said) server.send(message);
    });
  });
  await page.goto(`${origin()}/product?symbol=BTC/USDT`);
  const chart = (candles: number) =>
    page.getByRole('img', {
      name: 'Price chart of BTC/USDT',
      description: new RegExp(`^${candles} candles`),
    });
  await chart(240).waitFor();
  wake();
  await expect.poll(() => oldest.length).toBe(2);
  // Those from before the absence are gone: between them and these there would be a hole.
  await expect.poll(() => chart(240).or(chart(241)).count()).toBe(1);
  expect(asked).toEqual([null, null]);
  const box = await page.locator('canvas:visible').first().boundingBox();
  if (!box) throw new Error('there is no chart');
  const y = box.y + box.height / 2;
  for (let drags = 0; drags < 8 && asked.length < 3; drags += 1) {
    await page.mouse.move(box.x + 40, y);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width - 100, y, { steps: 5 });
    await page.mouse.up();
  }
  await expect.poll(() => chart(540).or(chart(541)).count()).toBe(1);
  // Older ones are asked for from there, and from nowhere before the absence.
  expect(new Set(asked)).toEqual(new Set([null, String(oldest[1])]));
  await page.unrouteAll({ behavior: 'wait' });
  expect(complaints).toEqual([]);
  await context.close();
});
