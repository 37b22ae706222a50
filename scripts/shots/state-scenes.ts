import { neverGiveUp, place } from '@fairtick/kit/browser/browser.ts';
import { tamper } from '@fairtick/kit/browser/held-orders.ts';
import type { ReaderName } from './people.ts';
import { button, open, openChart, openTicket, type Scene, type Stage, scene, untilLoaded } from './scene.ts';
import { tapStream } from './stream-tap.ts';

const SYMBOL = 'BTC/USDT';
/** The product that the customer buys while pictures are taken: the lists of the other do not change. */
const BOUGHT = 'SOL/USDT';

/** The chart with what a reader chose on this device. */
const styled = (name: string, chosen: object, sees: (stage: Stage) => Promise<unknown>): Scene => ({
  name,
  reader: 'visitor',
  async show(stage) {
    await stage.page.addInitScript(
      (settings) => localStorage.setItem('chart', settings),
      JSON.stringify(chosen),
    );
    await openChart(stage, SYMBOL);
    await sees(stage);
  },
});

const studySeen = ({ page }: Stage) => page.getByText('MA 30').first().waitFor();

async function openTools(stage: Stage): Promise<void> {
  await button(stage, 'chart.tools').click();
  await button(stage, 'chart.trend').waitFor();
}

/** Draws with the keyboard, which works in every window. */
async function draw(stage: Stage, kind: string, keys: readonly string[]): Promise<void> {
  await openTools(stage);
  await button(stage, kind).click();
  await stage.page.getByRole('application').waitFor();
  for (const key of keys) await stage.page.keyboard.press(key);
  await button(stage, 'chart.delete').waitFor();
}

const CHART_SCENES: readonly Scene[] = [
  styled('chart-indicators', { studies: ['ma', 'boll', 'rsi', 'macd'] }, studySeen),
  styled('chart-line', { style: 'line' }, async () => {}),
  styled('chart-area', { style: 'area' }, async () => {}),
  styled('chart-tools', {}, openTools),
  styled('chart-drawings', {}, async (stage) => {
    await draw(stage, 'chart.trend', [
      'Shift+ArrowLeft',
      'ArrowUp',
      'Enter',
      'ArrowRight',
      'ArrowUp',
      'Enter',
    ]);
    await draw(stage, 'chart.level', ['ArrowDown', 'Enter']);
  }),
  styled('chart-full', { studies: ['ma', 'rsi'] }, async (stage) => {
    await button(stage, 'chart.full').click();
    await stage.page.getByRole('dialog').locator('canvas').first().waitFor();
    await studySeen(stage);
  }),
  {
    // The real candles, held back. The page itself brings those of a minute.
    name: 'chart-skeleton',
    reader: 'visitor',
    async show({ page, origin }) {
      await neverGiveUp(page);
      await page.addInitScript(() => localStorage.setItem('chart', '{"period":"5m"}'));
      await page.route('**/api/product/candles*', () => {});
      await page.goto(`${origin}/product?symbol=${SYMBOL}`);
      await page.locator('[role=status][aria-busy=true]:visible').waitFor();
      await page.waitForFunction(
        () =>
          /\d/.test(document.querySelector('[data-testid=price]')?.textContent ?? '') &&
          [...document.querySelectorAll('[aria-busy=true]')].filter((part) => part.checkVisibility())
            .length === 1,
      );
    },
  },
];

/** The page of a known order, once it has the expected status. */
const order = (
  name: string,
  reader: ReaderName,
  find: (stage: Stage) => string | Promise<string>,
  sees: (stage: Stage) => Promise<unknown>,
): Scene => ({
  name,
  reader,
  async show(stage) {
    await open(stage, `/historyOrder?id=${await find(stage)}`);
    await sees(stage);
    await untilLoaded(stage.page);
  },
});

const settledAs = (result: string) => (stage: Stage) =>
  stage.page.locator(`[data-status=settled][data-result=${result}]`).waitFor();
const evidence = ({ page }: Stage, state: string) => page.locator(`li[data-evidence=${state}]`).waitFor();

/** A new open order of the customer who buys. */
async function bought({ people }: Stage): Promise<string> {
  const { id } = await place(people.readers.buyer?.token ?? '', {
    symbol: BOUGHT,
    minutes: '30',
    amount: '10',
  });
  return id;
}

async function check(stage: Stage): Promise<void> {
  await button(stage, 'evidence.check').click();
  await stage.page.locator('section[data-valid=true]').waitFor();
}

const ORDER_SCENES: readonly Scene[] = [
  scene('history', 'trader', '/historyOrder', (page) =>
    page.locator('[data-order][data-result]').first().waitFor(),
  ),
  scene('history-empty', 'fresh', '/historyOrder'),
  {
    // The real stream, held back when the order is accepted.
    name: 'order-opening',
    reader: 'opener',
    async show(stage) {
      const stream = await tapStream(stage.page);
      await openTicket(stage, BOUGHT);
      await stage.page.locator('#ticket-amount').fill('10');
      await stage.page.locator('button[data-state=ready]').click();
      const taken = stage.page.waitForResponse((response) => response.url().includes('/api/order/create'));
      await stage.page.locator('button[data-state=armed]').click();
      await taken;
      stream.hold();
      await stage.page.getByText(stage.word('orders.opening')).first().waitFor();
    },
  },
  {
    // The real proof, held back.
    name: 'order-unlogged',
    reader: 'buyer',
    async show(stage) {
      await neverGiveUp(stage.page);
      await stage.page.route('**/api/order/logged*', () => {});
      await stage.page.goto(`${stage.origin}/historyOrder?id=${await bought(stage)}`);
      await evidence(stage, 'waiting');
      await stage.page.locator('polyline:visible').first().waitFor();
    },
  },
  order(
    'order-open',
    'trader',
    ({ people }) => people.orders.open,
    async (stage) => {
      await stage.page.locator('[data-status=unsettled]').waitFor();
      await stage.page.locator('polyline:visible').first().waitFor();
      await evidence(stage, 'logged');
    },
  ),
  order(
    'order-settled',
    'trader',
    ({ people }) => people.orders.settled,
    ({ page }) => page.locator('[data-status=settled]').waitFor(),
  ),
  order(
    'order-log-entry',
    'trader',
    ({ people }) => people.orders.settled,
    async ({ page }) => {
      await page.locator('ol button').first().click();
      await page.getByRole('dialog').getByText('|').first().waitFor();
    },
  ),
  order('order-check', 'trader', ({ people }) => people.orders.settled, check),
  order('order-tied', 'odd', ({ people }) => people.orders.tied, settledAs('none')),
  {
    name: 'order-contradiction',
    reader: 'buyer',
    async show(stage) {
      const id = await bought(stage);
      await open(stage, `/historyOrder?id=${id}`);
      await evidence(stage, 'logged');
      await tamper(stage.page, id, 'acceptance');
      await stage.page.reload();
      await stage.page.getByRole('alert').getByText(stage.word('receipt.contradiction')).first().waitFor();
    },
  },
];

/** States of the chart and of an order. */
export const STATE_SCENES: readonly Scene[] = [...CHART_SCENES, ...ORDER_SCENES];
