import { api, launch, origin, place } from '@fairtick/kit/browser/browser.ts';
import {
  type Detail,
  fact,
  ordersOf,
  placements,
  showTerms,
  tapTwice,
  withLimits,
} from '@fairtick/kit/browser/orders.ts';
import {
  fillTicket,
  openProduct,
  soon,
  tapUntilTaken,
  tapUntilTold,
  trader,
} from '@fairtick/kit/browser/trader.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { fullTest } from '@fairtick/kit/size.ts';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';

const browser = forFile(() => launch());

describe('an order that is not possible', () => {
  fullTest('is held back on the ticket, with the reason, before it is sent (S5-18, S9-08)', async () => {
    const { page } = await trader(browser);
    const requests = placements(page);
    await openProduct(page, 'BTC/USDT');
    await fillTicket(page, '9.99');
    const alert = page.getByRole('alert');
    await alert.filter({ hasText: 'The minimum purchase is 10.00 DEMO' }).waitFor();
    const deposit = page.getByLabel('Amount (stake)', { exact: true });
    await deposit.fill('5000.000001');
    await alert.filter({ hasText: 'The maximum purchase is 5,000.00 DEMO' }).waitFor();
    expect(await fact(page, 'Expected income').textContent()).toMatch(/^\+\d\d%$/);
    expect(await page.getByRole('button', { name: 'Buy up', exact: true }).isDisabled()).toBe(true);
    // A pasted amount stays as it is, with the reason; coins take all their decimals.
    await deposit.fill('33.333333');
    await alert.filter({ hasText: 'Enter DEMO with up to 2 decimals' }).waitFor();
    expect(await deposit.inputValue()).toBe('33.333333');
    expect(await fact(page, 'Expected income').textContent()).toMatch(/^\+\d\d%$/);
    expect(await page.getByRole('button', { name: 'Buy up', exact: true }).isDisabled()).toBe(true);
    await page.getByLabel('Asset type').selectOption('BTC');
    await deposit.fill('0.00033333');
    await soon(() => fact(page, 'Deposit (held)').textContent()).toBe('0.00033333 BTC');
    expect(await fact(page, 'Expected income').textContent()).toMatch(/^\+0\.000\d+$/);
    await page.getByLabel('Asset type').selectOption('DEMO');
    await deposit.fill('5000');
    await soon(() => alert.textContent()).toBe('');
    expect(await page.getByRole('button', { name: /^Buy up 5,000/ }).isEnabled()).toBe(true);
    expect(requests).toEqual([]);
  });

  fullTest(
    'a closed market shows its closure and its next opening instead of taking an order (S2-45, S5-18)',
    async () => {
      const { page } = await trader(browser, { language: 'tw' });
      const closed = await findClosed();
      await page.goto(`${origin()}/product?symbol=${closed}`);
      await page.getByText(/^已休市 · .*\d\d:\d\d/).waitFor();
      for (const name of ['買漲', '買跌'])
        expect(await page.getByRole('button', { name, exact: true }).isDisabled()).toBe(true);
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.getByRole('status').filter({ hasText: '已休市' }).waitFor();
    },
  );

  fullTest.for([
    { why: 'the balance went elsewhere meanwhile', language: 'zh', says: '可用余额不足', amount: '50' },
    { why: 'the minimum has risen', language: 'tw', says: '最低買入 10 DEMO', amount: '5' },
    {
      why: 'the maximum has fallen',
      language: 'en',
      says: 'The maximum purchase is 5000 DEMO',
      amount: '6000',
    },
    { why: 'the market has closed', language: 'zh', says: '已休市', amount: '50' },
  ] as const)(
    'the server’s refusal is shown and the ticket stays filled: $why (S7-31, S8-01, S8-08)',
    async ({ why, language, says, amount }) => {
      const { page, complaints, token } = await trader(browser, { language, width: 1280, height: 800 });
      const isClosed = why === 'the market has closed';
      const symbol = isClosed ? await findClosed() : 'BTC/USDT';
      if (isClosed) await showOpen(page);
      if (why === 'the minimum has risen') await showTerms(page, withLimits({ minPurchase: '1.000000' }));
      if (why === 'the maximum has fallen') await showTerms(page, withLimits({ maxPurchase: '9000.000000' }));
      // The stream's balance update is held back, so the app still shows the old balance.
      await page.routeWebSocket('**/api/stream', (socket) => {
        const server = socket.connectToServer();
        server.onMessage((message) => {
          const text = String(message);
          if (!text.startsWith('{"topic":"funds"')) socket.send(isClosed ? asOpen(text) : text);
        });
      });
      await page.goto(`${origin()}/product?symbol=${encodeURIComponent(symbol)}`);
      const deposit = page.locator('#ticket-amount');
      await deposit.fill(amount);
      const confirm = page.locator('button[data-state]');
      await soon(() => confirm.isEnabled()).toBe(true);
      if (why === 'the balance went elsewhere meanwhile') {
        for (const spent of ['5000', '4960']) await place(token, { amount: spent, symbol: 'EUR/USD' });
      }
      // On a slow machine prices grow old between the two taps, and it takes two more.
      await tapUntilTold(page, page.getByRole('alert').filter({ hasText: says }));
      expect(await deposit.inputValue()).toBe(amount);
      expect((await ordersOf(token)).filter((order) => Number(order.amount) === Number(amount))).toEqual([]);
      // Chromium lets a page that a test answered open no WebSocket.
      const isBlocked = (said: string) => isClosed && said.includes('LOCAL_NETWORK_ACCESS');
      expect(complaints.filter((said) => !isBlocked(said))).toEqual([]);
    },
  );

  test.each([
    ['en', 'This can be read as two numbers. Enter 12.3450 or 12345.'],
    ['zh', '这个数有两种读法，请输入 12.3450 或 12345'],
    ['tw', '這個數有兩種讀法，請輸入 12.3450 或 12345'],
  ] as const)(
    'an amount with two readings is ordered in none, and in %s the ticket says why',
    async (language, says) => {
      const { page, complaints, token } = await trader(browser, { language, width: 1280, height: 800 });
      await page.goto(`${origin()}/product?symbol=BTC%2FUSDT`);
      const field = page.locator('#ticket-amount');
      const confirm = page.locator('button[data-state]');
      await field.fill('12.345');
      await page.getByRole('alert').filter({ hasText: says }).waitFor();
      expect([await field.inputValue(), await confirm.isEnabled()]).toEqual(['12.345', false]);
      await field.fill('１２，５');
      await soon(() => confirm.isEnabled()).toBe(true);
      expect(await confirm.textContent()).toContain('12.50 DEMO');
      if (language === 'en') {
        await tapUntilTaken(page, () => tapTwice(page, /^Buy up 12\.50/));
        expect((await ordersOf(token)).map(({ amount }) => Number(amount))).toEqual([12.5]);
      }
      expect(complaints).toEqual([]);
    },
  );
});

/** What the server says of its products, had all of them open. */
const asOpen = (text: string): string =>
  text
    .replaceAll(/"closed":\{"because":"hours"[^}]*\}/g, '"closed":null')
    .replaceAll('"isOpen":false', '"isOpen":true')
    .replace(/"sessionEndsAt":\d+/, '"sessionEndsAt":null');

/** Shows closed products as open, as to a reader whom the closing has not reached. */
async function showOpen(page: Page): Promise<void> {
  await page.route(/\/product\?symbol=|\/api\/product\/(board|detail)/, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: asOpen(await response.text()) });
  });
}

/** Stocks in New York and indices in Hong Kong are never open at once. */
async function findClosed(): Promise<string> {
  const products = await api<Detail[]>('product/list', '');
  const closed = products.find(({ isOpen, closed }) => !isOpen && closed?.until);
  if (!closed) throw new Error('all markets are open');
  return closed.symbol;
}
