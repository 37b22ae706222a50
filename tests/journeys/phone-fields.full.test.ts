import { launch, origin, visit } from '@fairtick/kit/browser/browser.ts';
import { type Member, member, open } from '@fairtick/kit/browser/screens.ts';
import { soon } from '@fairtick/kit/browser/trader.ts';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';

/** Fields on a phone: their font size, and the Enter key of input methods. */
let browser: Browser;
let customer: Member;
beforeAll(async () => {
  browser = await launch();
  customer = await member(browser, { language: 'en' });
});
afterAll(() => browser.close());

/** Fields whose text is smaller than 16 px: iOS zooms in on them. */
const smallFields = (page: Page): Promise<string[]> =>
  page.locator('input, select, textarea').evaluateAll((fields) =>
    fields
      .filter((field) => !/^(checkbox|radio|file|range|hidden)$/.test(field.getAttribute('type') ?? ''))
      .filter((field) => Number.parseFloat(getComputedStyle(field).fontSize) < 16)
      .map((field) => `${field.localName} ${field.id || field.className}`),
  );

test('no field has a text below 16 px on a phone', async () => {
  const { page } = customer;
  for (const path of [
    '/product',
    '/chat',
    '/recharge',
    '/with',
    '/realName',
    '/editAddress',
    '/editBank',
    '/setPayWord',
    '/limits',
    '/alerts',
  ]) {
    await open(page, path);
    expect([path, await smallFields(page)]).toEqual([path, []]);
  }
  await page.goto(`${origin()}/product?symbol=BTC/USDT`);
  await page.getByRole('button', { name: 'Buy up' }).first().click();
  await page.getByRole('dialog').getByRole('textbox').first().waitFor();
  expect(await smallFields(page)).toEqual([]);
  const visitor = await visit(browser, { language: 'en' });
  for (const path of ['/login', '/register']) {
    await visitor.page.goto(`${origin()}${path}`);
    await visitor.page.getByRole('textbox').first().waitFor();
    expect([path, await smallFields(visitor.page)]).toEqual([path, []]);
  }
  await visitor.context.close();
});

/** Writes a word with an input method and ends it with Enter, as Chromium reports it: key code 229 while the word is open. */
async function writeWord(page: Page, letters: string, word: string): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Input.imeSetComposition', {
    text: letters,
    selectionStart: letters.length,
    selectionEnd: letters.length,
  });
  await devtools.send('Input.dispatchKeyEvent', {
    type: 'rawKeyDown',
    key: 'Enter',
    windowsVirtualKeyCode: 229,
  });
  await devtools.send('Input.insertText', { text: word });
  await devtools.detach();
}

test('an Enter on a phone breaks the line', async () => {
  const { page } = customer;
  await open(page, '/chat');
  const field = page.getByLabel('Write a message');
  await field.focus();
  await writeWord(page, 'ni', '你');
  await soon(() => field.inputValue()).toBe('你');
  await page.keyboard.press('Enter');
  await soon(() => field.inputValue()).toBe('你\n');
  expect(await page.getByRole('log').getByText('你').count()).toBe(0);
});

test('on a keyboard, an Enter that ends a word of an input method does not send, and the next one does', async () => {
  const { page, context } = await member(browser, { language: 'en', width: 1280 });
  await open(page, '/chat');
  const field = page.getByLabel('Write a message');
  await field.focus();
  await writeWord(page, 'nihao', '你好');
  await soon(() => field.inputValue()).toBe('你好');
  expect(await page.getByRole('log').getByText('你好').count()).toBe(0);
  await page.keyboard.press('Enter');
  await page.getByRole('log').getByText('你好').waitFor();
  await soon(() => field.inputValue()).toBe('');
  await context.close();
});
