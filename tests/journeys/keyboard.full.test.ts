import { api, launch, newAccount, origin, PASSWORD, visit } from '@fairtick/kit/browser/browser.ts';
import { sitDown } from '@fairtick/kit/browser/desk.ts';
import { announceDeposit } from '@fairtick/kit/browser/payee.ts';
import { axeFindings, member, open, pathOf } from '@fairtick/kit/browser/screens.ts';
import { checkSettlement, openProduct, soon, tapUntilTaken, trader } from '@fairtick/kit/browser/trader.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';

const browser = forFile(() => launch());

/** Any control of a screen must be reachable within this many stops. */
const MOST_STOPS = 60;

const isFocused = (what: Locator) =>
  what.evaluateAll((elements) => elements.includes(document.activeElement as HTMLElement));

/** Presses Tab until `what` has the focus. Every stop on the way must be visible and have a name. */
async function tabTo(page: Page, what: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  const passed: string[] = [];
  // A screen that is still loading has fewer stops.
  await soon(() => what.count()).toBeGreaterThan(0);
  for (let stops = 0; stops < MOST_STOPS; stops += 1) {
    if (await isFocused(what)) return;
    await page.keyboard.press(key);
    const stop = await stopOf(page);
    passed.push(stop.name);
    expect(stop.faults, `${stop.name} on ${page.url()}`).toEqual([]);
  }
  throw new Error(`${what} is not reached by ${key}; passed: ${passed.join(' · ')}`);
}

/** The focused element's name and its faults. */
function stopOf(page: Page): Promise<{ name: string; faults: string[] }> {
  return page.evaluate(() => {
    const active = document.activeElement as HTMLElement | null;
    // After the last stop the focus leaves the page for the browser's own bar.
    if (!active || active === document.body) return { name: '(end)', faults: [] };
    const labels = 'labels' in active ? [...((active as HTMLInputElement).labels ?? [])] : [];
    const words = [active.ariaLabel, ...labels.map(({ textContent }) => textContent), active.textContent];
    const name = words.find((word) => word && word.trim() !== '')?.trim() ?? '';
    const { width, height } = active.getBoundingClientRect();
    return {
      name: name.slice(0, 40),
      faults: [
        name === '' ? 'has no name' : '',
        width * height === 0 || !active.checkVisibility() ? 'is not to be seen' : '',
      ].filter(Boolean),
    };
  });
}

/** Tabs to an element and presses a key on it, once it takes presses. */
async function press(page: Page, what: Locator, key = 'Enter'): Promise<void> {
  await tabTo(page, what);
  await soon(() => page.locator(':focus').isEnabled()).toBe(true);
  await page.keyboard.press(key);
}

const button = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name }).locator('visible=true');

test('a customer registers, keeps the codes, buys, sees the result and checks it with the keyboard alone', async () => {
  const { page, context, complaints } = await visit(browser, { language: 'en' });
  await page.goto(`${origin()}/register`);
  await tabTo(page, page.getByLabel('Account', { exact: true }));
  await page.keyboard.type(newAccount());
  for (const label of ['Password', 'Confirm password']) {
    await tabTo(page, page.getByLabel(label, { exact: true }));
    await page.keyboard.type(PASSWORD);
  }
  await press(page, page.getByRole('checkbox'), 'Space');
  await press(page, button(page, 'Register'));
  // The codes replace the form and get the focus.
  const codes = page.getByRole('heading', { name: 'Save your recovery codes' });
  await soon(() => isFocused(codes)).toBe(true);
  await press(page, button(page, 'I have saved them'));
  await soon(() => pathOf(page)).toBe('/index');

  await press(page, page.getByRole('link', { name: /EUR\/USD/ }));
  await page.locator('[data-testid=price]').getByText(/\d/).waitFor();
  const entry = button(page, 'Buy down');
  await soon(() => entry.isEnabled()).toBe(true);
  await press(page, entry);
  // The sheet takes the focus, and Escape returns it to the button that opened it.
  const down = page.getByRole('radio', { name: 'Buy down' });
  await soon(() => isFocused(down)).toBe(true);
  await page.keyboard.press('Escape');
  await soon(() => isFocused(entry)).toBe(true);
  await page.keyboard.press('Enter');
  await soon(() => isFocused(down)).toBe(true);
  await page.keyboard.press('ArrowLeft');
  await soon(() => isFocused(page.getByRole('radio', { name: 'Buy up' }))).toBe(true);
  // From the five minutes that come first to one.
  await tabTo(page, page.locator('input[name=minutes]:checked'));
  for (let step = 0; step < 2; step += 1) await page.keyboard.press('ArrowLeft');
  await tabTo(page, page.getByLabel('Amount (stake)', { exact: true }));
  await page.keyboard.type('100');
  await press(page, button(page, /Buy up\s*100/));
  const armed = button(page, /Tap again/);
  await armed.waitFor();
  // Escape cancels the first tap and leaves the sheet open.
  await page.keyboard.press('Escape');
  await soon(() => armed.count()).toBe(0);
  // Two more taps when a busy server refuses the order.
  await tapUntilTaken(page, async () => {
    await page.keyboard.press('Enter');
    await armed.waitFor();
    await soon(() => armed.isEnabled()).toBe(true);
    await page.keyboard.press('Enter');
  });
  const card = page.locator('a[data-order]').locator('visible=true').first();
  await card.waitFor();
  await soon(() => isFocused(card)).toBe(true);
  await page.keyboard.press('Enter');
  await page.locator('[data-status=settled]').waitFor({ timeout: 120_000 });
  await checkSettlement(page, (check) => press(page, check));
  const holds = page.getByRole('heading', { name: 'Checked on this device: everything matches' });
  await soon(() => isFocused(holds)).toBe(true);
  await tabTo(page, button(page, 'Save receipt as file'));
  expect(complaints).toEqual([]);
  await context.close();
}, 300_000);

test('a sheet focuses its first field and returns the focus, and arrow keys move through a menu', async () => {
  const { page, context, complaints } = await member(browser, { language: 'en', width: 1280 });
  await open(page, '/mine');
  await press(page, page.locator('summary').filter({ hasText: 'Settings' }));
  const nickname = button(page, /Change nickname/);
  await press(page, nickname);
  await soon(() => isFocused(page.getByRole('dialog').getByRole('textbox'))).toBe(true);
  await page.keyboard.press('Escape');
  await soon(() => isFocused(nickname)).toBe(true);

  const languages = button(page, 'Language').first();
  await tabTo(page, languages, 'Shift+Tab');
  await page.keyboard.press('Enter');
  const item = (name: string) => page.getByRole('menuitemradio', { name });
  await soon(() => isFocused(item('English'))).toBe(true);
  await page.keyboard.press('ArrowDown');
  await soon(() => isFocused(item('简体中文'))).toBe(true);
  await page.keyboard.press('End');
  await soon(() => isFocused(item('English'))).toBe(true);
  await page.keyboard.press('Escape');
  await soon(() => isFocused(languages)).toBe(true);
  expect(complaints).toEqual([]);
  await context.close();
});

test('going back focuses the link that was followed, and a skip link leads from the product to its ticket', async () => {
  const { page, context, complaints } = await member(browser, { language: 'en', width: 1280 });
  await open(page, '/mine');
  const row = page.getByRole('link', { name: /Limits and breaks/ }).locator('visible=true');
  await press(page, row);
  await soon(() => pathOf(page)).toBe('/limits');
  await soon(() => isFocused(page.locator('[data-view=limits] main'))).toBe(true);
  await page.goBack();
  await soon(() => isFocused(row)).toBe(true);

  await open(page, '/product?symbol=EUR/USD');
  await page.locator('#ticket-amount').waitFor();
  await press(page, button(page, 'Skip to the order form'));
  await soon(() => isFocused(page.getByRole('radio', { name: 'Buy up' }))).toBe(true);
  expect(complaints).toEqual([]);
  await context.close();
});

test('keys of a wide screen fill in an order, arm and confirm it, and their list turns them off', async () => {
  const { page, context, complaints, token } = await trader(browser, { width: 1280, height: 800 });
  await openProduct(page, 'EUR/USD');
  await soon(() => page.title()).toMatch(/^[\d.,]+ EUR\/USD · Fairtick$/);
  await page.locator('#ticket-amount').waitFor();
  const down = page.getByRole('radio', { name: 'Buy down' });
  await soon(async () => {
    await page.keyboard.press('d');
    return down.isChecked();
  }).toBe(true);
  const cycle = () => page.getByRole('radio', { name: /min/, checked: true }).getAttribute('value');
  const before = await cycle();
  await soon(async () => {
    await page.keyboard.press(']');
    return cycle();
  }).not.toBe(before);
  await page.keyboard.press('/');
  await soon(() => isFocused(page.getByRole('searchbox').locator('visible=true'))).toBe(true);
  await page.keyboard.type('ethereum');
  await page.keyboard.press('Enter');
  await soon(() => page.title()).toContain('ETH/USDT');
  await soon(async () => {
    await page.keyboard.press('d');
    return down.isChecked();
  }).toBe(true);
  await page.locator('#ticket-amount').focus();
  // An amount has no letters, so the keys work in its field too.
  await page.keyboard.type('u25');
  await soon(() => down.isChecked()).toBe(false);
  await page.keyboard.press('d');
  await soon(() => down.isChecked()).toBe(true);
  await soon(() => page.locator('button[data-state=ready]').isEnabled()).toBe(true);
  await page.keyboard.press('Enter');
  const confirm = page.locator('button[data-state=armed]');
  await soon(() => isFocused(confirm)).toBe(true);
  await soon(() => confirm.getAttribute('aria-disabled')).toBeNull();
  await page.keyboard.press('Enter');
  await soon(
    async () => (await api<{ items: { amount: string; direction: string }[] }>('order/list', token)).items,
  ).toMatchObject([{ amount: '25.000000', direction: 'down' }]);

  await page.keyboard.press('?');
  await page.getByText('Press once to prepare, again to confirm').waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await page.getByRole('radio', { name: 'Shortcuts off' }).check();
  await page.keyboard.press('Escape');
  await page.getByText('Press once to prepare').waitFor({ state: 'detached' });
  await page.keyboard.press('u');
  expect(await down.isChecked()).toBe(true);
  expect(complaints).toEqual([]);
  await context.close();
});

test('a cashier credits a deposit with the keyboard alone, and continues with the next case', async () => {
  const customer = await member(browser);
  await announceDeposit(customer.token, '321');
  await announceDeposit(customer.token, '322');
  await customer.context.close();
  const office = process.env.FAIRTICK_OFFICE ?? '';
  const { page, complaints, close } = await sitDown(browser, office, 'cashier_1');
  await press(page, page.getByRole('navigation').getByRole('link', { name: /Deposits/ }));
  await tabTo(page, page.getByLabel('Find account'));
  await page.keyboard.type(customer.account);
  const row = (amount: string) => page.getByRole('row', { name: new RegExp(`${amount}\\.00`) });
  await row('322').waitFor();
  await press(page, row('321'));
  await press(page, button(page, /^Assign to me/));
  const found = page.getByLabel('Amount found, USDT');
  await soon(() => found.isEnabled()).toBe(true);
  await tabTo(page, found);
  await page.keyboard.type('321');
  await tabTo(page, page.getByLabel('Transaction hash or bank reference'));
  await page.keyboard.type(`keyboard ${customer.account}`);
  await press(page, button(page, 'Credit 321.00 USDT'));
  const confirm = page.getByRole('dialog').getByRole('button', { name: /^Credit/ });
  await soon(() => isFocused(confirm)).toBe(true);
  await soon(() => confirm.isEnabled()).toBe(true);
  await page.keyboard.press('Enter');
  await soon(() => row('321').count()).toBe(0);
  await soon(() => isFocused(row('322'))).toBe(true);
  expect(complaints).toEqual([]);
  await close();
});
