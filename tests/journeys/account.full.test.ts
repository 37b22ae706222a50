import { launch, newAccount, origin, PASSWORD, visit } from '@fairtick/kit/browser/browser.ts';
import { button, faultOf, field, noteOf } from '@fairtick/kit/browser/own-details.ts';
import {
  call,
  member,
  newSession,
  open,
  shown,
  stored,
  unfold,
  view,
} from '@fairtick/kit/browser/screens.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';

const browser = forFile(() => launch());

const NEW_PASSWORD = 'a tall green lantern';

/** The texts on the screens, by language. */
const WORDS = {
  en: {
    account: 'Account',
    password: 'Password',
    confirm: 'Confirm password',
    register: 'Register',
    login: 'Log in',
    forgot: 'Forgot password',
    support: 'Contact support',
    contact: 'Contact details',
    happened: 'What happened',
    send: 'Send',
    nickname: 'Change nickname',
    save: 'Save',
  },
  zh: {
    account: '账号',
    password: '密码',
    confirm: '确认密码',
    register: '注册',
    login: '登录',
    forgot: '忘记密码',
    support: '联系客服',
    contact: '联系方式',
    happened: '发生了什么',
    send: '提交',
    nickname: '修改昵称',
    save: '保存',
  },
  tw: {
    account: '帳號',
    password: '密碼',
    confirm: '確認密碼',
    register: '註冊',
    login: '登入',
    forgot: '忘記密碼',
    support: '聯絡客服',
    contact: '聯絡方式',
    happened: '發生了什麼',
    send: '提交',
    nickname: '修改暱稱',
    save: '儲存',
  },
} as const;
type Language = keyof typeof WORDS;
const LANGUAGES = Object.keys(WORDS) as Language[];

/** English texts must match the specification word for word; the other languages must be Chinese, each in its own script. */
function expectText(language: Language, text: string | null, english: string | RegExp): void {
  if (language === 'en') {
    if (typeof english === 'string') expect(text).toBe(english);
    else expect(text).toMatch(english);
    return;
  }
  expect(text, `${english}`).toMatch(/\p{Script=Han}{2}/u);
  expect(text, `${english}`).not.toMatch(/[A-Za-z]{2}/);
}

const toast = (page: Page) => page.locator('[role=status][aria-live]');
async function told(page: Page): Promise<string> {
  // Password hashing takes time.
  await expect.poll(() => toast(page).textContent()).not.toBe('');
  return (await toast(page).textContent()) ?? '';
}

describe('forms say what is missing, in three languages', () => {
  test('registration names the faults of account, passwords and consent (S3-48, S3-49, S5-01, S5-02, S5-03, S5-04, S5-05, S5-06, S5-11, S8-05, S9-03)', async () => {
    for (const language of LANGUAGES) {
      const words = WORDS[language];
      const { page, context } = await visit(browser, { language });
      await open(page, '/register');
      const account = field(page, words.account);
      const password = field(page, words.password);
      const confirm = field(page, words.confirm);
      const submit = button(page, words.register);
      expectText(language, await noteOf(account), /^Starts with a letter; 6–18 letters/);
      await submit.click();
      await account.and(page.locator('[aria-invalid]')).waitFor();
      expectText(language, await faultOf(account), 'Account cannot be empty');
      expectText(language, await faultOf(password), 'Password cannot be empty');
      expectText(language, await faultOf(confirm), 'Please enter the confirmation password');
      const consent = page.locator('form p[role=alert]').last();
      expectText(language, await consent.textContent(), /^Please tick the box/);

      await password.fill('1234567');
      await confirm.fill(NEW_PASSWORD);
      for (const wrong of ['1abcdef', 'a2345', 'a'.repeat(19), 'with space', '_abcdef']) {
        await account.fill(wrong);
        await submit.click();
        expectText(language, await faultOf(account), /^An account name starts with a letter and has 6–18/);
      }
      expectText(language, await faultOf(password), 'The password must have at least 8 characters');
      expect(await faultOf(confirm)).toBeNull();
      await password.fill('12345678');
      await submit.click();
      expectText(language, await faultOf(confirm), 'The two passwords do not match');
      for (const right of ['a23456', 'A_bcdefgh123456789']) {
        await account.fill(right);
        await submit.click();
        expect(await faultOf(account), right).toBeNull();
      }
      expect([await password.inputValue(), await confirm.inputValue()]).toEqual(['12345678', NEW_PASSWORD]);
      expect(await stored(page)).not.toHaveProperty('token');
      await context.close();
    }
  });

  test('login and the request to support name their empty fields, and the request is confirmed (S2-43, S3-49, S5-01, S5-02, S5-11, S8-05, S8-07)', async () => {
    for (const language of LANGUAGES) {
      const words = WORDS[language];
      const { page, context } = await visit(browser, { language });
      await open(page, '/login');
      expect(await field(page, words.confirm).count()).toBe(0);
      await button(page, words.login).click();
      expectText(language, await faultOf(field(page, words.account)), 'Account cannot be empty');
      expectText(language, await faultOf(field(page, words.password)), 'Password cannot be empty');

      await button(page, words.forgot).click();
      const sheet = page.getByRole('dialog', { name: words.forgot });
      await sheet.getByText(words.support, { exact: true }).click();
      const contact = field(sheet, words.contact);
      const happened = field(sheet, words.happened);
      await button(sheet, words.send).click();
      expectText(language, await faultOf(field(sheet, words.account)), 'Account cannot be empty');
      expectText(language, await faultOf(contact), 'Please fill out the complete form');
      expectText(language, await faultOf(happened), 'Please fill out the complete form');
      await field(sheet, words.account).fill(newAccount());
      await contact.fill('nobody@example.com');
      await happened.fill('…');
      await button(sheet, words.send).click();
      expectText(language, await told(page), 'Submitted Successfully');
      await sheet.waitFor({ state: 'hidden' });
      await context.close();
    }
  });

  test('a nickname is required; a new one is confirmed, shown and kept (S2-67, S5-17, S7-18, S8-05, S8-06)', async () => {
    for (const language of LANGUAGES) {
      const words = WORDS[language];
      const { page, context, token } = await member(browser, { language });
      await open(page, '/mine');
      await unfold(page);
      await page.getByRole('button', { name: words.nickname }).click();
      const sheet = page.getByRole('dialog', { name: words.nickname });
      const nickname = sheet.getByRole('textbox');
      for (const empty of ['', '   ']) {
        await nickname.fill(empty);
        await button(sheet, words.save).click();
        expectText(language, await faultOf(nickname), 'Nickname cannot be empty');
      }
      await nickname.fill('Goldsmith 金');
      await button(sheet, words.save).click();
      expectText(language, await told(page), 'Modified Successfully');
      await sheet.waitFor({ state: 'hidden' });
      await view(page).getByText('Goldsmith 金').first().waitFor();
      const { data } = await call('user/getUserInfo', token);
      expect(data).toMatchObject({ nickname: 'Goldsmith 金' });
      await context.close();
    }
  });
});

describe('access to an account', () => {
  test('registration refuses a taken account and keeps the form, and a new account gets its recovery codes (S2-42, S7-12, S7-13, S8-01)', async () => {
    const { page, context } = await visit(browser, { language: 'en' });
    await open(page, '/register');
    const account = field(page, 'Account');
    const fields = [account, field(page, 'Password'), field(page, 'Confirm password')];
    await account.fill('DEMO_user');
    await fields[1]?.fill(PASSWORD);
    await fields[2]?.fill(PASSWORD);
    const consent = page.getByRole('checkbox');
    await consent.check();
    await button(page, 'Register').click();
    await expect.poll(() => faultOf(account)).toBe('This account name is already taken');
    expect(await Promise.all(fields.map((input) => input.inputValue()))).toEqual([
      'DEMO_user',
      PASSWORD,
      PASSWORD,
    ]);
    expect(await consent.isChecked()).toBe(true);

    const name = newAccount();
    await account.fill(name);
    await button(page, 'Register').click();
    await page.getByRole('heading', { name: 'Save your recovery codes' }).waitFor();
    await expect.poll(async () => new Set(await page.locator('ol li').allTextContents()).size).toBe(10);
    expect(JSON.parse((await stored(page)).userInfo ?? '{}')).toMatchObject({ account: name });
    await context.close();
  });

  test('login refuses a wrong password and keeps the form, and the right one sets token and user info (S4-21, S7-09, S7-10, S8-01)', async () => {
    const { page, context } = await visit(browser, { language: 'en' });
    await open(page, '/login');
    const account = field(page, 'Account');
    const password = field(page, 'Password');
    for (const [name, secret] of [
      ['demo_user', 'not the password'],
      ['no_such_account', 'Demo-1234'],
    ] as const) {
      await account.fill(name);
      await password.fill(secret);
      await button(page, 'Log in').click();
      await page.getByText('Incorrect account or password').waitFor();
      expect([await account.inputValue(), await password.inputValue()]).toEqual([name, secret]);
      expect(await stored(page)).not.toHaveProperty('token');
      await page.goto('about:blank');
      await open(page, '/login');
    }
    await account.fill('Demo_User');
    await password.fill('Demo-1234');
    await button(page, 'Log in').click();
    await shown(page, '/index');
    await page.getByTestId('balance').waitFor();
    const { token = '', userInfo = '{}' } = await stored(page);
    expect(JSON.parse(userInfo)).toMatchObject({ account: 'demo_user' });
    expect((await call('user/getUserInfo', token)).code).toBe(1);
    await context.close();
  });

  test('login leads to the page that was requested, or home after a logout', async () => {
    const { page, context } = await visit(browser, { language: 'en' });
    const logIn = async () => {
      await shown(page, '/login');
      await field(page, 'Account').fill('demo_user');
      await field(page, 'Password').fill('Demo-1234');
      await button(page, 'Log in').click();
    };
    await page.goto(`${origin()}/mine?from=a-letter`);
    await logIn();
    await shown(page, '/mine');
    expect(new URL(page.url()).search).toBe('?from=a-letter');
    await button(page, 'Log out').click();
    await logIn();
    await shown(page, '/index');
    await context.close();
  });

  test('a recovery code sets a new password once and ends every session (S2-43, S8-06)', async () => {
    const { page, context, account, token, recoveryCodes } = await member(browser, { language: 'en' });
    await open(page, '/mine');
    const visitor = await visit(browser, { language: 'en' });
    await open(visitor.page, '/login');
    await field(visitor.page, 'Account').fill(account);
    const sheet = visitor.page.getByRole('dialog', { name: 'Forgot password' });
    const recover = async () => {
      await button(visitor.page, 'Forgot password').click();
      await field(sheet, 'Recovery code')
        .and(sheet.getByRole('textbox'))
        .fill(recoveryCodes[3] as string);
      await field(sheet, 'New password').fill(NEW_PASSWORD);
      await field(sheet, 'Confirm password').fill(NEW_PASSWORD);
      await button(sheet, 'Set new password').click();
    };
    await recover();
    expect(await told(visitor.page)).toBe('Modified Successfully');
    await sheet.waitFor({ state: 'hidden' });
    await shown(page, '/login');
    expect((await call('user/getUserInfo', token)).code).toBe(401);
    expect(await newSession(account, PASSWORD)).toBeNull();

    await recover();
    await visitor.page.getByText('Incorrect account or recovery code').waitFor();
    expect(await field(sheet, 'New password').inputValue()).toBe(NEW_PASSWORD);
    await button(sheet, 'Close').click();
    await field(visitor.page, 'Password').fill(NEW_PASSWORD);
    await button(visitor.page, 'Log in').click();
    await shown(visitor.page, '/index');
    await context.close();
    await visitor.context.close();
  });

  test('a password change needs the old password, signs out the other device and keeps this session (S2-63, S5-03, S5-04, S8-06)', async () => {
    const { page, context, account, token } = await member(browser, { language: 'en' });
    const elsewhere = await visit(browser, { language: 'en' });
    await open(elsewhere.page, '/login');
    await field(elsewhere.page, 'Account').fill(account);
    await field(elsewhere.page, 'Password').fill(PASSWORD);
    await button(elsewhere.page, 'Log in').click();
    await shown(elsewhere.page, '/index');

    await open(page, '/mine');
    await unfold(page);
    await page.getByRole('button', { name: 'Change password' }).click();
    const sheet = page.getByRole('dialog', { name: 'Change password' });
    const current = field(sheet, 'Current password');
    const next = field(sheet, 'New password');
    const confirm = field(sheet, 'Confirm password');
    await button(sheet, 'Save').click();
    expect(await faultOf(confirm)).toBe('Please enter the confirmation password');
    await current.fill('not the password');
    await next.fill(NEW_PASSWORD);
    await confirm.fill('another');
    await button(sheet, 'Save').click();
    expect(await faultOf(confirm)).toBe('The two passwords do not match');
    await confirm.fill(NEW_PASSWORD);
    await button(sheet, 'Save').click();
    await expect.poll(() => faultOf(current)).toBe('The current password is incorrect');
    expect([await next.inputValue(), await confirm.inputValue()]).toEqual([NEW_PASSWORD, NEW_PASSWORD]);
    await current.fill(PASSWORD);
    await button(sheet, 'Save').click();
    expect(await told(page)).toBe('Modified Successfully');

    await shown(elsewhere.page, '/login');
    expect(await stored(elsewhere.page)).toEqual({});
    expect((await call('user/getUserInfo', token)).code).toBe(1);
    expect(await newSession(account, PASSWORD)).toBeNull();
    expect(await newSession(account, NEW_PASSWORD)).not.toBeNull();
    await context.close();
    await elsewhere.context.close();
  });
});
