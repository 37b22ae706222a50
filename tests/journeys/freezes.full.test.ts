import { launch, newAccount, PASSWORD } from '@fairtick/kit/browser/browser.ts';
import { leave, sitDown } from '@fairtick/kit/browser/desk.ts';
import { customerGet, customerPost } from '@fairtick/kit/browser/payee.ts';
import { axeFindings } from '@fairtick/kit/browser/screens.ts';
import { type ServerProcess, startServerProcess } from '@fairtick/kit/browser/server.ts';
import { type Account, trader } from '@fairtick/kit/browser/trader.ts';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';

/** Staff freeze a customer in the office, two lift it, and the customer reads it on the open screens of two tabs. */
let browser: Browser;
let server: ServerProcess;
beforeAll(async () => {
  [browser, server] = await Promise.all([launch(), startServerProcess({ MODE: 'demo', HOLD_SECONDS: '1' })]);
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

const NOTE = 'the customer called: a stranger has the phone';

async function openRestrictions(staff: string, id: string) {
  const desk = await sitDown(browser, server.officeOrigin, staff);
  await desk.page.goto(`${server.officeOrigin}/customers/${id}`);
  await desk.page.locator('#customer-restrictions').click();
  return desk;
}

async function fill(page: Page, title: string, choices: Record<string, string>, send: string): Promise<void> {
  const dialog = page.getByRole('dialog', { name: title });
  for (const [label, option] of Object.entries(choices))
    await dialog.getByLabel(label, { exact: true }).selectOption(option);
  await dialog.getByLabel('Note for staff').fill(NOTE);
  await dialog.getByRole('button', { name: send }).click();
}

test('a freeze is read on open screens before the tap, and two of the staff lift it', async () => {
  const account = newAccount();
  const form = { account, password: PASSWORD, confirmPassword: PASSWORD };
  const { token } = await customerPost<Account>('user/register', '', form, server.origin);
  const userInfo = await customerGet('user/getUserInfo', token, server.origin);
  const { id } = userInfo as { id: string };
  const { page, context } = await trader(browser, { account: { token, userInfo }, base: server.origin });
  const second = await context.newPage();
  await page.goto(`${server.origin}/mine`);
  await second.goto(`${server.origin}/with`);

  const support = await openRestrictions('support_1', id);
  for (const what of ['orders', 'withdrawals']) {
    await support.page.getByRole('button', { name: 'Freeze now' }).click();
    await fill(support.page, 'Freeze now', { What: what, 'For how long': '24' }, 'Freeze now');
    await support.page.getByText('Frozen', { exact: true }).waitFor();
  }
  await support.page.getByText('Closed now').nth(1).waitFor();
  expect(await axeFindings(support.page)).toEqual([]);
  await leave(support);

  await page.getByText(/New orders are closed until .*: to protect your account from misuse/).waitFor();
  await second.getByText(/Withdrawals are closed until/).waitFor();
  await page.goto(`${server.origin}/product?symbol=EUR%2FUSD`);
  await page
    .getByText(/New orders are closed for your account until/)
    .first()
    .waitFor();

  const verification = await openRestrictions('verification_1', id);
  await verification.page.getByRole('button', { name: 'Propose to keep or lift' }).click();
  await fill(
    verification.page,
    'Propose to keep or lift',
    { What: 'withdrawals', 'For how long': '' },
    'Propose',
  );
  await verification.page.getByRole('cell', { name: 'Lift it now' }).waitFor();
  await leave(verification);

  const approver = await sitDown(browser, server.officeOrigin, 'approver_1');
  await approver.page.goto(`${server.officeOrigin}/customers/restrictions`);
  await approver.page.getByRole('button', { name: 'Decide' }).click();
  await approver.page.getByRole('button', { name: 'Approve the lifting' }).click();
  await second.getByText(/Withdrawals are closed until/).waitFor({ state: 'detached' });
  await leave(approver);
});
