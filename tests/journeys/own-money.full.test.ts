import { api, launch, origin, place, visit } from '@fairtick/kit/browser/browser.ts';
import { customerGet, customerPost, payee, WITHDRAWAL_PASSWORD } from '@fairtick/kit/browser/payee.ts';
import { follow, MEMBER_SCREENS, open, shown } from '@fairtick/kit/browser/screens.ts';
import { trader } from '@fairtick/kit/browser/trader.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';

/** With the eye closed, no screen shows a figure of the account. */
const browser = forFile(() => launch());

const WALK = [...MEMBER_SCREENS.map(({ path }) => path), '/product?symbol=EUR/USD', '/with?asset=USDT'];

/** All that a screen says: its text, what is read aloud, tips, and fields. */
const said = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const view = [...document.querySelectorAll('[data-view]')].find((each) => each.checkVisibility());
    const parts = [...document.querySelectorAll('body > * header'), ...(view ? [view] : [])];
    return parts
      .flatMap((part) => [part, ...part.querySelectorAll('*')])
      .flatMap((element) => [
        ...['aria-label', 'title', 'alt', 'placeholder'].map((name) => element.getAttribute(name) ?? ''),
        element instanceof HTMLInputElement ? element.value : '',
        ...[...element.childNodes].map((node) => (node.nodeType === Node.TEXT_NODE ? node.nodeValue : '')),
      ])
      .join('\n');
  });

/** The figures of an account that are no round bounds, such as 918.46. */
async function figuresOf(token: string): Promise<Set<string>> {
  const paths = ['user/getUserInfo', 'fund/log', 'order/list', 'withdraw/list', 'recharge/list'];
  const answers = await Promise.all(paths.map((path) => customerGet<unknown>(path, token)));
  const amounts = JSON.stringify(answers).match(/(?<="-?)\d+\.\d+(?=")/g) ?? [];
  return new Set(
    amounts
      .map((amount) => Number(amount).toFixed(2))
      .filter(
        (amount) => !/^(0|\d{1,2}|\d+0)\.00$/.test(amount) && !amount.startsWith('1.') && Number(amount) > 10,
      )
      .flatMap((amount) => [amount, amount.replace(/\B(?=(\d{3})+\.)/g, ',')]),
  );
}

/** A customer with a deposit, a withdrawal and orders, and their figures. */
const rich = forFile(async () => {
  const account = await payee({ balance: '918.46' });
  const { token } = account;
  const { destinations } = await api<{ destinations: { id: string; asset: string }[] }>(
    'withdraw/options',
    token,
  );
  const destinationId = destinations.find(({ asset }) => asset === 'USDT')?.id ?? '';
  await customerPost('withdraw/submit', token, {
    destinationId,
    asset: 'USDT',
    amount: '41.23',
    payWord: WITHDRAWAL_PASSWORD,
  });
  await place(token, { symbol: 'EUR/USD', amount: '137.31', asset: 'USDT', minutes: '1' });
  await place(token, { symbol: 'BTC/USDT', amount: '212.57', asset: 'USDT', minutes: '5' });
  const figures = await figuresOf(token);
  expect([...figures]).toEqual(expect.arrayContaining(['918.46', '137.31', '41.23']));
  return { account, figures };
});

/** What a screen says once it is complete. */
async function whole(page: Page, path: string): Promise<string> {
  await shown(page, path);
  await page.waitForFunction(
    () => ![...document.querySelectorAll('[aria-busy=true]')].some((part) => part.checkVisibility()),
  );
  return said(page);
}

test.each([375, 1280])(
  'with the eye closed, no screen shows a figure of one’s own money, at %i px',
  async (width) => {
    const { account, figures } = rich;
    const { page, context } = await trader(browser, { account, width });
    await open(page, '/mine');
    await page.getByLabel('Asset type').selectOption('USDT');
    const showsOne = async () => {
      const text = await said(page);
      return [...figures].some((figure) => text.includes(figure));
    };
    await expect.poll(showsOne).toBe(true);
    await page.getByRole('button', { name: 'Hide balance' }).first().click();
    const shownStill: string[] = [];
    for (const path of WALK) {
      await follow(page, path);
      const text = await whole(page, path);
      const figuresHere = [...figures].filter((figure) => text.includes(figure));
      if (figuresHere.length === 0) continue;
      // Lists of everybody's orders and of what waits at the house are public: a visitor reads the same.
      const visitor = await visit(browser, { language: 'en', width });
      await visitor.page.goto(`${origin()}${path}`);
      const toAll = await whole(visitor.page, path);
      shownStill.push(
        ...figuresHere.filter((each) => !toAll.includes(each)).map((each) => `${width} ${path}: ${each}`),
      );
      await visitor.context.close();
    }
    expect(shownStill).toEqual([]);
    await context.close();
  },
  240_000,
);
