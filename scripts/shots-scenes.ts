import type { Language } from '@fairtick/protocol';
import type { Page } from 'playwright-core';
import type { People, ReaderName } from './shots-people.ts';

/** A screen in one of its states, and how to get there. */
export interface Scene {
  readonly name: string;
  readonly reader: ReaderName;
  /** Only at this width. */
  readonly only?: number;
  show(page: Page, origin: string, language: Language, people: People): Promise<void>;
}

const WORDS = {
  zh: { up: '买涨', table: '表格', rules: '规则', forgot: '忘记密码', nickname: '修改昵称', search: '搜索' },
  tw: { up: '買漲', table: '表格', rules: '規則', forgot: '忘記密碼', nickname: '修改暱稱', search: '搜尋' },
  en: {
    up: 'Buy up',
    table: 'Table',
    rules: 'Rules',
    forgot: 'Forgot password',
    nickname: 'Change nickname',
    search: 'Search',
  },
};
const CHART_MS = 2_500;

/** Waits until no visible part says that it is loading. */
export async function untilLoaded(page: Page): Promise<void> {
  await page.waitForTimeout(700);
  const isBusy = () =>
    [...document.querySelectorAll('[aria-busy=true]')].some((part) => part.checkVisibility());
  for (let tries = 0; tries < 30 && (await page.evaluate(isBusy)); tries += 1) await page.waitForTimeout(100);
}

export const open = async (page: Page, origin: string, path: string) => {
  await page.goto(`${origin}${path}`);
  await untilLoaded(page);
};

export const plain = (name: string, reader: Scene['reader'], path: string): Scene => ({
  name,
  reader,
  show: (page, origin) => open(page, origin, path),
});

/** Opens the ticket: a sheet on a phone, always visible on a wide screen. */
async function openTicket(page: Page, origin: string, language: Language, symbol: string): Promise<void> {
  await open(page, origin, `/product?symbol=${symbol}`);
  await page.waitForTimeout(CHART_MS);
  const isPhone = (page.viewportSize()?.width ?? 0) < 768;
  if (isPhone) await page.getByRole('button', { name: WORDS[language].up }).click();
  await page.locator('#ticket-amount').waitFor();
}

export const SCENES: readonly Scene[] = [
  plain('index-visitor', 'visitor', '/index'),
  plain('index-fresh', 'fresh', '/index'),
  plain('index-trader', 'trader', '/index'),
  plain('product-list', 'visitor', '/product'),
  {
    name: 'product-search',
    reader: 'visitor',
    async show(page, origin) {
      await open(page, origin, '/product');
      await page.locator('input[type=search]').fill('jpy');
    },
  },
  {
    name: 'product-nothing-found',
    reader: 'visitor',
    async show(page, origin) {
      await open(page, origin, '/product');
      await page.locator('input[type=search]').fill('zzzz');
    },
  },
  {
    name: 'product',
    reader: 'visitor',
    async show(page, origin) {
      await open(page, origin, '/product?symbol=EUR/USD');
      await page.waitForTimeout(CHART_MS);
    },
  },
  {
    name: 'product-open-order',
    reader: 'trader',
    async show(page, origin) {
      await open(page, origin, '/product?symbol=EUR/USD');
      await page.waitForTimeout(CHART_MS);
    },
  },
  {
    name: 'product-table',
    reader: 'visitor',
    async show(page, origin, language) {
      await open(page, origin, '/product?symbol=BTC/USDT');
      await page.waitForTimeout(CHART_MS);
      await page.getByRole('button', { name: WORDS[language].table }).click();
    },
  },
  {
    name: 'product-day',
    reader: 'visitor',
    async show(page, origin) {
      await open(page, origin, '/product?symbol=XAU/USD');
      await page.locator('input[name=period]').nth(3).check({ force: true });
      await page.waitForTimeout(CHART_MS);
    },
  },
  {
    name: 'product-rules',
    reader: 'visitor',
    only: 375,
    async show(page, origin, language) {
      await open(page, origin, '/product?symbol=EUR/USD');
      await page.waitForTimeout(CHART_MS);
      await page.getByRole('button', { name: WORDS[language].rules, exact: true }).click();
    },
  },
  plain('product-closed', 'visitor', '/product?symbol=0700HK'),
  plain('product-unknown', 'visitor', '/product?symbol=NOPE'),
  {
    name: 'ticket-visitor',
    reader: 'visitor',
    show: (page, origin, language) => openTicket(page, origin, language, 'EUR/USD'),
  },
  {
    name: 'ticket-empty',
    reader: 'fresh',
    show: (page, origin, language) => openTicket(page, origin, language, 'EUR/USD'),
  },
  {
    name: 'ticket-break',
    reader: 'resting',
    async show(page, origin) {
      await open(page, origin, '/product?symbol=EUR/USD');
      await page.waitForTimeout(CHART_MS);
    },
  },
  {
    name: 'ticket-filled',
    reader: 'fresh',
    async show(page, origin, language) {
      await openTicket(page, origin, language, 'EUR/USD');
      await page.locator('#ticket-amount').fill('100');
    },
  },
  {
    name: 'ticket-fault',
    reader: 'fresh',
    async show(page, origin, language) {
      await openTicket(page, origin, language, 'EUR/USD');
      await page.locator('#ticket-amount').fill('99999');
    },
  },
  {
    name: 'ticket-armed',
    reader: 'fresh',
    async show(page, origin, language) {
      await openTicket(page, origin, language, 'EUR/USD');
      await page.locator('#ticket-amount').fill('100');
      await page.locator('button[data-state=ready]').click();
    },
  },
  plain('history', 'trader', '/historyOrder'),
  plain('history-empty', 'fresh', '/historyOrder'),
  {
    name: 'order-settled',
    reader: 'trader',
    async show(page, origin) {
      await open(page, origin, '/historyOrder');
      await page.locator('[data-order][data-result]').first().click();
      await page.locator('[data-status=settled]').waitFor();
    },
  },
  {
    name: 'order-open',
    reader: 'trader',
    async show(page, origin) {
      await open(page, origin, '/historyOrder');
      await page.locator('[data-order]:not([data-result])').first().click();
      await page.locator('[data-status=unsettled]').waitFor();
    },
  },
  {
    name: 'order-log-entry',
    reader: 'trader',
    async show(page, origin) {
      await open(page, origin, '/historyOrder');
      await page.locator('[data-order][data-result]').first().click();
      await page.locator('ol button').first().click();
    },
  },
  plain('login', 'visitor', '/login'),
  {
    name: 'login-faults',
    reader: 'visitor',
    async show(page, origin) {
      await open(page, origin, '/login');
      await page.locator('button[type=submit]').click();
    },
  },
  {
    name: 'login-forgot',
    reader: 'visitor',
    async show(page, origin, language) {
      await open(page, origin, '/login');
      await page.getByRole('button', { name: WORDS[language].forgot }).click();
    },
  },
  {
    name: 'login-support',
    reader: 'visitor',
    async show(page, origin, language) {
      await open(page, origin, '/login');
      await page.getByRole('button', { name: WORDS[language].forgot }).click();
      await page.locator('input[name=recover-way]').nth(1).check({ force: true });
    },
  },
  {
    name: 'login-languages',
    reader: 'visitor',
    async show(page, origin) {
      await open(page, origin, '/login');
      await page.locator('[popovertarget]:visible').first().click();
    },
  },
  plain('register', 'visitor', '/register'),
  {
    name: 'register-faults',
    reader: 'visitor',
    async show(page, origin) {
      await open(page, origin, '/register');
      await page.locator('input[autocomplete=username]').fill('1x');
      await page.locator('input[autocomplete=new-password]').nth(0).fill('short');
      await page.locator('input[autocomplete=new-password]').nth(1).fill('other');
      await page.locator('button[type=submit]').click();
    },
  },
  {
    name: 'register-codes',
    reader: 'visitor',
    async show(page, origin) {
      await open(page, origin, '/register');
      await page.locator('input[autocomplete=username]').fill(`s${Date.now().toString(36)}`);
      await page.locator('input[autocomplete=new-password]').nth(0).fill('correct horse');
      await page.locator('input[autocomplete=new-password]').nth(1).fill('correct horse');
      await page.locator('input[type=checkbox]').check();
      await page.locator('button[type=submit]').click();
      await page.locator('ol li').first().waitFor();
    },
  },
  plain('mine', 'fresh', '/mine'),
  plain('recharge', 'fresh', '/recharge'),
  {
    name: 'recharge-bank',
    reader: 'fresh',
    async show(page, origin) {
      await open(page, origin, '/recharge');
      await page.locator('input[name=channel]').nth(2).check({ force: true });
    },
  },
  {
    name: 'recharge-faults',
    reader: 'fresh',
    async show(page, origin) {
      await open(page, origin, '/recharge');
      await page.locator('button[type=submit]').click();
    },
  },
  plain('with-missing', 'fresh', '/with'),
  plain('access-log-empty', 'fresh', '/accessLog'),
  plain('change-log', 'trader', '/changeLog'),
  {
    name: 'change-log-summary',
    reader: 'trader',
    async show(page, origin) {
      await open(page, origin, '/changeLog');
      await page.locator('[data-view=changeLog] select').first().selectOption('DEMO');
    },
  },
  plain('notices-empty', 'fresh', '/notices'),
  {
    name: 'mine-nickname',
    reader: 'fresh',
    async show(page, origin, language) {
      await open(page, origin, '/mine');
      await page.getByRole('button', { name: WORDS[language].nickname }).click();
    },
  },
  {
    name: 'index-offline',
    reader: 'fresh',
    async show(page, origin) {
      await page.routeWebSocket(/\/api\/stream/, (socket) => {
        const server = socket.connectToServer();
        setTimeout(() => {
          socket.close();
          server.close();
        }, 2_000);
      });
      await open(page, origin, '/index');
      await page.waitForTimeout(2_500);
      await page.routeWebSocket(/\/api\/stream/, (socket) => socket.close());
      await page.waitForTimeout(4_000);
    },
  },
];
