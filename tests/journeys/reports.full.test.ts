import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { api, launch } from '@fairtick/kit/browser/browser.ts';
import { leave, sitDown } from '@fairtick/kit/browser/desk.ts';
import { customerGet, payee } from '@fairtick/kit/browser/payee.ts';
import { axeFindings } from '@fairtick/kit/browser/screens.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { seen } from '@fairtick/kit/waiting/until.ts';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';

/** A report of the house: made in the office, saved with its note, and checked without the server. */
const browser = forFile(() => launch());
const office = () => process.env.FAIRTICK_OFFICE as string;
const BIN = join(import.meta.dirname, '../../packages/proof/bin/fairtick.ts');

async function download(page: Page, press: () => Promise<void>): Promise<string> {
  const [file] = await Promise.all([page.waitForEvent('download'), press()]);
  return file.path();
}

test('a cashier makes a report of deposits, the note proves the file, and the customer sees that it was made', async () => {
  const account = await payee({ balance: '90' });
  const desk = await sitDown(browser, office(), 'cashier_1');
  const { page } = desk;
  await page.goto(`${office()}/reports`);
  const reason = `Month end ${Date.now()}`;
  await page.getByLabel('Report', { exact: true }).selectOption('deposits');
  await page.getByLabel('Reason').fill(reason);
  const file = await download(page, () => page.getByRole('button', { name: 'Make the file' }).click());
  const row = page.getByRole('row', { name: new RegExp(reason) });
  const note = await download(page, () => row.getByRole('link', { name: 'Signed note' }).click());
  const keys = await api<{ checkpoints: string; acceptances: string }>('transparency/key', '');
  const check = [BIN, 'exported', file, note, '--key', keys.checkpoints, '--key', keys.acceptances];
  const { stdout } = await promisify(execFile)(process.execPath, check);
  expect(stdout).toContain('deposits');
  expect(await axeFindings(page)).toEqual([]);
  for (const width of [375, 320]) {
    await page.setViewportSize({ width, height: 740 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
  }
  await leave(desk);
  const views = await seen(async () => {
    const { items } = await customerGet<{ items: { what: string }[] }>('user/dataViews', account.token);
    return items.some(({ what }) => what === 'report') && items;
  });
  expect(views.filter(({ what }) => what === 'report')).toHaveLength(1);

  // Who may not make any report finds no page for it.
  const support = await sitDown(browser, office(), 'support_1');
  expect(await support.page.locator('nav a[href="/reports"]').count()).toBe(0);
  await leave(support);
});
