import { launch } from '@fairtick/kit/browser/browser.ts';
import { layoutFaults } from '@fairtick/kit/browser/layout.ts';
import { axeFindings } from '@fairtick/kit/browser/screens.ts';
import { type ServerProcess, startServerProcess } from '@fairtick/kit/browser/server.ts';
import { fillTicket, openProduct, trader } from '@fairtick/kit/browser/trader.ts';
import { Api } from '@fairtick/kit/clients/api.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { expect, test } from 'vitest';

/** A halt of one product, as customers see it on screens that are open. */
const browser = forFile(() => launch());
const house: ServerProcess = forFile(() =>
  startServerProcess({ MODE: 'demo', LIMIT_QUOTA_PERCENT: '1000000' }),
);

async function customer() {
  const form = { account: `halted_${Math.random().toString(36).slice(2, 10)}`, password: 'a tall lantern' };
  const answer = await fetch(`${house.origin}/api/user/register`, {
    method: 'POST',
    body: new URLSearchParams({ ...form, confirmPassword: form.password, lang: 'en' }),
  });
  return ((await answer.json()) as { data: { token: string; userInfo: unknown } }).data;
}

test('a halt shows on an open phone ticket and an open desk list without a reload, and ends there', async () => {
  const account = await customer();
  const phone = await trader(browser, { account, base: house.origin, width: 375 });
  const wide = await trader(browser, { account, base: house.origin, width: 1280, theme: 'dark' });
  await openProduct(phone.page, 'BTC/USDT', house.origin);
  await openProduct(wide.page, 'ETH/USDT', house.origin);
  await fillTicket(phone.page, '20');
  const buy = phone.page.locator('[data-state=ready]');
  expect(await buy.isEnabled()).toBe(true);
  let loads = 0;
  for (const { page } of [phone, wide]) page.on('framenavigated', () => (loads += 1));

  const clerk = await Api.openOffice(house.officeOrigin, 'catalogue_1', 'Staff-1234');
  await clerk.post('halt/start', { symbol: 'BTC/USDT', reason: 'One source lies' });
  const line = phone.page.getByText(/^New orders are currently halted · since .+ · One source lies/);
  await line.waitFor();
  expect(await buy.isDisabled()).toBe(true);
  expect(await phone.page.getByRole('link', { name: 'Record of halts' }).getAttribute('href')).toBe(
    '/transparency',
  );
  const row = wide.page.getByRole('link', { name: 'BTC/USDT' });
  await row.getByText('Halted', { exact: true }).waitFor();
  // Prices go on, and another product takes orders.
  expect(await row.textContent()).toMatch(/\d\.\d\d/);
  await wide.page.locator('#ticket-amount').fill('20');
  expect(await wide.page.locator('[data-state=ready]').isEnabled()).toBe(true);
  for (const { page } of [phone, wide]) {
    expect(await axeFindings(page)).toEqual([]);
    expect(await layoutFaults(page)).toEqual([]);
  }

  const open = async () => (await clerk.get('halt/state')).body.data.present;
  const [{ id, symbol }] = await open();
  expect(symbol).toBe('BTC/USDT');
  await clerk.post('halt/proposeLift', { id, note: 'The source is gone' });
  const approver = await Api.openOffice(house.officeOrigin, 'approver_1', 'Staff-1234');
  await approver.post('halt/lift', { id, content: (await open())[0].lift.content });
  await line.waitFor({ state: 'detached' });
  await expect.poll(() => buy.isEnabled()).toBe(true);
  await row.getByText('Halted', { exact: true }).waitFor({ state: 'detached' });
  expect(loads).toBe(0);
  for (const { context, complaints } of [phone, wide]) {
    expect(complaints).toEqual([]);
    await context.close();
  }
}, 240_000);
