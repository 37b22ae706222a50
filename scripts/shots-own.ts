import { png } from '@fairtick/kit/browser/payee.ts';
import type { Page } from 'playwright-core';
import { open, plain, type Scene } from './shots-scenes.ts';

/** Screens of a customer with a history, of money and of security, and screens whose calls fail. */
const scene = (
  name: string,
  path: string,
  after: (page: Page) => Promise<unknown>,
  reader: Scene['reader'] = 'rich',
): Scene => ({
  name,
  reader,
  async show(page, origin) {
    await open(page, origin, path);
    await after(page);
  },
});

/** The screen while its calls are aborted. */
const cut = (name: string, path: string, calls: string): Scene => ({
  name,
  reader: 'rich',
  async show(page, origin) {
    await page.route(calls, (route) => route.abort());
    await open(page, origin, path);
    await page.waitForTimeout(4_500);
  },
});

const proof = { name: 'paid.png', mimeType: 'image/png', buffer: png(300, 420) };
const DAY_MS = 86_400_000;

/** A month of interest, which a fresh demo does not have. */
function month(asset: string): { items: object[]; nextCursor: null } {
  const items = Array.from({ length: 30 }, (_, ago) => ({
    asset,
    date: new Date(Date.now() - (ago + 1) * DAY_MS).toISOString().slice(0, 10),
    principal: (640 - ago * 9).toFixed(6),
    rate: '0.03',
    interest: ((640 - ago * 9) * (0.03 / 365)).toFixed(6),
  }));
  return { items, nextCursor: null };
}

const requestScene = (name: string, find: (rich: { paid: string; returned: string }) => string): Scene => ({
  name,
  reader: 'rich',
  async show(page, origin, _language, { rich }) {
    await open(page, origin, `/accessLog?withdrawal=${find(rich)}`);
    await page.locator('article').first().waitFor();
  },
});

/** The trader's newest order without a result, if there is one: tied, or void after a pause of the server. */
const nothingScene = (name: string, isVoid: boolean): Scene => ({
  name,
  reader: 'trader',
  async show(page, origin, _language, { readers }) {
    const answer = await fetch(`${origin}/api/order/list?status=settled&limit=100`, {
      headers: { token: readers.trader?.token ?? '' },
    });
    const { data } = (await answer.json()) as {
      data: { items: { id: string; result: string; voidReason: string | null }[] };
    };
    const found = data.items.find(
      ({ result, voidReason }) => result === 'none' && (voidReason !== null) === isVoid,
    );
    await open(page, origin, found ? `/historyOrder?id=${found.id}` : '/historyOrder');
  },
});

export const OWN_SCENES: readonly Scene[] = [
  plain('home', 'visitor', '/home'),
  plain('home-member', 'fresh', '/home'),
  plain('mine-rich', 'rich', '/mine'),
  plain('index-rich', 'rich', '/index'),
  plain('profit', 'rich', '/profit'),
  plain('profit-empty', 'fresh', '/profit'),
  {
    name: 'profit-month',
    reader: 'rich',
    async show(page, origin) {
      await page.route('**/api/profit/records*', (route) =>
        route.fulfill({ json: { code: 1, msg: '', data: month('USDT') } }),
      );
      await open(page, origin, '/profit');
    },
  },
  scene('profit-in', '/profit', (page) =>
    page.locator('[data-view=profit] button[data-look=gold]').first().click(),
  ),
  cut('profit-fault', '/profit', '**/api/profit/*'),
  plain('chat', 'rich', '/chat'),
  plain('chat-empty', 'fresh', '/chat'),
  cut('chat-fault', '/chat', '**/api/chat/*'),
  plain('news', 'fresh', '/news'),
  scene('news-one', '/news', async (page) => {
    await page.locator('[data-view=news] main a').first().click();
    await page.locator('article').first().waitFor();
  }),
  cut('news-fault', '/news', '**/api/news/*'),
  plain('security', 'rich', '/security'),
  scene('security-totp', '/security', (page) =>
    page.locator('[data-view=security] main button').first().click(),
  ),
  plain('devices', 'rich', '/devices'),
  plain('my-data', 'rich', '/myData'),
  plain('limits', 'rich', '/limits'),
  plain('limits-empty', 'fresh', '/limits'),
  cut('limits-fault', '/limits', '**/api/protection/*'),
  plain('alerts', 'rich', '/alerts'),
  plain('alerts-empty', 'fresh', '/alerts'),
  plain('statistics', 'trader', '/statistics'),
  plain('statistics-rich', 'rich', '/statistics'),
  plain('statistics-empty', 'fresh', '/statistics'),
  plain('notices', 'rich', '/notices'),
  plain('who-looked', 'rich', '/whoLooked'),
  plain('who-looked-empty', 'fresh', '/whoLooked'),
  plain('real-name', 'fresh', '/realName'),
  plain('real-name-verified', 'rich', '/realName'),
  plain('bank', 'rich', '/bank'),
  plain('bank-empty', 'fresh', '/bank'),
  plain('edit-bank', 'rich', '/editBank'),
  plain('edit-address', 'rich', '/editAddress'),
  plain('set-pay-word', 'fresh', '/setPayWord'),
  plain('change-pay-word', 'rich', '/setPayWord'),
  plain('with', 'rich', '/with'),
  scene('with-filled', '/with', async (page) => {
    await page.locator('input[inputmode=decimal]').first().fill('120');
    await page.locator('[data-view=with] input[type=password]').fill('135790');
  }),
  scene('with-faults', '/with', (page) => page.locator('[data-view=with] button[type=submit]').click()),
  scene('recharge-filled', '/recharge', async (page) => {
    await page.locator('input[type=file]').setInputFiles(proof);
    await page.locator('fieldset button').nth(2).click();
  }),
  plain('access-log', 'rich', '/accessLog'),
  requestScene('request-paid', ({ paid }) => paid),
  requestScene('request-returned', ({ returned }) => returned),
  plain('change-log-rich', 'rich', '/changeLog'),
  cut('change-log-fault', '/changeLog', '**/api/fund/*'),
  plain('limits-break', 'resting', '/limits'),
  nothingScene('order-tied', false),
  nothingScene('order-void', true),
  scene('change-log-days', '/changeLog', (page) =>
    page.locator('[data-view=changeLog] select').nth(1).selectOption('custom'),
  ),
  {
    name: 'transparency',
    reader: 'visitor',
    async show(page, origin) {
      await open(page, origin, '/transparency');
      await page.waitForTimeout(3_000);
    },
  },
  {
    name: 'order-check',
    reader: 'trader',
    async show(page, origin) {
      await open(page, origin, '/historyOrder');
      await page.locator('[data-order][data-result]').first().click();
      await page.locator('[data-status=settled]').waitFor();
      await page.getByRole('button', { name: /^(核对这笔结算|核對這筆結算|Check this settlement)$/ }).click();
      await page.waitForTimeout(5_000);
    },
  },
];
