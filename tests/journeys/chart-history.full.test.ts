import { launch, origin, visit } from '@fairtick/kit/browser/browser.ts';
import { axeFindings } from '@fairtick/kit/browser/screens.ts';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';

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
        if (row.symbol === 'ETH/USDT')
          Object.assign(row, { isOpen: false, closedBecause: 'no_source', opensAt: null, n: 10 ** 12 });
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
