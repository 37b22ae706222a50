import { launch, origin } from '@fairtick/kit/browser/browser.ts';
import { customerGet } from '@fairtick/kit/browser/payee.ts';
import { axeFindings } from '@fairtick/kit/browser/screens.ts';
import { register, trader } from '@fairtick/kit/browser/trader.ts';
import { PATIENCE_MS } from '@fairtick/kit/waiting/until.ts';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

/** The ledger in the office: a correction by two people, from the proposal to the customer's fund log; and how its pages look. */
const office = (): string => {
  const value = process.env.FAIRTICK_OFFICE;
  if (!value) throw new Error('the server is started by the global setup');
  return value;
};
const STAFF_PASSWORD = 'Staff-1234';

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

/** A member of the demo's staff, logged in in a new browser context. */
async function deskOf(
  account: string,
  look: { language?: string; theme?: 'dark' | 'light'; width?: number } = {},
): Promise<{ page: Page; ends: () => Promise<void> }> {
  const { language = 'en', theme = 'light', width = 1280 } = look;
  const context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme: theme });
  await context.addInitScript((chosen) => localStorage.setItem('language', chosen), language);
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`));
  await page.goto(office());
  await page.locator('input[name=account]').fill(account);
  await page.locator('input[name=password]').fill(STAFF_PASSWORD);
  await page.locator('button[type=submit]').click();
  await page.locator('nav a[href="/corrections"]').click();
  const ends = async () => {
    expect(complaints).toEqual([]);
    await context.close();
  };
  return { page, ends };
}

test('a correction takes two people and a step-up, appears in the fund log, and keeps the ledger balanced', async () => {
  const customer = await register();
  const { token } = customer;
  const userInfo = customer.userInfo as { readonly id: string };
  const reason = `Credited too little, ${userInfo.id}`;

  const one = await deskOf('cashier_1');
  await one.page.getByRole('button', { name: 'Propose a correction' }).click();
  const proposal = one.page.getByRole('dialog', { name: 'Propose a correction' });
  await proposal.getByLabel('Customer number').fill(userInfo.id);
  await proposal.getByLabel('Asset').selectOption('USDT');
  await proposal.getByLabel('Amount').fill('12.5');
  await proposal.getByLabel('Reason').fill(reason);
  await proposal.getByRole('button', { name: 'Propose' }).click();
  await one.page.getByText('Proposed. Waiting for approval').waitFor();
  const proposed = one.page.getByRole('row', { name: new RegExp(reason) });
  const id = (await proposed.getByRole('link', { name: /^Correction \d+$/ }).innerText()).split(
    ' ',
  )[1] as string;
  await proposed.getByRole('button', { name: 'Withdraw' }).click();
  await one.page.getByText('You proposed this; someone else must approve it.').waitFor();
  expect(await one.page.getByRole('button', { name: /^Approve/ }).count()).toBe(0);
  const told = await one.page.evaluate(async (own) => {
    const body = new URLSearchParams({ id: own });
    const answer = await fetch('/api/correction/approve', {
      method: 'POST',
      body,
      headers: { 'x-office': '1' },
    });
    return (await answer.json()).error;
  }, id);
  expect(told).toBe('ROLE_MISSING');
  expect((await customerGet<{ items: unknown[] }>('fund/log', token)).items).toHaveLength(1);
  await one.ends();

  const two = await deskOf('approver_1');
  // The server answers so when the last step-up is too old.
  let isRefused = false;
  await two.page.route('**/api/correction/approve', async (route) => {
    if (isRefused) return route.continue();
    isRefused = true;
    return route.fulfill({ json: { code: 0, msg: 'again', data: null, error: 'REAUTH_REQUIRED' } });
  });
  await two.page
    .getByRole('row', { name: new RegExp(reason) })
    .getByRole('button', { name: 'Decide' })
    .click();
  await two.page.getByRole('button', { name: 'Approve +12.50 USDT' }).click();
  const stepUp = two.page.getByRole('dialog', { name: 'Confirm your identity' });
  await stepUp.getByLabel('Password').fill(STAFF_PASSWORD);
  await stepUp.getByRole('button', { name: 'Continue' }).click();
  await two.page.getByText('Corrected by +12.50 USDT').waitFor();

  const [line] = (await customerGet<{ items: Record<string, string>[] }>('fund/log', token)).items;
  expect(line).toMatchObject({ asset: 'USDT', amount: '12.500000', ref: `correction:${id}` });

  const own = await trader(browser, { account: customer, language: 'en' });
  await own.page.goto(`${origin()}/changeLog`);
  const entry = own.page.locator('[data-view=changeLog] [data-entry]', { hasText: `Correction ${id}` });
  await expect.poll(() => entry.innerText()).toContain('12.5');
  expect(own.complaints).toEqual([]);
  await own.context.close();

  await two.page.getByRole('link', { name: `Correction ${id}` }).click();
  await two.page.getByRole('heading', { name: `Correction ${id}` }).waitFor();
  await two.page.getByText(reason).waitFor();
  await two.page.getByRole('link', { name: `Customer ${userInfo.id}` }).click();
  await two.page
    .getByRole('row', { name: /Correction.*12\.50 USDT/ })
    .first()
    .waitFor();
  expect(await two.page.getByLabel('Customer number').inputValue()).toBe(userInfo.id);
  await two.page.getByRole('tab', { name: 'Trial balance' }).click();
  await two.page.getByText('Every asset sums to zero').waitFor();
  await two.page.getByText('No rule violated').waitFor();
  await two.ends();
});

describe('the treasury’s pages', () => {
  const LOOKS = [
    { language: 'zh', theme: 'light', width: 1280 },
    { language: 'tw', theme: 'dark', width: 1280 },
    { language: 'en', theme: 'dark', width: 1920 },
  ] as const;
  test.each(LOOKS)('have no accessibility fault and nothing cut off: %o', async (look) => {
    const { page, ends } = await deskOf('approver_2', look);
    for (const path of ['ledger', 'channels', 'ledger/reconciliation']) {
      await page.goto(`${office()}/${path}`);
      if (path === 'ledger/reconciliation') {
        // Its record, with the balances of that time, appears below the list.
        await page.locator('[role=tabpanel] button').first().click();
        await page.locator('#record').waitFor();
        await page.locator('[role=tabpanel] button:enabled').first().waitFor();
      }
      await page.locator('tbody tr').first().waitFor();
      expect([path, await axeFindings(page)]).toEqual([path, []]);
      const isWide = await page.evaluate(
        () =>
          document.documentElement.scrollWidth > innerWidth ||
          [...document.querySelectorAll('main table')].some(
            ({ parentElement: frame }) => frame !== null && frame.scrollWidth > frame.clientWidth,
          ),
      );
      expect([path, isWide]).toEqual([path, false]);
    }
    await ends();
  });
});
