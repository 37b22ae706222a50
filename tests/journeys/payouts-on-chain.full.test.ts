import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { launch } from '@fairtick/kit/browser/browser.ts';
import { type Desk, leave, sitDown } from '@fairtick/kit/browser/desk.ts';
import { customerPost, payee, WITHDRAWAL_PASSWORD } from '@fairtick/kit/browser/payee.ts';
import { axeFindings } from '@fairtick/kit/browser/screens.ts';
import { startServerProcess } from '@fairtick/kit/browser/server.ts';
import { soon, type Trader, trader } from '@fairtick/kit/browser/trader.ts';
import { ownAnvil } from '@fairtick/kit/chains/anvil.ts';
import { addressOf, HOT, HOT_KEY, payingFrom } from '@fairtick/kit/chains/paying.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { temporaryFolder } from '@fairtick/kit/fixtures/fixtures.ts';
import { freePort } from '@fairtick/kit/processes/processes.ts';
import { ownershipText } from '@fairtick/proof';
import type { Language } from '@fairtick/protocol';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';

/** A withdrawal in USDT, from the customer's tap to "paid" on a chain of this test's own, which a key outside of the server signs. */
const browser = forFile(() => launch());
const anvil = ownAnvil();
const folder = temporaryFolder('payouts');
const server = forFile(
  async () => {
    await anvil.fund(HOT.address);
    const port = await freePort();
    const text = ownershipText(`localhost:${port}/api/transparency`, HOT.address);
    const own = [{ address: HOT.address, signature: await HOT.signMessage({ message: text }) }];
    const file = join(folder, 'chains.json');
    writeFileSync(file, JSON.stringify([payingFrom(anvil, { own, confirmations: 2 })]));
    return startServerProcess({ MODE: 'demo', HOLD_SECONDS: '1', PORT: String(port), CHAINS_FILE: file });
  },
  (started) => started.stop(),
);

const read = (path: string) =>
  JSON.parse(readFileSync(join(import.meta.dirname, '../../apps', path), 'utf8'));
type Texts = (id: string, values?: Record<string, string>) => string;
/** The words of an app, by their names. */
const wordsOf = (folder: string, language: Language): Texts => {
  const words: Record<string, string> = read(`${folder}/${language}.json`);
  return (id, values = {}) =>
    Object.entries(values).reduce(
      (text, [name, value]) => text.replace(`{${name}}`, value),
      words[id] ?? `no ${id}`,
    );
};

/** Presses the gold button of a case, and again in its dialog. */
async function decide({ page }: Desk, name: string): Promise<void> {
  await page.locator('footer').getByRole('button', { name }).click();
  const dialog = page.getByRole('dialog', { name });
  await dialog.getByRole('button', { name }).click();
  await dialog.waitFor({ state: 'hidden' });
}

/** What this customer's tap leads to: a request under review, at the top of the screen. */
async function tapWithdraw({ page }: Trader, t: Texts): Promise<string> {
  await page.goto(`${server.origin}/with?asset=USDT`);
  await page.getByLabel(t('withdrawal.amount'), { exact: true }).fill('20');
  await page.getByLabel(t('withdrawal.password'), { exact: true }).fill(WITHDRAWAL_PASSWORD);
  const answer = page.waitForResponse((one) => one.url().endsWith('/api/withdraw/submit'));
  await page.locator('button[type=submit]').click();
  const { data } = await (await answer).json();
  await page.locator('article[data-status=review]').waitFor();
  return data.id;
}

async function approve(cashier: Desk, approver: Desk, { id, t }: { id: string; t: Texts }): Promise<void> {
  for (const [desk, word] of [
    [cashier, 'withdrawal.propose'],
    [approver, 'withdrawal.approve'],
  ] as const) {
    await desk.page.goto(`${server.officeOrigin}/withdrawals/${id}`);
    await desk.page.locator('#case-title').waitFor();
    await desk.page.keyboard.press('v');
    await decide(desk, t(word, { amount: '19.00 USDT' }));
  }
}

const hashIn = async (page: Page) => {
  const hash = page.getByRole('dialog').locator('[data-hash]');
  await hash.waitFor();
  return { hash: await hash.getAttribute('data-hash'), read: await hash.innerText() };
};
const openBatch = async ({ page }: Desk) => {
  await page.goto(`${server.officeOrigin}/payouts`);
  await page.locator('tbody tr').first().click();
  return hashIn(page);
};

/** The cashier downloads the file, the key signs it in a program of its own, and the cashier uploads what it wrote. */
async function sign({ page }: Desk, t: Texts): Promise<string> {
  const downloading = page.waitForEvent('download');
  await page.getByRole('link', { name: t('payouts.download') }).click();
  const file = join(folder, (await downloading).suggestedFilename());
  await (await downloading).saveAs(file);
  const key = join(folder, 'hot.key');
  writeFileSync(key, HOT_KEY);
  const signer = spawn(process.execPath, ['scripts/payout-sign.ts', file, '--key', key], { stdio: 'pipe' });
  const said: string[] = [];
  signer.stdout.on('data', (data) => said.push(String(data)));
  signer.stdin.end('y\n');
  expect((await once(signer, 'exit'))[0]).toBe(0);
  await page
    .getByRole('dialog')
    .locator('input[type=file]')
    .setInputFiles(file.replace('.json', '.signed.json'));
  await page.getByText(t('payouts.doneSigned')).waitFor();
  return said.join('');
}

test.each<[Language, number]>([
  ['en', 375],
  ['zh', 375],
  ['tw', 1280],
])(
  'a withdrawal is paid on the chain, in %s, on a screen of %i px',
  async (language, width) => {
    const [app, office] = [
      wordsOf('web/src/messages/wallet', language),
      wordsOf('office/src/messages', language),
    ];
    const to = addressOf(width + language.charCodeAt(0));
    const place = { base: server.origin, office: server.officeOrigin };
    const account = await payee({ ...place, balance: '100', lacks: ['address'] });
    await customerPost('user/setAddress', account.token, { USDT: to }, server.origin);
    const customer = await trader(browser, { account, base: server.origin, language, width });
    const id = await tapWithdraw(customer, app);
    const [cashier, approver] = [
      await sitDown(browser, server.officeOrigin, 'cashier_1', { language }),
      await sitDown(browser, server.officeOrigin, 'approver_1', { language }),
    ];
    await approve(cashier, approver, { id, t: office });

    await cashier.page.goto(`${server.officeOrigin}/payouts`);
    await cashier.page.getByRole('button', { name: office('payouts.prepare') }).click();
    const prepared = await hashIn(cashier.page);
    expect(await axeFindings(cashier.page)).toEqual([]);
    const compared = await openBatch(approver);
    expect(compared).toEqual(prepared);
    await approver.page.getByText(new RegExp(`19.00 USDT.*${to}`)).waitFor();
    await approver.page.getByRole('button', { name: office('payouts.agree') }).click();
    await approver.page.getByText(office('payouts.doneAgreed')).waitFor();
    const state = (name: string) => customer.page.locator(`[data-payout=${name}]`);
    await state('prepared').waitFor();
    await openBatch(cashier);
    const said = await sign(cashier, office);
    expect(said).toContain(`Pay 19 USDT on ERC20 to ${to}`);
    expect(said).toContain(`Hash ${prepared.read}`);

    await state('sent').waitFor();
    await anvil.mine(2);
    await state('confirmed').waitFor();
    expect(await axeFindings(customer.page)).toEqual([]);
    await anvil.mine(4);
    await state('paid').waitFor();
    await soon(() => customer.page.locator('article').getAttribute('data-status')).toBe('success');
    // What the explorer will show is a transaction of the chain, and the address has the money.
    const link = customer.page.locator('article a[href^="https://explorer.example/tx/"]');
    const txid = await link.innerText();
    expect(await link.getAttribute('href')).toBe(`https://explorer.example/tx/${txid}`);
    expect([await anvil.has(txid), await anvil.balanceOf(to)]).toEqual([true, 19_000_000n]);
    expect(await axeFindings(customer.page)).toEqual([]);
    await openBatch(cashier);
    const dialog = cashier.page.getByRole('dialog');
    await dialog.getByText(office('payoutState.paid')).waitFor();
    expect(await dialog.getByRole('link', { name: txid }).count()).toBe(1);
    expect(await axeFindings(cashier.page)).toEqual([]);
    expect(customer.complaints).toEqual([]);
    await customer.context.close();
    await leave(cashier);
    await leave(approver);
  },
  240_000,
);
