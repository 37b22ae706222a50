import { randomUUID } from 'node:crypto';
import { launch } from '@fairtick/kit/browser/browser.ts';
import { axeFindings } from '@fairtick/kit/browser/screens.ts';
import { type ServerProcess, startServerProcess } from '@fairtick/kit/browser/server.ts';
import { PATIENCE_MS } from '@fairtick/kit/waiting/until.ts';
import type { Language } from '@fairtick/protocol';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';

/** Rules that two people change, and a halt that one starts and two end: in the staff's browser and in the customer's answers. */
const PASSWORD = 'Staff-1234';

// An installation of its own: a halt would stop the orders of other journeys.
let server: ServerProcess;
let browser: Browser;
beforeAll(async () => {
  server = await startServerProcess({
    MODE: 'demo',
    LIMIT_REGISTRATIONS: '10000',
    LIMIT_DAY_REGISTRATIONS: '10000',
    LIMIT_LOGINS: '10000',
    LIMIT_QUOTA_PERCENT: '1000000',
  });
  browser = await launch();
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

interface Look {
  readonly language: Language;
  readonly theme: 'dark' | 'light';
  readonly width: number;
}

async function desk(account: string, look: Look = { language: 'en', theme: 'light', width: 1280 }) {
  const context = await browser.newContext({
    viewport: { width: look.width, height: 900 },
    colorScheme: look.theme,
    timezoneId: 'Asia/Singapore',
  });
  await context.addInitScript((language) => localStorage.setItem('language', language), look.language);
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`));
  await page.goto(server.officeOrigin);
  await page.locator('input[name=account]').fill(account);
  await page.locator('input[name=password]').fill(PASSWORD);
  await page.locator('button[type=submit]').click();
  await page.locator('nav').waitFor();
  const ends = async () => {
    expect(complaints).toEqual([]);
    await context.close();
  };
  return { page, ends };
}

const open = async (page: Page, path: string) => page.goto(`${server.officeOrigin}${path}`);

/** Saves screenshots if FAIRTICK_SHOTS is set. */
async function shoot(page: Page, name: string): Promise<void> {
  const folder = process.env.FAIRTICK_SHOTS;
  if (folder) await page.screenshot({ path: `${folder}/${name}.png` });
}

test('a change of payouts is proposed by one person, approved by another, and logged before it takes effect', async () => {
  const clerk = await desk('catalogue_1');
  await open(clerk.page, '/catalogue');
  await clerk.page.getByLabel('Search symbol or name').fill('GBP/JPY');
  await clerk.page.getByRole('row', { name: /GBP\/JPY/ }).click();
  await clerk.page.getByRole('link', { name: 'Propose a rule change' }).click();
  const propose = clerk.page.getByRole('button', { name: 'Propose' });
  await clerk.page.getByText('No changes', { exact: true }).waitFor();
  await clerk.page.getByLabel('Note').fill('One minute pays more');
  expect(await propose.isDisabled()).toBe(true);
  await clerk.page.getByLabel('Payout rate, 1 min').fill('99');
  await propose.click();
  await clerk.page.getByText('Outside the limits: Payout rates').waitFor();
  await clerk.page.getByLabel('Payout rate, 1 min').fill('81');
  await clerk.page.getByText('was 80', { exact: true }).waitFor();
  await clerk.page
    .getByRole('list', { name: 'Changes' })
    .getByText('Payout rate, 1 min: 80% → 81%')
    .waitFor();
  expect(await axeFindings(clerk.page)).toEqual([]);
  await shoot(clerk.page, 'propose-en-light-1280');
  await propose.click();
  await clerk.page.getByRole('heading', { name: /^Change \d+$/ }).waitFor();
  await clerk.page.getByRole('row', { name: 'Payout rate, 1 min 80% 81% GBP/JPY' }).waitFor();
  expect(await clerk.page.getByRole('button', { name: /Approve/ }).count()).toBe(0);
  const path = new URL(clerk.page.url()).pathname;
  await clerk.ends();

  const approver = await desk('approver_1');
  await open(approver.page, path);
  await approver.page.getByRole('button', { name: 'Approve for 1 product' }).waitFor();
  expect(await axeFindings(approver.page)).toEqual([]);
  await shoot(approver.page, 'change-en-light-1280');
  await approver.page.getByRole('button', { name: 'Approve for 1 product' }).click();
  await approver.page.getByText('Logged', { exact: true }).waitFor();
  await open(approver.page, '/catalogue/product/GBP-JPY');
  await approver.page.getByText('Payout rate, 1 min: 80% → 81%').waitFor();
  await approver.page.getByRole('cell', { name: 'Upcoming' }).waitFor();
  await shoot(approver.page, 'product-en-light-1280');
  await approver.ends();
});

test('a product is proposed in a form, approved by another, and a customer finds it and trades it', async () => {
  const clerk = await desk('catalogue_1');
  await open(clerk.page, '/catalogue');
  await clerk.page.getByRole('link', { name: 'Propose a product' }).click();
  const fill = (label: string, text: string) => clerk.page.getByLabel(label, { exact: true }).fill(text);
  const choose = (label: string, text: string) =>
    clerk.page.getByLabel(label, { exact: true }).selectOption(text);
  await fill('Symbol', 'link/usdt');
  await fill('Name in simplified Chinese', '链环');
  await fill('Name in traditional Chinese', '鏈環');
  await fill('Name in English', 'Chain Link');
  await fill('Search words', 'lian huan');
  await choose('Payouts and limits as', 'BTC/USDT');
  await fill('Decimals of its price', '3');
  await fill('Price, roughly', '14.5');
  await fill('Volatility a year (%)', '500');
  await choose('Follows', 'currency:BTC');
  await fill('Note', 'Customers ask for it');
  await clerk.page.getByRole('button', { name: 'Propose' }).click();
  await clerk.page.getByText('Outside the limits: volatility').waitFor();
  expect(await axeFindings(clerk.page)).toEqual([]);
  for (const width of [375, 320]) {
    await clerk.page.setViewportSize({ width, height: 800 });
    expect(await clerk.page.evaluate(() => document.documentElement.scrollWidth > innerWidth)).toBe(false);
  }
  await shoot(clerk.page, 'new-product-en-light-320');
  await fill('Volatility a year (%)', '60');
  await clerk.page.getByRole('button', { name: 'Propose' }).click();
  await clerk.page.getByRole('heading', { name: /^Change \d+$/ }).waitFor();
  const path = new URL(clerk.page.url()).pathname;
  await clerk.ends();

  const approver = await desk('approver_1');
  await open(approver.page, path);
  await approver.page.getByRole('row', { name: 'Names · English none Chain Link LINK/USDT' }).waitFor();
  expect(await axeFindings(approver.page)).toEqual([]);
  await shoot(approver.page, 'change-new-en-light-1280');
  await approver.page.getByRole('button', { name: 'Approve for 1 product' }).click();
  await approver.page.getByText('In force', { exact: true }).waitFor();
  await approver.ends();

  const context = await browser.newContext({ viewport: { width: 375, height: 800 }, locale: 'en' });
  await context.addInitScript(() => localStorage.setItem('language', 'en'));
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  await page.goto(`${server.origin}/product`);
  await page.getByRole('searchbox').fill('lian huan');
  await page.getByText('Chain Link', { exact: true }).first().waitFor();
  await shoot(page, 'new-product-found-en-375');
  await context.close();
}, 240_000);

test('one person halts new orders, customers get a clear refusal, and two people lift the halt', async () => {
  const ask = async (path: string, token: string, fields: Record<string, string>) => {
    const answer = await fetch(`${server.origin}/api/${path}`, {
      method: 'POST',
      headers: { token, language: 'en', 'idempotency-key': randomUUID() },
      body: new URLSearchParams(fields),
    });
    return (await answer.json()) as { error?: string; msg: string; data: { token: string } };
  };
  const form = { account: 'halted_customer', password: 'a tall lantern', confirmPassword: 'a tall lantern' };
  const { token } = (await ask('user/register', '', form)).data;
  const order = () =>
    ask('order/create', token, {
      symbol: 'BTC/USDT',
      direction: 'up',
      minutes: '1',
      asset: 'DEMO',
      amount: '10',
    });
  const clerk = await desk('catalogue_1');
  await open(clerk.page, '/catalogue/halts');
  await clerk.page.getByRole('button', { name: 'Halt new orders' }).click();
  await clerk.page.getByLabel('Reason').fill('One source lies');
  await clerk.page.getByRole('button', { name: 'Halt now' }).click();
  await clerk.page.getByText(/since .*: One source lies/).waitFor();
  // A busy server may be too late for any answer: then it is asked again.
  await expect.poll(order).toMatchObject({
    error: 'TRADING_HALTED',
    msg: 'New orders are currently halted',
  });
  await shoot(clerk.page, 'halt-en-light-1280');
  await clerk.page.getByLabel('Why orders can resume').fill('The source is gone');
  await clerk.page.getByRole('button', { name: 'Propose to resume' }).click();
  await clerk.page.getByText(/The source is gone/).waitFor();
  expect(await clerk.page.getByRole('button', { name: /^Approve: resume/ }).count()).toBe(0);

  const approver = await desk('approver_1');
  await open(approver.page, '/catalogue/halts');
  const agree = approver.page.getByRole('button', { name: 'Approve: resume new orders' });
  await agree.waitFor();
  expect(await axeFindings(approver.page)).toEqual([]);
  await agree.click();
  await approver.page.getByText('New orders are accepted.', { exact: true }).waitFor();
  await approver.ends();
  await clerk.page.getByText('New orders are accepted.', { exact: true }).waitFor();
  // Accepted once prices are stable again.
  await expect.poll(async () => (await order()).error, { interval: 1_000 }).toBeUndefined();
  await clerk.ends();
});

test.each([
  { language: 'zh', theme: 'light', width: 1280 },
  { language: 'tw', theme: 'dark', width: 1280 },
  { language: 'en', theme: 'dark', width: 1920 },
] as const)('catalogue pages have no accessibility fault and nothing cut off: %o', async (look) => {
  const visit = await desk('approver_2', look);
  const { page } = visit;
  const name = `${look.language}-${look.theme}-${look.width}`;
  for (const path of [
    'dashboard',
    'catalogue',
    'catalogue/product/AAPL',
    'catalogue/changes',
    'catalogue/halts',
  ]) {
    await open(page, `/${path}`);
    await page.locator('main table').first().waitFor();
    if (path === 'dashboard') await page.locator('main canvas').first().waitFor();
    if (path !== 'catalogue/halts') await page.locator('tbody tr').first().waitFor();
    await shoot(page, `${path.replaceAll('/', '-')}-${name}`);
    if (path === 'dashboard') {
      await page.locator('main canvas').first().scrollIntoViewIfNeeded();
      await shoot(page, `turnover-${name}`);
    }
    expect([path, await axeFindings(page)]).toEqual([path, []]);
    const isWide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
    expect([path, isWide]).toEqual([path, false]);
  }
  await visit.ends();
});
