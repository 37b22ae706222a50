import { readFileSync } from 'node:fs';
import { api, launch, origin, place } from '@fairtick/kit/browser/browser.ts';
import { customerPost, payee, StaffDesk, WITHDRAWAL_PASSWORD } from '@fairtick/kit/browser/payee.ts';
import { axeFindings } from '@fairtick/kit/browser/screens.ts';
import { soon, trader } from '@fairtick/kit/browser/trader.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { paper } from '@fairtick/kit/people/paper.ts';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';

/** The records of deposits and withdrawals, and the fund log, for a customer. */
const browser = forFile(() => launch());

const DESKTOP = { width: 1280, height: 900 };

describe('the records', () => {
  test('filter deposits and withdrawals by type and status, and a refusal shows its reason and the next step (S2-73, S2-74, S4-18)', async () => {
    const account = await payee({ balance: '50' });
    const { page, token, complaints } = await trader(browser, { account });
    const proof = new Blob([new Uint8Array(paper(120, 200))], { type: 'image/png' });
    const { id } = await customerPost<{ id: string }>('recharge/submit', token, {
      channelId: '1',
      amount: '33',
      proof,
    });
    const cashier = await StaffDesk.open('cashier_1');
    await cashier.post('deposit/refuse', { id, status: 'failure', reason: 'not_received' });
    await page.goto(`${origin()}/accessLog`);
    const rows = page.locator('[data-view=accessLog] [data-request]');
    await soon(() => rows.count()).toBe(2);
    await page.getByLabel('Status').selectOption('failure');
    await soon(() => rows.count()).toBe(1);
    // A refused deposit moved no money, so its amount has no sign.
    expect(await rows.first().innerText()).toMatch(/Deposit\s+Failure[\s\S]*\n33\.00 USDT$/);
    await page.getByRole('tab', { name: 'Withdrawal', exact: true }).click();
    await page.getByText('No deposits or withdrawals').waitFor();
    await page.getByRole('tab', { name: 'Deposit', exact: true }).click();
    await rows.first().click();
    const request = page.getByRole('article');
    await request.getByText('The payment has not arrived').first().waitFor();
    await request.getByText(`contact support with request ${id}`).waitFor();
    // The outcome has the same name above and in the history, which replaces the stages.
    await soon(() => request.getByText('Failure', { exact: true }).count()).toBe(2);
    expect(await request.getByRole('list', { name: 'Progress' }).count()).toBe(0);
    expect(await axeFindings(page)).toEqual([]);
    await page.goBack();
    // The filter is unchanged.
    await soon(() => rows.count()).toBe(1);
    expect(await page.getByLabel('Status').inputValue()).toBe('failure');
    expect(complaints).toEqual([]);
  });

  test('the fund log filters entries, adds up, and can be saved as a file (S2-11, S2-58, S4-10 to S4-20, S7-29)', async () => {
    const account = await payee({ balance: '90' });
    const { page, token, complaints } = await trader(browser, { account, ...DESKTOP });
    const { destinations } = await api<{ destinations: { id: string; asset: string }[] }>(
      'withdraw/options',
      token,
    );
    const destinationId = destinations.find(({ asset }) => asset === 'USDT')?.id ?? '';
    await customerPost('withdraw/submit', token, {
      destinationId,
      asset: 'USDT',
      amount: '40',
      payWord: WITHDRAWAL_PASSWORD,
    });
    await place(token, { symbol: 'EUR/USD', minutes: '5' });
    await page.goto(`${origin()}/changeLog`);
    const rows = page.locator('[data-view=changeLog] [data-entry]');
    // Practice money, the deposit, the withdrawal, the order.
    await soon(() => rows.count()).toBe(4);
    expect(await rows.first().innerText()).toMatch(/Purchase order\s+EUR\/USD · 5 min\s+−100\.00 DEMO/);
    expect(await page.getByRole('tab').allInnerTexts()).toEqual([
      'All',
      'Deposit',
      'Withdrawal',
      'Purchase order',
      'Order settlement',
      'Earnings transfer in',
      'Earnings transfer out',
      'Earnings interest',
    ]);
    expect(await page.getByLabel('Result').getByRole('option').allInnerTexts()).toEqual([
      'All results',
      'Success',
      'Failure',
      'Under review',
      'Ignored',
    ]);
    await page.getByLabel('Asset').selectOption('USDT');
    await soon(() => rows.count()).toBe(2);
    await expect
      .poll(() => rows.first().innerText())
      .toMatch(/Withdrawal\s+Withdrawal \d+\s+Under review\s+−40.00 USDT\s+50.00/);
    const summary = page.getByRole('region', { name: 'Summary' });
    expect((await summary.innerText()).replace(/\s+/g, ' ')).toMatch(
      /Opening 0\.00 In \+90\.00 Out −40\.00 Closing 50\.00 .* Matches/,
    );
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('tab', { name: 'Deposit', exact: true }).click();
    await soon(() => rows.count()).toBe(1);
    await page.getByRole('tab', { name: 'Earnings interest' }).click();
    await page.getByText('No entries').waitFor();
    await page.getByRole('tab', { name: 'All', exact: true }).click();
    await page.getByLabel('Result').selectOption('review');
    await soon(() => rows.count()).toBe(1);

    const dates = page.getByLabel('Period');
    const chooseDays = async (from: string, to: string) => {
      await dates.selectOption({ label: 'Choose dates' });
      await page.getByLabel('From').fill(from);
      await page.getByLabel('To', { exact: true }).fill(to);
      await page.getByRole('button', { name: 'Show', exact: true }).click();
    };
    await chooseDays('2020-02-01', '2020-02-28');
    await page.getByText('No entries').waitFor();
    expect(await dates.locator('option:checked').innerText()).toMatch(/^Feb 1\s–\s28, 2020$/);
    // The chosen days can be changed.
    await chooseDays('2020-02-01', '2030-02-28');
    await soon(() => rows.count()).toBe(1);
    await chooseDays('2020-02-01', '2020-02-28');
    await soon(() => rows.count()).toBe(0);
    await dates.selectOption({ label: 'All dates' });
    await soon(() => rows.count()).toBe(1);

    const csv = await save(page, 'CSV');
    expect(csv.name).toMatch(/^fairtick-\d{4}-\d\d-\d\d\.csv$/);
    expect(csv.bytes.toString()).toContain('-40.000000');
    expect(csv.bytes.toString()).not.toContain('90.000000,');
    const pdf = await save(page, 'PDF');
    expect(pdf.bytes.subarray(0, 5).toString()).toBe('%PDF-');
    const year = await save(page, 'Year');
    expect(year.name).toBe(`fairtick-${new Date().getUTCFullYear()}.pdf`);
    expect(year.bytes.subarray(0, 5).toString()).toBe('%PDF-');
    expect(complaints).toEqual([]);
  });
});

async function save(page: Page, format: string): Promise<{ name: string; bytes: Buffer }> {
  await page.getByRole('button', { name: 'Export' }).click();
  await page.getByRole('radio', { name: format }).check({ force: true });
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save file' }).click(),
  ]);
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
}
