import { setTimeout as sleep } from 'node:timers/promises';
import { api, launch, origin } from '@fairtick/kit/browser/browser.ts';
import { layoutFaults } from '@fairtick/kit/browser/layout.ts';
import { placements } from '@fairtick/kit/browser/orders.ts';
import { saved } from '@fairtick/kit/browser/saved.ts';
import { axeFindings, pathOf } from '@fairtick/kit/browser/screens.ts';
import {
  fillTicket,
  openProduct,
  soon,
  tapTwice,
  tapUntilTaken,
  trader,
} from '@fairtick/kit/browser/trader.ts';
import { setClockWrong } from '@fairtick/kit/browser/wrong-clock.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { hashAsked, parseAcceptance, toHex } from '@fairtick/proof';
import type { Order } from '@fairtick/protocol';
import { MIN_DELAY_MS } from '@fairtick/trading';
import { describe, expect, test } from 'vitest';

const SYMBOL = 'XAG/USD';
const CREATE = '**/api/order/create';
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

const newest = async (token: string): Promise<Order> => {
  const { items } = await api<{ items: Order[] }>('order/list', token);
  return items[0] as Order;
};

describe('the opening time that the app names', () => {
  const browser = forFile(() => launch());

  test('is soon after the wait on a fast line, although the device’s clock is an hour wrong, and the acceptance repeats its hash', async () => {
    const { page, context, token, complaints } = await trader(browser);
    await setClockWrong(context, HOUR_MS);
    const requests = placements(page);
    await openProduct(page, SYMBOL);
    await fillTicket(page, '100');
    let tappedMs = 0;
    await tapUntilTaken(page, async () => {
      tappedMs = await tapTwice(page);
    });
    const order = await newest(token);
    expect(order.opensAt - order.createdAt).toBeGreaterThanOrEqual(MIN_DELAY_MS);
    expect(order.opensAt - tappedMs).toBeLessThan(MINUTE_MS);
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

  test('is shown until the order has opened', async () => {
    const { page, token } = await trader(browser);
    await openProduct(page, SYMBOL);
    await fillTicket(page, '100');
    const seen = page
      .getByRole('link')
      .getByText(/^1 min · Opens \d\d:\d\d:\d\d$/)
      .first()
      .waitFor();
    await tapUntilTaken(page, () => tapTwice(page));
    await seen;
    const order = await newest(token);
    await page
      .locator(`[data-order="${order.id}"]`)
      .getByText(/1 min · Settles/)
      .waitFor();
  });

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
    const named: number[] = [];
    await page.route(CREATE, async (route) => {
      const opensAt = Number(new URLSearchParams(route.request().postData() ?? '').get('opensAt'));
      // An order without an answer is sent again, as it was.
      if (named.at(-1) !== opensAt) named.push(opensAt);
      // The first one arrives as it should open.
      if (named.length === 1) await sleep(Math.max(0, opensAt - Date.now()));
      await route.continue();
    });
    await openProduct(page, SYMBOL);
    await fillTicket(page, '100');
    const tapped = [await tapTwice(page)];
    await page.getByRole('alert').filter({ hasText: 'No order was placed' }).waitFor();
    expect(await newest(token)).toBeUndefined();
    await tapUntilTaken(page, async () => {
      tapped.push(await tapTwice(page));
    });
    const [early = 0, later = 0] = named.map((opensAt, place) => opensAt - (tapped[place] as number));
    expect(later).toBeGreaterThan(early + 500);
  });
});
