import { button, open, type Scene, type Stage, scene } from './scene.ts';
import { tapStream } from './stream-tap.ts';

const unfoldSettings = ({ page, word }: Stage) =>
  page
    .locator('summary')
    .filter({ has: page.getByText(word('mine.settings'), { exact: true }) })
    .click();

const submit = (path: string, name: string, reader: Scene['reader'], fill?: Scene['show']): Scene => ({
  name,
  reader,
  async show(stage) {
    await open(stage, path);
    await fill?.(stage);
    await stage.page.locator('button[type=submit]:visible').click();
    await stage.page.locator('[aria-invalid=true]:visible').first().waitFor();
  },
});

/** Sets the fields of the registration. */
const register =
  (account: string, password: string, again: string): Scene['show'] =>
  async ({ page }) => {
    await page.locator('input[autocomplete=username]').fill(account);
    await page.locator('input[autocomplete=new-password]').nth(0).fill(password);
    await page.locator('input[autocomplete=new-password]').nth(1).fill(again);
  };

/** The ways into an account, a new customer's account and money, and a lost connection. */
export const ACCOUNT_SCENES: readonly Scene[] = [
  scene('login', 'visitor', '/login'),
  submit('/login', 'login-faults', 'visitor'),
  scene('login-forgot', 'visitor', '/login', async (page, stage) => {
    await button(stage, 'account.forgot').click();
    await page.locator('input[name=recover-way]').first().waitFor();
  }),
  scene('login-support', 'visitor', '/login', async (page, stage) => {
    await button(stage, 'account.forgot').click();
    await page.locator('input[name=recover-way]').nth(1).check({ force: true });
  }),
  scene('login-claim', 'visitor', '/login', async (page, stage) => {
    await page.getByText(stage.word('account.cantLogIn')).click();
    await button(stage, 'account.takeBack').click();
    await page.locator('input[name=claim-way]').first().waitFor();
  }),
  scene('login-claim-status', 'visitor', '/login', async (page, stage) => {
    await page.route('**/api/user/claimStatus', (route) =>
      route.fulfill({
        json: { code: 1, msg: '', data: { state: 'disputed', at: Date.parse('2026-01-02T09:12:00Z') } },
      }),
    );
    await page.getByText(stage.word('account.cantLogIn')).click();
    await button(stage, 'account.takeBack').click();
    await page.locator('input[name=claim-way]').nth(1).check({ force: true });
    await page.getByRole('dialog').locator('input:not([type=radio])').fill('ABCD-EFGH-JKMN-PQRS');
    await button(stage, 'takeBack.check').click();
    await page.getByRole('dialog').getByRole('status').filter({ hasText: '17:12' }).waitFor();
  }),
  scene('login-languages', 'visitor', '/login', async (page) => {
    await page.locator('[aria-haspopup=menu]:visible').first().click();
    await page.locator('[role=menuitemradio]:visible').first().waitFor();
  }),
  scene('register', 'visitor', '/register'),
  submit('/register', 'register-faults', 'visitor', register('1x', 'short', 'other')),
  scene('register-codes', 'visitor', '/register', async (page, stage) => {
    const account = `s${Date.now().toString(36)}${Math.random().toString(36).slice(2, 8)}`;
    await register(account, 'correct horse', 'correct horse')(stage);
    await page.locator('input[type=checkbox]').check();
    await page.locator('button[type=submit]').click();
    await page.locator('ol li').first().waitFor();
  }),
  scene('mine', 'fresh', '/mine'),
  scene('mine-nickname', 'fresh', '/mine', async (page, stage) => {
    await unfoldSettings(stage);
    // The name of the row ends with the present nickname.
    await page.getByRole('button', { name: stage.word('account.setNickname') }).click();
    await page.getByRole('dialog').waitFor();
  }),
  scene('mine-language', 'fresh', '/mine', async (page, stage) => {
    await unfoldSettings(stage);
    await page
      .getByRole('button', { name: stage.word('shell.language') })
      .last()
      .click();
    await page.getByRole('dialog').waitFor();
  }),
  scene('mine-zone', 'fresh', '/mine', async (page, stage) => {
    await unfoldSettings(stage);
    await page.getByRole('button', { name: stage.word('mine.zone') }).click();
    await page.getByRole('dialog').getByRole('combobox').fill('+8');
    await page.getByRole('dialog').getByRole('option').first().waitFor();
  }),
  scene('recharge', 'fresh', '/recharge'),
  scene('recharge-bank', 'fresh', '/recharge', (page) =>
    page.locator('input[name=channel]').last().check({ force: true }),
  ),
  submit('/recharge', 'recharge-faults', 'fresh'),
  scene('with-missing', 'fresh', '/with', (page) => page.locator('li[data-next]').first().waitFor()),
  scene('with-next', 'begun', '/with', async (page) => {
    await page.locator('li[data-done]').first().waitFor();
    await page.locator('li[data-next]').first().waitFor();
  }),
  scene('requests-empty', 'fresh', '/accessLog'),
  scene('change-log', 'trader', '/changeLog'),
  scene('change-log-summary', 'trader', '/changeLog', (page) =>
    page.locator('[data-view=changeLog] select').first().selectOption('DEMO'),
  ),
  scene('notices-empty', 'fresh', '/notices'),
  {
    name: 'index-offline',
    reader: 'fresh',
    async show(stage) {
      const stream = await tapStream(stage.page);
      await open(stage, '/index');
      await stream.begun;
      stream.cut();
      const [since = ''] = stage.word('shell.offlineSince').split('{time}');
      await stage.page.getByText(since).first().waitFor();
    },
  },
];
