import { launch, PASSWORD } from '@fairtick/kit/browser/browser.ts';
import { decideName } from '@fairtick/kit/browser/payee.ts';
import {
  axeFindings,
  call,
  follow,
  type Member,
  member,
  open,
  pathOf,
  shown,
  unfold,
} from '@fairtick/kit/browser/screens.ts';
import { fullTest } from '@fairtick/kit/size.ts';
import type { Browser, Locator, Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

/** A customer's own details: the real name with its four states, cards, addresses, the withdrawal password. */
let browser: Browser;
let front: Buffer;
let back: Buffer;

beforeAll(async () => {
  browser = await launch();
  [front, back] = await Promise.all([picture('#3a6ea5'), picture('#6a8e45')]);
});
afterAll(() => browser.close());

const picture = (background: string) =>
  sharp({ create: { width: 640, height: 400, channels: 3, background } })
    .jpeg()
    .toBuffer();

const field = (scope: Page | Locator, label: string) => scope.getByLabel(label, { exact: true });
const button = (scope: Page | Locator, name: string) => scope.getByRole('button', { name, exact: true });
const main = (page: Page) => page.locator('main:visible');

const NO_ANSWER = 'Network Error: no response. What you entered is still here; please try again.';

const toast = (page: Page, text: string) =>
  page.locator('[role=status][aria-live]').getByText(text, { exact: true });

async function told(page: Page, text: string): Promise<void> {
  await toast(page, text).waitFor();
}

const noteOf = async (input: Locator): Promise<string> => {
  const id = await input.getAttribute('aria-describedby');
  return (await input.page().locator(`[id="${id}"]`).textContent())?.trim() ?? '';
};
const faultOf = async (input: Locator): Promise<string | null> =>
  (await input.getAttribute('aria-invalid')) === 'true' ? noteOf(input) : null;

async function userInfo({ token }: Member): Promise<Record<string, unknown>> {
  return (await call('user/getUserInfo', token)).data as Record<string, unknown>;
}

/** Counts the calls to an operation, and aborts the first `lost` of them. */
async function watch(page: Page, path: string, lost = 0): Promise<() => number> {
  let calls = 0;
  await page.route(`**/api/${path}`, async (route) => {
    calls += 1;
    if (calls <= lost) return route.abort();
    return route.continue();
  });
  return () => calls;
}

async function ends({ complaints, context }: Member): Promise<void> {
  // The browser, not the app, reports aborted calls.
  expect(complaints.filter((line) => !line.includes('net::ERR_FAILED'))).toEqual([]);
  await context.close();
}

/** Taps twice quickly, and again when no answer comes within the app's timeout: on a busy machine pictures take longer. */
async function tapTwiceUntilTold(page: Page): Promise<number> {
  const lost = page.getByText(NO_ANSWER);
  for (let tries = 1; ; tries += 1) {
    await button(page, 'Submit for review').evaluate((it: HTMLElement) => {
      it.click();
      it.click();
    });
    await toast(page, 'Submitted Successfully').or(lost).first().waitFor();
    // The fault of this try stays until the next one.
    if (!(await lost.isVisible())) return tries;
    expect(tries).toBeLessThan(10);
  }
}

async function takePhotos(page: Page): Promise<void> {
  for (const [name, buffer] of [
    ['Front of the document', front],
    ['Back of the document', back],
  ] as const) {
    await field(page, name).setInputFiles({ name: 'photo.jpg', mimeType: 'image/jpeg', buffer });
    await page.getByRole('img', { name: `Preview: ${name}` }).waitFor();
  }
}

describe('the real name', () => {
  test('is filled in, photographed, sent once despite a lost connection, refused, corrected and verified (S1-09, S2-56, S2-62, S2-70, S3-27 to S3-33, S4-06 to S4-09, S5-11, S7-03, S7-19, S8-07)', async () => {
    const who = await member(browser, { language: 'en' });
    const { page } = who;
    await open(page, '/mine');
    await main(page).getByRole('link', { name: 'Real-name verification Not verified' }).click();
    await shown(page, '/realName');

    await button(page, 'Submit for review').click();
    await page.getByText('Please fill out the complete form', { exact: true }).waitFor();
    for (const label of [
      'Issuing country or region',
      'Document type',
      'Document number',
      'Real name',
      'Address on the document',
      'Current address',
      'Front of the document',
      'Back of the document',
    ])
      expect([label, await faultOf(field(page, label))]).toEqual([label, 'Required']);

    await field(page, 'Issuing country or region').selectOption('US');
    await page
      .getByText('Live accounts are not available in this region. You can continue in the demo.')
      .waitFor();
    await field(page, 'Issuing country or region').selectOption('SG');
    await field(page, 'Document type').selectOption('passport');
    await field(page, 'Back of the document').waitFor({ state: 'detached' });
    await field(page, 'Document type').selectOption('id_card');
    await field(page, 'Document number').fill(`E${who.account.slice(1)}`);
    await field(page, 'Real name').fill('张三丰');
    await field(page, 'Address on the document').fill('1 Raffles Place');
    await page.getByLabel('My current address is the address on the document').check();
    await field(page, 'Current address').waitFor({ state: 'detached' });

    const noPicture = { name: 'photo.jpg', mimeType: 'image/jpeg', buffer: Buffer.from('<html>') };
    await field(page, 'Front of the document').setInputFiles(noPicture);
    await page.getByText('This file is not an image that can be used').waitFor();
    await takePhotos(page);
    await button(page, 'Remove Back of the document').click();
    await page.getByRole('img', { name: 'Preview: Back of the document' }).waitFor({ state: 'detached' });
    await takePhotos(page);

    // Visiting another screen keeps the form.
    await follow(page, '/mine');
    await shown(page, '/mine');
    await follow(page, '/realName');
    await shown(page, '/realName');
    expect(await field(page, 'Real name').inputValue()).toBe('张三丰');

    const calls = await watch(page, 'user/submitReal', 1);
    const sent = page.waitForRequest('**/api/user/submitReal');
    await button(page, 'Submit for review').click();
    await page.getByText(NO_ANSWER).waitFor();
    expect((await (await sent).allHeaders())['content-type']).toMatch(/^multipart\/form-data; boundary=/);
    expect(await field(page, 'Real name').inputValue()).toBe('张三丰');
    await page.getByRole('img', { name: 'Preview: Front of the document' }).waitFor();
    const tries = await tapTwiceUntilTold(page);
    await main(page).getByRole('heading', { name: 'Under review' }).waitFor();
    expect(calls()).toBeLessThanOrEqual(1 + tries);
    await main(page).getByRole('img', { name: 'Submitted: Front of the document' }).waitFor();
    expect(await axeFindings(page)).toEqual([]);

    await decideName(who.account, { verdict: 'failed', reason: 'unreadable', note: 'The back is cut off.' });
    await main(page).getByRole('heading', { name: 'Verification failed' }).waitFor();
    await page.getByText(/Please take new ones in good light/).waitFor();
    await page.getByText('The back is cut off.').waitFor();
    // The data that may be kept is filled in; the number and the photos must be given again.
    await expect.poll(() => field(page, 'Issuing country or region').inputValue()).toBe('SG');
    await expect.poll(() => field(page, 'Current address').inputValue()).toBe('1 Raffles Place');
    expect(await field(page, 'Document number').inputValue()).toBe('');
    expect(await axeFindings(page)).toEqual([]);
    await field(page, 'Document number').fill(`E${who.account.slice(1)}`);
    await takePhotos(page);
    await tapTwiceUntilTold(page);
    await main(page).getByRole('heading', { name: 'Under review' }).waitFor();

    await decideName(who.account, { verdict: 'verified' });
    await main(page).getByRole('heading', { name: 'Verified' }).waitFor();
    await main(page).getByRole('link', { name: 'Who viewed my data' }).click();
    await shown(page, '/whoLooked');
    await expect.poll(() => main(page).getByText('Real-name details').count()).toBe(2);
    await follow(page, '/mine');
    await main(page).getByRole('link', { name: 'Real-name verification Verified' }).waitFor();
    await main(page).getByText('Silver', { exact: true }).waitFor();
    await ends(who);

    // After a self-exclusion the same document is refused under a new account, at its field.
    await call('protection/selfExclude', who.token, { months: '6' });
    const again = await member(browser, { language: 'en' });
    await open(again.page, '/realName');
    await field(again.page, 'Issuing country or region').selectOption('SG');
    await field(again.page, 'Document type').selectOption('id_card');
    await field(again.page, 'Document number').fill(`e ${who.account.slice(1).toLowerCase()}`);
    await field(again.page, 'Real name').fill('张三丰');
    await field(again.page, 'Address on the document').fill('1 Raffles Place');
    await again.page.getByLabel('My current address is the address on the document').check();
    await takePhotos(again.page);
    await button(again.page, 'Submit for review').click();
    await expect
      .poll(() => faultOf(field(again.page, 'Document number')))
      .toMatch(/^This document can’t be used for a new account: a self-exclusion covers every account/);
    expect((await userInfo(again)).pause).toMatchObject({ kind: 'exclusion' });
    await ends(again);
  });
});

describe('destinations of withdrawals', () => {
  test('a card is bound with a right number, shown by its last four digits, changed and removed (S1-10, S2-72, S3-35 to S3-38, S5-11, S8-06)', async () => {
    const who = await member(browser, { language: 'en' });
    const { page } = who;
    await open(page, '/bank');
    await main(page).getByRole('link', { name: 'Add bank card' }).click();
    await shown(page, '/editBank');
    await expect.poll(() => main(page).getByText('CVV').count()).toBe(1);
    await expect.poll(() => main(page).locator('input:not([type=radio])').count()).toBe(4);
    await field(page, 'Account holder').fill('张三丰');
    await field(page, 'Bank').fill('中国银行');
    await field(page, 'Card number').pressSequentially('41111111111111I2');
    expect(await field(page, 'Card number').inputValue()).toBe('4111 1111 1111 11I2');
    await button(page, 'Save').click();
    await page.getByText('Please fill out the complete form', { exact: true }).waitFor();
    expect(await faultOf(field(page, 'Branch'))).toBe('Required');
    expect(await faultOf(field(page, 'Card number'))).toMatch(/^Only digits, please/);
    expect(await axeFindings(page)).toEqual([]);
    await field(page, 'Branch').fill('上海分行');
    await field(page, 'Card number').fill('4111111111111112');
    await main(page)
      .getByText(/not the usual check digit/)
      .waitFor();
    const box = page.getByLabel('I checked it: the number is exactly as on the card');
    await button(page, 'Save').click();
    await expect.poll(() => faultOf(box)).toBe('Please compare the number with the card, then tick the box');
    expect(await axeFindings(page)).toEqual([]);
    await field(page, 'Card number').fill('4111111111111111');

    const calls = await watch(page, 'user/setBank', 1);
    await button(page, 'Save').click();
    await page.getByText(/^Network Error: no response/).waitFor();
    expect(await field(page, 'Card number').inputValue()).toBe('4111 1111 1111 1111');
    await button(page, 'Save').evaluate((it: HTMLElement) => {
      it.click();
      it.click();
    });
    await told(page, 'Modified Successfully');
    await shown(page, '/bank');
    expect(calls()).toBe(2);
    const card = main(page).getByRole('link', { name: /中国银行.*•••• 1111.*张三丰/ });
    await card.getByText(/On hold until/).waitFor();
    expect(await main(page).textContent()).not.toContain('4111');
    expect(await axeFindings(page)).toEqual([]);

    await card.click();
    await shown(page, '/editBank');
    expect(await field(page, 'Branch').inputValue()).toBe('上海分行');
    expect(await field(page, 'Card number').inputValue()).toBe('');
    await field(page, 'Branch').fill('北京分行');
    await field(page, 'Card number').fill('5555555555554444');
    await button(page, 'Save').click();
    await shown(page, '/bank');
    await main(page)
      .getByRole('link', { name: /•••• 4444.*北京分行/ })
      .click();
    await button(page, 'Remove this card').click();
    const sheet = page.getByRole('dialog', { name: 'Remove this card?' });
    await sheet.getByText(/中国银行 •••• 4444/).waitFor();
    await button(sheet, 'Remove').click();
    await shown(page, '/bank');
    await main(page).getByText('No bank card or account yet.').waitFor();

    // Hong Kong has accounts.
    await main(page).getByRole('link', { name: 'Add bank card' }).click();
    await page.getByText('Bank account', { exact: true }).click();
    await field(page, 'Country or region of the account').selectOption('HK');
    await field(page, 'Account holder').fill('Ann');
    await field(page, 'Bank').fill('Bank of China (Hong Kong)');
    await field(page, 'Bank code').fill('012');
    await field(page, 'Account number').fill('012-345-678901-234');
    const compared = main(page).getByRole('status').locator('[translate=no] > [aria-hidden]');
    await expect.poll(() => compared.allTextContents()).toEqual(['0123', '4567', '8901', '234']);
    expect(await axeFindings(page)).toEqual([]);
    await button(page, 'Save').click();
    await shown(page, '/bank');
    await main(page)
      .getByRole('link', { name: /Bank of China \(Hong Kong\).*•••• 1234.*Hong Kong.*012/ })
      .click();
    await shown(page, '/editBank');
    expect(await field(page, 'Bank code').inputValue()).toBe('012');
    await button(page, 'Remove this account').click();
    await button(page.getByRole('dialog', { name: 'Remove this account?' }), 'Remove').click();
    await shown(page, '/bank');
    await main(page).getByText('No bank card or account yet.').waitFor();
    // Each asset has an icon of its own.
    const icons = await page
      .locator('[data-asset-icon] path')
      .evaluateAll((paths) => paths.map((path) => path.getAttribute('d')));
    expect(new Set(icons).size).toBe(3);
    expect((await userInfo(who)).banks).toEqual([]);
    await ends(who);
  });

  test('addresses are optional, checked by network, shown in groups of four, and removed when emptied (S1-10, S2-71, S3-34, S8-06)', async () => {
    const who = await member(browser, { language: 'en' });
    const { page } = who;
    const tron = 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8';
    await open(page, '/editAddress');
    await field(page, 'USDT').fill(`${tron.slice(0, -1)}9`);
    await field(page, 'BTC').fill(tron);
    await field(page, 'ETH').fill('0x5AAeb6053f3e94c9b9a09f33669435e7ef1beaed');
    await button(page, 'Save').click();
    await expect.poll(() => faultOf(field(page, 'USDT'))).toMatch(/^Invalid TRC20 or ERC20 address/);
    expect(await faultOf(field(page, 'BTC'))).toMatch(/^This is an address of Tron/);
    expect(await faultOf(field(page, 'ETH'))).toMatch(/^Invalid Ethereum address/);
    expect(await axeFindings(page)).toEqual([]);
    await field(page, 'USDT').fill(`tron:${tron}?amount=1`);
    await main(page).getByText('TRC20. Compare each group').waitFor();
    await field(page, 'BTC').fill('');
    await field(page, 'ETH').fill('');
    await button(page, 'Save').click();
    await told(page, 'Modified Successfully');
    await shown(page, '/bank');
    const bound = main(page).getByRole('link', { name: /USDT/ });
    await expect
      .poll(() => bound.locator('[translate=no] > [aria-hidden]').allTextContents())
      .toEqual(tron.match(/.{1,4}/g));
    await bound.getByText(/On hold until/).waitFor();
    expect((await userInfo(who)).addresses).toEqual({ USDT: tron, BTC: null, ETH: null });

    await bound.click();
    await shown(page, '/editAddress');
    expect(await button(page, 'No changes').isDisabled()).toBe(true);
    await field(page, 'USDT').fill('');
    await main(page).getByText('This address will be removed when you save.').waitFor();
    await button(page, 'Save').click();
    await shown(page, '/bank');
    expect((await userInfo(who)).addresses).toEqual({ USDT: null, BTC: null, ETH: null });
    await ends(who);
  });
});

describe('the withdrawal password', () => {
  fullTest(
    'is set, changed, locked by five wrong tries, and set anew by the login password (S2-64, S5-16, S7-17, S8-06)',
    async () => {
      const who = await member(browser, { language: 'en' });
      const { page } = who;
      await open(page, '/setPayWord');
      await field(page, 'Withdrawal password').fill('123456');
      await main(page).getByText('This one is easy to guess. Consider another').waitFor();
      await field(page, 'Withdrawal password').fill(' 135 790 ');
      expect(await field(page, 'Withdrawal password').inputValue()).toBe(' 135 790 ');
      await field(page, 'Confirm withdrawal password').pressSequentially('135791');
      await button(page, 'Save').click();
      await expect
        .poll(() => faultOf(field(page, 'Confirm withdrawal password')))
        .toBe('The two withdrawal passwords do not match');
      expect(await axeFindings(page)).toEqual([]);
      await field(page, 'Confirm withdrawal password').fill('135790');
      await button(page, 'Save').click();
      await told(page, 'Modified Successfully');
      await shown(page, '/mine');
      expect((await userInfo(who)).hasPayWord).toBe(true);

      await unfold(page);
      await main(page).getByRole('link', { name: 'Change withdrawal password Set' }).click();
      await shown(page, '/setPayWord');
      const change = async (old: string, next: string) => {
        await field(page, 'Current withdrawal password').fill(old);
        await field(page, 'New withdrawal password').fill(next);
        await field(page, 'Confirm withdrawal password').fill(next);
        await button(page, 'Save').click();
      };
      await change('135790', '246810');
      await shown(page, '/mine');
      await follow(page, '/setPayWord');
      await shown(page, '/setPayWord');
      for (const left of [4, 3, 2, 1]) {
        await change('000000', '975310');
        await expect
          .poll(() => faultOf(field(page, 'Current withdrawal password')))
          .toBe(`Incorrect withdrawal password. Attempts left: ${left}`);
      }
      expect(await field(page, 'New withdrawal password').inputValue()).toBe('975310');
      await change('000000', '975310');
      await main(page)
        .getByText(/Locked until .* after five wrong attempts \(.* left\)/)
        .waitFor();
      expect(await axeFindings(page)).toEqual([]);
      await field(page, 'Login password').fill('not the password');
      await button(page, 'Save').click();
      await expect.poll(() => faultOf(field(page, 'Login password'))).toBe('Incorrect password');
      await field(page, 'Login password').fill(PASSWORD);
      await button(page, 'Save').click();
      await told(page, 'Modified Successfully');
      await shown(page, '/mine');
      expect((await userInfo(who)).payWordLockedUntil).toBeNull();
      await ends(who);
    },
  );

  fullTest(
    'an operation without recent proof asks for the password in a sheet, and is sent again with the typed values',
    async () => {
      const who = await member(browser, { language: 'en' });
      const { page } = who;
      let isStale = true;
      const sent: (string | null)[] = [];
      await page.route('**/api/user/setPayWord', (route) => {
        sent.push(route.request().postData());
        const refusal = {
          code: 0,
          msg: 'Please enter your password again',
          data: null,
          error: 'REAUTH_REQUIRED',
        };
        return isStale ? route.fulfill({ json: refusal }) : route.continue();
      });
      await open(page, '/setPayWord');
      await field(page, 'Withdrawal password').fill('135790');
      await field(page, 'Confirm withdrawal password').fill('135790');
      const sheet = page.getByRole('dialog', { name: 'Confirm your password' });
      await button(page, 'Save').click();
      await sheet.waitFor();
      expect(await axeFindings(page)).toEqual([]);
      // Closing the sheet keeps the typed form and says why it was not saved.
      await button(sheet, 'Close').click();
      await main(page).getByText('Please enter your password again').waitFor();
      expect(await field(page, 'Confirm withdrawal password').inputValue()).toBe('135790');

      await button(page, 'Save').click();
      await field(sheet, 'Password').fill('not the password');
      await button(sheet, 'Continue').click();
      await expect.poll(() => faultOf(field(sheet, 'Password'))).toBe('Incorrect password');
      expect(pathOf(page)).toBe('/setPayWord');
      isStale = false;
      await field(sheet, 'Password').fill(PASSWORD);
      await button(sheet, 'Continue').click();
      await told(page, 'Modified Successfully');
      expect(new Set(sent).size).toBe(1);
      expect(sent.length).toBe(3);
      expect((await userInfo(who)).hasPayWord).toBe(true);
      await ends(who);
    },
  );
});
