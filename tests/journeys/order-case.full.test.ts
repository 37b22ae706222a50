import { readFile } from 'node:fs/promises';
import { api, launch, place } from '@fairtick/kit/browser/browser.ts';
import { leave, sitDown } from '@fairtick/kit/browser/desk.ts';
import { customerGet, customerPost } from '@fairtick/kit/browser/payee.ts';
import { axeFindings } from '@fairtick/kit/browser/screens.ts';
import { register } from '@fairtick/kit/browser/trader.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { seen } from '@fairtick/kit/waiting/until.ts';
import { expect, test } from 'vitest';

/** "My order settled wrongly": how support answers it with evidence. */
const browser = forFile(() => launch());
const office = () => process.env.FAIRTICK_OFFICE as string;
const SETTLED_WITHIN_MS = 150_000;

test('a complaint about an order is answered by its number: checked prices, an account in words, a PDF with the receipt', async () => {
  const { token } = await register();
  const { id } = await place(token, { symbol: 'ETH/USDT', direction: 'up' });
  await customerPost('chat/send', token, { text: `My order ${id} settled wrongly` });
  await seen(() => api('order/receipt', token, { id }).catch(() => null), {
    withinMs: SETTLED_WITHIN_MS,
    everyMs: 1_000,
    what: `the receipt of order ${id}`,
  });
  const desk = await sitDown(browser, office(), 'support_1');
  const { page } = desk;
  await page.goto(`${office()}/orders`);
  await page.getByLabel('Order number').fill(id);
  await page.getByRole('button', { name: 'Find' }).click();
  await page.getByText('Checked on this device: everything matches').waitFor();
  await page.getByText('What the sources had on record at the settlement').waitFor();
  expect(await page.getByRole('table', { name: 'Transfers it caused' }).innerText()).toContain('Stake held');
  expect(await axeFindings(page)).toEqual([]);

  await page.getByRole('link', { name: 'Account for the customer' }).click();
  await page.getByText(/^On .* UTC you bought ETH\/USDT up for 1 min, with a stake of /).waitFor();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'PDF with the receipt' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe(`fairtick-order-${id}.pdf`);
  const pdf = (await readFile(await download.path())).toString('latin1');
  expect([pdf.slice(0, 5), pdf.includes(`fairtick-receipt-${id}.json`)]).toEqual(['%PDF-', true]);
  expect(await axeFindings(page)).toEqual([]);
  await page.emulateMedia({ media: 'print' });
  expect(await page.getByRole('button', { name: 'Print' }).isVisible()).toBe(false);
  await page.emulateMedia({ media: 'screen' });

  await page.setViewportSize({ width: 375, height: 740 });
  await page.getByRole('link', { name: `Order ${id}` }).click();
  await page.getByText('Checked on this device: everything matches').waitFor();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(375);
  const { items } = await customerGet<{ items: { what: string; roles: string[] }[] }>(
    'user/dataViews',
    token,
  );
  // The case and its PDF; going back and forth between the case and the account reads nothing again.
  expect(items.map(({ what, roles }) => [what, roles])).toEqual([
    ['account', ['support']],
    ['account', ['support']],
  ]);
  await leave(desk);
}, 300_000);
