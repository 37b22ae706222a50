import { api, launch, origin, place, visit } from '@fairtick/kit/browser/browser.ts';
import { Line } from '@fairtick/kit/browser/line.ts';
import {
  anotherTab,
  fillTicket,
  openProduct,
  soon,
  type Trader,
  tapUntilTaken,
  timed,
  trader,
  untilPriceMoves,
} from '@fairtick/kit/browser/trader.ts';
import { PATIENCE_MS } from '@fairtick/kit/waiting/until.ts';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

/** Old prices must be marked as old within this time. */
const NOTICED_MS = 5_000;
/** An order of one minute, and what a slow machine adds to it. */
const SETTLED_MS = 60_000 + PATIENCE_MS;
const LOST = /Connection lost\. Prices as of \d\d:\d\d:\d\d/;

interface OrderAnswer {
  readonly status: string;
  readonly profit: string;
  readonly openPrice: string;
  readonly settlePrice: string | null;
}

/** Waits until the reader can see it: it is on the screen and not covered. */
async function untilSeen(locator: Locator, timeout = PATIENCE_MS): Promise<void> {
  await locator.waitFor({ timeout });
  const isOnTop = () =>
    locator.evaluate((element) => {
      const { x, y, width, height } = element.getBoundingClientRect();
      const top = document.elementFromPoint(x + width / 2, y + height / 2);
      return top !== null && (element.contains(top) || top.contains(element));
    });
  await soon(isOnTop, timeout).toBe(true);
}

async function available(token: string): Promise<number> {
  const { balances } = await api<{ balances: { asset: string; available: string }[] }>(
    'user/getUserInfo',
    token,
  );
  return Number(balances.find(({ asset }) => asset === 'DEMO')?.available);
}

/** A reload would remove the mark. */
const markPage = (page: Page) => page.evaluate(() => document.documentElement.setAttribute('data-kept', ''));
const isSamePage = (page: Page) => page.evaluate(() => document.documentElement.hasAttribute('data-kept'));

/** The browser reports what a cut breaks; all other messages are the app's. */
const ownComplaints = (complaints: readonly string[]) =>
  complaints.filter((text) => !/Failed to load resource|WebSocket connection to/.test(text));

describe('a lost connection', () => {
  let browser: Browser;
  let sleeper: Trader;
  let sleeperLine: Line;
  let sleeperOrder: { id: string; settlesAt: number };
  const lines: Line[] = [];
  const openLine = async () => {
    const line = await Line.open(origin());
    lines.push(line);
    return line;
  };

  beforeAll(async () => {
    browser = await launch();
    // This customer's order settles in a minute, while the other journeys run.
    sleeperLine = await openLine();
    sleeper = await trader(browser, { base: sleeperLine.origin });
    sleeperOrder = await place(sleeper.token, { symbol: 'ETH/USDT' });
  });
  afterAll(async () => {
    await browser.close();
    for (const line of lines) line.cut();
  });

  test('a cut is reported on the home screen within 5 s, and prices move again by themselves afterwards (S2-44)', async () => {
    const line = await openLine();
    const { page, complaints } = await visit(browser, { language: 'en' });
    await page.goto(`${line.origin}/index`);
    const price = page.getByRole('link', { name: /BTC\/USDT/ }).locator('[data-price]');
    const first = await price.textContent();
    await expect.poll(() => price.textContent()).not.toBe(first);
    await markPage(page);

    const notice = page.getByText(LOST);
    await soon(() => notice.count()).toBe(0);
    line.cut();
    expect(await timed(() => untilSeen(notice, NOTICED_MS))).toBeLessThan(NOTICED_MS);
    const last = await price.textContent();
    expect(last).toMatch(/\d/);

    await line.restore();
    await notice.waitFor({ state: 'detached' });
    await expect.poll(() => price.textContent()).not.toBe(last);
    await expect
      .poll(async () => {
        const { price: known } = await api<{ price: string }>('product/detail', '', { symbol: 'BTC/USDT' });
        return (await price.textContent())?.replaceAll(',', '') === known;
      })
      .toBe(true);
    expect(await isSamePage(page)).toBe(true);
    expect(ownComplaints(complaints)).toEqual([]);
  });

  test('a cut blocks the purchase dialog with a reason, keeps the filled-in order, and clears by itself (S2-45, S3-16, S3-21)', async () => {
    const line = await openLine();
    const { page, complaints, token } = await trader(browser, { base: line.origin, language: 'zh' });
    await openProduct(page, 'BTC/USDT', line.origin);
    // A page whose code is still coming when the line is cut loads again afterwards.
    await page.locator('canvas').first().waitFor();
    await page.getByRole('button', { name: '买涨', exact: true }).last().click();
    const dialog = page.getByRole('dialog', { name: '买入' });
    await dialog.getByLabel('投入金额', { exact: true }).fill('75');
    await dialog.getByRole('radio', { name: /^5/ }).check({ force: true });
    const confirm = dialog.getByRole('button', { name: /买涨/ });
    await confirm.click();
    const armed = dialog.getByRole('button', { name: /再点一次/ });
    await armed.waitFor();
    await markPage(page);

    line.cut();
    const alert = dialog.getByRole('alert').filter({ hasText: '连接已断开，价格不是最新，恢复后才能下单' });
    await untilSeen(alert);
    await untilSeen(page.getByText(/行情已中断.*\d\d:\d\d:\d\d/));
    // The armed button is disarmed.
    await armed.waitFor({ state: 'detached' });
    expect(await confirm.isDisabled()).toBe(true);

    await line.restore();
    await alert.waitFor({ state: 'detached' });
    expect(await dialog.getByLabel('投入金额', { exact: true }).inputValue()).toBe('75');
    const said = page.getByText('提交成功').waitFor();
    await tapUntilTaken(page, async () => {
      await confirm.click();
      await armed.click();
    });
    await said;
    const { items } = await api<{ items: { amount: string; minutes: number }[] }>('order/list', token);
    expect(items.map(({ amount, minutes }) => ({ amount, minutes }))).toEqual([
      { amount: '75.000000', minutes: 5 },
    ]);
    expect(await isSamePage(page)).toBe(true);
    expect(ownComplaints(complaints)).toEqual([]);
  });

  test('a connection that stays open but silent is noticed within 5 s and replaced as soon as possible (S2-44, S3-16)', async () => {
    const line = await openLine();
    const { page, complaints } = await trader(browser, { base: line.origin, width: 1280, height: 800 });
    await openProduct(page, 'BTC/USDT', line.origin);
    await page.getByLabel('Amount (stake)', { exact: true }).fill('50');
    await markPage(page);
    const confirm = page.getByRole('button', { name: /Buy up 50/ });
    await soon(() => confirm.isEnabled()).toBe(true);

    line.silence();
    const held = page.getByRole('alert').filter({ hasText: 'Connection lost: this price is out of date' });
    const waited = await timed(async () => {
      await untilSeen(page.getByText(LOST), NOTICED_MS);
      await untilSeen(held, NOTICED_MS);
    });
    expect(waited).toBeLessThan(NOTICED_MS);
    expect(await confirm.isDisabled()).toBe(true);

    // The old connection stays dead: the app must open a new one.
    await line.restore();
    await held.waitFor({ state: 'detached' });
    await untilPriceMoves(page);
    await soon(() => confirm.isEnabled()).toBe(true);
    expect(await isSamePage(page)).toBe(true);
    expect(ownComplaints(complaints)).toEqual([]);
  });

  test('a stream that never sends is noticed within 5 s of the first prices (S2-44, S2-77)', async () => {
    const { page } = await visit(browser, { language: 'en' });
    // The stream opens and stays silent, as behind a proxy that does not support WebSockets.
    await page.routeWebSocket('**/api/stream', () => {});
    await page.goto(`${origin()}/index`);
    const notice = page.getByText('Connecting. Prices may be out of date');
    expect(await timed(() => untilSeen(notice, NOTICED_MS))).toBeLessThan(NOTICED_MS);
  });

  test('a purchase dialog opened during a cut is blocked from its first moment (S2-45)', async () => {
    const line = await openLine();
    const { page } = await trader(browser, { base: line.origin });
    // The product's page prefetches the dialog's code, so that a cut can't block it.
    const code = page.waitForResponse(/\/assets\/ticket-(?!model-)[^/]+\.js$/);
    await openProduct(page, 'BTC/USDT', line.origin);
    await (await code).finished();
    // The modules that the dialog's code imports have loaded too.
    await page.waitForLoadState('networkidle');
    line.cut();
    await page.getByText(LOST).waitFor();
    await fillTicket(page, '20');
    await page.getByText('You can order once it is back').waitFor();
    expect(await page.getByRole('button', { name: /Buy up 20/ }).isDisabled()).toBe(true);
  });

  test('a screen that is opened during a cut is shown once the connection is back', async () => {
    const line = await openLine();
    const { page, complaints } = await visit(browser, { language: 'en' });
    const streamed = page.waitForEvent('websocket').then((socket) => socket.waitForEvent('framereceived'));
    await page.goto(`${line.origin}/index`);
    // A price may come from the list as well; the notice names a time once the stream has sent something.
    await streamed;
    await page.getByRole('link', { name: /BTC\/USDT/ }).waitFor();
    line.cut();
    await page.getByText(LOST).waitFor();
    await page.locator('[data-view=index]').getByRole('link', { name: 'Log in' }).click();
    await soon(() => new URL(page.url()).pathname).toBe('/login');
    await line.restore();
    await page.getByLabel('Account').waitFor();
    expect(ownComplaints(complaints)).toEqual([]);
  });

  test('screens of a customer’s own data show their time during a cut, and keep their content', async () => {
    const line = await openLine();
    const { page } = await trader(browser, { base: line.origin });
    await page.goto(`${line.origin}/changeLog`);
    const entries = page.locator('[data-view=changeLog] [data-entry]');
    await soon(() => entries.count()).toBe(1);
    line.cut();
    const lost = page.getByText(/^Connection lost\. Data as of/);
    await lost.waitFor();
    await expect.poll(() => entries.count()).toBe(1);
    await line.restore();
    await lost.waitFor({ state: 'detached' });
  });

  test('an order that settled during a cut shows as settled on every screen once the connection is back (S4-01, S3-10, S3-15)', async () => {
    const { page, complaints, token } = sleeper;
    // If the other journeys took long, a new order ensures that it is still open while this one looks at it.
    if (sleeperOrder.settlesAt - Date.now() < 45_000) {
      // The first order's result must not change the balance between the two reads.
      const first = sleeperOrder.id;
      await expect
        .poll(async () => (await api<OrderAnswer>('order/detail', token, { id: first })).status, {
          timeout: SETTLED_MS,
        })
        .toBe('settled');
      sleeperOrder = await place(token, { symbol: 'ETH/USDT' });
    }
    const before = await available(token);
    const [detail, product, home] = await Promise.all([
      anotherTab(sleeper),
      anotherTab(sleeper),
      anotherTab(sleeper),
    ]);
    await page.goto(`${sleeperLine.origin}/historyOrder`);
    await detail.goto(`${sleeperLine.origin}/historyOrder?id=${sleeperOrder.id}`);
    await openProduct(product, 'ETH/USDT', sleeperLine.origin);
    await home.goto(`${sleeperLine.origin}/index`);
    const card = `[data-order="${sleeperOrder.id}"]`;
    for (const screen of [page, product, home]) await screen.locator(`${card} [data-left]`).waitFor();
    await detail.locator('[data-status=unsettled]').waitFor();
    expect(Date.now()).toBeLessThan(sleeperOrder.settlesAt);

    sleeperLine.cut();
    const fetchOrder = () => api<OrderAnswer>('order/detail', token, { id: sleeperOrder.id });
    await expect.poll(async () => (await fetchOrder()).status, { timeout: SETTLED_MS }).toBe('settled');
    await sleeperLine.restore();
    const settled = await fetchOrder();
    await Promise.all([
      page.locator(`${card}[data-result]`).waitFor(),
      product.locator(`${card}[data-result]`).first().waitFor(),
      home.locator(`${card}[data-result]`).waitFor(),
      detail.locator('[data-status=settled]').waitFor(),
    ]);
    // A void order has no settlement price to be marked.
    if (settled.settlePrice !== null) {
      await product
        .getByRole('listitem')
        .filter({ hasText: 'settled at' })
        .first()
        .waitFor({ state: 'attached' });
    }
    const after = before + 100 + Number(settled.profit);
    await expect
      .poll(async () => Number((await home.getByTestId('balance').textContent())?.replace(',', '')))
      .toBe(after);
    expect(ownComplaints(complaints)).toEqual([]);
  }, 300_000);
});
