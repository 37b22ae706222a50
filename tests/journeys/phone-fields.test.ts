import { launch } from '@fairtick/kit/browser/browser.ts';
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

test.each([
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
])('no field of %s has a text below 16 px on a phone', async (path) => {
  await open(customer.page, path);
  expect(await smallFields(customer.page)).toEqual([]);
});

test('an Enter that ends a word of an input method does not send, and on a phone an Enter breaks the line', async () => {
  const { page, context } = customer;
  await open(page, '/chat');
  const field = page.getByLabel('Write a message');
  await field.focus();
  const devtools = await context.newCDPSession(page);
  await devtools.send('Input.imeSetComposition', { text: 'ni', selectionStart: 2, selectionEnd: 2 });
  await devtools.send('Input.dispatchKeyEvent', {
    type: 'rawKeyDown',
    key: 'Enter',
    windowsVirtualKeyCode: 229,
  });
  await devtools.send('Input.insertText', { text: '你' });
  await soon(() => field.inputValue()).toBe('你');
  await page.keyboard.press('Enter');
  await soon(() => field.inputValue()).toBe('你\n');
  expect(await page.getByRole('log').getByText('你').count()).toBe(0);
});
