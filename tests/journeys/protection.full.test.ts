import { launch, place } from '@fairtick/kit/browser/browser.ts';
import { axeFindings, call, member, open, shown, view } from '@fairtick/kit/browser/screens.ts';
import { soon, tapUntilTold } from '@fairtick/kit/browser/trader.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import type { PriceAlerts } from '@fairtick/protocol';
import { expect, test } from 'vitest';

/** Limits and breaks, price alerts, and statistics of a customer. */
const browser = forFile(() => launch());

/** Out of reach of the product's price. */
const FAR = '9.00000';

test('a limit applies at once, is shown with its remainder, and is loosened only a day later', async () => {
  const { page, context, token, complaints } = await member(browser, { language: 'en' });
  await place(token, { amount: '60', symbol: 'BTC/USDT' });
  await open(page, '/limits');
  const row = page.locator('[data-limit=stake-day]');
  await row.click();
  const dialog = page.getByRole('dialog', { name: 'Stakes · Per day' });
  await dialog.getByLabel('Limit', { exact: true }).fill('100');
  await dialog.getByText('Takes effect immediately.').waitFor();
  await dialog.getByRole('button', { name: 'Save limit' }).click();
  await row.getByText('60.00 used, 40.00 left').waitFor();
  expect(await axeFindings(page)).toEqual([]);
  const over = { direction: 'up', minutes: '1', amount: '50', asset: 'DEMO', symbol: 'BTC/USDT', lang: 'en' };
  // A busy server may be too late for any answer: then it is asked again.
  await soon(async () => (await call('order/create', token, over)).msg).toContain('your own limit on stakes');
  await row.click();
  await dialog.getByLabel('Limit', { exact: true }).fill('500');
  await dialog.getByText('This is less strict than now').waitFor();
  await dialog.getByRole('button', { name: 'Save limit' }).click();
  await row.getByText(/^becomes 500\.00 DEMO from /).waitFor();
  await row.getByText('100.00 DEMO', { exact: true }).waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

test('a break takes two taps; then product and ticket show its end before an order is sent', async () => {
  const { page, context, token, complaints } = await member(browser, { language: 'en', width: 1280 });
  await open(page, '/limits');
  await page.getByRole('button', { name: /^Take a break/ }).click();
  const dialog = page.getByRole('dialog', { name: 'Take a break' });
  await dialog.getByRole('button', { name: 'Start' }).click();
  // Leaving the page cancels the getUserInfo call, so the answer to the break itself must suffice.
  await page.route('**/getUserInfo*', () => undefined);
  await dialog.getByRole('button', { name: 'Tap again: it cannot be ended early' }).click();
  await page.getByRole('heading', { name: 'You are on a break' }).waitFor();
  await page.getByRole('button', { name: /^Extend the break/ }).waitFor();
  await page.getByText(/^No orders or deposits until/).waitFor();

  await open(page, '/product?symbol=BTC%2FUSDT');
  const rest = page.getByText(/^You are on a break until .+ You cannot place orders/);
  await rest.waitFor();
  await page.getByLabel('Amount (stake)', { exact: true }).fill('100');
  expect(await page.getByRole('button', { name: /^Buy up 100/ }).isDisabled()).toBe(true);
  await page.setViewportSize({ width: 375, height: 812 });
  await open(page, '/product?symbol=BTC%2FUSDT');
  await rest.waitFor();
  for (const name of ['Buy up', 'Buy down'])
    expect(await view(page).getByRole('button', { name, exact: true }).isDisabled()).toBe(true);
  expect(await axeFindings(page)).toEqual([]);
  const order = {
    direction: 'up',
    minutes: '1',
    amount: '50',
    asset: 'DEMO',
    symbol: 'BTC/USDT',
    lang: 'en',
  };
  await soon(async () => (await call('order/create', token, order)).msg).toMatch(/^You are on a break/);
  expect(complaints).toEqual([]);
  await context.close();
});

test('a break that began on another device is shown by the refusal, and by the ticket from then on', async () => {
  const { page, context, token } = await member(browser, { language: 'en', width: 1280 });
  await open(page, '/product?symbol=BTC%2FUSDT');
  await page.getByLabel('Amount (stake)', { exact: true }).fill('100');
  await page.getByRole('button', { name: /^Buy up 100/ }).waitFor();
  expect((await call('protection/takeBreak', token, { hours: '24' })).code).toBe(1);
  await soon(() => page.getByRole('button', { name: /^Buy up 100/ }).isEnabled()).toBe(true);
  await tapUntilTold(page, page.getByText(/^You are on a break\. Until it ends/));
  await page.getByLabel('Amount (stake)', { exact: true }).fill('50');
  await page.getByText(/^You are on a break until .+ You cannot place orders/).waitFor();
  await context.close();
});

test('a product leads to its alerts; a waiting alert can be removed, and a reached one is reported', async () => {
  const { page, context, token, complaints } = await member(browser, { language: 'en' });
  await open(page, '/product?symbol=EUR%2FUSD');
  await page.getByRole('link', { name: 'Price alerts' }).click();
  await shown(page, '/alerts');
  await soon(() => page.getByLabel('Product', { exact: true }).inputValue()).toBe('EUR/USD');
  await page.getByLabel('Price', { exact: true }).fill(FAR);
  await page.getByText(`Notifies you at ${Number(FAR)} or above`).waitFor();
  await page.getByRole('button', { name: 'Add alert' }).click();
  const waiting = page.locator('[data-alert="EUR/USD"]');
  await waiting.getByText(FAR).waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await page.getByRole('button', { name: `Remove the alert for EUR/USD at ${FAR}` }).click();
  await page.getByText('No alerts yet').waitFor();

  await addBesideThePrice(token);
  await open(page, '/alerts?symbol=EUR%2FUSD');
  await page.getByRole('heading', { name: 'Triggered' }).waitFor({ timeout: 60_000 });
  await page
    .getByText(/^Reached \d\.\d{5} at /)
    .first()
    .waitFor();
  await open(page, '/notices');
  await page
    .getByText(/^EUR\/USD has (risen|fallen) to /)
    .first()
    .waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

test('an alert reported between a page’s answer and its first notices is shown', async () => {
  const { page, context, token, complaints } = await member(browser, { language: 'en' });
  const begun = Promise.withResolvers<void>();
  await page.routeWebSocket(/\/api\/stream/, (socket) => {
    const server = socket.connectToServer();
    socket.onMessage((message) => {
      if (!String(message).includes('"notices"')) server.send(message);
      else void begun.promise.then(() => server.send(message));
    });
  });
  await open(page, '/alerts?symbol=EUR%2FUSD');
  await page.getByText('No alerts yet').waitFor();
  await addBesideThePrice(token);
  const told = async () => ((await call('alert/list', token)).data as PriceAlerts).fired.length;
  await expect.poll(told, { timeout: 60_000 }).toBeGreaterThan(0);
  begun.resolve();
  await page.getByRole('heading', { name: 'Triggered' }).waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

/** Adds an alert a point above and one a point below, so that the price reaches one whichever way it moves. */
async function addBesideThePrice(token: string): Promise<void> {
  for (;;) {
    const { data: product } = await call('product/detail?symbol=EUR%2FUSD', token);
    const points = Math.round(Number((product as { price: string }).price) * 1e5);
    for (const price of [points + 1, points - 1].map((mark) => (mark / 1e5).toFixed(5))) {
      const { code, msg } = await call('alert/add', token, { symbol: 'EUR/USD', price, lang: 'en' });
      if (code !== 1) expect(msg).toMatch(/^This is the current price/);
    }
    // If the price moved meanwhile, both are on one side or one is at the price.
    const { waiting, fired } = (await call('alert/list', token)).data as PriceAlerts;
    const ways = new Set([...waiting, ...fired].map(({ direction }) => direction));
    if (ways.size === 2) return;
  }
}

test('statistics without orders are unknown, not zero', async () => {
  const { page, context, complaints } = await member(browser, { language: 'en' });
  await open(page, '/statistics');
  await page.getByText('No settled orders in this period').waitFor();
  expect(await page.getByTestId('result').count()).toBe(0);
  await page.getByRole('link', { name: 'Limits and breaks' }).click();
  await shown(page, '/limits');
  expect(complaints).toEqual([]);
  await context.close();
});
