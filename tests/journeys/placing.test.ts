import { setTimeout as sleep } from 'node:timers/promises';
import { api, launch, origin, place } from '@fairtick/kit/browser/browser.ts';
import {
  fillTicket,
  openProduct,
  soon,
  tapUntilTaken,
  tapUntilTold,
  trader,
  untilPriceMoves,
} from '@fairtick/kit/browser/trader.ts';
import { fullTest } from '@fairtick/kit/size.ts';
import type { Browser, Page, Request, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const CREATE = '**/api/order/create';
const UNKNOWN = 'No response yet; the order may have been placed. Checking again will not place it twice.';

interface Cycle {
  readonly minutes: number;
  readonly payoutRate: string;
  readonly limits: { asset: string; minBalance: string; minPurchase: string; maxPurchase: string | null }[];
}
interface Detail {
  readonly symbol: string;
  readonly isOpen: boolean;
  readonly opensAt: number | null;
  readonly cycles: Cycle[];
}
interface Placed {
  readonly id: string;
  readonly direction: string;
  readonly amount: string;
  readonly minutes: number;
}

const ordersOf = async (token: string) => (await api<{ items: Placed[] }>('order/list', token)).items;

/** The order requests as they leave the browser. */
function placements(page: Page): Request[] {
  const requests: Request[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/api/order/create')) requests.push(request);
  });
  return requests;
}

const keyOf = (request: Request | undefined) => request?.headers()['idempotency-key'];
const armed = (page: Page) => page.getByRole('button', { name: /Tap again to confirm/ });
/** Two taps on the ticket's button. */
const tapTwice = async (page: Page, name: RegExp) => {
  await page.getByRole('button', { name }).click();
  await armed(page).click();
};
const fact = (page: Page, name: string) =>
  page
    .locator('dl > div')
    .filter({ has: page.getByText(name, { exact: true }) })
    .locator('dd');

/** Shows the customer other terms than the server applies: another product's or outdated ones. */
async function showTerms(page: Page, change: (detail: Detail) => unknown): Promise<void> {
  await page.route('**/api/product/detail?*', async (route: Route) => {
    const answer = await route.fetch();
    const envelope = (await answer.json()) as { data: Detail };
    await route.fulfill({ response: answer, json: { ...envelope, data: change(envelope.data) } });
  });
}

/** Loses the answers to orders that were taken, and counts them. A busy server's refusal comes through: the test taps again. */
async function loseAnswers(page: Page, most = Number.POSITIVE_INFINITY): Promise<() => number> {
  let lost = 0;
  await page.route(CREATE, async (route) => {
    if (lost >= most) return route.continue();
    const answer = await route.fetch();
    const { error } = (await answer.json()) as { error?: string };
    if (error !== undefined) return route.fulfill({ response: answer });
    lost += 1;
    return route.abort('connectionreset');
  });
  return () => lost;
}

const withLimits = (limits: Partial<Cycle['limits'][number]>) => (detail: Detail) => ({
  ...detail,
  cycles: detail.cycles.map((cycle) => ({
    ...cycle,
    limits: cycle.limits.map((own) => ({ ...own, ...limits })),
  })),
});

describe('placing an order', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser.close());

  test('the dialog shows every field of a purchase, with values that follow from the terms (S3-16, S3-17, S3-18, S3-19, S3-20, S3-21, S3-22, S3-23, S3-24, S3-25, S3-26)', async () => {
    const { page, complaints, token } = await trader(browser);
    await openProduct(page, 'BTC/USDT');
    const { cycles } = await api<Detail>('product/detail', token, { symbol: 'BTC/USDT' });
    await fillTicket(page, '12.37', 'down');
    const dialog = page.getByRole('dialog', { name: 'Purchase' });

    const direction = dialog.getByRole('group', { name: 'Direction' });
    expect(await direction.getByRole('radio', { name: 'Buy down' }).isChecked()).toBe(true);
    await expect.poll(() => direction.getByRole('radio').count()).toBe(2);
    // Read both at once, because a tick might come between two reads.
    const prices = await page.evaluate(() => [
      document.querySelector('[data-testid=price]')?.textContent,
      [...document.querySelectorAll('dt')].find((name) => name.textContent === 'Average price')
        ?.nextElementSibling?.textContent,
    ]);
    expect(prices[1]).toMatch(/\d/);
    expect(prices[1]).toBe(prices[0]);
    await page.getByText(/^Median of \d+ sources$/).waitFor();

    const choice = dialog.getByRole('group', { name: /^Minutes and payout/ });
    await choice.getByText(/^Settles \d\d:\d\d:\d\d$/).waitFor();
    await expect.poll(() => choice.getByRole('radio').count()).toBe(6);
    const minor = 12_370_000n;
    for (const { minutes, payoutRate, limits } of cycles) {
      const name = new RegExp(`^${minutes} minutes?, pays ${(Number(payoutRate) * 100).toFixed(0)} percent$`);
      await choice.getByRole('radio', { name }).check({ force: true });
      const income = String((minor * BigInt(payoutRate.slice(2).padEnd(4, '0'))) / 10_000n);
      const text = `+${income.slice(0, -6)}.${income.slice(-6).replace(/0{1,4}$/, '')}`;
      await expect.poll(() => fact(page, 'Expected income').textContent()).toBe(text);
      const own = limits.find(({ asset }) => asset === 'DEMO');
      expect(Number((await fact(page, 'Min. balance').textContent())?.replace(',', ''))).toBe(
        Number(own?.minBalance),
      );
      expect(Number((await fact(page, 'Min. purchase').textContent())?.replace(',', ''))).toBe(
        Number(own?.minPurchase),
      );
      expect(Number((await fact(page, 'Max. purchase').textContent())?.replace(',', ''))).toBe(
        Number(own?.maxPurchase),
      );
    }
    expect(await fact(page, 'Deposit (held)').textContent()).toBe('12.37 DEMO');
    expect(await dialog.getByLabel('Amount', { exact: true }).inputValue()).toBe('12.37');
    await dialog.getByText('Available 10,000.00 DEMO').waitFor();

    await dialog.getByLabel('Asset type').selectOption('BTC');
    await dialog.getByText('Available 0.00 BTC').waitFor();
    expect(await fact(page, 'Min. purchase').textContent()).toBe('0.0002');
    await dialog.getByRole('button', { name: '0.001', exact: true }).click();
    await dialog.getByText('The balance must be at least 0.0002 BTC').waitFor();
    expect(await fact(page, 'Deposit (held)').textContent()).toBe('0.001 BTC');
    expect(await dialog.getByRole('button', { name: /Buy down 0\.001 BTC/ }).isDisabled()).toBe(true);
    expect(await ordersOf(token)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  fullTest('a missing maximum is shown as unlimited (S3-26)', async () => {
    const { page } = await trader(browser);
    await showTerms(page, withLimits({ maxPurchase: null }));
    await openProduct(page, 'BTC/USDT');
    await fillTicket(page, '100');
    await soon(() => fact(page, 'Max. purchase').textContent()).toBe('Unlimited');
  });

  test('repeated taps on confirm place one order (S1-04, S2-45)', async () => {
    const { page, complaints, token } = await trader(browser);
    const requests = placements(page);
    // However slow the taps are, no answer comes between them: the last one would fall on what is then there.
    let tapped = Promise.withResolvers<void>();
    await page.route(CREATE, async (route) => {
      await tapped.promise;
      await route.continue();
    });
    await openProduct(page, 'BTC/USDT');
    await fillTicket(page, '30');
    // Waits for it from before the taps, because it disappears.
    const said = page.getByText('Submitted Successfully').waitFor();
    const first = await tapUntilTaken(page, async () => {
      tapped = Promise.withResolvers<void>();
      await page.getByRole('button', { name: /Buy up 30/ }).click();
      await armed(page).click();
      await page.getByText('Placing the order').click({ clickCount: 2, force: true });
      tapped.resolve();
    });
    await said;
    expect(requests.length).toBe(first);

    // Three clicks in one task, before the screen can change.
    await fillTicket(page, '40');
    const second = await tapUntilTaken(page, async () => {
      await page.getByRole('button', { name: /Buy up 40/ }).click();
      await armed(page)
        .getByText(/^Buy up, \d+ min, 40\.00 DEMO$/)
        .waitFor();
      await soon(() => armed(page).isEnabled()).toBe(true);
      await armed(page).evaluate((button: HTMLElement) => {
        for (let tap = 0; tap < 3; tap += 1) button.click();
      });
    });
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const orders = await ordersOf(token);
    expect(orders.map(({ amount }) => amount)).toEqual(['40.000000', '30.000000']);
    // The focus goes to the new order.
    await soon(() => page.evaluate(() => document.activeElement?.getAttribute('data-order'))).toBe(
      orders[0]?.id,
    );
    expect(requests.length).toBe(first + second);
    expect(complaints).toEqual([]);
  });

  test('quick taps, multiple clicks and a held key arm an order and do not send it', async () => {
    const { page, complaints, token } = await trader(browser);
    const requests = placements(page);
    await openProduct(page, 'BTC/USDT');
    await fillTicket(page, '20');
    const button = page.locator('button[data-state]');
    const disarm = () => page.getByText('You get back, in DEMO').click();
    await soon(() => button.isEnabled()).toBe(true);
    const { x, y, width, height } = (await button.boundingBox()) as Record<
      'x' | 'y' | 'width' | 'height',
      number
    >;
    const middle = [x + width / 2, y + height / 2] as const;
    // As a touch screen reports them: each tap for itself, 140 ms after the one before, for longer than the button waits.
    for (let tap = 0; tap < 7; tap += 1) {
      await page.mouse.click(...middle);
      await sleep(140);
    }
    expect(await button.getAttribute('data-state')).toBe('armed');
    // The second click of a double click, however slow.
    await soon(() => button.isEnabled()).toBe(true);
    await page.mouse.down({ clickCount: 2 });
    await page.mouse.up({ clickCount: 2 });
    await disarm();
    expect(await button.getAttribute('data-state')).toBe('ready');
    // A held key repeats for as long as it is held.
    await soon(() => button.isEnabled()).toBe(true);
    await button.focus();
    for (let repeat = 0; repeat < 12; repeat += 1) {
      await page.keyboard.down('Enter');
      await sleep(60);
    }
    await page.keyboard.up('Enter');
    expect(await button.getAttribute('data-state')).toBe('armed');
    expect(requests).toEqual([]);
    // A press of its own confirms.
    await soon(() => button.isEnabled()).toBe(true);
    await tapUntilTaken(page, () => page.keyboard.press('Enter'));
    expect((await ordersOf(token)).map(({ amount }) => amount)).toEqual(['20.000000']);
    expect(complaints).toEqual([]);
  });

  test('an armed order is disarmed when the price has moved by more than a thousandth', async () => {
    const { page } = await trader(browser, { width: 1280, height: 800 });
    const requests = placements(page);
    let factor = 1;
    await page.routeWebSocket('**/api/stream', (socket) => {
      const server = socket.connectToServer();
      server.onMessage((message) => {
        const moved = (key: string, value: unknown) =>
          key === 'price' && typeof value === 'string' ? (Number(value) * factor).toFixed(2) : value;
        socket.send(factor === 1 ? message : JSON.stringify(JSON.parse(String(message), moved)));
      });
    });
    await openProduct(page, 'BTC/USDT');
    await page.locator('#ticket-amount').fill('20');
    const button = page.locator('button[data-state]');
    const told = page.getByRole('alert').filter({ hasText: 'The price or the payout rate has changed' });
    await button.click();
    // The price goes on moving by less.
    await untilPriceMoves(page);
    expect(await button.getAttribute('data-state')).toBe('armed');
    factor = 1.002;
    await told.waitFor();
    expect(await button.getAttribute('data-state')).toBe('ready');
    expect(requests).toEqual([]);
  });

  test('an order whose answer is lost is sent again with the same key and gives one order and one message (S1-04, S7-23)', async () => {
    const { page, token } = await trader(browser);
    const requests = placements(page);
    const lostAnswers = await loseAnswers(page, 1);
    await openProduct(page, 'BTC/USDT');
    const messages = await page.evaluateHandle(() => {
      const said: string[] = [];
      new MutationObserver((changes) => {
        for (const { addedNodes } of changes)
          for (const node of addedNodes) if (node.textContent) said.push(node.textContent);
      }).observe(document.querySelector('[role=status][aria-live=polite]') as Element, { childList: true });
      return said;
    });
    await fillTicket(page, '60', 'down');
    const said = page.getByText('Submitted Successfully').waitFor();
    const orders = await tapUntilTaken(page, () => tapTwice(page, /Buy down 60/));
    await said;
    expect(lostAnswers()).toBe(1);
    // Each order was sent once, and the last one again.
    expect(requests.length).toBe(orders + 1);
    const [lost, again] = requests.slice(-2);
    expect(keyOf(lost)).toMatch(/^[0-9a-f]{32}$/);
    expect(keyOf(again)).toBe(keyOf(lost));
    expect(again?.postData()).toBe(lost?.postData());
    expect(await ordersOf(token)).toMatchObject([{ direction: 'down', amount: '60.000000' }]);
    expect(await messages.jsonValue()).toEqual(['Submitted Successfully']);
  });

  fullTest(
    'an order without any answer is reported as unknown and stays unchanged, and checking again finds it (S2-45, S8-04)',
    async () => {
      const { page, token } = await trader(browser);
      await loseAnswers(page);
      await openProduct(page, 'BTC/USDT');
      await fillTicket(page, '70');
      await tapUntilTold(page, page.getByRole('alert').filter({ hasText: UNKNOWN }));
      const deposit = page.getByLabel('Amount', { exact: true });
      expect(await deposit.inputValue()).toBe('70');
      expect(await deposit.isEditable()).toBe(false);
      expect(await page.getByRole('radio', { name: 'Buy down' }).isDisabled()).toBe(true);
      await page.unroute(CREATE);
      await page.getByRole('button', { name: 'Check again' }).click();
      await page.getByText('Submitted Successfully').waitFor();
      expect(await ordersOf(token)).toMatchObject([{ direction: 'up', amount: '70.000000' }]);
    },
  );

  test('a reload during a purchase finds the order by its key, or says that there is none and places none', async () => {
    const { page, token } = await trader(browser);
    await loseAnswers(page);
    await openProduct(page, 'BTC/USDT');
    await fillTicket(page, '70');
    await tapUntilTold(page, page.getByRole('alert').filter({ hasText: UNKNOWN }));
    await page.unroute(CREATE);
    await page.reload();
    await page.getByText('An order that got no answer was placed after all: BTC/USDT 70').waitFor();
    expect(await ordersOf(token)).toMatchObject([{ amount: '70.000000' }]);

    await page.route(CREATE, (route) => route.abort('connectionrefused'));
    await fillTicket(page, '80');
    await tapTwice(page, /Buy up 80/);
    await page.getByRole('alert').filter({ hasText: UNKNOWN }).waitFor();
    await page.unroute(CREATE);
    await page.reload();
    await page.getByText('An order that got no answer was not placed: BTC/USDT 80').waitFor();
    expect(await ordersOf(token)).toHaveLength(1);
  });

  test('two tabs lose answers: each order is found by its key, or said not to exist, when the connection returns', async () => {
    const { page, context, token } = await trader(browser);
    const second = await context.newPage();
    await loseAnswers(page);
    await openProduct(page, 'BTC/USDT');
    await openProduct(second, 'BTC/USDT');
    await fillTicket(page, '70');
    await tapUntilTold(page, page.getByRole('alert').filter({ hasText: UNKNOWN }));
    await second.route(CREATE, (route) => route.abort('connectionrefused'));
    await fillTicket(second, '80');
    await tapTwice(second, /Buy up 80/);
    await second.getByRole('alert').filter({ hasText: UNKNOWN }).waitFor();
    // The start of the second tab asks too, and has no answer either.
    await openProduct(second, 'BTC/USDT');
    // A page whose code is missing when the connection returns is loaded anew, and its message would be gone.
    await second.waitForLoadState('networkidle');
    await context.setOffline(true);
    await second.waitForFunction(() => document.documentElement.hasAttribute('data-stale'));
    // Answers come only from here on: an earlier one would be told, and its message be gone, before this test looks.
    await second.unroute(CREATE);
    await context.setOffline(false);
    await second.getByText(/was placed: BTC\/USDT 70 DEMO · .*was not placed: BTC\/USDT 80 DEMO/).waitFor();
    expect(await ordersOf(token)).toMatchObject([{ amount: '70.000000' }]);
    await soon(() =>
      second.evaluate(() => Object.keys(localStorage).filter((name) => name.startsWith('pendingOrder'))),
    ).toEqual([]);
  });

  test('a refusal after a lost answer is no outcome: the order is asked by its key and found', async () => {
    const { page, token } = await trader(browser);
    const requests = placements(page);
    let lost = 0;
    await page.route(CREATE, async (route) => {
      if (lost === 2) return route.continue();
      if (lost === 1) {
        lost = 2;
        const json = { code: 0, msg: 'Too many requests', error: 'RATE_LIMITED', data: null };
        return route.fulfill({ json });
      }
      const answer = await route.fetch();
      const { error } = (await answer.json()) as { error?: string };
      if (error !== undefined) return route.fulfill({ response: answer });
      lost = 1;
      return route.abort('connectionreset');
    });
    await openProduct(page, 'BTC/USDT');
    await fillTicket(page, '60');
    await tapUntilTold(page, page.getByText('Submitted Successfully'));
    expect(new Set(requests.slice(-3).map(keyOf)).size).toBe(1);
    expect(await ordersOf(token)).toMatchObject([{ amount: '60.000000' }]);
  });

  test('an unreachable server is told apart from a refusal, and the filled-in ticket is kept (S8-04, S9-01)', async () => {
    const { page, token } = await trader(browser);
    const requests = placements(page);
    await page.route(CREATE, (route) => route.abort('connectionrefused'));
    await openProduct(page, 'BTC/USDT');
    await fillTicket(page, '80');
    await page.getByRole('radio', { name: /^3 / }).check({ force: true });
    await page.getByRole('button', { name: /Buy up 80/ }).click();
    await armed(page).click();
    const alert = page.getByRole('alert');
    await alert.filter({ hasText: UNKNOWN }).waitFor();
    expect(requests.length).toBe(3);
    expect(new Set(requests.map(keyOf)).size).toBe(1);
    expect(await ordersOf(token)).toEqual([]);

    // The request hangs: after 5 s the app aborts it and asks again. By then the order can't open at its time any more.
    await page.unroute(CREATE);
    let held = 0;
    await page.route(CREATE, async (route) => {
      held += 1;
      if (held === 1) return;
      await route.continue();
    });
    const start = performance.now();
    await page.getByRole('button', { name: 'Check again' }).click();
    await alert.filter({ hasText: 'This took too long. No order was placed' }).waitFor();
    expect(performance.now() - start).toBeGreaterThan(5_000);
    expect(await page.getByLabel('Amount', { exact: true }).inputValue()).toBe('80');
    expect(await page.getByRole('radio', { name: /^3 / }).isChecked()).toBe(true);
    expect(await ordersOf(token)).toEqual([]);

    // The next request is a new order with its own key.
    await page.unroute(CREATE);
    const said = page.getByText('Submitted Successfully').waitFor();
    await tapUntilTaken(page, () => tapTwice(page, /Buy up 80/));
    await said;
    expect(keyOf(requests.at(-1))).not.toBe(keyOf(requests[0]));
    expect(await ordersOf(token)).toMatchObject([{ amount: '80.000000', minutes: 3 }]);
  });
});

describe('an order that is not possible', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser.close());

  fullTest('is held back on the ticket, with the reason, before it is sent (S5-18, S9-08)', async () => {
    const { page } = await trader(browser);
    const requests = placements(page);
    await openProduct(page, 'BTC/USDT');
    await fillTicket(page, '9.99');
    const alert = page.getByRole('alert');
    await alert.filter({ hasText: 'The minimum purchase is 10.00 DEMO' }).waitFor();
    const deposit = page.getByLabel('Amount', { exact: true });
    await deposit.fill('5000.000001');
    await alert.filter({ hasText: 'The maximum purchase is 5,000.00 DEMO' }).waitFor();
    expect(await fact(page, 'Expected income').textContent()).toBe('–');
    expect(await page.getByRole('button', { name: /^Buy up 5,000/ }).isDisabled()).toBe(true);
    // A pasted amount stays as it is, with the reason; coins take all their decimals.
    await deposit.fill('33.333333');
    await alert.filter({ hasText: 'Enter DEMO with up to 2 decimals' }).waitFor();
    expect(await deposit.inputValue()).toBe('33.333333');
    expect(await fact(page, 'Expected income').textContent()).toBe('–');
    expect(await page.getByRole('button', { name: /^Buy up 33/ }).isDisabled()).toBe(true);
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
      await page.getByRole('alert').filter({ hasText: '已休市' }).waitFor();
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
      if (isClosed) await showTerms(page, (detail) => ({ ...detail, isOpen: true, sessionEndsAt: null }));
      if (why === 'the minimum has risen') await showTerms(page, withLimits({ minPurchase: '1.000000' }));
      if (why === 'the maximum has fallen') await showTerms(page, withLimits({ maxPurchase: '9000.000000' }));
      // The stream's balance update is held back, so the app still shows the old balance.
      await page.routeWebSocket('**/api/stream', (socket) => {
        const server = socket.connectToServer();
        server.onMessage((message) => {
          if (!String(message).startsWith('{"topic":"funds"')) socket.send(message);
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
      expect(complaints).toEqual([]);
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

/** Stocks in New York and indices in Hong Kong are never open at once. */
async function findClosed(): Promise<string> {
  const products = await api<Detail[]>('product/list', '');
  const closed = products.find(({ isOpen, opensAt }) => !isOpen && opensAt !== null);
  if (!closed) throw new Error('all markets are open');
  return closed.symbol;
}
