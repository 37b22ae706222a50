import { api, launch, origin } from '@fairtick/kit/browser/browser.ts';
import { layoutFaults } from '@fairtick/kit/browser/layout.ts';
import { Line } from '@fairtick/kit/browser/line.ts';
import { saved } from '@fairtick/kit/browser/saved.ts';
import { axeFindings, pathOf } from '@fairtick/kit/browser/screens.ts';
import { fillTicket, openProduct, soon, tapUntilTaken, trader } from '@fairtick/kit/browser/trader.ts';
import { setClockWrong } from '@fairtick/kit/browser/wrong-clock.ts';
import { hashAsked, parseAcceptance, toHex } from '@fairtick/proof';
import type { Order } from '@fairtick/protocol';
import { MIN_DELAY_MS } from '@fairtick/trading';
import type { Browser, Page, Request } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const SYMBOL = 'XAG/USD';
const CREATE = '**/api/order/create';
const WAY_MS = 2_000;
const HOUR_MS = 3_600_000;
/** A quarter of a second for the server, one for the grid, and half a second for a machine that does other things. */
const MOST_MARGIN_MS = 1_000;

/** The orders as they leave the browser. */
function placements(page: Page): Request[] {
  const requests: Request[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/api/order/create')) requests.push(request);
  });
  return requests;
}

const newest = async (token: string): Promise<Order> => {
  const { items } = await api<{ items: Order[] }>('order/list', token);
  return items[0] as Order;
};

/** Taps twice, and returns the time of the second tap. */
async function tapTwice(page: Page): Promise<number> {
  await page.getByRole('button', { name: /^Buy (up|down) \d/ }).click();
  await page.getByRole('button', { name: /Tap again/ }).click();
  return Date.now();
}

/** Places an order, and says how long after the tap it opens. */
async function place(page: Page, token: string): Promise<Order & { readonly waitMs: number }> {
  await fillTicket(page, '100');
  let tappedMs = 0;
  await tapUntilTaken(page, async () => {
    tappedMs = await tapTwice(page);
  });
  const order = await newest(token);
  return { ...order, waitMs: order.opensAt - tappedMs };
}

describe('the opening time that the app names', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser.close());

  test('is soon after the wait on a fast line, although the device’s clock is an hour wrong, and the acceptance repeats its hash', async () => {
    const { page, context, token, complaints } = await trader(browser);
    await setClockWrong(context, HOUR_MS);
    const requests = placements(page);
    await openProduct(page, SYMBOL);
    // A page that has just started, or a busy machine, measures a slower line at first.
    let order = await place(page, token);
    for (let more = 0; more < 4 && order.waitMs > MIN_DELAY_MS + MOST_MARGIN_MS; more += 1)
      order = await place(page, token);
    expect(order.waitMs).toBeGreaterThan(MIN_DELAY_MS - 500);
    expect(order.waitMs).toBeLessThanOrEqual(MIN_DELAY_MS + MOST_MARGIN_MS);
    const sent = new URLSearchParams(requests.at(-1)?.postData() ?? '');
    const [nonce, opensAt] = [sent.get('nonce') ?? '', Number(sent.get('opensAt'))];
    expect(nonce).toMatch(/^[0-9a-f]{32}$/);
    const terms = parseAcceptance(order.acceptance.text);
    const asked = {
      symbol: SYMBOL,
      direction: 'up',
      minutes: 1,
      asset: 'DEMO',
      amount: '100.000000',
    } as const;
    expect(terms).toMatchObject({
      ...asked,
      opensAt,
      asked: toHex(hashAsked({ ...asked, opensAt, nonce })),
    });
    await page.goto(`${origin()}/index`);
    await page.getByText('This device’s clock differs from the log’s by 60 min').waitFor();
    expect(complaints).toEqual([]);
  });

  test('is shown to the thousandth until the order has opened', async () => {
    const { page, token } = await trader(browser);
    await openProduct(page, SYMBOL);
    await fillTicket(page, '100');
    const seen = page.getByText(/^Opens \d\d:\d\d:\d\d\.\d(00|25|50|75)/).waitFor();
    await tapUntilTaken(page, () => tapTwice(page));
    await seen;
    const order = await newest(token);
    await page
      .locator(`[data-order="${order.id}"]`)
      .getByText(/1 min · Settles/)
      .waitFor();
  });

  test.each(['stream', 'polling'] as const)(
    'is reached at the first try on a line with 2 s each way: %s',
    async (way) => {
      const line = await Line.open(origin());
      const { page, token } = await trader(browser, { base: line.origin });
      const requests = placements(page);
      if (way === 'polling') await page.routeWebSocket('**/api/stream', (socket) => socket.close());
      await openProduct(page, SYMBOL, line.origin);
      line.delay(WAY_MS);
      // Prices are fresh again: the line was measured.
      await page.waitForTimeout(8_000);
      await fillTicket(page, '100');
      await page.getByText(/about [4-9] s after the second tap/).waitFor();
      await soon(() => page.getByRole('button', { name: /^Buy up 100/ }).isEnabled()).toBe(true);
      expect(await tapUntilTaken(page, () => tapTwice(page))).toBe(1);
      expect(requests.length).toBe(1);
      const order = await newest(token);
      expect(order.opensAt - order.createdAt).toBeGreaterThanOrEqual(MIN_DELAY_MS);
      expect(order.opensAt - order.createdAt).toBeLessThan(MIN_DELAY_MS + 3_000);
      line.cut();
    },
    120_000,
  );

  test('that the server changed is shown at once as a contradiction, with both documents to save', async () => {
    const { page, token } = await trader(browser);
    const sent: URLSearchParams[] = [];
    // The server signs another opening time than the app has named.
    await page.route(CREATE, async (route) => {
      sent.push(new URLSearchParams(route.request().postData() ?? ''));
      const fields = new URLSearchParams(route.request().postData() ?? '');
      fields.set('opensAt', String(Number(fields.get('opensAt')) + 1_000));
      await route.continue({ postData: fields.toString() });
    });
    await openProduct(page, SYMBOL);
    await fillTicket(page, '100');
    await tapUntilTaken(page, () => tapTwice(page));
    await soon(() => pathOf(page)).toBe('/historyOrder');
    const contradiction = page.getByRole('alert').filter({ hasText: 'Contradiction' });
    await contradiction.getByText('or names another opening time').waitFor();
    await contradiction.getByText('carries the operator’s valid signature').waitFor();
    const order = await newest(token);
    const [held, shown] = [
      await saved(page, 'Save what this device kept'),
      await saved(page, 'Save what is shown now'),
    ];
    expect(held).toMatchObject({
      asked: { opensAt: Number(sent.at(-1)?.get('opensAt')), nonce: sent.at(-1)?.get('nonce') },
      acceptance: { text: order.acceptance.text },
    });
    expect(shown).toMatchObject({ id: order.id, opensAt: order.opensAt });
    expect(await axeFindings(page)).toEqual([]);
    // It stays so, on the list too.
    await page.goto(`${origin()}/historyOrder`);
    await page.locator(`[data-order="${order.id}"]`).getByText('Evidence does not match').waitFor();
    expect(await layoutFaults(page)).toEqual([]);
  });

  test('is too early where the line was slower than measured: the app says so, and the next order gets more time', async () => {
    const { page, token } = await trader(browser);
    const requests = placements(page);
    let isFirst = true;
    await page.route(CREATE, async (route) => {
      if (isFirst) await new Promise((resolve) => setTimeout(resolve, 2_500));
      isFirst = false;
      await route.continue();
    });
    await openProduct(page, SYMBOL);
    await fillTicket(page, '100');
    const first = await tapTwice(page);
    await page.getByRole('alert').filter({ hasText: 'No order was placed' }).waitFor();
    expect(await newest(token)).toBeUndefined();
    let second = 0;
    await tapUntilTaken(page, async () => {
      second = await tapTwice(page);
    });
    const [early = 0, later = 0] = requests.map((request) =>
      Number(new URLSearchParams(request.postData() ?? '').get('opensAt')),
    );
    expect(later - second).toBeGreaterThan(early - first + 500);
  });
});
