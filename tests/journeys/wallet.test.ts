import { api, holdAnswers, launch, neverGiveUp, origin } from '@fairtick/kit/browser/browser.ts';
import {
  creditDeposit,
  customerPost,
  payee,
  StaffDesk,
  WITHDRAWAL_PASSWORD,
} from '@fairtick/kit/browser/payee.ts';
import { axeFindings, follow, pathOf } from '@fairtick/kit/browser/screens.ts';
import { soon, trader } from '@fairtick/kit/browser/trader.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { paper } from '@fairtick/kit/people/paper.ts';
import { fullTest } from '@fairtick/kit/size.ts';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';

/** Deposits and withdrawals for a customer: required data, requests that count once, and staff's decisions on the screen. */
const browser = forFile(() => launch());

const DESKTOP = { width: 1280, height: 900 };
const PROOF = { name: 'paid.png', mimeType: 'image/png', buffer: paper(120, 200) };

/** A function that reads the header's USDT balance. */
async function watchUsdt(page: Page): Promise<() => Promise<string>> {
  await page.addInitScript(() => localStorage.setItem('asset', 'USDT'));
  return async () =>
    (await page.locator('header').filter({ hasText: 'Available' }).innerText()).replace(/\s+/g, ' ');
}

const submit = (page: Page) => page.getByRole('button', { name: 'Submit deposit' });

async function fillDeposit(page: Page, amount: string): Promise<void> {
  await page.getByLabel('Deposit amount').fill(amount);
  await page.getByLabel('Proof of payment').setInputFiles(PROOF);
}

/**
 * Waits for the confirmation of a deposit, and sends it again whenever no answer comes in the app's time: on a busy machine
 * pictures take longer. Returns how often it was sent again.
 */
async function untilSubmitted(page: Page): Promise<number> {
  const done = page.getByRole('heading', { name: 'Submitted Successfully' });
  const again = page.getByRole('button', { name: 'Submit again' });
  for (let times = 0; ; times += 1) {
    await done.or(again).waitFor();
    if (await done.isVisible()) return times;
    await again.click();
    await again.waitFor({ state: 'detached' });
  }
}

interface Listed {
  readonly items: readonly { readonly id: string; readonly amount: string; readonly status: string }[];
}

describe('a deposit', () => {
  test('shows the address to pay to, asks for missing fields, and stays within the limits (S2-68, S3-44, S3-46, S5-07, S5-08, S5-09, S5-10)', async () => {
    const { page, complaints, context } = await trader(browser);
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.goto(`${origin()}/recharge`);
    const trc20 = page.getByRole('radio', { name: 'USDT TRC20' });
    await trc20.waitFor();
    await page.getByRole('img', { name: 'QR code of the USDT address' }).waitFor();
    await page.getByText('it cannot receive payments. Do not pay.').waitFor();
    await page.getByRole('button', { name: 'Copy Payment address' }).click();
    await page.getByRole('status').filter({ hasText: 'Copied' }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/^DEMO-T/);

    await submit(page).click();
    await page.getByText('Please enter an amount').waitFor();
    await page.getByText('Please upload the proof of payment').waitFor();
    await page.getByLabel('Deposit amount').fill('9.99');
    await submit(page).click();
    await page.getByText('The minimum deposit is 10 USDT').waitFor();
    await page.getByRole('button', { name: '1,000', exact: true }).click();
    expect(await page.getByLabel('Deposit amount').inputValue()).toBe('1000');

    const preview = page.getByRole('img', { name: 'Preview of the chosen image' });
    await page.getByLabel('Proof of payment').setInputFiles(PROOF);
    await preview.waitFor();
    await page
      .getByLabel('Proof of payment')
      .setInputFiles({ name: 'paid.png', mimeType: 'image/png', buffer: Buffer.from('%PDF-1.7') });
    await page.getByText('Only photos and screenshots can be used, not PDF or TIFF files').waitFor();
    // The picture before it is not sent in its place.
    expect(await preview.count()).toBe(0);
    await page.getByLabel('Proof of payment').setInputFiles(PROOF);
    await preview.waitFor();
    await page.getByRole('button', { name: 'Remove image' }).click();
    await page.getByText('Choose an image').waitFor();

    await page.getByRole('radio', { name: 'Bank transfer USD' }).check({ force: true });
    await page.getByRole('button', { name: 'Copy Payment reference' }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  fullTest(
    'is sent once by a double tap, and its decision reaches the screen, the balance and the inbox without a reload (S1-07, S3-45, S3-47, S4-10, S4-17, S4-19, S8-07)',
    async () => {
      const { page, token, complaints } = await trader(browser, DESKTOP);
      const usdt = await watchUsdt(page);
      await page.goto(`${origin()}/recharge`);
      await fillDeposit(page, '120');
      let sent = 0;
      page.on('request', (request) => {
        if (request.url().endsWith('/api/recharge/submit')) sent += 1;
      });
      // Both before the screen can change: disabling the button would come too late for such a double tap.
      await submit(page).evaluate((button: HTMLButtonElement) => {
        button.form?.requestSubmit();
        button.form?.requestSubmit();
      });
      const again = await untilSubmitted(page);
      const request = page.getByRole('article');
      await request.getByText('Under review', { exact: true }).waitFor();
      expect(sent).toBe(1 + again);
      await request.getByRole('img', { name: 'Thumbnail of the proof of payment' }).waitFor();
      const { items } = await api<Listed>('recharge/list', token);
      expect(items).toMatchObject([{ amount: '120.000000', status: 'review' }]);
      expect(await usdt()).toContain('0.00 USDT');

      // Waits for it from before the decision, because it disappears.
      const told = page.getByRole('status').filter({ hasText: 'Deposit credited' }).waitFor();
      await creditDeposit(await StaffDesk.open('cashier_1'), items[0]?.id ?? '', '120');
      await told;
      await soon(usdt).toContain('120.00 USDT');
      await request.getByText('Success', { exact: true }).waitFor();
      await request.getByText('120.00 USDT has been credited and is available.').waitFor();

      await page.getByText('Unread notifications').waitFor({ state: 'attached' });
      await page.goto(`${origin()}/notices`);
      await page.getByText(/^120.00 USDT has been credited/).waitFor();
      expect(await axeFindings(page)).toEqual([]);
      await page.getByText('Unread notifications').waitFor({ state: 'detached' });
      await page.getByRole('link', { name: /Deposit credited/ }).click();
      await page.getByRole('article').getByText('Credited', { exact: true }).first().waitFor();
      expect(complaints).toEqual([]);
    },
  );

  fullTest(
    'keeps what was typed when no answer comes, and counts once when it is sent again (S8-04)',
    async () => {
      const { page, token } = await trader(browser);
      await page.goto(`${origin()}/recharge`);
      await fillDeposit(page, '75.5');
      const keys: (string | undefined)[] = [];
      await page.route('**/api/recharge/submit', async (route) => {
        keys.push(route.request().headers()['idempotency-key']);
        // The request arrives; its answer does not.
        if (keys.length === 1) {
          await route.fetch();
          await route.abort('connectionreset');
        } else await route.continue();
      });
      await submit(page).click();
      await page.getByText(/Network Error · No response/).waitFor();
      expect(await page.getByLabel('Deposit amount').inputValue()).toBe('75.5');
      await page.getByText('paid.png').waitFor();
      const again = await untilSubmitted(page);
      expect(again).toBeGreaterThan(0);
      expect(keys).toHaveLength(1 + again);
      expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
      expect(new Set(keys).size).toBe(1);
      expect((await api<Listed>('recharge/list', token)).items).toHaveLength(1);
    },
  );
});

describe('a withdrawal', () => {
  fullTest(
    'names each missing step in the words of the specification and links to its page (S5-12, S5-13, S5-14)',
    async () => {
      const fresh = await trader(browser);
      await fresh.page.goto(`${origin()}/with`);
      await fresh.page.getByText('3 steps left').waitFor();
      await fresh.page.getByText('Please verify your real name first').waitFor();
      await fresh.page.getByRole('link', { name: 'Verify your name' }).click();
      await soon(async () => pathOf(fresh.page)).toBe('/realName');

      const account = await payee({ lacks: ['payWord', 'bank'] });
      const { page, token, complaints } = await trader(browser, { account });
      await page.goto(`${origin()}/with`);
      await page.getByText('Withdrawal password is not set, go to set it now?').waitFor();
      expect(await axeFindings(page)).toEqual([]);
      await page.getByLabel('Amount', { exact: true }).fill('44.5');
      await page.getByRole('link', { name: 'Set withdrawal password' }).click();
      await soon(async () => pathOf(page)).toBe('/setPayWord');
      await customerPost('user/setPayWord', token, {
        payWord: WITHDRAWAL_PASSWORD,
        confirmPayWord: WITHDRAWAL_PASSWORD,
      });
      await page.goBack();
      await page.getByLabel('Withdrawal password').waitFor();
      expect(await page.getByLabel('Amount', { exact: true }).inputValue()).toBe('44.5');
      await page.getByRole('radio', { name: 'Bank card Not added' }).check({ force: true });
      await page.getByText('Please add a bank card first').waitFor();
      expect(await page.getByRole('link', { name: 'Add bank card' }).getAttribute('href')).toBe('/editBank');
      expect(complaints).toEqual([]);
    },
  );

  test('holds the money at once and releases it when the withdrawal is taken back (S1-07, S2-69, S3-39, S3-41, S3-42, S3-43, S4-20, S5-15, S5-16)', async () => {
    const account = await payee({ balance: '200' });
    const { page, complaints } = await trader(browser, { account, ...DESKTOP });
    const usdt = await watchUsdt(page);
    await page.goto(`${origin()}/with`);
    const paysTo = page.getByRole('region', { name: 'Where the money goes' });
    await paysTo
      .getByText('TJRabPrwbZy45sbavfcjinPJC18kjpRTv8', { exact: true })
      .waitFor({ state: 'attached' });
    const groups = ['TJRa', 'bPrw', 'bZy4', '5sba', 'vfcj', 'inPJ', 'C18k', 'jpRT', 'v8'];
    for (const group of groups) await paysTo.getByText(group, { exact: true }).waitFor();
    await paysTo.getByText('No USDT has been paid out yet').waitFor();
    const send = page.getByRole('button', { name: 'Submit withdrawal' });
    await send.click();
    await page.getByText('Please enter an amount').waitFor();
    await page.getByText('Please enter the withdrawal password').waitFor();
    const amount = page.getByLabel('Amount', { exact: true });
    await page.getByText('Account balance 200.00 USDT').waitFor();
    await amount.fill('200.01');
    await page.getByLabel('Withdrawal password').fill('000000');
    await send.click();
    await page.getByText('Not enough available balance').waitFor();
    await page.getByRole('button', { name: 'All', exact: true }).click();
    expect(await amount.inputValue()).toBe('200');
    await amount.fill('120');
    expect(await page.getByTestId('arrives').innerText()).toBe('119.00 USDT');
    await send.click();
    await page.getByText('Incorrect withdrawal password. Attempts left: 4').waitFor();
    expect(await amount.inputValue()).toBe('120');
    await page.getByLabel('Withdrawal password').fill(WITHDRAWAL_PASSWORD);
    await send.dblclick();
    await page.getByRole('heading', { name: 'Submitted Successfully' }).waitFor();
    await soon(usdt).toContain('80.00 USDT');

    await page.getByRole('link', { name: 'View records' }).click();
    const rows = page.locator('[data-view=accessLog] [data-request]');
    await soon(() => rows.count()).toBe(1);
    await rows.first().click();
    await page.getByRole('button', { name: 'Cancel request' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel request' }).click();
    await page.getByRole('article').getByText('Cancelled', { exact: true }).first().waitFor();
    expect(await page.getByRole('article').getByText('Ignored').count()).toBe(0);
    await soon(usdt).toContain('200.00 USDT');
    expect(complaints).toEqual([]);
  });

  fullTest('a balance that the stream told stays when an answer from before it comes late', async () => {
    const { page, token } = await trader(browser, { account: await payee({ balance: '200' }), ...DESKTOP });
    const usdt = await watchUsdt(page);
    await neverGiveUp(page);
    await page.goto(`${origin()}/product`);
    await soon(usdt).toContain('200.00 USDT');
    const held = await holdAnswers(page, 'user/getUserInfo');
    await follow(page, '/mine');
    await held.first;
    await customerPost('profit/transferIn', token, { asset: 'USDT', amount: '50' });
    await soon(usdt).toContain('150.00 USDT');
    await held.release();
    expect(await usdt()).toContain('150.00 USDT');
  });

  fullTest('counts once when it is sent again after a lost answer and a detour (S8-04)', async () => {
    // The whole balance: once the request has arrived, the form's own check would find the rest too low.
    const { page, token } = await trader(browser, { account: await payee({ balance: '50' }) });
    const keys: (string | undefined)[] = [];
    await page.route('**/api/withdraw/submit', async (route) => {
      keys.push(route.request().headers()['idempotency-key']);
      // The request arrives; its answer does not.
      if (keys.length === 1) {
        await route.fetch();
        await route.abort('connectionreset');
      } else await route.continue();
    });
    const send = async (name: string) => {
      await page.getByLabel('Withdrawal password').fill(WITHDRAWAL_PASSWORD);
      await page.getByRole('button', { name }).click();
    };
    await page.goto(`${origin()}/with`);
    await page.getByLabel('Amount', { exact: true }).fill('50');
    await send('Submit withdrawal');
    await page.getByText(/Network Error · No response/).waitFor();
    await page.getByRole('link', { name: 'Manage' }).click();
    await soon(async () => pathOf(page)).toBe('/bank');
    await page.goBack();
    expect(await page.getByLabel('Amount', { exact: true }).inputValue()).toBe('50');
    await page.getByText('Account balance 0.00 USDT').waitFor();
    await send('Submit withdrawal');
    await page.getByRole('heading', { name: 'Submitted Successfully' }).waitFor();
    expect(keys).toHaveLength(2);
    expect(keys[1]).toBe(keys[0]);
    expect((await api<Listed>('withdraw/list', token)).items).toHaveLength(1);
  });
});
