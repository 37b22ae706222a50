import { launch, PASSWORD } from '@fairtick/kit/browser/browser.ts';
import {
  button,
  chooseCountry,
  ends,
  faultOf,
  field,
  main,
  told,
  userInfo,
  watch,
} from '@fairtick/kit/browser/own-details.ts';
import { axeFindings, follow, member, open, pathOf, shown, unfold } from '@fairtick/kit/browser/screens.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { fullTest } from '@fairtick/kit/size.ts';
import { describe, expect, test } from 'vitest';

/** A customer's cards, addresses and withdrawal password. */
const browser = forFile(() => launch());

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
    await chooseCountry(page, 'Country or region of the account', 'xianggang');
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
    expect(await faultOf(field(page, 'BTC'))).toMatch(/^This is an address on the Tron network/);
    expect(await faultOf(field(page, 'ETH'))).toMatch(/^Invalid Ethereum address/);
    expect(await axeFindings(page)).toEqual([]);
    await field(page, 'USDT').fill(`tron:${tron}?amount=1`);
    await main(page).getByText('TRC20. Compare each group').waitFor();
    // Selected by hand, it is copied in one piece, once.
    await who.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const copied = () => page.evaluate(() => navigator.clipboard.readText());
    await main(page).getByText(tron.slice(0, 4), { exact: true }).click({ clickCount: 3 });
    await page.keyboard.press('ControlOrMeta+c');
    expect(await copied()).toBe(tron);
    await page.evaluate(() => navigator.clipboard.writeText(''));
    await button(page, 'Copy USDT').click();
    await told(page, 'Copied');
    expect(await copied()).toBe(tron);
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
