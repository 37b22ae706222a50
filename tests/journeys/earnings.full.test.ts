import { api, launch, origin } from '@fairtick/kit/browser/browser.ts';
import { sitDown } from '@fairtick/kit/browser/desk.ts';
import { payee } from '@fairtick/kit/browser/payee.ts';
import { axeFindings } from '@fairtick/kit/browser/screens.ts';
import { soon, trader } from '@fairtick/kit/browser/trader.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { describe, expect, test } from 'vitest';

/** Earnings for a customer: the explanation, and moves in and out that count once on any network. */
const browser = forFile(() => launch());

interface Summary {
  readonly total: string;
  readonly available: string;
}

describe('earnings', () => {
  test('name their source, take money in and out once, and appear in the fund log (S2-05, S2-29, S2-48 to S2-53, S4-14, S4-15)', async () => {
    const { page, token, complaints } = await trader(browser, { account: await payee({ balance: '100' }) });
    await page.goto(`${origin()}/index`);
    await page.getByRole('link', { name: 'Earnings', exact: true }).click();
    const shown = (name: string) => page.getByTestId(`earnings-${name}`).innerText();
    await soon(() => shown('total')).toBe('0.00');
    await soon(() => Promise.all(['yesterday', 'accumulated', 'rate'].map(shown))).toEqual([
      '0.00',
      '0.00',
      '3.00%',
    ]);
    await page.getByText('rates are samples').waitFor();
    await page.getByText('We pay the interest from our own funds').waitFor();
    await page.getByRole('heading', { name: 'Daily profit' }).waitFor();
    await page.getByText('No profit yet').waitFor();
    await page.getByText('Interest appears here from the day after').waitFor();
    expect(await axeFindings(page)).toEqual([]);

    await page.getByRole('button', { name: 'Interest rates' }).click();
    await page.getByRole('cell', { name: '3.00%' }).waitFor();
    await page.keyboard.press('Escape');

    await page.getByRole('button', { name: 'Transfer in', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Transfer USDT in' });
    const send = dialog.getByRole('button', { name: 'Transfer in', exact: true });
    await send.click();
    await dialog.getByText('Enter an amount').first().waitFor();
    await dialog.getByLabel('Amount').fill('100.01');
    await send.click();
    await dialog.getByText('Only 100.00 available').waitFor();
    await dialog.getByLabel('Amount').fill('60.5');
    expect(await axeFindings(page)).toEqual([]);

    // The request arrives, and its answer is lost: sending it again counts once.
    const keys: (string | undefined)[] = [];
    await page.route('**/api/profit/transferIn', async (route) => {
      keys.push(route.request().headers()['idempotency-key']);
      if (keys.length > 1) return route.continue();
      await route.fetch();
      await route.abort('connectionreset');
    });
    await send.click();
    await dialog.getByText('your entries are kept').waitFor();
    expect(await dialog.getByLabel('Amount').inputValue()).toBe('60.5');
    await dialog.getByRole('button', { name: 'Submit again' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await soon(() => shown('total')).toBe('60.50');
    expect([keys.length, keys[1]]).toEqual([2, keys[0]]);
    await page
      .getByText(/earns interest from tomorrow \(UTC\)\. Next interest .* lowest balance of 0\.00 USDT/)
      .waitFor();
    expect(await api<Summary>('profit/summary', token)).toMatchObject({ available: '39.500000' });

    await page.getByRole('button', { name: 'Transfer out', exact: true }).click();
    const out = page.getByRole('dialog', { name: 'Transfer USDT out' });
    await out.getByRole('button', { name: 'All', exact: true }).click();
    await out.getByRole('button', { name: 'Transfer out', exact: true }).click();
    await soon(() => shown('total')).toBe('0.00');

    await page.goto(`${origin()}/changeLog`);
    const rows = page.locator('[data-view=changeLog] [data-entry]');
    await page.getByRole('tab', { name: 'Earnings transfer in' }).click();
    await soon(() => rows.count()).toBe(1);
    await expect.poll(() => rows.first().innerText()).toMatch(/−60.50 USDT\s+Balance 39.50/);
    await page.getByRole('tab', { name: 'Earnings transfer out' }).click();
    await expect.poll(() => rows.first().innerText()).toMatch(/\+60.50 USDT\s+Balance 100.00/);
    // The browser itself reports the lost answer.
    expect(complaints.filter((line) => !line.includes('ERR_CONNECTION_RESET'))).toEqual([]);
  });

  test('a rate is proposed by one person, approved by another, and shown to the customer before it takes effect', async () => {
    const office = process.env.FAIRTICK_OFFICE ?? '';
    const proposer = await sitDown(browser, office, 'catalogue_1');
    await proposer.page.goto(`${office}/earnings`);
    await proposer.page.getByRole('button', { name: 'Propose an interest rate' }).click();
    const form = proposer.page.getByRole('dialog', { name: 'Propose an interest rate' });
    await form.getByLabel('Asset').selectOption('ETH');
    await form.getByLabel('Annual rate in percent').fill('21');
    await form.getByLabel('Reason').fill('Journey');
    await form.getByRole('button', { name: 'Propose', exact: true }).click();
    await form.getByText('between 0 and 0.2').waitFor();
    await form.getByLabel('Annual rate in percent').fill('1.25');
    await form.getByRole('button', { name: 'Propose', exact: true }).click();
    await form.waitFor({ state: 'hidden' });
    expect(await axeFindings(proposer.page)).toEqual([]);
    await proposer.page.getByRole('button', { name: 'Withdraw' }).click();
    await proposer.page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click();
    await proposer.page.getByRole('cell', { name: /^Withdrawn/ }).waitFor();
    await proposer.page.getByRole('button', { name: 'Propose an interest rate' }).click();
    await form.getByLabel('Asset').selectOption('ETH');
    await form.getByLabel('Annual rate in percent').fill('1.25');
    await form.getByLabel('Reason').fill('Journey');
    await form.getByRole('button', { name: 'Propose', exact: true }).click();
    await form.waitFor({ state: 'hidden' });

    const approver = await sitDown(browser, office, 'approver_1');
    await approver.page.getByRole('link', { name: /^Earnings\s*1$/ }).click();
    await approver.page.getByRole('button', { name: 'Decide' }).waitFor();
    expect(await axeFindings(approver.page)).toEqual([]);
    await approver.page.getByRole('button', { name: 'Decide' }).click();
    expect(await axeFindings(approver.page)).toEqual([]);
    await approver.page.getByRole('button', { name: /^Approve 1\.25% from/ }).click();
    await approver.page.getByRole('cell', { name: 'Upcoming' }).waitFor();

    const { page } = await trader(browser);
    await page.goto(`${origin()}/profit`);
    await page.getByRole('radio', { name: /^ETH/ }).check({ force: true });
    await page.getByText(/From .* \(UTC\) the rate is 1\.25%\./).waitFor();
    // The old rate applies until then.
    await soon(() => page.getByTestId('earnings-rate').innerText()).toBe('1.50%');
    await proposer.close();
    await approver.close();
  });
});
