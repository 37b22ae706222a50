import { api, launch, origin } from '@fairtick/kit/browser/browser.ts';
import startServer from '@fairtick/kit/browser/server.ts';
import { shownAt } from '@fairtick/kit/browser/shown-at.ts';
import {
  anotherTab,
  fillTicket,
  openProduct,
  placeOrder,
  type Trader,
  trader,
} from '@fairtick/kit/browser/trader.ts';
import type { Order } from '@fairtick/protocol';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';

/** How soon a customer's open screens show an order, its proof in the public log, and its result. Times in ms. */
const ROUNDS = Number(process.env.ROUNDS ?? 3);
const PLACED_MS = 1_000;
const LOGGED_MS = 3_000;
const SETTLED_MS = 2_000;
const SYMBOL = 'XAU/USD';
const RESULT = 'Profit|Loss|No loss|Void';

let stopServer: () => Promise<void>;
let browser: Browser;
let customer: Trader;
let home: Page;
let list: Page;

beforeAll(async () => {
  stopServer = await startServer();
  browser = await launch();
  customer = await trader(browser);
  [home, list] = await Promise.all([anotherTab(customer), anotherTab(customer)]);
  await home.goto(`${origin()}/index`);
  await list.goto(`${origin()}/historyOrder`);
  await openProduct(customer.page, SYMBOL);
});
afterAll(async () => {
  await browser.close();
  await stopServer();
});

test.each(Array.from({ length: ROUNDS }, (_, round) => round + 1))(
  'order %d is on every screen in time',
  async () => {
    const { page, token } = customer;
    const screens = [page, home, list];
    await fillTicket(page, '100');
    const known = new Set((await api<{ items: Order[] }>('order/list', token)).items.map(({ id }) => id));
    await placeOrder(page);
    const { items } = await api<{ items: Order[] }>('order/list', token);
    const order = items.find(({ id }) => !known.has(id)) as Order;
    const card = `[data-order="${order.id}"]`;
    const placed = await Promise.all(screens.map((screen) => shownAt(screen, card)));
    const logged = await shownAt(list, card, 'In the public log');
    const settled = await Promise.all(
      screens.map((screen) => shownAt(screen, `${card}[data-result]`, RESULT)),
    );
    const { settledAt } = await api<Order>('order/detail', token, { id: order.id });
    const after = (times: readonly number[], from: number) => times.map((time) => Math.round(time - from));
    const times = {
      placed: after(placed, order.createdAt),
      logged: after([logged], order.createdAt),
      settled: after(settled, settledAt as number),
    };
    console.log(JSON.stringify(times));
    expect(Math.max(...times.placed)).toBeLessThan(PLACED_MS);
    expect(Math.max(...times.logged)).toBeLessThan(LOGGED_MS);
    expect(Math.max(...times.settled)).toBeLessThan(SETTLED_MS);
  },
);
