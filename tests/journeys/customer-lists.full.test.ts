import { launch } from '@fairtick/kit/browser/browser.ts';
import { leave, sitDown } from '@fairtick/kit/browser/desk.ts';
import { customerGet, payee } from '@fairtick/kit/browser/payee.ts';
import { axeFindings } from '@fairtick/kit/browser/screens.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { openDatabase } from '../../apps/server/src/platform/db/database.ts';
import { withClient } from '../../apps/server/src/platform/db/with-client.ts';

/** Lists of customers, tasks that rules make, and the list of what a new house needs, in the office. */
const browser = forFile(() => launch());
const office = () => process.env.FAIRTICK_OFFICE as string;

/** No page is wider than a phone. */
async function expectFits(page: Page): Promise<void> {
  for (const width of [375, 320]) {
    await page.setViewportSize({ width, height: 740 });
    expect(
      await page.evaluate(() =>
        Math.max(...[...document.querySelectorAll('main > *')].map((one) => one.scrollWidth)),
      ),
    ).toBeLessThanOrEqual(width);
  }
  await page.setViewportSize({ width: 1280, height: 800 });
}

test('support finds customers by state and balance, keeps the search, and the customer sees the view', async () => {
  const { token, userInfo } = await payee({ balance: '90' });
  const { id, account } = userInfo as { id: string; account: string };
  const desk = await sitDown(browser, office(), 'support_1');
  const { page } = desk;
  await page.goto(`${office()}/customers/list`);
  const list = page.getByRole('tabpanel', { name: 'List' });
  await list.getByLabel('Country').selectOption({ label: 'Singapore (SG)' });
  await list.getByLabel('Country').selectOption('');
  await list.getByLabel('Verification').selectOption('Verified');
  await list.getByLabel('Asset').fill('usdt');
  await list.getByLabel('Balance at least').fill('80');
  const name = `Over 80 ${Date.now()}`;
  await list.getByLabel('Name of the search').fill(name);
  await list.getByRole('button', { name: 'Save search' }).click();
  await list.getByRole('button', { name, exact: true }).waitFor();
  // Another day: the search is one tap.
  await page.reload();
  await list.getByRole('button', { name, exact: true }).click();
  const row = list.getByRole('row', { name: new RegExp(account) });
  await row.waitFor();
  expect(await row.innerText()).toContain('90.00 USDT');
  expect(await axeFindings(page)).toEqual([]);
  await expectFits(page);
  await list.getByRole('button', { name: 'Remove' }).click();
  await list.getByRole('button', { name, exact: true }).waitFor({ state: 'detached' });
  await row.click();
  await page.getByRole('heading', { name: account }).waitFor();
  await page.locator('#customer-restrictions').click();
  await page.getByText('Holds by order of authorities').first().waitFor();
  await expectFits(page);
  expect(page.url()).toContain(`/customers/${id}`);
  await leave(desk);
  const { items } = await customerGet<{ items: { what: string }[] }>('user/dataViews', token);
  expect(items.filter(({ what }) => what === 'search').length).toBeGreaterThan(0);
});

test('a task that a rule made is closed with what came of it, and a rule is changed by two', async () => {
  const [first] = [await payee(), await payee(), await payee()];
  const { account } = first.userInfo as { account: string };
  await runRule('shared_destination');
  const verification = await sitDown(browser, office(), 'verification_1');
  const { page } = verification;
  await page.goto(`${office()}/customers/tasks`);
  const task = page.getByRole('row', { name: new RegExp(account) });
  await task.getByText('Many accounts, one destination').waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await expectFits(page);
  await task.getByRole('button', { name: 'Close the task' }).click();
  const closing = page.getByRole('dialog');
  await closing.getByLabel('What came of it').fill('one family, three accounts');
  await closing.getByRole('button', { name: 'Close the task' }).click();
  await task.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Show closed tasks' }).click();
  await page.getByRole('row', { name: /verification_1 · one family, three accounts/ }).waitFor();

  const days = 45;
  const rule = page.getByRole('row', { name: /^In and out without trading/ }).first();
  await rule.getByRole('button', { name: 'Change' }).click();
  const change = page.getByRole('dialog');
  await change.getByLabel('Days').fill(String(days));
  await change.getByLabel('Note for staff').fill(`a period of ${days} days`);
  await change.getByRole('button', { name: 'Propose' }).click();
  await change.waitFor({ state: 'detached' });
  await leave(verification);
  const approver = await sitDown(browser, office(), 'approver_1');
  await approver.page.goto(`${office()}/customers/tasks`);
  const proposed = approver.page.getByRole('row', { name: new RegExp(`deposits of ${days} days.*Proposed`) });
  await proposed.getByRole('button', { name: 'Decide' }).click();
  await approver.page.getByRole('dialog').getByRole('button', { name: 'Approve the change' }).click();
  await approver.page
    .getByRole('row', { name: new RegExp(`deposits of ${days} days`) })
    .nth(1)
    .waitFor();
  await leave(approver);
});

/** Makes the tasks of a rule, as the process does each hour. */
async function runRule(rule: string): Promise<void> {
  const dataDir = process.env.FAIRTICK_DATA as string;
  const { admin } = await openDatabase({ databaseUrl: null, dataDir, backupDir: null }, () => {});
  await withClient(admin, 'journey', (client) => client.query('select flag_tasks_find($1)', [rule]));
}

test('administrators read what a new house still needs, each step done or open with its page', async () => {
  const admin = await sitDown(browser, office(), 'admin_1');
  await admin.page.goto(`${office()}/dashboard`);
  const steps = admin.page.getByRole('table', { name: 'A new house' });
  const step = (name: string) => steps.getByRole('row', { name: new RegExp(`^${name}`) }).innerText();
  await steps.waitFor();
  expect(await step('Two administrators')).toMatch(/OFFICE\.md\s+Done/);
  expect(await step('A witness that has cosigned')).toMatch(/OPERATIONS\.md\s+Open/);
  expect(await axeFindings(admin.page)).toEqual([]);
  await expectFits(admin.page);
  await leave(admin);
  const auditor = await sitDown(browser, office(), 'auditor_1');
  await auditor.page.goto(`${office()}/dashboard`);
  await auditor.page.getByRole('heading', { level: 1 }).waitFor();
  expect(await auditor.page.getByRole('heading', { name: 'A new house' }).count()).toBe(0);
  await leave(auditor);
});
