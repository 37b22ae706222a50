import { PASSWORD } from '@fairtick/kit/browser/browser.ts';
import { paper } from '@fairtick/kit/people/paper.ts';
import { button, open, type Scene, scene, untilLoaded } from './scene.ts';

/** Screens of a customer with a history, of money and of security, and screens whose calls fail. */

/** The screen while its calls are aborted. */
const cut = (name: string, path: string, calls: string): Scene => ({
  name,
  reader: 'rich',
  async show(stage) {
    await stage.page.route(calls, (route) => route.abort());
    await open(stage, path);
    await button(stage, 'list.again').first().waitFor();
  },
});

const proof = { name: 'paid.png', mimeType: 'image/png', buffer: paper(300, 420) };
const DAY_MS = 86_400_000;

interface Interest {
  readonly interest: string;
}

/** The security page while somebody claims the account, before the customer objects or since. */
const claimed = (name: string, objectedAt: number | null): Scene => ({
  name,
  reader: 'rich',
  async show(stage) {
    await stage.page.route('**/api/user/factors*', async (route) => {
      const body = await (await route.fetch()).json();
      body.data.claim = { at: Date.parse('2026-01-02T09:12:00Z'), objectedAt };
      await route.fulfill({ json: body });
    });
    await open(stage, '/security');
    await stage.page.getByRole('heading', { name: stage.word('security.codes') }).waitFor();
  },
});

/** A month of interest, which a fresh demo does not have. */
function month(asset: string): { items: Interest[]; nextCursor: null } {
  const items = Array.from({ length: 30 }, (_, ago) => ({
    asset,
    date: new Date(Date.now() - (ago + 1) * DAY_MS).toISOString().slice(0, 10),
    principal: (640 - ago * 9).toFixed(6),
    rate: '0.03',
    interest: ((640 - ago * 9) * (0.03 / 365)).toFixed(6),
  }));
  return { items, nextCursor: null };
}

const request = (name: string, find: (rich: { paid: string; returned: string }) => string): Scene => ({
  name,
  reader: 'rich',
  async show(stage) {
    await open(stage, `/accessLog?withdrawal=${find(stage.people.rich)}`);
    await stage.page.locator('article').first().waitFor();
  },
});

export const OWN_SCENES: readonly Scene[] = [
  scene('home', 'visitor', '/home'),
  scene('home-member', 'fresh', '/home'),
  scene('home-checked', 'visitor', '/home', async (page, stage) => {
    await button(stage, 'sample.check').click();
    await page.getByText(stage.word('sample.proved')).waitFor();
  }),
  scene('mine-rich', 'rich', '/mine'),
  scene('index-rich', 'rich', '/index'),
  scene('profit', 'rich', '/profit'),
  scene('profit-empty', 'fresh', '/profit'),
  {
    // The only answers of operations that are made up: a fresh demo has no month of interest.
    name: 'profit-month',
    reader: 'rich',
    async show(stage) {
      const data = month('USDT');
      await stage.page.route('**/api/profit/records*', (route) =>
        route.fulfill({ json: { code: 1, msg: '', data } }),
      );
      await stage.page.route('**/api/profit/summary*', async (route) => {
        const answer = (await (await route.fetch()).json()) as { data: object };
        const interest = data.items.map((item) => Number(item.interest));
        const accumulated = interest.reduce((sum, one) => sum + one, 0).toFixed(6);
        const sums = { yesterdayInterest: data.items[0]?.interest, accumulated, countsToday: '640.25' };
        await route.fulfill({ json: { ...answer, data: { ...answer.data, ...sums } } });
      });
      await open(stage, '/profit');
    },
  },
  scene('profit-in', 'rich', '/profit', (page) =>
    page.locator('[data-view=profit] button[data-look=gold]').first().click(),
  ),
  cut('profit-fault', '/profit', '**/api/profit/*'),
  scene('chat', 'rich', '/chat'),
  scene('chat-empty', 'fresh', '/chat'),
  scene('news', 'fresh', '/news'),
  scene('news-one', 'rich', '/news', async (page) => {
    await page.locator('a[data-news]').first().click();
    await page.locator('article').first().waitFor();
  }),
  cut('news-fault', '/news', '**/api/news/*'),
  scene('security', 'rich', '/security'),
  claimed('security-claimed', null),
  claimed('security-disputed', Date.parse('2026-01-02T10:30:00Z')),
  scene('security-totp', 'rich', '/security', async (page, stage) => {
    await button(stage, 'security.addTotp').click();
    const code = page.getByRole('dialog').locator('svg[shape-rendering]');
    const password = page.locator('input[autocomplete=current-password]:visible');
    await code.or(password).first().waitFor();
    // Five minutes after the login the server wants the password again.
    if (await password.isVisible()) {
      await password.fill(PASSWORD);
      await password.press('Enter');
    }
    await code.waitFor();
  }),
  scene('devices', 'rich', '/devices'),
  scene('my-data', 'rich', '/myData'),
  scene('limits', 'rich', '/limits'),
  scene('limits-empty', 'fresh', '/limits'),
  cut('limits-fault', '/limits', '**/api/protection/*'),
  scene('alerts', 'rich', '/alerts'),
  scene('alerts-empty', 'fresh', '/alerts'),
  scene('statistics', 'trader', '/statistics'),
  scene('statistics-rich', 'rich', '/statistics'),
  scene('statistics-empty', 'fresh', '/statistics'),
  scene('notices', 'rich', '/notices'),
  scene('who-looked', 'rich', '/whoLooked'),
  scene('who-looked-empty', 'fresh', '/whoLooked'),
  scene('real-name', 'fresh', '/realName'),
  scene('real-name-verified', 'rich', '/realName'),
  scene('bank', 'rich', '/bank'),
  scene('bank-empty', 'fresh', '/bank'),
  scene('edit-bank', 'rich', '/editBank'),
  scene('edit-address', 'rich', '/editAddress'),
  scene('set-pay-word', 'fresh', '/setPayWord'),
  scene('change-pay-word', 'rich', '/setPayWord'),
  scene('with', 'rich', '/with'),
  {
    name: 'with-claimed',
    reader: 'rich',
    async show(stage) {
      await stage.page.route('**/api/withdraw/options*', async (route) => {
        const body = await (await route.fetch()).json();
        for (const destination of body.data.destinations) destination.usableAt = null;
        await route.fulfill({ json: body });
      });
      await open(stage, '/with');
      await stage.page.getByText(stage.word('withdrawal.holdClaim')).waitFor();
    },
  },
  {
    name: 'with-other',
    reader: 'rich',
    async show(stage) {
      await stage.page.route('**/api/withdraw/options*', async (route) => {
        const body = await (await route.fetch()).json();
        const paidAt = Date.parse('2026-01-02T09:12:00Z');
        for (const destination of body.data.destinations)
          destination.lastPayout = { paidAt, label: 'TRC20 TXYZop…4dEf', changed: ['address'] };
        await route.fulfill({ json: body });
      });
      await open(stage, '/with');
      await stage.page.getByText(stage.word('withdrawal.changed')).first().waitFor();
    },
  },
  scene('with-filled', 'rich', '/with', async (page) => {
    await page.locator('input[inputmode=decimal]').first().fill('120');
    await page.locator('[data-view=with] input[inputmode=numeric]').fill('135790');
  }),
  scene('with-faults', 'rich', '/with', (page) =>
    page.locator('[data-view=with] button[type=submit]').click(),
  ),
  scene('recharge-filled', 'rich', '/recharge', async (page) => {
    await page.locator('input[type=file]').setInputFiles(proof);
    await page.locator('fieldset button').nth(2).click();
  }),
  scene('requests', 'rich', '/accessLog'),
  request('request-paid', ({ paid }) => paid),
  request('request-returned', ({ returned }) => returned),
  scene('change-log-rich', 'rich', '/changeLog'),
  cut('change-log-fault', '/changeLog', '**/api/fund/*'),
  scene('limits-break', 'resting', '/limits'),
  scene('change-log-days', 'rich', '/changeLog', (page) =>
    page.locator('[data-view=changeLog] select').nth(1).selectOption('custom'),
  ),
  scene('transparency', 'visitor', '/transparency', async (page, stage) => {
    // Orders count a minute after they are settled; before that the page has those with practice money alone.
    const note = page.getByText(stage.word('open.outcomesNote'));
    for (let look = 0; look < 30 && (await note.count()) === 0; look += 1) {
      await page.waitForTimeout(5_000);
      await page.reload();
      await untilLoaded(page);
    }
  }),
];
