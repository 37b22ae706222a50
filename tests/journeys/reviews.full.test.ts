import { setTimeout as sleep } from 'node:timers/promises';
import { launch, newAccount, PASSWORD } from '@fairtick/kit/browser/browser.ts';
import { leave, sitDown, stepUp } from '@fairtick/kit/browser/desk.ts';
import {
  announceDeposit,
  customerGet,
  customerPost,
  StaffDesk,
  WITHDRAWAL_PASSWORD,
} from '@fairtick/kit/browser/payee.ts';
import { type ServerProcess, startServerProcess } from '@fairtick/kit/browser/server.ts';
import { type Account, soon, trader } from '@fairtick/kit/browser/trader.ts';
import { paper } from '@fairtick/kit/people/paper.ts';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';

/** Staff decide on customers' names and money, each at their own desk; the customer sees the result on the open screen. */
let browser: Browser;
let server: ServerProcess;
beforeAll(async () => {
  // An installation of its own: queues are shared by all journeys, and a hold lasts a second here instead of a minute.
  [browser, server] = await Promise.all([launch(), startServerProcess({ MODE: 'demo', HOLD_SECONDS: '1' })]);
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

/** Markup that would run if it were ever treated as more than text; each fits the fields of customers and staff. */
const NICKNAME = '<svg onload=alert()>';
const HOSTILE = '<img src=x onerror="globalThis.isHacked = true"><script>globalThis.isHacked = true</script>';

const sit = (account: string) => sitDown(browser, server.officeOrigin, account);
const gold = (page: Page, name: string | RegExp) => page.locator('footer').getByRole('button', { name });

/** Clicks the gold button, and again in its dialog. */
async function decide(page: Page, name: string): Promise<void> {
  await gold(page, name).click();
  await page.getByRole('dialog', { name }).getByRole('button', { name }).click();
}

async function openCase(page: Page, kind: string, id: string): Promise<void> {
  await page.goto(`${server.officeOrigin}/${kind}/${id}`);
  await page.locator('#case-title').waitFor();
}

/** An unverified customer with a page that shows their balance. */
async function customer() {
  const account = newAccount();
  const form = { account, password: PASSWORD, confirmPassword: PASSWORD };
  const registered = await customerPost<Account>('user/register', '', form, server.origin);
  const { token } = registered;
  await customerPost('user/setUserName', token, { nickname: NICKNAME }, server.origin);
  const userInfo = await customerGet('user/getUserInfo', token, server.origin);
  const window = await trader(browser, { account: { token, userInfo }, base: server.origin });
  await window.context.addInitScript(() => localStorage.setItem('asset', 'USDT'));
  await window.page.goto(`${server.origin}/mine`);
  await window.page.evaluate(() => Object.assign(globalThis, { isStillHere: true }));
  return { account, token, window, total: window.page.getByTestId('total') };
}

async function picture(): Promise<Blob> {
  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" width="600" height="900"><rect width="600" height="900" fill="#fff"/></svg>';
  const { default: sharp } = await import('sharp');
  return new File([new Uint8Array(await sharp(Buffer.from(svg)).jpeg().toBuffer())], `${HOSTILE}.jpg`, {
    type: 'image/jpeg',
  });
}

async function verifyName(account: string, token: string): Promise<void> {
  const name = {
    realName: HOSTILE.slice(0, 90),
    idCountry: 'SG',
    idType: 'passport',
    idNumber: account.toUpperCase(),
    idAddress: '1 Raffles Place',
    currentAddress: '2 Marina Boulevard',
    idFront: await picture(),
    idBack: await picture(),
  };
  await customerPost('user/submitReal', token, name, server.origin);
  const desk = await sit('verification_1');
  const { page } = desk;
  await page.getByRole('row', { name: new RegExp(account) }).click();
  await page.getByRole('button', { name: 'Assign to me' }).waitFor();
  // Personal data stays hidden until staff open it.
  expect(await page.getByText('1 Raffles Place').count()).toBe(0);
  await page.keyboard.press('c');
  await page.getByText('1 Raffles Place').waitFor();
  await page.getByText(name.realName, { exact: true }).waitFor();
  await page.getByRole('img', { name: 'Front' }).waitFor();
  // Approval needs both sides of the document to be opened, and the back is fetched only then.
  await page.getByText(/You opened this image/).waitFor();
  await page.getByText('Not viewed yet: Back').waitFor();
  expect(await page.getByRole('button', { name: 'Verify name' }).isEnabled()).toBe(false);
  await page.getByRole('tab', { name: 'Back' }).click();
  await page.getByRole('img', { name: 'Back' }).waitFor();
  // Keys act on the visible picture, wherever the focus is.
  for (const key of ['+', 'r']) await page.keyboard.press(key);
  const seen = page.getByRole('group', { name: /^Back/ });
  expect(await seen.getAttribute('data-zoom')).toBe('1.50');
  expect(await seen.getAttribute('data-turns')).toBe('1');
  // A key alone decides nothing: it opens the confirmation.
  await page.keyboard.press('a');
  const dialog = page.getByRole('dialog', { name: 'Verify name' });
  await expect.poll(() => dialog.getByRole('button', { name: 'Verify name' }).isEnabled()).toBe(true);
  await page.keyboard.press('Enter');
  await page.getByText(`${account} is verified`).waitFor();
  await leave(desk);
}

/** A cashier views the picture and records the amount received; an approver agrees after a step-up. */
async function creditDeposit(id: string): Promise<void> {
  const cashier = await sit('cashier_1');
  const { page } = cashier;
  await openCase(page, 'deposits', id);
  await page.keyboard.press('c');
  const frame = page.getByRole('group', { name: /Proof of payment/ });
  await frame.getByRole('img').waitFor();
  await soon(() =>
    frame.getByRole('img').evaluate((image: HTMLImageElement) => image.naturalWidth),
  ).toBeGreaterThan(0);
  await frame.getByRole('button', { name: 'Zoom in (+)' }).click();
  for (const key of ['+', 'r', 'ArrowLeft']) await page.keyboard.press(key);
  expect(await frame.getAttribute('data-zoom')).toBe('2.25');
  expect(await frame.getAttribute('data-turns')).toBe('1');
  await gold(page, /^Credit/).waitFor();
  await page.getByLabel('Amount found, USDT').fill('8,000');
  await page.getByText('This can be read as two numbers. Enter 8.0000 or 8000.').waitFor();
  await page.getByLabel('Amount found, USDT').fill('8.000,00');
  await page.getByLabel('Transaction hash or bank reference').fill(HOSTILE);
  await decide(page, 'Propose 8,000.00 USDT');
  await page.getByText('Waiting for approval').waitFor();
  await openCase(page, 'deposits', id);
  await page.getByText('Waiting for an approver').waitFor();
  await leave(cashier);

  const approver = await sit('approver_1');
  await openCase(approver.page, 'deposits', id);
  await approver.page.getByText(HOSTILE, { exact: true }).first().waitFor();
  await approver.page.getByText('You can approve this').waitFor();
  await askOnce(approver.page, 'deposit/approve');
  await decide(approver.page, 'Approve 8,000.00 USDT');
  await stepUp(approver.page);
  await approver.page.getByText('Credited 8,000.00 USDT').waitFor();
  await leave(approver);
}

/** Simulates that the last step-up is too old, for this page only. */
async function askOnce(page: Page, path: string): Promise<void> {
  let isAsked = false;
  await page.route(`**/api/${path}`, (route) => {
    if (isAsked) return route.continue();
    isAsked = true;
    return route.fulfill({ json: { code: 0, msg: 'again', data: null, error: 'REAUTH_REQUIRED' } });
  });
}

/** Proposed by one, approved by two others, taken and paid by hand; at first it is not known whether it went out. */
async function payOut(id: string): Promise<void> {
  const cashier = await sit('cashier_2');
  const { page } = cashier;
  await openCase(page, 'withdrawals', id);
  await page.keyboard.press('v');
  await page.getByText(/You viewed this at/).waitFor();
  await page.getByLabel('Payment instructions (optional)').fill(HOSTILE);
  await decide(page, 'Propose payout of 5,999.00 USDT');
  await page.getByText(/^Proposed 5,999.00 USDT/).waitFor();
  for (const [account, told] of [
    ['approver_1', 'One more approval needed'],
    ['approver_2', 'Ready to pay'],
  ] as const) {
    const approver = await sit(account);
    await openCase(approver.page, 'withdrawals', id);
    await approver.page.getByText(HOSTILE, { exact: true }).first().waitFor();
    await approver.page.getByText('Open the full destination before you approve.').waitFor();
    expect(await gold(approver.page, /^Approve/).isDisabled()).toBe(true);
    await approver.page.keyboard.press('v');
    await approver.page.getByText(/You viewed this at/).waitFor();
    await decide(approver.page, 'Approve 5,999.00 USDT');
    await approver.page.getByText(told).waitFor();
    await openCase(approver.page, 'withdrawals', id);
    if (account === 'approver_1') {
      await approver.page.getByText('You have approved this; one more person must approve it').waitFor();
      expect(await gold(approver.page, /^Approve/).isDisabled()).toBe(true);
    }
    await leave(approver);
  }
  await openCase(page, 'withdrawals', id);
  await gold(page, /^Take/).waitFor();
  expect(await page.getByRole('button', { name: /Show full payout details/ }).count()).toBe(0);
  await decide(page, 'Take 5,999.00 USDT for paying');
  await page.getByText(/You viewed this at/).waitFor();
  await gold(page, 'Say what became of it').click();
  const end = page.getByRole('dialog');
  await end.getByLabel('What became of it').selectOption({ label: 'It did not go out' });
  await end.getByLabel('How this is known').fill(HOSTILE);
  await end.getByRole('button', { name: 'Propose' }).click();
  await end.waitFor({ state: 'hidden' });
  const approver = await sit('approver_1');
  await openCase(approver.page, 'withdrawals', id);
  await approver.page.getByText(HOSTILE, { exact: true }).first().waitFor();
  await approver.page.getByText(/cashier_2 .* By hand/).waitFor();
  await decide(approver.page, 'Agree: It did not go out');
  await leave(approver);
  await decide(page, 'Take 5,999.00 USDT for paying');
  await page.getByLabel('Payment reference').fill('payment 1');
  await decide(page, 'Paid 5,999.00 USDT');
  await page.getByText('Paid 5,999.00 USDT').first().waitFor();
  await leave(cashier);
}

test('the required staff verify a name, credit a deposit and pay a withdrawal, and the customer sees it without a reload', async () => {
  const { account, token, window, total } = await customer();
  await soon(() => total.innerText()).toBe('0.00');
  await verifyName(account, token);

  const deposit = await announceDeposit(token, '8000', server.origin);
  await creditDeposit(deposit.id);
  await soon(() => total.innerText()).toBe('8,000.00');

  await customerPost(
    'user/setPayWord',
    token,
    { payWord: WITHDRAWAL_PASSWORD, confirmPayWord: WITHDRAWAL_PASSWORD },
    server.origin,
  );
  await customerPost('user/setAddress', token, { USDT: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8' }, server.origin);
  const { destinations } = await customerGet<{ destinations: { id: string }[] }>(
    'withdraw/options',
    token,
    server.origin,
  );
  const wish = {
    destinationId: destinations[0]?.id ?? '',
    asset: 'USDT',
    amount: '6000',
    payWord: WITHDRAWAL_PASSWORD,
  };
  const withdrawal = await customerPost<{ id: string }>('withdraw/submit', token, wish, server.origin);
  await payOut(withdrawal.id);
  await soon(() => total.innerText()).toBe('2,000.00');
  expect(await window.page.evaluate(() => 'isStillHere' in globalThis)).toBe(true);
  expect(window.complaints).toEqual([]);
  await window.context.close();

  const support = await sit('support_1');
  const { page } = support;
  await page.getByRole('link', { name: 'Customers' }).click();
  await page.getByLabel('Account', { exact: true }).fill(account);
  await page.getByRole('button', { name: 'Find' }).click();
  await page.getByText(NICKNAME, { exact: true }).first().waitFor();
  await page.getByRole('tab', { name: 'Fund details' }).click();
  await page.getByRole('row', { name: /Withdrawal Success −6,000.00 USDT 2,000.00/ }).waitFor();
  await page.getByRole('row', { name: /Deposit Success \+8,000.00 USDT 8,000.00/ }).waitFor();
  await page.getByRole('tab', { name: 'Who viewed' }).click();
  for (const [staff, what] of [
    ['support_1', 'Account details'],
    ['cashier_2', 'Address'],
    ['cashier_1', 'Proof of payment'],
    ['verification_1', 'Real-name details'],
    ['verification_1', 'Front of the document'],
  ] as const) {
    await page
      .getByRole('row', { name: new RegExp(`${staff} ${what}`) })
      .first()
      .waitFor();
  }
  await leave(support);
  await demandBalanced();
}, 300_000);

/** The ledger balances, and agrees with requests and statements. */
async function demandBalanced(unexplained: readonly string[] = []): Promise<void> {
  const auditor = await StaffDesk.open('cashier_2', server.officeOrigin);
  const { findings } = await auditor.post<{ findings: { rule: string }[] }>('reconciliation/run', {});
  expect(findings.map(({ rule }) => rule)).toEqual(unexplained);
}

test('a long screenshot opens with its whole width, and is read to its end', async () => {
  const { token, window } = await customer();
  await window.context.close();
  const { id } = await announceDeposit(token, '25', server.origin, paper(1080, 24_000));
  const cashier = await sit('cashier_1');
  const { page } = cashier;
  await openCase(page, 'deposits', id);
  await page.keyboard.press('c');
  const frame = page.getByRole('group', { name: /Proof of payment/ });
  const image = frame.getByRole('img');
  const top = async () => (await image.boundingBox())?.y ?? 0;
  const room = async () => frame.evaluate(({ clientWidth }) => clientWidth - 24);
  await soon(async () => Number(await frame.getAttribute('data-zoom'))).toBeGreaterThan(5);
  // The element has the frame's shape, and within it the picture the share of its own width.
  const shown = () =>
    image.evaluate((element: HTMLImageElement) => {
      const box = element.getBoundingClientRect();
      return box.height * (element.naturalWidth / element.naturalHeight);
    });
  await soon(async () => Math.round((await shown()) / (await room()))).toBe(1);
  await frame.getByRole('button').first().focus();
  const beginning = await top();
  await page.keyboard.press('PageDown');
  await soon(async () => beginning - (await top())).toBeGreaterThan(200);
  await page.keyboard.press('End');
  await soon(async () => beginning - (await top())).toBeGreaterThan(5_000);
  await leave(cashier);
});

test('a line of a bank statement is imported once and leads to its deposit', async () => {
  const { account, token, window } = await customer();
  const { id: customerId } = await customerGet<{ id: string }>('user/getUserInfo', token, server.origin);
  const form = { channelId: '3', amount: '75', proof: await picture() };
  const { id } = await customerPost<{ id: string }>('recharge/submit', token, form, server.origin);
  const day = new Date().toISOString().slice(0, 10);
  const csv = `date,amount,reference,counterparty\n${day},75.00,FT${customerId} thanks,"${HOSTILE.replaceAll('"', '""')}"\n${day},-20,fee,The bank\n`;
  const file = { name: `${HOSTILE}.csv`, mimeType: 'text/csv', buffer: Buffer.from(csv) };
  const desk = await sit('cashier_1');
  const { page } = desk;
  await page.getByRole('link', { name: 'Statements' }).click();
  // A German file without a header: the reader names the columns and the order of the day, and stores nothing.
  const bare = Buffer.from('03/04/2026;1.234,56;M\u00fcller;r\n', 'latin1');
  await page.locator('input[type=file]').setInputFiles({ name: 'b.csv', mimeType: '', buffer: bare });
  await page.getByText('Read as windows-1252').waitFor();
  for (const [number, field] of [
    [1, 'Date'],
    [2, 'Amount (signed)'],
    [3, 'Counterparty'],
    [4, 'Reference'],
  ] as const) {
    const column = page.getByLabel(`Field of column ${number}`);
    await column.selectOption(field);
    await expect.poll(() => column.isEnabled()).toBe(true);
  }
  await page.getByText('Line 1 cannot be read: Day or month first').waitFor();
  expect(await page.getByRole('button', { name: 'Import 0 lines' }).isDisabled()).toBe(true);
  await page.getByLabel('Day or month first').selectOption('dayFirst');
  await page.getByRole('cell', { name: '2026-04-03' }).waitFor();
  await page.getByRole('cell', { name: '1,234.56', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.locator('input[type=file]').setInputFiles(file);
  await page.getByText('2 lines, 2 new.').waitFor();
  // The list may load slowly: the next file is accepted meanwhile.
  await page.route('**/api/statement/list*', async (route) => {
    await sleep(2_000);
    await route.continue();
  });
  await page.getByRole('button', { name: 'Import 2 lines' }).click();
  await page.getByText('2 lines imported').waitFor();
  await page.locator('input[type=file]').setInputFiles(file);
  await page.getByText('2 lines, 0 new.').waitFor();
  expect(await page.getByRole('button', { name: 'Import 0 lines' }).isDisabled()).toBe(true);
  await page.getByRole('link', { name: new RegExp(`${account}, 75.00`) }).click();
  await gold(page, 'Credit 75.00 USD').waitFor();
  expect(await page.getByLabel('Transaction hash or bank reference').inputValue()).toBe(
    `FT${customerId} thanks`,
  );
  await decide(page, 'Credit 75.00 USD');
  await page.getByText('Credited 75.00 USD').waitFor();
  await openCase(page, 'deposits', id);
  await page.getByText('Success').first().waitFor();
  await window.context.close();
  // A bank charge belongs to no withdrawal, so staff say what it is.
  await demandBalanced(['what went out on the statement is a paid withdrawal']);
  await page.getByRole('link', { name: 'Statements' }).click();
  const fee = page.getByRole('row', { name: /fee The bank/ });
  const explain = page.getByRole('dialog', { name: 'Not a customer’s payment' });
  const say = async (action: 'Explain' | 'Withdraw', kind: string, note: string) => {
    await fee.getByRole('button', { name: action }).click();
    await explain.getByLabel('Kind').selectOption(kind);
    await explain.getByLabel('Note').fill(note);
    await explain.getByRole('button', { name: action }).click();
    await explain.waitFor({ state: 'hidden' });
  };
  await say('Explain', 'Other', 'a gift to them');
  await demandBalanced();
  await page.getByRole('button', { name: 'All', exact: true }).click();
  await say('Withdraw', 'Explanation withdrawn', 'it is a fee');
  await demandBalanced(['what went out on the statement is a paid withdrawal']);
  await say('Explain', 'Bank charge', 'monthly fee');
  await fee.getByText(/^Explanation withdrawn · it is a fee · /).waitFor();
  await demandBalanced();
  await takeWhatIsAsked(page, day);
  await leave(desk);
});

/** Imports, on a phone, a file with another currency, a column that the office does not know and a line of an earlier file; then undoes it. */
async function takeWhatIsAsked(page: Page, day: string): Promise<void> {
  await page.setViewportSize({ width: 375, height: 720 });
  const rows = ['-20,fee,The bank,Other', 'HKD 7800,FT2,Chan,Other', '9.00,FT3,Chan,Refund'];
  const csv = ['date,amount,reference,counterparty,x', ...rows.map((row) => `${day},${row}`)].join('\n');
  const file = { name: 'next.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) };
  await page.locator('input[type=file]').setInputFiles(file);
  await page.getByText('Line 1 cannot be read: say what the marked columns are').waitFor();
  expect(await page.getByRole('button', { name: 'Import 0 lines' }).isDisabled()).toBe(true);
  await page.getByLabel('Column 5: Other · Refund').selectOption('Changes nothing');
  await page
    .getByText('2 lines, 1 new. 1 row left out: another currency 1. 1 line needs your decision.')
    .waitFor();
  await page.getByText('Rows left out').click();
  await page.getByText(`Line 3, another currency: ${day} · HKD 7800 · FT2 · Chan · Other`).waitFor();
  await page.getByLabel('Import line 2').check();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(375);
  await page.getByRole('button', { name: 'Import 2 lines' }).click();
  await page.getByText('2 lines imported').waitFor();
  await page.getByRole('button', { name: 'Imports' }).click();
  await page.getByRole('button', { name: 'Undo import' }).first().click();
  const undo = page.getByRole('dialog', { name: 'Undo import' });
  await undo.getByText('This removes 2 lines of the import.').waitFor();
  await undo.getByRole('button', { name: 'Undo import' }).click();
  await page.getByText(/Undone by/).waitFor();
  await page.setViewportSize({ width: 1280, height: 800 });
}

test('a claimed case is closed to colleagues until it is released, and its refusal shows the customer the typed reason', async () => {
  const { token, account, window } = await customer();
  const { id } = await announceDeposit(token, '120', server.origin);
  const [one, two] = [await sit('cashier_1'), await sit('cashier_2')];
  await one.page.goto(`${server.officeOrigin}/deposits`);
  await one.page.getByRole('row', { name: new RegExp(account) }).click();
  await one.page.getByRole('button', { name: 'Assign to me' }).click();
  await one.page.getByText(/Assigned to you; released in 15 min/).waitFor();
  await openCase(two.page, 'deposits', id);
  await two.page.getByText(/Assigned to cashier_1/).waitFor();
  expect(await two.page.getByRole('button', { name: 'Reject' }).isDisabled()).toBe(true);
  await one.page.keyboard.press('u');
  await two.page.getByText(/Assigned to cashier_1/).waitFor({ state: 'detached' });
  await two.page.keyboard.press('x');
  const dialog = two.page.getByRole('dialog', { name: 'Reject' });
  await dialog.getByLabel('Reason').selectOption('other');
  await dialog.getByLabel('Message to the customer').fill(HOSTILE);
  await expect.poll(() => dialog.getByText(HOSTILE, { exact: true }).count()).toBe(3);
  await dialog.getByRole('button', { name: 'Reject' }).click();
  await two.page.getByText('The customer is notified').waitFor();
  await openCase(one.page, 'deposits', id);
  await one.page.getByText(HOSTILE).first().waitFor();
  const { items } = await customerGet<{ items: { reason: string }[] }>('recharge/list', token, server.origin);
  expect(items[0]?.reason).toBe(HOSTILE);
  for (const desk of [one, two]) await leave(desk);
  await window.context.close();
});
