import { api, holdAnswers, launch, neverGiveUp, origin } from '@fairtick/kit/browser/browser.ts';
import { noteShifts, shiftsOf } from '@fairtick/kit/browser/shifts.ts';
import { shownAt } from '@fairtick/kit/browser/shown-at.ts';
import {
  anotherTab,
  checkSettlement,
  chooseMinutes,
  fillTicket,
  openProduct,
  placeOrder,
  register,
  soon,
  type Trader,
  trader,
} from '@fairtick/kit/browser/trader.ts';
import { setClockWrong } from '@fairtick/kit/browser/wrong-clock.ts';
import { fullTest } from '@fairtick/kit/size.ts';
import { type NoteVerifier, nobleVerifier, verifyReceipt } from '@fairtick/proof';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

/** No other journey trades this product, so its list of trades holds only this one's. */
const SYMBOL = 'LTC/USDT';
const CLOCK_OFF_MS = 5 * 60_000;
/** A line that the evidence gains at the lower edge of an order's page; anything that moves in sight is twenty times as much. */
const MOST_SHIFT = 0.002;
/** The home forgets a settled order this much later, once its screen is left. */
const LINGER_MS = 12_000;

interface OrderAnswer {
  readonly id: string;
  readonly createdAt: number;
  readonly settlesAt: number;
  readonly settledAt: number;
  readonly openPrice: string | null;
  readonly settlePrice: string;
  readonly profit: string;
  readonly status: string;
}

const grouped = (price: string) => price.replace(/^\d+/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ','));

/** An order's facts, name to value, as its page shows them. */
const factsOf = async (page: Page): Promise<Record<string, string>> =>
  Object.fromEntries(
    await page
      .locator('[data-view=historyOrder] dl > div')
      .evaluateAll((facts) =>
        facts.map((fact) => [fact.querySelector('dt')?.textContent, fact.querySelector('dd')?.textContent]),
      ),
  );

/** A row or card of an order on any screen. */
const ORDER = 'a[href^="/historyOrder?id="]';

describe('one customer on many screens', () => {
  let browser: Browser;
  let customer: Trader;
  /** The same customer on a computer whose clock is five minutes ahead. */
  let elsewhere: Trader;
  let stranger: Trader;
  let home: Page;
  let list: Page;
  let order: OrderAnswer;

  const readOrder = () => api<OrderAnswer>('order/detail', customer.token, { id: order.id });
  const available = async () => {
    const { balances } = await api<{ balances: { asset: string; available: string }[] }>(
      'user/getUserInfo',
      customer.token,
    );
    return Number(balances.find(({ asset }) => asset === 'DEMO')?.available);
  };

  beforeAll(async () => {
    browser = await launch();
    const account = await register();
    customer = await trader(browser, { account });
    elsewhere = await trader(browser, { account, width: 1280, height: 800 });
    stranger = await trader(browser);
    await Promise.all([customer, elsewhere].map(({ context }) => noteShifts(context)));
    await setClockWrong(elsewhere.context, CLOCK_OFF_MS);
    [home, list] = await Promise.all([anotherTab(customer), anotherTab(customer)]);
    await home.goto(`${origin()}/index`);
    await list.goto(`${origin()}/historyOrder`);
    await list.getByText('No orders yet').waitFor();
    await openProduct(elsewhere.page, SYMBOL);
    await openProduct(stranger.page, SYMBOL);
    await openProduct(customer.page, SYMBOL);
  });
  afterAll(() => browser.close());

  test('an order bought in one tab shows in the others and in another browser, without a reload (S2-45, S7-23)', async () => {
    const { page, token } = customer;
    expect(await available()).toBe(10_000);
    await fillTicket(page, '100');
    const shown = Promise.all([page, home, list, elsewhere.page].map((screen) => shownAt(screen, ORDER)));
    await placeOrder(page);
    await shown;
    const { items } = await api<{ items: OrderAnswer[] }>('order/list', token);
    expect(items.length).toBe(1);
    order = items[0] as OrderAnswer;
    await soon(() => home.getByTestId('balance').textContent()).toBe('9,900.00');
  });

  test('the countdown follows the server although the device’s clock is five minutes wrong (S1-06, S3-13, S3-17)', async () => {
    expect(await elsewhere.page.evaluate(() => Date.now())).toBeGreaterThan(
      Date.now() + CLOCK_OFF_MS - 1_000,
    );
    const row = elsewhere.page.getByRole('row').filter({ has: elsewhere.page.locator(ORDER) });
    const card = home.locator(`[data-order="${order.id}"] [data-left]`);
    const secondsOf = (text: string | null) => {
      const [, minutes, seconds] = /(\d\d):(\d\d)/.exec(text ?? '') ?? [];
      return Number(minutes) * 60 + Number(seconds);
    };
    for (const screen of [row, card])
      await soon(async () => {
        const shown = secondsOf(await screen.textContent());
        return Math.abs(shown - (order.settlesAt - Date.now()) / 1000);
      }).toBeLessThan(2);
    const age = elsewhere.page.getByText(/^(Just now|\d s ago) · Simulated$/);
    await age.waitFor();
    await chooseMinutes(elsewhere.page, 1);
    const askedMs = Date.now();
    const settles = await elsewhere.page.getByText(/^Settles \d\d:\d\d:\d\d$/).textContent();
    const expected = new Intl.DateTimeFormat('en-US', {
      timeZone: 'Asia/Singapore',
      minute: '2-digit',
      hour: '2-digit',
      hourCycle: 'h23',
    });
    // The ticket shows when a one-minute order would settle if bought now, and this minute may end while it is read.
    const possible = [askedMs + 60_000, Date.now() + 65_000].map((ms) => expected.format(ms));
    expect(possible).toContain(settles?.slice(8, 13));
  });

  test('the chart states in words where the order opened, and other customers see only the trade (S2-46, S2-54, S3-09)', async () => {
    const { page } = customer;
    await expect.poll(async () => (await readOrder()).openPrice).not.toBeNull();
    order = await readOrder();
    // The candles stay, and the strip below them says what the order would end with now.
    await page.getByRole('img', { name: /^Price chart/ }).waitFor();
    const chip = page.getByRole('list', { name: 'Open orders of this product' }).getByRole('button');
    await chip.getByText('At the live price').waitFor({ state: 'attached' });
    await soon(() => chip.textContent()).toMatch(/100\.00 DEMO.*(\+80\.00|−100\.00|0\.00)$/);
    const marks = page.getByRole('list', { name: 'My orders on the chart' });
    await marks
      .getByText(`Buy up: opened at ${grouped(order.openPrice ?? '')}`)
      .waitFor({ state: 'attached' });
    await expect.poll(() => marks.getByRole('listitem').count()).toBe(1);
    const trades = stranger.page.getByRole('table').getByRole('row').filter({ hasText: 'DEMO' });
    await trades.waitFor();
    await expect.poll(() => trades.count()).toBe(1);
    expect(await trades.textContent()).toMatch(/^\d\d:\d\d:\d\dBuy up1 min100\.00 DEMO$/);
    expect(await stranger.page.getByRole('list', { name: 'My orders on the chart' }).count()).toBe(0);
  });

  test('settlement shows on every open screen, without a reload, and changes the balance by the exact result (S2-47, S3-08 to S3-15, S4-01)', async () => {
    const detail = await anotherTab(customer);
    await detail.goto(`${origin()}/historyOrder?id=${order.id}`);
    await detail.locator('[data-status=unsettled]').waitFor();
    const late = await anotherTab(customer);
    await neverGiveUp(late);
    const held = await holdAnswers(late, 'order/detail');
    await late.goto(`${origin()}/historyOrder?id=${order.id}`);
    await held.first;
    expect(await available()).toBe(9_900);
    await soon(() => factsOf(detail)).toMatchObject({
      Product: 'Litecoin',
      Direction: 'Buy up',
      Cycle: '1 min · 80%',
      'Investment (stake)': '100.00 DEMO',
      'Buy price': grouped(order.openPrice ?? ''),
      'Settlement price': '–',
      'Current price': expect.stringMatching(/^\d+\.\d+$/),
    });
    // A screen without orders tells it in a line that leads to the order, and that stays while it has the focus.
    const aside = await anotherTab(customer);
    await aside.goto(`${origin()}/mine`);
    const line = aside.getByRole('link', { name: /^LTC\/USDT Buy up settled: (Profit|Loss|No loss|Void)/ });
    const screens = [customer.page, home, list, detail, elsewhere.page];
    const shiftsBefore = await Promise.all(screens.map(shiftsOf));
    const result = /Profit|Loss|No loss|Void/.source;
    const settled = `[data-order="${order.id}"][data-result]`;
    await Promise.all([
      shownAt(customer.page, settled, result),
      shownAt(home, settled, result),
      shownAt(list, settled, result),
      shownAt(detail, '[data-status=settled]', result),
      shownAt(elsewhere.page, 'tr', result),
      line.focus({ timeout: 90_000 }),
    ]);
    // Nothing moves: not now, and not when the home has shown the result for a while.
    await home.waitForTimeout(LINGER_MS + 1_000);
    expect(await home.locator(settled).count()).toBe(1);
    expect((await line.boundingBox())?.height).toBeGreaterThanOrEqual(44);
    await aside.keyboard.press('Enter');
    await aside.waitForURL(`**/historyOrder?id=${order.id}`);
    await aside.getByRole('button', { name: 'Check this settlement' }).waitFor();
    expect(await line.count()).toBe(0);
    for (const [at, screen] of screens.entries()) {
      const shifts = (await shiftsOf(screen)).slice(shiftsBefore[at]?.length);
      const total = shifts.reduce((sum, { value }) => sum + value, 0);
      expect(total, JSON.stringify(shifts, null, 1)).toBeLessThan(MOST_SHIFT);
    }
    // An answer from before the settlement, which comes after the stream's message, changes nothing.
    await late.locator('[data-status=settled]').waitFor();
    await held.release();
    expect(await late.locator('[data-status=settled]').count()).toBe(1);

    const own = customer.page.getByRole('list', { name: 'Open orders of this product' });
    await own
      .getByRole('button')
      .getByText(/^(Profit \+80\.00|Loss −100\.00|No loss 0\.00)$/)
      .waitFor();

    order = await readOrder();
    expect(['80.000000', '-100.000000', '0.000000']).toContain(order.profit);
    await soon(() => factsOf(detail)).toMatchObject({
      'Buy price': grouped(order.openPrice ?? ''),
      'Settlement price': grouped(order.settlePrice),
    });
    const by = Math.abs(Number(order.settlePrice) - Number(order.openPrice)).toFixed(2);
    const word = {
      '80.000000': `Profit · moved ${by}`,
      '-100.000000': `Loss · moved ${by}`,
      '0.000000': 'No loss',
    }[order.profit];
    expect(await detail.locator('[data-status=settled]').innerText()).toContain(`\nDEMO\n${word}`);
    const balance = 10_000 + Number(order.profit);
    expect(await available()).toBe(balance);
    const shown = balance.toLocaleString('en-US', { minimumFractionDigits: 2 });
    await soon(() => home.getByTestId('balance').textContent()).toBe(shown);
    await soon(() => elsewhere.page.getByText(/^Available [\d,.]+ DEMO$/).textContent()).toBe(
      `Available ${shown} DEMO`,
    );
    await customer.page
      .getByRole('listitem')
      .filter({ hasText: `Buy up: settled at ${grouped(order.settlePrice)}` })
      .waitFor({ state: 'attached' });
  });

  fullTest('the customer’s statistics show the result and warn that one order means little', async () => {
    const { page } = elsewhere;
    await page.goto(`${origin()}/statistics`);
    const profit = Number(order.profit);
    const result = { 80: '+80.00', '-100': '−100.00', 0: '0.00' }[profit as 80 | -100 | 0];
    await expect.poll(() => page.getByTestId('result').textContent()).toBe(`${result}DEMO`);
    const figure = (name: string) =>
      page
        .locator('dl > div')
        .filter({ has: page.getByText(name, { exact: true }) })
        .locator('dd')
        .textContent();
    expect(await Promise.all(['Settled', 'Won', 'Lost', 'No loss', 'Open'].map(figure))).toEqual([
      '1',
      profit > 0 ? '1' : '0',
      profit < 0 ? '1' : '0',
      profit === 0 ? '1' : '0',
      '0',
    ]);
    await page.getByRole('row').filter({ hasText: SYMBOL }).waitFor();
    await page.getByRole('row').filter({ hasText: '1 min' }).waitFor();
    if (profit !== 0) await page.getByText(/too few for a meaningful win rate/).waitFor();
  });

  fullTest(
    'the receipt is verified on the device that bought the order, and saved as a file that verifies elsewhere',
    async () => {
      const { page } = customer;
      await page.goto(`${origin()}/historyOrder?id=${order.id}`);
      await checkSettlement(page);
      await page.getByRole('heading', { name: 'Checked on this device: everything matches' }).waitFor();
      await page.getByText('All checks', { exact: true }).click();
      await page.getByText('Acceptance and log entry match what this device kept').waitFor();
      await page.getByText(/This device read the log around opening and settlement/).waitFor();
      await page.getByText('What this check does not prove').waitFor();
      const saving = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Save receipt as file' }).click();
      const stream = await (await saving).createReadStream();
      let text = '';
      for await (const part of stream) text += part;
      const keys = await api<{ checkpoints: string; acceptances: string }>(
        'transparency/key',
        customer.token,
      );
      const trusted = [keys.checkpoints, keys.acceptances].map((key) => [nobleVerifier(key) as NoteVerifier]);
      const [log = [], acceptances = []] = trusted;
      expect(verifyReceipt(JSON.parse(text), { keys: { log, acceptances, witnesses: [] } }).isValid).toBe(
        true,
      );
    },
  );

  fullTest(
    'a settled order leads to a ticket with its terms, which a wide screen fills in where it is',
    async () => {
      for (const { page } of [customer, elsewhere]) {
        await page.goto(`${origin()}/product?symbol=${SYMBOL}`);
        await page.getByRole('heading', { level: 1 }).first().waitFor();
        await page.goto(`${origin()}/historyOrder?id=${order.id}`);
        await page.getByRole('link', { name: 'Same terms again' }).click();
        await soon(() => page.locator('#ticket-amount').inputValue()).toBe('100');
        expect(await page.getByRole('radio', { name: 'Buy up' }).isChecked()).toBe(true);
        // Nothing is armed yet.
        expect(await page.locator('[data-armed]').count()).toBe(0);
      }
    },
  );

  test('no browser console has a complaint', () => {
    for (const { complaints } of [customer, elsewhere, stranger]) expect(complaints).toEqual([]);
  });
});
