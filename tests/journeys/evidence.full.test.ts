import { api, launch, origin } from '@fairtick/kit/browser/browser.ts';
import { tamper } from '@fairtick/kit/browser/held-orders.ts';
import { saved } from '@fairtick/kit/browser/saved.ts';
import { axeFindings, pathOf } from '@fairtick/kit/browser/screens.ts';
import {
  checkSettlement,
  fillTicket,
  openProduct,
  placeOrder,
  soon,
  type Trader,
  trader,
} from '@fairtick/kit/browser/trader.ts';
import { parseEntry, rangedVerifier, verifyLogged } from '@fairtick/proof';
import type { Order } from '@fairtick/protocol';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const SYMBOL = 'XAU/USD';
const LOGGED = 'In the public log';

describe('the evidence of an order', () => {
  let browser: Browser;
  let customer: Trader;
  let order: Order;
  const detail = () => api<Order>('order/detail', customer.token, { id: order.id });
  const openOrder = () => customer.page.goto(`${origin()}/historyOrder?id=${order.id}`);

  beforeAll(async () => {
    browser = await launch();
    customer = await trader(browser);
    await openProduct(customer.page, SYMBOL);
  });
  afterAll(() => browser.close());

  test('comes by itself, and moves nothing on the screen', async () => {
    const { page, token } = customer;
    await fillTicket(page, '100');
    await placeOrder(page);
    const card = page.locator('[data-order]');
    await card.waitFor();
    const before = await card.boundingBox();
    await card.getByText(LOGGED).waitFor();
    const { items } = await api<{ items: Order[] }>('order/list', token);
    order = items[0] as Order;
    expect((await card.boundingBox())?.height).toBe(before?.height);
  });

  test('stands on the order’s page with its place in the log, verified here, and says so to all readers', async () => {
    const { page } = customer;
    await openOrder();
    const step = page.locator('li[data-evidence=logged]');
    await step.getByText(LOGGED).waitFor();
    await step.getByText(/^#[\d,]+ · \d\d:\d\d:\d\d\.\d{3} · Checked on this device$/).waitFor();
    const index = Number((/#([\d,]+)/.exec(await step.innerText())?.[1] ?? '').replaceAll(',', ''));
    const { entry } = await api<{ entry: string }>('transparency/proof', '', { index: String(index) });
    expect(parseEntry(entry)).toMatchObject({ kind: 'orders', firstBatch: expect.any(Number) });
    await page.getByRole('button', { name: 'Show log entry' }).first().waitFor();
    expect(await axeFindings(page)).toEqual([]);
  });

  test('outlives a reload and the end of the session, without being asked for again', async () => {
    const { page } = customer;
    const asked: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/api/order/logged')) asked.push(request.url());
    });
    await page.reload();
    await page.locator('li[data-evidence=logged]').waitFor();
    await page.route('**/api/user/getUserInfo?*', (route) =>
      route.fulfill({ status: 401, json: { code: 401, msg: '', error: 'SESSION_ENDED', data: null } }),
    );
    await page.goto(`${origin()}/mine`);
    await expect.poll(() => pathOf(page)).toBe('/login');
    await page.unroute('**/api/user/getUserInfo?*');
    await openOrder();
    await page.locator('li[data-evidence=logged]').waitFor();
    expect(asked).toEqual([]);
  });

  test('is in the file that “Save my evidence” saves, and verifies there with the keys of the file alone', async () => {
    const { page } = customer;
    await page.goto(`${origin()}/myData`);
    const file = (await saved(page, 'Save my evidence')) as {
      logs: { checkpointKey: string; acceptanceKey: string }[];
      orders: { acceptance: Order['acceptance']; logged: { answer: unknown; fault: string | null } }[];
    };
    await page.getByText('The evidence has been saved: 1').waitFor();
    const [held] = file.orders;
    const [log] = file.logs;
    expect([file.orders.length, held?.acceptance.text, held?.logged.fault]).toEqual([
      1,
      order.acceptance.text,
      null,
    ]);
    const keys = (key: string) => [rangedVerifier({ key, from: 0, until: null }) ?? []].flat();
    const report = verifyLogged(held?.acceptance as Order['acceptance'], held?.logged.answer, {
      keys: {
        log: keys(log?.checkpointKey ?? ''),
        acceptances: keys(log?.acceptanceKey ?? ''),
        witnesses: [],
      },
    });
    expect(report).toMatchObject({ isValid: true, found: { isInTime: true } });
  });

  test('agrees with the receipt of the settlement', async () => {
    const { page } = customer;
    await openOrder();
    await page.locator('[data-status=settled]').waitFor({ timeout: 90_000 });
    await checkSettlement(page);
    await page.getByRole('heading', { name: 'Checked on this device: everything matches' }).waitFor();
    await page.getByText('All checks', { exact: true }).click();
    await page.getByText('Acceptance and log entry match what this device kept').waitFor();
    await page.goto(`${origin()}/historyOrder`);
    await page.locator(`[data-order="${order.id}"]`).getByText(LOGGED).waitFor();
  });

  test('is remembered as checked after a reload, and another receipt of the order is not', async () => {
    const { page } = customer;
    const when = /^Checked on this device · \d\d\/\d\d,? \d\d:\d\d$/;
    const checked = page.locator('[data-checked]:visible').getByText(when);
    await page.reload();
    await page.locator(`[data-order="${order.id}"]`).getByText(when).waitFor();
    // The tables of a wide screen have the mark too: the history, and the newest orders beside the chart.
    await page.setViewportSize({ width: 1280, height: 800 });
    const row = page.getByRole('row').filter({ has: page.locator(`[data-order="${order.id}"]`) });
    await row.getByText(when).waitFor();
    await page.goto(`${origin()}/product?symbol=${order.symbol}`);
    await row.getByText(when).waitFor();
    await page.setViewportSize({ width: 375, height: 812 });
    await openOrder();
    await checked.waitFor();
    const settled = await detail();
    await page.route('**/api/order/detail?*', (route) =>
      route.fulfill({ json: { code: 1, msg: '', data: { ...settled, settlePrice: '1.00000' } } }),
    );
    await openOrder();
    await page.getByRole('button', { name: 'Check this settlement' }).waitFor();
    await page.locator('li[data-evidence=logged]').waitFor();
    expect(await checked.count()).toBe(0);
    await page.unroute('**/api/order/detail?*');
  });

  test('contradicts a receipt, valid by itself, that starts from another log than the one shown soon after the order', async () => {
    const { page } = customer;
    await page.route('**/api/order/receipt?*', async (route) => {
      const answer = await route.fetch();
      const { data } = (await answer.json()) as { data: { checkpoint: string } };
      const held = { checkpoint: data.checkpoint, proof: [] };
      await route.fulfill({ json: { code: 1, msg: '', data: { ...data, held } } });
    });
    await page.evaluate(() => {
      for (const name of Object.keys(localStorage))
        if (name.startsWith('checkedReceipts')) localStorage.removeItem(name);
    });
    await openOrder();
    await checkSettlement(page);
    const report = page.locator('section[data-valid=false]');
    await report
      .getByText('does not show that its log continues the one that this device was shown')
      .waitFor();
    await report.getByText('carries the operator’s valid signature').waitFor();
    expect(await saved(page, 'Save what this device kept')).toMatchObject({
      asked: { nonce: expect.stringMatching(/^[0-9a-f]{32}$/), opensAt: order.opensAt },
      logged: { checkpoint: expect.any(String) },
    });
    expect(await saved(page, 'Save what is shown now')).toMatchObject({ version: 4, held: { proof: [] } });
    await page.unroute('**/api/order/receipt?*');
  });

  test('contradicts a void as unlogged, with both documents to save', async () => {
    const { page } = customer;
    const settled = await detail();
    await page.route('**/api/order/detail?*', (route) =>
      route.fulfill({
        json: {
          code: 1,
          msg: '',
          data: { ...settled, result: 'none', profit: '0.000000', voidReason: 'not_logged', openPrice: null },
        },
      }),
    );
    await openOrder();
    const contradiction = page.getByRole('alert').filter({ hasText: 'Contradiction' });
    await contradiction.getByText('but this device holds proof that it was').waitFor();
    await contradiction.getByText('carries the operator’s valid signature').waitFor();
    expect(await saved(page, 'Save what this device kept')).toMatchObject({
      acceptance: { text: settled.acceptance.text },
      logged: { entry: expect.stringMatching(/^orders\|4\|/) },
    });
    expect(await saved(page, 'Save what is shown now')).toMatchObject({
      id: order.id,
      voidReason: 'not_logged',
    });
    expect(await axeFindings(page)).toEqual([]);
    await page.unroute('**/api/order/detail?*');
  });

  test.each([
    ['orders', 'now a different entry is shown'],
    ['acceptance', 'differs from the one this device kept'],
  ] as const)(
    'that was changed on the device is a contradiction, and is said to bear no valid signature: %s',
    async (change, says) => {
      const { page } = customer;
      await openOrder();
      await page.locator('li[data-evidence=logged]').waitFor();
      await tamper(page, order.id, change);
      await page.reload();
      if (change === 'acceptance') await page.getByRole('alert').getByText(says).first().waitFor();
      await checkSettlement(page);
      const report = page.locator('section[data-valid=false]');
      await report.getByRole('heading', { name: 'Contradiction' }).first().waitFor();
      await report.getByText(says).waitFor();
      await report.getByText(/has no valid signature/).waitFor();
      await soon(() => report.getByRole('button', { name: 'Save what is shown now' }).count()).toBe(1);
    },
  );

  test('no browser console has a complaint', () => {
    expect(customer.complaints.filter((text) => !text.includes('401'))).toEqual([]);
  });
});
