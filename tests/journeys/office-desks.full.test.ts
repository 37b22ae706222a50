import { launch, newAccount, PASSWORD } from '@fairtick/kit/browser/browser.ts';
import { leave, sitDown } from '@fairtick/kit/browser/desk.ts';
import {
  announceDeposit,
  customerGet,
  customerPost,
  payee,
  StaffDesk,
  WITHDRAWAL_PASSWORD,
} from '@fairtick/kit/browser/payee.ts';
import { axeFindings } from '@fairtick/kit/browser/screens.ts';
import { type ServerProcess, startServerProcess } from '@fairtick/kit/browser/server.ts';
import { soon } from '@fairtick/kit/browser/trader.ts';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';

/** How the office's desks are used: with keys alone, with a finger, and in each look. */
let browser: Browser;
let server: ServerProcess;
beforeAll(async () => {
  [browser, server] = await Promise.all([launch(), startServerProcess({ MODE: 'demo', HOLD_SECONDS: '1' })]);
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

async function announced(amount: string): Promise<{ id: string; token: string }> {
  const form = { account: newAccount(), password: PASSWORD, confirmPassword: PASSWORD };
  const { token } = await customerPost<{ token: string }>('user/register', '', form, server.origin);
  return { id: (await announceDeposit(token, amount, server.origin)).id, token };
}
const deposit = async (amount: string): Promise<string> => (await announced(amount)).id;

test('a deposit is claimed, looked at, credited and the next one opened with keys alone, and each step says what is missing', async () => {
  const first = await deposit('40');
  const second = await deposit('41');
  const desk = await sitDown(browser, server.officeOrigin, 'cashier_1');
  const { page } = desk;
  await page.goto(`${server.officeOrigin}/deposits`);
  await page.locator('tbody tr').nth(1).waitFor();
  const keys = page.keyboard;
  await keys.press('j');
  await page.getByText(`Deposit ${first} ·`).waitFor();
  await keys.press('c');
  await page.getByText(/Assigned to you/).waitFor();
  const missing = page.locator('footer');
  await missing.getByText('Enter the amount that arrived.', { exact: true }).waitFor();
  await keys.press('a');
  await keys.type('40');
  await missing.getByText('Enter the transaction hash or bank reference.').waitFor();
  await keys.press('Enter');
  await keys.type('0xabc');
  await keys.press('Enter');
  const dialog = page.getByRole('dialog', { name: /^Credit 40\.00/ });
  await dialog.waitFor();
  // Its button takes no key in its first moment, so that a key meant for the field does not credit.
  await soon(() => dialog.locator('button:focus').isEnabled()).toBe(true);
  await keys.press('Enter');
  await page
    .getByRole('status')
    .getByText(/Credited 40\.00/)
    .waitFor();
  await page.getByText(`Deposit ${second} ·`).waitFor();
  await leave(desk);
});

test('a case that a colleague holds says so beside its closed buttons', async () => {
  const id = await deposit('42');
  const [one, two] = [
    await sitDown(browser, server.officeOrigin, 'cashier_1'),
    await sitDown(browser, server.officeOrigin, 'cashier_2'),
  ];
  for (const { page } of [one, two]) await page.goto(`${server.officeOrigin}/deposits/${id}`);
  await one.page.getByRole('button', { name: 'Assign to me' }).click();
  await two.page.locator('footer').getByText('cashier_1 is handling this case').waitFor();
  expect(await two.page.getByRole('button', { name: 'Reject' }).isDisabled()).toBe(true);
  await leave(one);
  await leave(two);
});

test('a deposit that its customer cancelled is called cancelled in the queue and in the case', async () => {
  const { id, token } = await announced('46');
  await customerPost('recharge/cancel', token, { id }, server.origin);
  const desk = await sitDown(browser, server.officeOrigin, 'cashier_1');
  const { page } = desk;
  await page.goto(`${server.officeOrigin}/deposits`);
  await page.getByRole('button', { name: 'Decided' }).click();
  const row = page.locator('tbody tr', { has: page.locator(`[data-row="${id}"]`) });
  await row.getByText('Cancelled', { exact: true }).click();
  await page.getByText(/^Cancelled: /).waitFor();
  expect(await page.getByText('Ignored').count()).toBe(0);
  await leave(desk);
});

test('what staff have typed survives a reload, and is gone once it is sent and at the logout', async () => {
  const [first, second] = [await deposit('47'), await deposit('48')];
  const desk = await sitDown(browser, server.officeOrigin, 'cashier_1');
  const { page } = desk;
  const dialog = page.getByRole('dialog', { name: /^Reject/ });
  const message = dialog.getByLabel(/^Additional message/);
  const drafts = () =>
    page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('draft ')).length);
  const reject = async (id: string) => {
    await page.goto(`${server.officeOrigin}/deposits/${id}`);
    await page.getByRole('button', { name: 'Reject' }).click();
  };
  await page.goto(`${server.officeOrigin}/deposits/${first}`);
  await page.getByRole('button', { name: 'Assign to me' }).click();
  await page.getByText(/Assigned to you/).waitFor();
  await reject(first);
  await dialog.getByLabel('Reason').selectOption({ label: 'Duplicate' });
  await message.fill('It is the one of Tuesday.');
  await reject(second);
  expect(await message.inputValue()).toBe('');
  await reject(first);
  expect(await message.inputValue()).toBe('It is the one of Tuesday.');
  await dialog.getByRole('button', { name: 'Reject' }).click();
  await dialog.waitFor({ state: 'hidden' });
  await soon(drafts).toBe(0);
  await reject(second);
  await message.fill('Please send a sharper picture.');
  await soon(drafts).toBe(1);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Log out' }).click();
  await page.locator('input[name=password]').waitFor();
  expect(await drafts()).toBe(0);
  await leave(desk);
});

test('support begins at conversations', async () => {
  const desk = await sitDown(browser, server.officeOrigin, 'support_1');
  await desk.page.waitForURL(/\/chats$/);
  await leave(desk);
});

test('on a phone, a finger opens a case, and every target of the screen can be hit', async () => {
  const id = await deposit('43');
  const desk = await sitDown(browser, server.officeOrigin, 'cashier_1', { isPhone: true });
  const { page } = desk;
  await page.goto(`${server.officeOrigin}/deposits`);
  await page.locator(`[data-row="${id}"]`).tap();
  await page.locator('#case-title').waitFor();
  await page.getByRole('button', { name: 'Assign to me' }).tap();
  await page.getByText(/Assigned to you/).waitFor();
  expect(await axeFindings(page)).toEqual([]);
  const small = await page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('main button, main select, main input, nav a')]
      .filter((one) => one.checkVisibility())
      .map((one) => [one.textContent || one.ariaLabel, one.getBoundingClientRect()] as const)
      .filter(([, { width, height }]) => Math.min(width, height) < 24)
      .map(([name]) => name),
  );
  expect(small).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)).toBe(false);
  await leave(desk);
});

test.each([
  ['approver_1', ['earnings', 'customers', 'account']],
  ['auditor_1', ['staff', 'audit', 'sources']],
] as const)('what scrolls on a page of %s can be scrolled with keys', async (account, paths) => {
  const desk = await sitDown(browser, server.officeOrigin, account);
  const { page } = desk;
  for (const path of paths) {
    await page.locator(`nav a[href="/${path}"]`).click();
    await page.locator('main h1').waitFor();
    for (const width of [375, 768, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      await soon(() => axeFindings(page, 'scrollable-region-focusable')).toEqual([]);
    }
  }
  await leave(desk);
});

test('the empty search for customers lists the cases that its reader opened, and the device keeps their numbers alone', async () => {
  const [first, second] = [await deposit('44'), await deposit('45')];
  const desk = await sitDown(browser, server.officeOrigin, 'cashier_1');
  const { page } = desk;
  const search = page.locator('nav a[href="/customers"]');
  await search.click();
  await page.getByText('Cases that you open on this device appear here.').waitFor();
  for (const id of [first, second]) {
    await page.goto(`${server.officeOrigin}/deposits/${id}`);
    await page.locator('#case-title').waitFor();
  }
  await search.click();
  const rows = page.locator('tbody tr');
  await soon(() => rows.locator('td:first-child').allInnerTexts()).toEqual([
    `Deposit ${second}`,
    `Deposit ${first}`,
  ]);
  const kept = await page.evaluate(() => Object.entries(localStorage).filter(([key]) => /^recent/.test(key)));
  expect(kept.map(([, text]) => Object.keys(JSON.parse(text as string)[0]))).toEqual([
    ['kind', 'id', 'openedAt'],
  ]);
  await rows.nth(1).focus();
  await page.keyboard.press('Enter');
  await page.getByText(`Deposit ${first} ·`).waitFor();
  await leave(desk);
});

test('at 1280 px the queue shows the state of each deposit whole; buttons and help name the same keys', async () => {
  const id = await deposit('9000');
  await (await StaffDesk.open('cashier_2', server.officeOrigin)).post('deposit/find', {
    id,
    amount: '9000',
    evidence: `keys ${id}`,
  });
  const desk = await sitDown(browser, server.officeOrigin, 'cashier_1');
  const { page } = desk;
  for (const width of [1280, 1024]) {
    await page.setViewportSize({ width, height: 800 });
    await page.goto(`${server.officeOrigin}/deposits/${id}`);
    await page.getByRole('button', { name: 'Reject' }).waitFor();
    const cut = await page.evaluate(() =>
      [...document.querySelectorAll('main section > .box, main footer, main header')]
        .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
        .map(({ className }) => className),
    );
    expect([width, cut]).toEqual([width, []]);
  }
  const named = await page.locator('main [aria-keyshortcuts]').allInnerTexts();
  const keys = named.map((text) => text.trim().at(-1));
  expect(keys.toSorted()).toEqual(['A', 'C', 'V', 'X']);
  await page.keyboard.press('?');
  const listed = await page.locator('dialog[open] kbd').allInnerTexts();
  expect(keys.filter((key) => key === undefined || !listed.includes(key))).toEqual([]);
  await page.getByLabel('Use single-letter shortcuts').click();
  await page.keyboard.press('Escape');
  expect(await page.locator('main [aria-keyshortcuts], main kbd').count()).toBe(0);
  await leave(desk);
});

const LOOKS = [
  { language: 'zh', theme: 'light', width: 1280 },
  { language: 'tw', theme: 'dark', width: 1280 },
  { language: 'en', theme: 'dark', width: 1920 },
] as const;
test.each(LOOKS)(
  'queues and cases of reviews have no accessibility fault, and nothing is cut off: %o',
  async (look) => {
    const { token } = await payee({ balance: '300', base: server.origin, office: server.officeOrigin });
    await announceDeposit(token, '100', server.origin);
    const { destinations } = await customerGet<{ destinations: { id: string; asset: string }[] }>(
      'withdraw/options',
      token,
      server.origin,
    );
    const destinationId = destinations.find(({ asset }) => asset === 'USDT')?.id ?? '';
    await customerPost(
      'withdraw/submit',
      token,
      { destinationId, asset: 'USDT', amount: '50', payWord: WITHDRAWAL_PASSWORD },
      server.origin,
    );
    for (const [account, paths] of [
      ['cashier_1', ['deposits', 'withdrawals', 'statements', 'customers']],
      ['verification_2', ['identities']],
    ] as const) {
      const desk = await sitDown(browser, server.officeOrigin, account, look);
      for (const path of paths) {
        await desk.page.locator(`nav a[href="/${path}"]`).click();
        const row = desk.page.locator('tbody tr').first();
        if (path === 'deposits' || path === 'withdrawals') {
          await row.click();
          await desk.page.locator('footer button').first().waitFor();
          await desk.page.keyboard.press('v');
        }
        expect([path, await axeFindings(desk.page)]).toEqual([path, []]);
        const isCut = await desk.page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
        expect([path, isCut]).toEqual([path, false]);
      }
      await leave(desk);
    }
  },
);
