import { setTimeout as sleep } from 'node:timers/promises';
import { api, launch, origin } from '@fairtick/kit/browser/browser.ts';
import {
  armed,
  CREATE,
  type Detail,
  fact,
  ordersOf,
  placements,
  showTerms,
  withLimits,
} from '@fairtick/kit/browser/orders.ts';
import {
  fillTicket,
  openProduct,
  placeOrder,
  soon,
  tapUntilTaken,
  trader,
  untilPriceMoves,
} from '@fairtick/kit/browser/trader.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { fullTest } from '@fairtick/kit/size.ts';
import { describe, expect, test } from 'vitest';

const browser = forFile(() => launch());

describe('placing an order', () => {
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
    expect(await dialog.getByLabel('Amount (stake)', { exact: true }).inputValue()).toBe('12.37');
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

  fullTest('repeated taps on confirm place one order (S1-04, S2-45)', async () => {
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

  fullTest('an order like the last one takes four taps from the home, also after a reload', async () => {
    const { page, token } = await trader(browser);
    await openProduct(page, 'BTC/USDT');
    await page.getByRole('button', { name: 'Buy up', exact: true }).click();
    expect(await page.getByLabel('Amount (stake)', { exact: true }).inputValue()).toBe('');
    await page.getByRole('button', { name: 'Close', exact: true }).click();
    await fillTicket(page, '20');
    await placeOrder(page);
    await page.goto(`${origin()}/index`);
    await page.getByRole('link', { name: 'Bitcoin' }).first().click();
    await page.getByRole('button', { name: 'Buy down', exact: true }).click();
    await placeOrder(page);
    const orders = await ordersOf(token);
    expect(orders.map(({ amount, direction, minutes }) => [amount, direction, minutes])).toEqual([
      ['20.000000', 'down', 1],
      ['20.000000', 'up', 1],
    ]);
  });

  fullTest('quick taps, multiple clicks and a held key arm an order and do not send it', async () => {
    const { page, complaints, token } = await trader(browser);
    const requests = placements(page);
    await openProduct(page, 'BTC/USDT');
    await fillTicket(page, '20');
    const button = page.locator('button[data-state]');
    const disarm = () => page.getByText('Returned, in DEMO').click();
    await soon(() => button.isEnabled()).toBe(true);
    const { x, y, width, height } = (await button.boundingBox()) as Record<
      'x' | 'y' | 'width' | 'height',
      number
    >;
    const middle = { x: x + width / 2, y: y + height / 2 };
    // As a touch screen reports them: each tap for itself, 140 ms after the one before, for longer than the button waits. None waits
    // until the page has handled the one before: on a busy machine that would be as long as between two taps that count.
    const input = await page.context().newCDPSession(page);
    const sent: Promise<unknown>[] = [];
    for (let tap = 0; tap < 7; tap += 1) {
      for (const type of ['mousePressed', 'mouseReleased'] as const)
        sent.push(input.send('Input.dispatchMouseEvent', { type, ...middle, button: 'left', clickCount: 1 }));
      await sleep(140);
    }
    await Promise.all(sent);
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

  fullTest('an armed order is disarmed when the price has moved by more than a thousandth', async () => {
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
    const told = page.getByRole('alert').filter({ hasText: /The price has moved from [\d,.]+ to [\d,.]+\./ });
    await button.click();
    // The price goes on moving by less.
    await untilPriceMoves(page);
    expect(await button.getAttribute('data-state')).toBe('armed');
    factor = 1.002;
    await told.waitFor();
    expect(await button.getAttribute('data-state')).toBe('ready');
    expect(requests).toEqual([]);
  });
});
