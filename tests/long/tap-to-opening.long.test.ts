import { api, launch, origin } from '@fairtick/kit/browser/browser.ts';
import { Line } from '@fairtick/kit/browser/line.ts';
import startServer from '@fairtick/kit/browser/server.ts';
import {
  fillTicket,
  openProduct,
  soon,
  tapTwice,
  tapUntilTaken,
  trader,
} from '@fairtick/kit/browser/trader.ts';
import type { Order } from '@fairtick/protocol';
import { fixFrom } from '@fairtick/trading';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';

/**
 * How long after the second tap an order opens, in ms, on a fast line and on one of 2 s each way. The baseline is the opening that
 * follows from the acceptance alone: a second later, on the grid of prices. ORDERS sets the number for each line.
 */
const ORDERS = Number(process.env.ORDERS ?? 20);
const SYMBOL = 'XAU/USD';

let stopServer: () => Promise<void>;
let browser: Browser;
beforeAll(async () => {
  stopServer = await startServer();
  browser = await launch();
});
afterAll(async () => {
  await browser.close();
  await stopServer();
});

const figures = (times: readonly number[]): string => {
  const sorted = times.toSorted((one, other) => one - other);
  const at = (share: number) => Math.round(sorted[Math.ceil(share * sorted.length) - 1] as number);
  return `median ${at(0.5)}, p99 ${at(0.99)}`;
};

test.each([0, 2_000])(
  'orders open soon after the tap on a line of %i ms each way',
  async (wayMs) => {
    const line = await Line.open(origin());
    const { page, token } = await trader(browser, { base: line.origin });
    await openProduct(page, SYMBOL, line.origin);
    line.delay(wayMs);
    // The app measures the line.
    await page.waitForTimeout(4 * wayMs + 1_000);
    const named: number[] = [];
    const baseline: number[] = [];
    for (let order = 0; order < ORDERS; order += 1) {
      await fillTicket(page, '100');
      await soon(() => page.getByRole('button', { name: /^Buy up 100/ }).isEnabled()).toBe(true);
      let tappedMs = 0;
      await tapUntilTaken(page, async () => {
        tappedMs = await tapTwice(page);
      });
      const { items } = await api<{ items: Order[] }>('order/list', token);
      const { opensAt, createdAt } = items[0] as Order;
      named.push(opensAt - tappedMs);
      baseline.push(fixFrom(createdAt + 1_000) - tappedMs);
    }
    console.log(
      `${wayMs} ms each way, ${ORDERS} orders: named ${figures(named)}; baseline ${figures(baseline)}`,
    );
    expect(Math.min(...named)).toBeGreaterThan(0);
    line.cut();
  },
  1_800_000,
);
