import { launch, type Visit } from '@fairtick/kit/browser/browser.ts';
import { axeFindings } from '@fairtick/kit/browser/screens.ts';
import { PATIENCE_MS } from '@fairtick/kit/waiting/until.ts';
import type { Language } from '@fairtick/protocol';
import { generate } from 'otplib';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

/** The staff's own app: the second factor, four eyes on a role, and the audit log that the browser verifies itself. */
const office = (): string => {
  const value = process.env.FAIRTICK_OFFICE;
  if (!value) throw new Error('the server is started by the global setup');
  return value;
};
const PASSWORD = 'Staff-1234';

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

interface Desk extends Visit {
  readonly close: () => Promise<void>;
}

/** A desk of the office in a new browser context. */
async function desk(
  options: { language?: Language; theme?: 'dark' | 'light'; width?: number } = {},
): Promise<Desk> {
  const context = await browser.newContext({
    viewport: { width: options.width ?? 1280, height: 800 },
    colorScheme: options.theme ?? 'light',
    timezoneId: 'Asia/Singapore',
  });
  await context.addInitScript(
    (language) => localStorage.setItem('language', language),
    options.language ?? 'en',
  );
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  const complaints: string[] = [];
  page.on('console', (message) => {
    complaints.push(`${message.type()}: ${message.text()} ${message.location().url}`);
  });
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`));
  return { context, page, complaints, close: () => context.close() };
}

async function logIn(page: Page, account: string): Promise<void> {
  await page.goto(office());
  await page.getByLabel('Account').fill(account);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Log in' }).click();
}

async function logOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Log out' }).click();
  await page.getByRole('heading', { name: 'Log in' }).waitFor();
}

async function ends(visit: Desk): Promise<void> {
  expect(visit.complaints).toEqual([]);
  await visit.close();
}

test('a page whose code fails to load once is loaded again and shown', async () => {
  const { page, close } = await desk();
  await logIn(page, 'auditor_1');
  const link = page.getByRole('link', { name: 'Audit log' });
  await link.waitFor();
  await page.route(/\/assets\/audit-page-.*\.js/, (route) => route.abort(), { times: 1 });
  await link.click();
  await page.getByRole('heading', { name: 'Audit log' }).waitFor();
  await close();
});

test('a tab that slept through another member’s login shows that member, and ends nobody’s session', async () => {
  const { page, context, close } = await desk();
  await page.addInitScript(() => {
    const sleep = (event: Event) => {
      if (sessionStorage.getItem('sleeps')) event.stopImmediatePropagation();
    };
    for (const type of ['storage', 'visibilitychange', 'pageshow']) addEventListener(type, sleep, true);
  });
  await logIn(page, 'auditor_1');
  await page.getByRole('link', { name: 'Audit log' }).waitFor();
  await page.evaluate(() => sessionStorage.setItem('sleeps', '1'));
  const second = await context.newPage();
  await second.goto(office());
  await logOut(second);
  await second.getByLabel('Account').fill('cashier_1');
  await second.getByLabel('Password').fill(PASSWORD);
  await second.getByRole('button', { name: 'Log in' }).click();
  await second.getByRole('navigation').getByRole('link', { name: 'Deposits' }).waitFor();
  const calls: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/api/')) calls.push(request.url());
  });
  // The tap finds out, unless a question that the tab repeats by itself did before.
  const shown = page.getByRole('navigation').getByRole('link', { name: 'Deposits' });
  await Promise.race([page.getByRole('link', { name: 'Audit log' }).click(), shown.waitFor()]);
  await shown.waitFor();
  expect(calls.filter((url) => url.includes('audit'))).toEqual([]);
  await second.reload();
  await second.getByRole('navigation').getByRole('link', { name: 'Deposits' }).waitFor();
  await close();
});

test('staff set up a second factor, log in with it, and verify the audit log themselves', async () => {
  const visit = await desk();
  const { page } = visit;
  await logIn(page, 'auditor_1');
  await page.getByRole('link', { name: 'Audit log' }).click();
  await page.getByRole('heading', { name: 'Audit log' }).waitFor();
  await page.getByText(/This browser checked all \d+ entries: the chain is intact/).waitFor();

  await page.getByRole('link', { name: 'My account' }).click();
  await page.getByRole('button', { name: 'Add an authenticator app' }).click();
  const secret = (await page.locator('[data-secret]').innerText()).replaceAll(' ', '');
  // This step's code now, and the next step's at the login: both stay valid if a step ends in between.
  const codeOf = (steps: number) => generate({ secret, epoch: Math.floor(Date.now() / 1000) + steps * 30 });
  await page.getByLabel('Code', { exact: true }).fill(await codeOf(0));
  await page.getByRole('button', { name: 'Confirm' }).click();
  await page.getByRole('cell', { name: 'Authenticator app' }).waitFor();

  await logOut(page);
  await logIn(page, 'auditor_1');
  const code = page.getByLabel('Code', { exact: true });
  await code.waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await code.fill(await codeOf(1));
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('link', { name: 'Audit log' }).click();
  await page.getByRole('heading', { name: 'Audit log' }).waitFor();
  await page.getByText(/the chain is intact/).waitFor();
  await page.getByRole('cell', { name: 'Added a second factor' }).first().waitFor();
  await ends(visit);
});

test('staff log in and step up with a passkey', async () => {
  const visit = await desk();
  const { page, context } = visit;
  // The browser's virtual authenticator replaces a hardware key.
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
  await logIn(page, 'catalogue_2');
  await page.getByRole('link', { name: 'My account' }).click();
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await page.getByRole('cell', { name: 'Passkey' }).waitFor();
  await logOut(page);
  await logIn(page, 'catalogue_2');
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await page.getByRole('link', { name: 'My account' }).click();
  await page.getByRole('cell', { name: 'Passkey' }).waitFor();

  // The server answers so when the last step-up is too old.
  let isRefused = false;
  await page.route('**/api/factor/remove', async (route) => {
    if (isRefused) return route.continue();
    isRefused = true;
    return route.fulfill({ json: { code: 0, msg: 'again', data: null, error: 'REAUTH_REQUIRED' } });
  });
  await page.getByRole('button', { name: 'Remove' }).click();
  const stepUp = page.getByRole('dialog', { name: 'Confirm your identity' });
  await stepUp.getByRole('button', { name: 'Use a passkey' }).click();
  await page.getByText('None yet: add a passkey or an authenticator app.').waitFor();
  await logOut(page);
  await logIn(page, 'catalogue_2');
  await page.getByRole('heading', { name: 'Dashboard' }).waitFor();
  await ends(visit);
});

test('granting a role takes two administrators and a step-up, and appears in the audit log', async () => {
  const one = await desk();
  await logIn(one.page, 'admin_1');
  await one.page.getByRole('link', { name: 'Staff and roles' }).click();
  // Simulates that the last step-up is too old, for this page only.
  let isRefused = false;
  await one.page.route('**/api/staff/propose', async (route) => {
    if (isRefused) return route.continue();
    isRefused = true;
    return route.fulfill({ json: { code: 0, msg: 'again', data: null, error: 'REAUTH_REQUIRED' } });
  });
  await one.page.getByRole('row', { name: /content_1/ }).click();
  await one.page.getByLabel('Change').selectOption('grant:support');
  await one.page.getByRole('button', { name: 'Propose' }).click();
  const stepUp = one.page.getByRole('dialog', { name: 'Confirm your identity' });
  await stepUp.getByLabel('Password').fill(PASSWORD);
  await stepUp.getByRole('button', { name: 'Continue' }).click();
  await one.page.getByText('Proposed. Waiting for another administrator').waitFor();
  await one.page.getByRole('tab', { name: 'Changes' }).click();
  await one.page.getByRole('row', { name: /content_1/ }).waitFor();
  expect(await one.page.getByRole('button', { name: 'Approve' }).count()).toBe(0);
  await ends(one);

  const two = await desk();
  await logIn(two.page, 'admin_2');
  // Later the audit log must not show its old state.
  await two.page.getByRole('link', { name: 'Audit log' }).click();
  await two.page
    .getByRole('cell', { name: /^Staff \d+$/ })
    .first()
    .waitFor();
  await two.page.getByRole('link', { name: 'Staff and roles' }).click();
  await two.page.getByRole('tab', { name: 'Changes' }).click();
  await two.page
    .getByRole('row', { name: /content_1/ })
    .getByRole('button', { name: 'Approve' })
    .click();
  await two.page.getByText('The change is in effect').waitFor();
  // The two letters must follow within 1.5 s, which a busy machine may miss, so this tries again.
  await expect
    .poll(
      async () => {
        await two.page.keyboard.press('g');
        await two.page.keyboard.press('a');
        return two.page.getByRole('heading', { name: 'Audit log', level: 1 }).isVisible();
      },
      { interval: 1_000 },
    )
    .toBe(true);
  await two.page.getByRole('cell', { name: 'Granted a role' }).first().waitFor();
  await ends(two);
});

test('a member of staff sees no pages and gets no answers of other roles', async () => {
  const visit = await desk();
  const { page } = visit;
  await logIn(page, 'content_1');
  await page.getByRole('link', { name: 'My account' }).waitFor();
  expect(await page.getByRole('navigation').getByRole('link').allInnerTexts()).not.toContain('Audit log');
  await page.goto(`${office()}/audit`);
  await page.waitForURL((url) => url.pathname !== '/audit');
  const told = await page.evaluate(async () => {
    const answer = await fetch('/api/audit/list', { headers: { 'x-office': '1' } });
    return (await answer.json()).error;
  });
  expect(told).toBe('ROLE_MISSING');
  await ends(visit);
});

describe('the office', () => {
  const LOOKS = [
    { language: 'zh', theme: 'light', width: 1280 },
    { language: 'tw', theme: 'dark', width: 1280 },
    { language: 'en', theme: 'dark', width: 1920 },
  ] as const;
  test.each(LOOKS)('has no accessibility fault and nothing cut off: %o', async (look) => {
    const visit = await desk(look);
    const { page } = visit;
    await page.goto(office());
    await page.locator('input[name=account]').fill('admin_2');
    await page.locator('input[name=password]').fill(PASSWORD);
    expect(await axeFindings(page)).toEqual([]);
    await page.locator('button[type=submit]').click();
    for (const path of ['dashboard', 'audit', 'staff', 'account']) {
      await page.locator(`nav a[href="/${path}"]`).click();
      await page.locator('tbody tr').first().waitFor();
      expect([path, await axeFindings(page)]).toEqual([path, []]);
      const isWide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
      expect([path, isWide]).toEqual([path, false]);
    }
    await page.keyboard.press('?');
    await page.locator('dialog[open]').waitFor();
    await ends(visit);
  });

  test('runs no injected script, inline or from elsewhere', async () => {
    const visit = await desk();
    const { page, complaints } = visit;
    await logIn(page, 'admin_2');
    await page.getByRole('heading', { name: 'Dashboard' }).waitFor();
    const { stopped, isHacked } = await page.evaluate(async () => {
      let stopped = 0;
      const tried = (what: () => void) => {
        try {
          what();
        } catch {
          stopped += 1;
        }
      };
      tried(() => {
        document.createElement('script').src = 'https://evil.invalid/x.js';
      });
      const element = document.createElement('div');
      tried(() => element.setAttribute('onclick', 'globalThis.isHacked = true'));
      element.click();
      const image = '<img src=x onerror="globalThis.isHacked = true">';
      tried(() => document.body.insertAdjacentHTML('beforeend', image));
      await new Promise((resolve) => setTimeout(resolve, 200));
      return { stopped, isHacked: 'isHacked' in globalThis };
    });
    expect({ stopped, isHacked }).toEqual({ stopped: 3, isHacked: false });
    // The browser reports only what it blocked.
    expect(complaints.filter((text) => !text.includes('Trusted'))).toEqual([]);
    await visit.close();
  });
});
