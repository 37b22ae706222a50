import { api, launch, newAccount, origin, PASSWORD, visit } from '@fairtick/kit/browser/browser.ts';
import { chooseMinutes, placeOrder } from '@fairtick/kit/browser/trader.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { readFixes } from '@fairtick/kit/judges/log-judgement.ts';
import { PATIENCE_MS } from '@fairtick/kit/waiting/until.ts';
import { describe, expect, test } from 'vitest';

interface OrderAnswer {
  readonly id: string;
  readonly symbol: string;
  readonly direction: 'up' | 'down';
  readonly createdAt: number;
  readonly opensAt: number;
  readonly settlesAt: number;
  readonly openPrice: string;
  readonly openedAt: number;
  readonly settlePrice: string;
  readonly result: 'profit' | 'loss' | 'none';
  readonly profit: string;
  readonly voidReason: string | null;
}

describe('the main journey', () => {
  const browser = forFile(() => launch());

  test('a newcomer registers, sees prices move, buys up for a minute, watches it settle, and finds it in the log (S1-02, S1-04, S1-05, S1-06, S2-45, S4-01)', async () => {
    const { page, complaints } = await visit(browser, { language: 'en' });
    const account = newAccount();
    await page.goto(`${origin()}/register`);
    await page.getByLabel('Account').fill(account);
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByLabel('Confirm password').fill(PASSWORD);
    await page.getByRole('checkbox').check();
    await page.getByRole('button', { name: 'Register' }).click();
    await page.getByRole('heading', { name: 'Save your recovery codes' }).waitFor();
    await expect.poll(() => page.locator('ol li').count()).toBe(10);
    await page.getByRole('button', { name: 'I have saved them' }).click();
    await page.waitForURL('**/index');
    // On any phone everything fits the width, and the tabs are at the bottom, within a thumb's reach.
    const tabs = page.getByRole('navigation', { name: 'Main navigation' });
    await expect
      .poll(async () => {
        const { x, y, width, height } = (await tabs.boundingBox()) ?? { x: -1, y: 0, width: 0, height: 0 };
        return [x, width, y + height];
      })
      .toEqual([0, 375, 812]);
    const balance = page.getByTestId('balance');
    await balance.waitFor();
    expect(await balance.textContent()).toBe('10,000.00');

    await page.goto(`${origin()}/product?symbol=BTC/USDT`);
    const price = page.getByTestId('price');
    await page.waitForFunction(() =>
      /\d/.test(document.querySelector('[data-testid=price]')?.textContent ?? ''),
    );
    const first = await price.textContent();
    await expect.poll(() => price.textContent()).not.toBe(first);

    await page.getByRole('button', { name: 'Buy up' }).click();
    await chooseMinutes(page, 1);
    await page.getByRole('button', { name: '100', exact: true }).click();
    await page.getByRole('button', { name: /Buy up 100\.00 DEMO/ }).waitFor();
    // Waits for it from before the taps, because it disappears.
    const said = page.getByText('Submitted Successfully').waitFor();
    await placeOrder(page);
    await said;
    const countdown = page.locator('[data-left]');
    await countdown.waitFor();
    const before = await countdown.textContent();
    await expect.poll(() => countdown.textContent()).not.toBe(before);

    const token = (await page.evaluate(() => localStorage.getItem('token'))) as string;
    const [order] = (await api<{ items: OrderAnswer[] }>('order/list', token)).items;
    await page.goto(`${origin()}/historyOrder?id=${order?.id}`);
    await page.locator('[data-status=settled]').waitFor({ timeout: 60_000 + PATIENCE_MS });
    const settled = await api<OrderAnswer>('order/detail', token, { id: order?.id ?? '' });
    expect(settled.voidReason).toBeNull();

    const { ordersIndex, fixes } = await readFixes(origin(), 'BTC/USDT', {
      acceptedMs: settled.createdAt,
      at: [settled.opensAt, settled.settlesAt],
    });
    const [opening, settlement] = fixes;
    expect(opening).toMatchObject({ fixMs: settled.openedAt, price: settled.openPrice });
    expect(settlement).toMatchObject({ fixMs: settled.settlesAt, price: settled.settlePrice });
    expect(fixes.map(({ price }) => price)).toEqual(fixes.map(({ medianOfUsed }) => medianOfUsed));
    expect(opening?.index).toBeGreaterThan(ordersIndex);
    const moved = Number(settled.settlePrice) - Number(settled.openPrice);
    expect(settled.result).toBe(moved > 0 ? 'profit' : moved < 0 ? 'loss' : 'none');
    const expected = { profit: '80.000000', loss: '-100.000000', none: '0.000000' }[settled.result];
    expect(settled.profit).toBe(expected);
    await page.goto(`${origin()}/index`);
    const shown = { profit: '10,080.00', loss: '9,900.00', none: '10,000.00' }[settled.result];
    await expect.poll(() => balance.textContent()).toBe(shown);
    expect(complaints).toEqual([]);
  }, 300_000);
});
