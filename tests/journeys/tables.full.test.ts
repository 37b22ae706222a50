import { readFileSync } from 'node:fs';
import { launch, origin, place } from '@fairtick/kit/browser/browser.ts';
import { layoutFaults } from '@fairtick/kit/browser/layout.ts';
import { announceDeposit, payee } from '@fairtick/kit/browser/payee.ts';
import { axeFindings, follow, open, pathOf, shown } from '@fairtick/kit/browser/screens.ts';
import { type Account, soon, trader } from '@fairtick/kit/browser/trader.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';

/** On a wide screen orders, fund details and requests are tables that sort what is loaded, and say so. */
const ORDERS = [
  { symbol: 'BTC/USDT', amount: '300' },
  { symbol: 'EUR/USD', amount: '1000' },
  { symbol: 'BTC/USDT', amount: '20' },
  { symbol: 'ETH/USDT', amount: '700' },
  { symbol: 'EUR/USD', amount: '90' },
];
const NEWEST_FIRST = ['90.00 DEMO', '700.00 DEMO', '20.00 DEMO', '1,000.00 DEMO', '300.00 DEMO'];
const PAGE = 3;
const WIDE = { width: 1280, height: 900 };

const browser = forFile(() => launch());
let account: Account;
beforeAll(async () => {
  account = await payee({ balance: '400' });
  for (const order of ORDERS) await place(account.token, { minutes: '60', ...order });
  await announceDeposit(account.token, '55');
});

/** The texts of a column, top to bottom. */
async function column(page: Page, name: string): Promise<string[]> {
  const table = page.locator('table:visible');
  const names = await table.getByRole('columnheader').allInnerTexts();
  const at = names.indexOf(name);
  const rows = await table.locator('tbody tr').all();
  return Promise.all(rows.map((row) => row.getByRole('cell').nth(at).innerText()));
}

const sortOf = (page: Page, name: string) =>
  page.getByRole('columnheader', { name, exact: true }).getAttribute('aria-sort');

test('the order history sorts what is loaded, says so while there is more, and filters by product on the server', async () => {
  const { page } = await trader(browser, { account, ...WIDE });
  const asked: URL[] = [];
  let isLost = true;
  await page.route('**/api/order/list?*', async (route) => {
    const url = new URL(route.request().url());
    asked.push(url);
    url.searchParams.set('limit', String(PAGE));
    if (isLost && url.searchParams.has('cursor')) await route.abort('connectionreset');
    else await route.continue({ url: url.href });
  });
  await open(page, '/historyOrder');
  await soon(() => column(page, 'Stake')).toEqual(NEWEST_FIRST.slice(0, PAGE));
  expect(await sortOf(page, 'Placed')).toBe('descending');
  const note = page.getByText(`This order covers the ${PAGE} loaded entries`);
  expect(await note.count()).toBe(0);

  const again = page.getByRole('button', { name: /^(Try again|Load more)$/ });
  await again.waitFor();
  const byStake = page.getByRole('button', { name: 'Stake' });
  await byStake.click();
  await soon(() => column(page, 'Stake')).toEqual(['700.00 DEMO', '90.00 DEMO', '20.00 DEMO']);
  expect([await sortOf(page, 'Stake'), await sortOf(page, 'Placed')]).toEqual(['descending', 'none']);
  await note.waitFor();
  expect(await axeFindings(page)).toEqual([]);
  isLost = false;
  await again.click();
  await page.getByText('No more items').waitFor();
  await soon(() => column(page, 'Stake')).toEqual([
    '1,000.00 DEMO',
    '700.00 DEMO',
    '300.00 DEMO',
    '90.00 DEMO',
    '20.00 DEMO',
  ]);
  expect(await page.getByText('This order covers').count()).toBe(0);

  // By the keyboard, in the other direction.
  await byStake.focus();
  await page.keyboard.press('Enter');
  await soon(async () => (await column(page, 'Stake'))[0]).toBe('20.00 DEMO');
  expect(await sortOf(page, 'Stake')).toBe('ascending');

  const product = page.getByLabel('Product', { exact: true });
  await product.focus();
  await product.selectOption('EUR/USD');
  await soon(() => column(page, 'Stake')).toEqual(['90.00 DEMO', '1,000.00 DEMO']);
  expect(asked.at(-1)?.searchParams.get('symbol')).toBe('EUR/USD');
  expect(await layoutFaults(page)).toEqual([]);
  await page.getByLabel('Asset', { exact: true }).selectOption('USDT');
  await page.getByText('Try another filter.').waitFor();
  await page.getByLabel('Asset', { exact: true }).selectOption('DEMO');
  // The sums of the list, and its file.
  const totals = page.getByRole('list', { name: 'Totals' });
  await totals.getByText('2 orders').waitFor();
  await totals.getByText('Stake 1,090.00').waitFor();
  await page.getByRole('button', { name: 'Export' }).click();
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save file' }).click();
  const file = readFileSync(await (await download).path(), 'utf8');
  const [, ...lines] = file.trim().split('\r\n');
  expect([file.startsWith('\ufeffOrder,Placed,'), lines.length]).toEqual([true, 2]);
  await page.getByLabel('Result', { exact: true }).selectOption({ label: 'Loss' });
  await page.getByText('Try another filter.').waitFor();
  expect(asked.at(-1)?.searchParams.get('result')).toBe('loss');
  await page.getByLabel('Result', { exact: true }).selectOption({ label: 'All results' });
  // A click beside the link opens the order, too.
  await page.getByRole('cell', { name: '90.00 DEMO' }).click();
  await page.locator('[data-status=unsettled]').waitFor();
});

test('a sorted list loads its next page on request, not by scrolling', async () => {
  const { page, complaints } = await trader(browser, { account, ...WIDE });
  const mayAnswer = Promise.withResolvers<void>();
  await page.route('**/api/order/list?*', async (route) => {
    const url = new URL(route.request().url());
    url.searchParams.set('limit', '1');
    if (url.searchParams.has('cursor')) await mayAnswer.promise;
    await route.continue({ url: url.href });
  });
  await open(page, '/historyOrder');
  await page.getByRole('button', { name: 'Stake' }).click();
  mayAnswer.resolve();
  // The page that was on its way comes; the one after it waits for the reader.
  await page.getByRole('button', { name: 'Load more' }).waitFor();
  expect(await column(page, 'Stake')).toEqual(['700.00 DEMO', '90.00 DEMO']);
  await page.getByRole('button', { name: 'Load more' }).click();
  await soon(() => column(page, 'Stake')).toEqual(['700.00 DEMO', '90.00 DEMO', '20.00 DEMO']);
  expect(complaints).toEqual([]);
});

test('fund details and requests lead from a row to its cause, and sort amounts by asset and size', async () => {
  const { page, complaints } = await trader(browser, { account, ...WIDE });
  await open(page, '/changeLog');
  const amount = page.getByRole('button', { name: 'Amount' });
  await amount.click();
  await soon(() => column(page, 'Amount')).toEqual([
    '+400.00 USDT',
    '55.00 USDT',
    '+10,000.00 DEMO',
    '\u221220.00 DEMO',
    '\u221290.00 DEMO',
    '\u2212300.00 DEMO',
    '\u2212700.00 DEMO',
    '\u22121,000.00 DEMO',
  ]);
  await amount.click();
  await soon(async () => (await column(page, 'Amount'))[0]).toBe('\u22121,000.00 DEMO');
  await page.getByRole('link', { name: 'EUR/USD · 60 min' }).first().click();
  await soon(() => pathOf(page)).toBe('/historyOrder');

  await follow(page, '/accessLog');
  await shown(page, '/accessLog');
  await soon(() => column(page, 'Status')).toEqual(['Under review', 'Success']);
  await page.getByRole('button', { name: 'Status' }).click();
  await soon(() => column(page, 'Status')).toEqual(['Under review', 'Success']);
  await page.getByRole('button', { name: 'Status' }).click();
  await soon(() => column(page, 'Status')).toEqual(['Success', 'Under review']);
  await page
    .locator('[data-view=accessLog]')
    .getByRole('link', { name: /^Deposit \d+$/ })
    .first()
    .click();
  await page.getByRole('article').getByText('Success', { exact: true }).first().waitFor();
  await page.goBack();
  // The list keeps its order.
  await soon(() => column(page, 'Status')).toEqual(['Success', 'Under review']);
  expect(complaints).toEqual([]);
});

test.each(['zh', 'tw', 'en'] as const)('the tables are accessible, in %s', async (language) => {
  const { page, context, complaints } = await trader(browser, {
    account,
    language,
    width: 1024,
    height: 768,
  });
  for (const path of ['/historyOrder', '/changeLog', '/accessLog']) {
    await page.goto(`${origin()}${path}`);
    const table = page.getByRole('table');
    await table.waitFor();
    expect(await table.getAttribute('aria-label')).toBe(
      await page.getByRole('heading', { level: 1 }).innerText(),
    );
    expect(await axeFindings(page)).toEqual([]);
  }
  expect(complaints).toEqual([]);
  await context.close();
});
