import {
  holdAnswers,
  launch,
  neverGiveUp,
  newAccount,
  PASSWORD,
  visit,
} from '@fairtick/kit/browser/browser.ts';
import { axeFindings, call, member, open, shown, unfold, view } from '@fairtick/kit/browser/screens.ts';
import { soon } from '@fairtick/kit/browser/trader.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { fullTest } from '@fairtick/kit/size.ts';
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';

/** My Account: the customer's status, and links to everything of theirs. */
const browser = forFile(() => launch());

const main = (page: Page) => page.locator('[data-view=mine] main');
/** An entry by its label; its text also contains its value. */
const entry = (page: Page, role: 'link' | 'button', label: string): Locator =>
  main(page)
    .getByRole(role)
    .filter({ has: page.getByText(label, { exact: true }) });

test('/mine leads to each record and detail by its name, and back (S2-08, S2-32, S2-57, S2-58, S2-59, S2-60, S2-61, S2-62, S2-64)', async () => {
  const { page, context, complaints } = await member(browser, { language: 'en' });
  await open(page, '/index');
  await page.getByRole('link', { name: 'My Account' }).click();
  for (const [label, path] of [
    ['Deposits and withdrawals', '/accessLog'],
    ['Fund details', '/changeLog'],
    ['Historical orders', '/historyOrder'],
    ['Bank cards and addresses', '/bank'],
    ['Crypto addresses', '/editAddress'],
    ['Real-name verification', '/realName'],
    ['Withdrawal password', '/setPayWord'],
  ] as const) {
    await shown(page, '/mine');
    await unfold(page);
    await entry(page, 'link', label).click();
    await shown(page, path);
    await page.locator('[data-view]:visible').getByRole('button', { name: 'Back', exact: true }).click();
  }
  expect(complaints).toEqual([]);
  await context.close();
});

fullTest('a deposit is two taps away from the home and from every tab, with practice money too', async () => {
  const { page, context, complaints } = await member(browser, { language: 'en' });
  const deposit = () => view(page).getByRole('link', { name: 'Deposit', exact: true });
  await open(page, '/index');
  await view(page).getByRole('button', { name: 'Reset', exact: true }).waitFor();
  await deposit().click();
  await shown(page, '/recharge');
  for (const tab of ['/product', '/profit', '/chat', '/news']) {
    await open(page, tab);
    await page.getByRole('link', { name: 'My Account' }).click();
    await shown(page, '/mine');
    await deposit().click();
    await shown(page, '/recharge');
  }
  expect(complaints).toEqual([]);
  await context.close();
});

fullTest('/mine has ten rows in three groups, the folded ones with what needs attention', async () => {
  const { page, context, complaints } = await member(browser, { language: 'en' });
  await open(page, '/mine');
  const groups = main(page).getByRole('navigation');
  await soon(() => groups.getByRole('heading').allInnerTexts()).toEqual([
    'Money and orders',
    'Account',
    'Protection',
  ]);
  const rows = groups.locator('a, button, summary').locator('visible=true');
  expect(await rows.count()).toBe(10);
  await soon(() => main(page).locator('summary').allInnerTexts()).toEqual([
    'Payout details\nNot set',
    'Security\nAdd a second factor',
    'Settings\nEnglish',
    'Alerts, statistics, transparency',
  ]);
  await unfold(page);
  expect(await rows.count()).toBe(26);
  expect(await axeFindings(page)).toEqual([]);
  expect(complaints).toEqual([]);
  await context.close();
});

test('/mine offers changes of nickname, password and language, and the logout (S2-63, S2-65, S2-66, S2-67)', async () => {
  const { page, context, complaints } = await member(browser, { language: 'en' });
  await open(page, '/mine');
  await unfold(page);
  for (const [label, within] of [
    ['Change nickname', 'Nickname'],
    ['Change password', 'Current password'],
  ] as const) {
    await entry(page, 'button', label).click();
    const sheet = page.getByRole('dialog', { name: label });
    await sheet.getByLabel(within, { exact: true }).waitFor();
    await sheet.getByRole('button', { name: 'Close' }).click();
    await sheet.waitFor({ state: 'hidden' });
  }
  await entry(page, 'button', 'Language').click();
  const languages = page.getByRole('dialog', { name: 'Language' });
  await soon(() => languages.getByRole('button').allInnerTexts()).toEqual(
    expect.arrayContaining(['简体中文', '繁體中文', 'English']),
  );
  expect(await languages.locator('[aria-current=true]').allInnerTexts()).toEqual(['English']);
  expect(await languages.locator('[aria-current=true] svg').count()).toBe(1);
  await languages.getByRole('button', { name: 'Close' }).click();
  await main(page).getByRole('button', { name: 'Log out', exact: true }).click();
  await shown(page, '/login');
  expect(complaints).toEqual([]);
  await context.close();
});

fullTest('a login takes the account’s language on a device where none was chosen', async () => {
  const account = newAccount();
  await call('user/register', '', {
    account,
    password: PASSWORD,
    confirmPassword: PASSWORD,
    lang: 'en',
  });
  const { page, context, complaints } = await visit(browser);
  await open(page, '/login');
  await page.getByLabel('账号', { exact: true }).fill(account);
  await page.getByLabel('密码', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: '登录', exact: true }).click();
  await shown(page, '/index');
  await view(page).getByRole('link', { name: 'Deposit', exact: true }).waitFor();
  await soon(() => page.evaluate(() => document.documentElement.lang)).toBe('en-US');
  expect(complaints).toEqual([]);
  await context.close();
});

fullTest('a login gives the account the language that was chosen on the device', async () => {
  const account = newAccount();
  const form = { account, password: PASSWORD, confirmPassword: PASSWORD, lang: 'en' };
  const { data } = await call('user/register', '', form);
  const { token } = data as { token: string };
  const { page, context, complaints } = await visit(browser, { language: 'tw' });
  await open(page, '/login');
  await page.getByLabel('帳號', { exact: true }).fill(account);
  await page.getByLabel('密碼', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: '登入', exact: true }).click();
  await shown(page, '/index');
  const kept = async () => ((await call('user/getUserInfo', token)).data as { language: string }).language;
  await soon(kept).toBe('tw');
  expect(complaints).toEqual([]);
  await context.close();
});

fullTest('a new nickname stays when an answer from before the change comes late', async () => {
  const { page, complaints, context } = await member(browser, { language: 'en' });
  await neverGiveUp(page);
  const held = await holdAnswers(page, 'user/getUserInfo');
  await open(page, '/mine');
  await held.first;
  await unfold(page);
  await entry(page, 'button', 'Change nickname').click();
  const sheet = page.getByRole('dialog', { name: 'Change nickname' });
  await sheet.getByLabel('Nickname', { exact: true }).fill('Goldsmith');
  await sheet.getByRole('button', { name: 'Save' }).click();
  await sheet.waitFor({ state: 'hidden' });
  await held.release();
  expect(await main(page).locator('header').getByText('Goldsmith', { exact: true }).count()).toBe(1);
  expect(complaints).toEqual([]);
  await context.close();
});

test('/mine shows the level with its rule, and the credit score as the sum of its facts (S2-55, S2-56)', async () => {
  const { page, context, complaints } = await member(browser, { language: 'en' });
  await open(page, '/mine');
  await main(page).locator('header').getByText('Bronze', { exact: true }).waitFor();
  const score = main(page).getByRole('button', { name: /^Credit score/ });
  await score.getByText(/^Based on \d facts; nobody can edit it$/).waitFor();
  const shownScore = Number(await score.locator('b').first().innerText());
  await score.click();
  const sheet = page.getByRole('dialog', { name: 'Credit score' });
  await sheet.getByRole('heading', { name: `${shownScore} / 100` }).waitFor();
  const points = await sheet.getByRole('cell', { name: /^\d+ of \d+$/ }).allInnerTexts();
  expect(points.length).toBeGreaterThanOrEqual(5);
  const sum = (place: number) => points.reduce((total, text) => total + Number(text.split(' of ')[place]), 0);
  expect([sum(0), sum(1)]).toEqual([shownScore, 100]);
  await sheet.getByText('The score never affects withdrawals.').waitFor();
  for (const [level, rule] of [
    ['Bronze · Current', 'Registered'],
    ['Silver', 'Verified name'],
    ['Gold', 'Verified name and second factor for 90 days'],
    ['Platinum', 'Verified name and second factor for one year'],
  ] as const)
    await sheet.getByRole('row', { name: `${level} ${rule}`, exact: true }).waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

fullTest.each([
  ['zh', '时区', '东京', '东京'],
  ['tw', '時區', '東京', '東京'],
  ['en', 'Time zone', 'tokyo', 'Tokyo'],
] as const)(
  'a time zone is found by a city and chosen by the keyboard, in %s',
  async (language, label, typed, city) => {
    const { page, context, complaints } = await member(browser, { language, width: 1280, height: 800 });
    await open(page, '/mine');
    await unfold(page);
    await entry(page, 'button', label).click();
    const sheet = page.getByRole('dialog', { name: label });
    const field = sheet.getByRole('combobox');
    const options = sheet.getByRole('option');
    // The device's zone is chosen and comes first, with its city and offset.
    await soon(() => options.count()).toBeGreaterThan(400);
    expect(await options.first().getAttribute('aria-selected')).toBe('true');
    expect(await options.first().innerText()).toContain('GMT+8');
    expect(await axeFindings(page)).toEqual([]);
    await field.fill('+5:45');
    await soon(() => options.count()).toBe(1);
    await field.fill(typed);
    await soon(() => options.allInnerTexts()).toEqual([expect.stringMatching(`^${city}\\s+GMT\\+9$`)]);
    await field.press('Enter');
    await sheet.waitFor({ state: 'hidden' });
    await soon(() => entry(page, 'button', label).innerText()).toContain(city);
    await entry(page, 'button', label).click();
    await soon(() => sheet.locator('[aria-selected=true]').innerText()).toContain(city);
    // The arrows move from the chosen one, which is in sight.
    await field.press('ArrowDown');
    const active = sheet.locator('[data-active]');
    expect(await active.getAttribute('id')).toBe(await field.getAttribute('aria-activedescendant'));
    await field.fill('zzzz');
    await soon(() => options.count()).toBe(0);
    await sheet.getByRole('status').waitFor({ state: 'attached' });
    expect(complaints).toEqual([]);
    await context.close();
  },
);
