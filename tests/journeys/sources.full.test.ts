import { launch, visit } from '@fairtick/kit/browser/browser.ts';
import { leave, sitDown } from '@fairtick/kit/browser/desk.ts';
import { layoutFaults } from '@fairtick/kit/browser/layout.ts';
import { axeFindings } from '@fairtick/kit/browser/screens.ts';
import { type ServerProcess, startServerProcess } from '@fairtick/kit/browser/server.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { VenueMarket } from '@fairtick/kit/venues/venue-market.ts';
import { expect, test } from 'vitest';
import { LIVE_SOURCES, quorumOf } from '../../apps/server/src/market/feeds/live/live-products.ts';

/** Live sources as staff, visitors and customers see them, and the mark of a demo on live prices. */
const browser = forFile(() => launch());
const market = forFile(() => VenueMarket.open());
const house: ServerProcess = forFile(() =>
  startServerProcess({ FEED: 'live', SOURCES_FILE: market.file, LIMIT_QUOTA_PERCENT: '1000000' }),
);

const BTC = LIVE_SOURCES['BTC/USDT'] as readonly string[];
/** Sources that may be lost. */
const SPARE = BTC.length - quorumOf(BTC);
const FIGURES = new RegExp(
  `${BTC.length}\\s+${BTC.length}\\s+${quorumOf(BTC)}\\s+\\d+ ms\\s+${SPARE} to spare`,
);

const LOOKS = [
  { language: 'en', theme: 'light', width: 800 },
  { language: 'en', theme: 'dark', width: 375 },
  { language: 'zh', theme: 'light', width: 375 },
  { language: 'tw', theme: 'dark', width: 1280 },
] as const;

test('staff see each source, its last fault and which products depend on it', async () => {
  const desk = await sitDown(browser, house.officeOrigin, 'catalogue_1');
  const { page } = desk;
  await page.getByRole('link', { name: 'Price sources' }).click();
  const row = (name: string) => page.getByRole('row').filter({ hasText: name }).first();
  await row('okx').getByText('Sends prices').waitFor();
  await expect.poll(() => row('BTC/USDT').innerText()).toMatch(FIGURES);
  expect(await row('BNB/USDT').innerText()).toContain('Closed: too few sources');
  expect(await axeFindings(page)).toEqual([]);
  market.break(...BTC.slice(-SPARE));
  await row('okx').getByText('Not connected').waitFor();
  await row('BTC/USDT').getByText('Closes if one more source is lost').waitFor();
  await page.getByRole('cell', { name: 'answers 503' }).first().waitFor();
  expect(await axeFindings(page)).toEqual([]);
  market.heal();
  await leave(desk);
});

test.each(LOOKS)('visitors see the sources without faults: %o', async (look) => {
  const { page, complaints, context } = await visit(browser, look);
  await page.goto(`${house.origin}/transparency`);
  const section = page.locator('section[aria-labelledby=live-sources]');
  await section
    .locator('tbody tr')
    .nth(BTC.length - 1)
    .waitFor();
  await section.getByText('BTC/USDT').waitFor();
  expect(await section.innerText()).not.toMatch(/503|ECONN/);
  expect(await axeFindings(page)).toEqual([]);
  expect(await layoutFaults(page)).toEqual([]);
  expect(complaints).toEqual([]);
  await context.close();
});

test('a product names its sources and their lag', async () => {
  const { page, context } = await visit(browser, { language: 'en', width: 375 });
  await page.goto(`${house.origin}/product?symbol=BTC%2FUSDT`);
  await page.getByRole('button', { name: 'Rules', exact: true }).click();
  const dialog = page.getByRole('dialog');
  for (const source of BTC)
    await expect.poll(() => dialog.innerText()).toMatch(new RegExp(`${source} \\(public · delay \\d+ ms\\)`));
  await context.close();
});

test.each(LOOKS)('a demo on live prices says so wherever a price is: %o', async (look) => {
  const { page, context } = await visit(browser, look);
  const words = {
    en: 'Live prices,\npractice money',
    zh: '实时行情，\n模拟资金',
    tw: '即時行情，\n模擬資金',
  };
  for (const path of ['/index', '/product', '/product?symbol=BTC%2FUSDT', '/home']) {
    await page.goto(`${house.origin}${path}`);
    const marks = page.locator('[data-demo] [data-feeds]:visible');
    await expect
      .poll(async () => [path, await marks.allInnerTexts()])
      .toEqual([path, [words[look.language]]]);
    expect([path, await layoutFaults(page)]).toEqual([path, []]);
  }
  await context.close();
});

test('with simulated prices staff read why there are no sources, and the mark is “Demo”', async () => {
  const desk = await sitDown(browser, process.env.FAIRTICK_OFFICE as string, 'auditor_1');
  await desk.page.getByRole('link', { name: 'Price sources' }).click();
  await desk.page
    .getByText('Prices of this server are simulated, so there are no exchanges or vendors to watch.')
    .waitFor();
  expect(await axeFindings(desk.page)).toEqual([]);
  await leave(desk);
  const { page, context } = await visit(browser, { language: 'en' });
  await page.goto(`${process.env.FAIRTICK_ORIGIN}/transparency`);
  await page.getByRole('heading', { name: 'Price sources' }).waitFor();
  expect(await page.locator('[data-feeds]:visible').allInnerTexts()).toEqual(['Demo']);
  expect(await page.locator('#live-sources').count()).toBe(0);
  await context.close();
});

test('a product without a reliable price says so in list, header, chart and ticket, and takes no amount until it is back for 15 s', async () => {
  const path = `${house.origin}/product?symbol=BTC%2FUSDT`;
  const wide = await visit(browser, { language: 'en', width: 1280 });
  const phone = await visit(browser, { language: 'en', width: 375 });
  await wide.page.goto(path);
  await phone.page.goto(path);
  const amount = wide.page.locator('#ticket-amount');
  const up = phone.page.getByRole('button', { name: 'Buy up', exact: true });
  await amount.fill('20');
  await expect.poll(() => up.isEnabled()).toBe(true);
  market.break(...BTC.slice(-SPARE - 1));
  for (const { page } of [wide, phone]) {
    await page.getByText(/^\d+ s ago · No reliable price now$/).waitFor();
    await page.getByText(`${BTC.length - SPARE - 1} of ${BTC.length} sources count now`).waitFor();
    expect(await page.getByText('No price', { exact: true }).count()).toBeGreaterThanOrEqual(1);
    expect(await axeFindings(page)).toEqual([]);
    expect(await layoutFaults(page)).toEqual([]);
  }
  await wide.page.getByRole('link', { name: 'BTC/USDT' }).getByText('No price', { exact: true }).waitFor();
  const line = wide.page.getByRole('status').filter({ hasText: 'No reliable price now' });
  await line.filter({ hasText: `${BTC.length - SPARE - 1} of ${BTC.length} sources count` }).waitFor();
  // What was typed stays, and nothing more is taken.
  expect(await amount.inputValue()).toBe('20');
  expect(await amount.getAttribute('readonly')).not.toBeNull();
  expect(await up.isDisabled()).toBe(true);
  const answer = await fetch(`${house.origin}/api/product/detail?symbol=BTC/USDT`);
  expect(((await answer.json()) as { data: object }).data).toMatchObject({
    isOpen: false,
    closed: { because: 'no_price', sources: { now: BTC.length - SPARE - 1, all: BTC.length } },
    sourcesNow: BTC.length - SPARE - 1,
  });
  const healedMs = performance.now();
  market.heal();
  await wide.page.getByText(`Median of ${BTC.length} sources`).waitFor();
  await expect.poll(() => up.isEnabled(), { timeout: 60_000 }).toBe(true);
  expect(performance.now() - healedMs).toBeGreaterThan(15_000);
  await expect.poll(() => amount.getAttribute('readonly')).toBeNull();
  await wide.context.close();
  await phone.context.close();
});
