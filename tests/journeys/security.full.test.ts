import { readFile } from 'node:fs/promises';
import { launch, origin, PASSWORD } from '@fairtick/kit/browser/browser.ts';
import { axeFindings, member, open, pathOf, shown, unfold } from '@fairtick/kit/browser/screens.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { codeOf } from '@fairtick/kit/people/totp.ts';
import { strFromU8, unzipSync } from 'fflate';
import { generate } from 'otplib';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';

/** A customer's second factors, logged-in devices, data export, and closing the account. */
const browser = forFile(() => launch());

const main = (page: Page) => page.locator('main:visible');
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

async function logInAgain(page: Page, account: string): Promise<void> {
  await open(page, '/login');
  await page.getByLabel('Account', { exact: true }).fill(account);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await button(page, 'Log in').click();
}
async function logOut(page: Page): Promise<void> {
  await open(page, '/mine');
  await main(page).getByRole('button', { name: 'Log out' }).click();
  await page.waitForFunction(() => location.pathname === '/login');
}

test('an authenticator app is set up and asked for at the login, and a new recovery code replaces it (S2-66, S6-05, S7-09)', async () => {
  const { page, context, account, complaints } = await member(browser, { language: 'en' });
  await open(page, '/mine');
  await unfold(page);
  await main(page)
    .getByRole('link', { name: /Account security/ })
    .click();
  await shown(page, '/security');
  await main(page).getByText('Not set up').waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await button(page, 'Add an authenticator app').click();
  const secret = ((await page.getByTestId('secret').textContent()) ?? '').replaceAll(' ', '');
  await page.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor();
  await page.getByLabel('6-digit code from the app').fill('000000');
  await button(page, 'Confirm and turn on').click();
  await page.getByText('The second factor is incorrect').waitFor();
  await page.getByLabel('6-digit code from the app').fill(await generate({ secret }));
  await button(page, 'Confirm and turn on').click();
  await main(page).getByText('Authenticator app', { exact: true }).waitFor();

  await button(page, 'Create new codes').click();
  const code = await main(page).locator('ol li').first().textContent();
  expect(code).toMatch(/^(\w{4}-){3}\w{4}$/);
  await button(page, 'I have saved them').click();

  await logOut(page);
  await logInAgain(page, account);
  await page.getByLabel('Second factor code').fill('000000');
  await button(page, 'Log in').click();
  await page.getByText('The second factor is incorrect').waitFor();
  await page.getByLabel('Second factor code').fill(code as string);
  await button(page, 'Log in').click();
  await page.waitForFunction(() => location.pathname === '/index');
  expect(complaints).toEqual([]);
  await context.close();
});

test('a passkey is added and logs in (S7-09)', async () => {
  const { page, context, account } = await member(browser, { language: 'en' });
  const devtools = await context.newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  await open(page, '/security');
  await button(page, 'Add a passkey').click();
  await main(page).getByText('Passkey', { exact: true }).waitFor();
  await logOut(page);
  await logInAgain(page, account);
  await button(page, 'Use a passkey').click();
  await page.waitForFunction(() => location.pathname === '/index');
  await context.close();
});

test('removing a factor asks for password and factor again, and a former factor claims the account, to which its holder objects', async () => {
  const { page, context, account, recoveryCodes, complaints } = await member(browser, { language: 'en' });
  await open(page, '/security');
  await button(page, 'Add an authenticator app').click();
  const secret = ((await page.getByTestId('secret').textContent()) ?? '').replaceAll(' ', '');
  await page.getByLabel('6-digit code from the app').fill(await generate({ secret }));
  await button(page, 'Confirm and turn on').click();
  await main(page).getByText('Authenticator app', { exact: true }).waitFor();

  // The server answers so once the last proof is five minutes old.
  const json = { code: 0, msg: 'Please enter your password again', data: null, error: 'REAUTH_REQUIRED' };
  await page.route('**/api/user/removeFactor', (route) => route.fulfill({ json }), { times: 1 });
  await button(page, 'Remove').click();
  await page
    .getByRole('dialog', { name: 'Remove this second factor?' })
    .getByRole('button', { name: 'Remove' })
    .click();
  const sheet = page.getByRole('dialog', { name: 'Confirm your password' });
  await sheet.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await sheet.getByRole('button', { name: 'Continue' }).click();
  await sheet.getByRole('button', { name: 'Use a passkey' }).waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await sheet.getByLabel('Second factor code').fill(recoveryCodes[0] as string);
  await sheet.getByRole('button', { name: 'Continue' }).click();
  await main(page).getByText('Not set up').waitFor();

  await logOut(page);
  await page.getByText('Can’t log in?').click();
  await page.getByRole('button', { name: 'Did someone else change your second factor or codes?' }).focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Did someone else change your second factor or codes?' });
  await dialog.getByLabel('Account', { exact: true }).fill(account);
  await dialog.getByLabel('Contact details').fill('me@mail.example');
  await dialog.getByLabel('What happened').fill('Somebody removed my second factor.');
  await dialog.getByLabel('Your current or previous password').fill('not the password');
  await dialog.getByLabel('Previous second factor or recovery code').fill('123456');
  await dialog.getByRole('button', { name: 'Claim account' }).click();
  await dialog.getByText(/Could not claim the account/).waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await dialog.getByLabel('Your current or previous password').fill(PASSWORD);
  await dialog.getByLabel('Previous second factor or recovery code').fill(await codeOf(secret, 1));
  await dialog.getByRole('button', { name: 'Claim account' }).click();
  await page
    .getByText('Your claim is submitted and withdrawals are held. Support will contact you')
    .waitFor();
  const code = await dialog.getByLabel('Claim code').inputValue();
  await dialog.getByRole('button', { name: 'Check', exact: true }).click();
  await dialog.getByText(/is under review/).waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await page.getByLabel('Account', { exact: true }).fill(account);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await button(page, 'Log in').click();
  await page.waitForFunction(() => location.pathname === '/index');

  // The account's holder objects, with the password, and the claimant sees that.
  await open(page, '/security');
  await main(page)
    .getByText(/Someone has claimed this account since/)
    .waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await page.route('**/api/user/objectToClaim', (route) => route.fulfill({ json }), { times: 1 });
  await button(page, 'I made the changes').click();
  await sheet.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await sheet.getByRole('button', { name: 'Continue' }).click();
  await main(page)
    .getByText(/You objected on/)
    .waitFor();
  expect(await button(page, 'I made the changes').count()).toBe(0);
  await logOut(page);
  await page.getByText('Can’t log in?').click();
  await page.getByRole('button', { name: 'Did someone else change your second factor or codes?' }).click();
  await dialog.getByRole('radio', { name: 'Check a claim' }).click();
  await dialog.getByLabel('Claim code').fill(code);
  await dialog.getByRole('button', { name: 'Check', exact: true }).click();
  await dialog.getByText(/is disputed/).waitFor();
  expect(await axeFindings(page)).toEqual([]);
  expect(complaints).toEqual([]);
  await context.close();
});

test('another device is listed and signed out, the data is exported, and the account is closed (S6-05)', async () => {
  const { page, context, account, complaints } = await member(browser, { language: 'en' });
  const form = { account, password: PASSWORD, lang: 'en' };
  const headers = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' };
  const answer = await fetch(`${origin()}/api/user/login`, {
    method: 'POST',
    headers,
    body: new URLSearchParams(form),
  });
  const { token } = ((await answer.json()) as { data: { token: string } }).data;
  await open(page, '/devices');
  await main(page).getByText('This device').waitFor();
  await main(page).getByText('Firefox on Linux', { exact: true }).waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await button(page, 'Log out').click();
  await main(page).getByText('Firefox on Linux', { exact: true }).waitFor({ state: 'detached' });
  await main(page).getByText('No other device is logged in.').waitFor();
  const dead = await fetch(`${origin()}/api/user/getUserInfo`, { headers: { token } });
  expect(dead.status).toBe(401);

  await open(page, '/myData');
  expect(await axeFindings(page)).toEqual([]);
  const download = page.waitForEvent('download');
  await button(page, 'Export my data').click();
  const files = unzipSync(new Uint8Array(await readFile((await (await download).path()) as string)));
  expect(strFromU8(files['data.json'] as Uint8Array)).toContain(account);

  await button(page, 'Close my account').click();
  await page.getByLabel(`Enter your account ${account} to confirm`).fill('another_name');
  await button(page, 'Close permanently').click();
  await page.getByText('This does not match your account name').waitFor();
  await page.getByLabel(`Enter your account ${account} to confirm`).fill(account);
  await button(page, 'Close permanently').click();
  await page.waitForFunction(() => location.pathname === '/login');
  await logInAgain(page, account);
  await page.getByText('This account is closed').waitFor();
  expect(pathOf(page)).toBe('/login');
  expect(complaints).toEqual([]);
  await context.close();
});

test('the last known screen is shown offline with its time, and the app can be installed (S1-01, S8-04)', async () => {
  const { page, context } = await member(browser, { language: 'en', keepsOffline: true });
  await open(page, '/index');
  const manifest = await (await fetch(`${origin()}/manifest.webmanifest`)).json();
  expect(manifest).toMatchObject({ name: 'Fairtick', start_url: '/index', display: 'standalone' });
  for (const { src } of manifest.icons) expect((await fetch(origin() + src)).status).toBe(200);
  await expect
    .poll(() =>
      page.evaluate(async () => {
        const kept = await caches.open('fairtick-1');
        const paths = (await kept.keys()).map(({ url }) => new URL(url).pathname);
        const assets = paths.filter((path) => path.startsWith('/assets/')).length;
        return [navigator.serviceWorker.controller !== null, paths.includes('/index'), assets > 3];
      }),
    )
    .toEqual([true, true, true]);
  await context.setOffline(true);
  await page.reload();
  await page
    .getByText(/^Connection lost. Prices as of/)
    .first()
    .waitFor();
  await page.getByText('EUR/USD').first().waitFor();
  await context.setOffline(false);
  await context.close();
});
