import { CLOSED_WORDS } from '@fairtick/protocol/product-state';
import type { ReaderName } from './people.ts';
import { button, openChart, openTicket, type Scene, type Stage, scene, untilLoaded } from './scene.ts';
import { isPhone } from './sizes.ts';

/** A product that trades at any hour, so that its scenes are the same on every day. */
const SYMBOL = 'BTC/USDT';

const over =
  (show: (stage: Stage, symbol: string) => Promise<void>) =>
  (name: string, reader: ReaderName, after?: (stage: Stage) => Promise<unknown>): Scene => ({
    name,
    reader,
    async show(stage) {
      await show(stage, SYMBOL);
      await after?.(stage);
      await untilLoaded(stage.page);
    },
  });
const chart = over(openChart);
const ticket = over(openTicket);

const enter = ({ page }: Stage, amount: string) => page.locator('#ticket-amount').fill(amount);

/** The market, a product and its ticket. */
export const TRADE_SCENES: readonly Scene[] = [
  scene('index-visitor', 'visitor', '/index'),
  scene('index-fresh', 'fresh', '/index'),
  scene('index-trader', 'trader', '/index', (page) => page.locator('[data-order]').first().waitFor()),
  scene('index-switches', 'visitor', '/index', openSwitches),
  scene('product-list', 'visitor', '/product'),
  scene('product-search', 'visitor', '/product', async (page) => {
    await page.locator('input[type=search]').fill('jpy');
    // The whole list has both.
    await page.getByText('BTC/USDT').first().waitFor({ state: 'hidden' });
    await page.getByText('JPY').first().waitFor();
  }),
  scene('product-nothing-found', 'visitor', '/product', async (page, { word }) => {
    await page.locator('input[type=search]').fill('zzzz');
    await page.getByText(word('market.nothingFound')).first().waitFor();
  }),
  chart('product', 'visitor'),
  chart('product-switches', 'visitor', ({ page }) => openSwitches(page)),
  chart('product-open-order', 'trader', ({ page, word }) =>
    page
      .getByRole('list', { name: word('chart.openOrders') })
      .first()
      .waitFor(),
  ),
  chart('product-table', 'visitor', async (stage) => {
    await button(stage, 'chart.table').click();
    await stage.page.locator('[role=region] tbody tr:visible').nth(20).waitFor();
  }),
  chart('product-day', 'visitor', async ({ page }) => {
    await page.locator('input[name=period]').nth(3).check({ force: true });
    await page.locator('canvas:visible').first().waitFor();
  }),
  {
    ...chart('product-rules', 'visitor', async (stage) => {
      await button(stage, 'product.rules').click();
      await stage.page.getByText(stage.word('product.rulesHash')).waitFor();
    }),
    isIn: isPhone,
  },
  {
    name: 'product-closed',
    reader: 'visitor',
    async show(stage) {
      await openChart(stage, await closedSymbol(stage.origin));
      await stage.page
        .getByText(new RegExp(CLOSED_WORDS.hours.mark.join('|')))
        .first()
        .waitFor();
    },
  },
  scene('product-unknown', 'visitor', '/product?symbol=NOPE', (_page, stage) =>
    button(stage, 'product.backToList').waitFor(),
  ),
  ticket('ticket-visitor', 'visitor'),
  ticket('ticket-empty', 'fresh'),
  chart('ticket-break', 'resting'),
  ticket('ticket-filled', 'fresh', (stage) => enter(stage, '100')),
  ticket('ticket-fault', 'fresh', async (stage) => {
    await enter(stage, '99999');
    await stage.page.locator('#ticket-amount[aria-invalid=true]').waitFor();
  }),
  ticket('ticket-armed', 'fresh', async (stage) => {
    await enter(stage, '100');
    // As a finger does, which scrolls nothing.
    const button = await stage.page.locator('button[data-state=ready]').boundingBox();
    if (button) await stage.page.mouse.click(button.x + button.width / 2, button.y + button.height / 2);
    await stage.page.locator('button[data-state=armed]').waitFor();
  }),
  ticket('ticket-wish', 'visitor', async (stage) => {
    const { page, word, people } = stage;
    await enter(stage, '25');
    await page.getByRole('link', { name: word('ticket.loginToTrade') }).click();
    await page.locator('input[autocomplete=username]').fill(people.login.account);
    await page.locator('input[autocomplete=current-password]').fill(people.login.password);
    await page.locator('button[type=submit]').click();
    await page.waitForURL(({ pathname }) => pathname === '/product');
    await page.waitForFunction(
      () => document.querySelector<HTMLInputElement>('#ticket-amount')?.value === '25',
    );
    await page.locator('button[data-state=ready]:enabled').waitFor();
  }),
];

/** The menu of languages, which also has the theme where there is room for one button. */
async function openSwitches(page: Stage['page']): Promise<void> {
  await page.locator('[aria-haspopup=menu]:visible').first().click();
  await page.locator('[role=menuitemradio]:visible').first().waitFor();
}

/** A product that is closed now. @throws Error if all are open */
async function closedSymbol(origin: string): Promise<string> {
  const answer = await fetch(`${origin}/api/product/list`);
  const { data } = (await answer.json()) as { data: { symbol: string; isOpen: boolean }[] };
  const closed = data.find(({ isOpen }) => !isOpen);
  if (!closed) throw new Error('no product is closed at this hour');
  return closed.symbol;
}
