import { readFile } from 'node:fs/promises';
import { launch } from '@fairtick/kit/browser/browser.ts';
import { armed, CREATE, keyOf, ordersOf, placements, tapTwice } from '@fairtick/kit/browser/orders.ts';
import {
  fillTicket,
  openProduct,
  soon,
  tapUntilTaken,
  tapUntilTold,
  trader,
} from '@fairtick/kit/browser/trader.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { fullTest } from '@fairtick/kit/size.ts';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';

const browser = forFile(() => launch());

const UNKNOWN = 'No response yet; the order may have been placed. Checking again will not place it twice.';

const amount = (page: Page) => page.getByLabel('Amount (stake)', { exact: true });

/** Loses the answers to orders that were taken, and counts them. A busy server's refusal comes through: the test taps again. */
async function loseAnswers(page: Page, most = Number.POSITIVE_INFINITY): Promise<() => number> {
  let lost = 0;
  await page.route(CREATE, async (route) => {
    if (lost >= most) return route.continue();
    const answer = await route.fetch();
    const { error } = (await answer.json()) as { error?: string };
    if (error !== undefined) return route.fulfill({ response: answer });
    lost += 1;
    return route.abort('connectionreset');
  });
  return () => lost;
}

describe('placing an order', () => {
  test('an order whose answer is lost is sent again with the same key and gives one order and one message (S1-04, S7-23)', async () => {
    const { page, token } = await trader(browser);
    const requests = placements(page);
    const lostAnswers = await loseAnswers(page, 1);
    await openProduct(page, 'BTC/USDT');
    const messages = await page.evaluateHandle(() => {
      const said: string[] = [];
      new MutationObserver((changes) => {
        for (const { addedNodes } of changes)
          for (const node of addedNodes) if (node.textContent) said.push(node.textContent);
      }).observe(document.querySelector('[role=status][aria-live=polite]') as Element, { childList: true });
      return said;
    });
    await fillTicket(page, '60', 'down');
    const said = page.getByText('Submitted Successfully').waitFor();
    const orders = await tapUntilTaken(page, () => tapTwice(page, /Buy down 60/));
    await said;
    expect(lostAnswers()).toBe(1);
    // Each order was sent once, and the last one again.
    expect(requests.length).toBe(orders + 1);
    const [lost, again] = requests.slice(-2);
    expect(keyOf(lost)).toMatch(/^[0-9a-f]{32}$/);
    expect(keyOf(again)).toBe(keyOf(lost));
    expect(again?.postData()).toBe(lost?.postData());
    expect(await ordersOf(token)).toMatchObject([{ direction: 'down', amount: '60.000000' }]);
    expect(await messages.jsonValue()).toEqual(['Submitted Successfully']);
  });

  fullTest(
    'an order without any answer is reported as unknown and stays unchanged, and checking again finds it (S2-45, S8-04)',
    async () => {
      const { page, token } = await trader(browser);
      await loseAnswers(page);
      await openProduct(page, 'BTC/USDT');
      await fillTicket(page, '70');
      await tapUntilTold(page, page.getByRole('alert').filter({ hasText: UNKNOWN }));
      const deposit = page.getByLabel('Amount (stake)', { exact: true });
      expect(await deposit.inputValue()).toBe('70');
      expect(await deposit.isEditable()).toBe(false);
      expect(await page.getByRole('radio', { name: 'Buy down' }).isDisabled()).toBe(true);
      await page.unroute(CREATE);
      await page.getByRole('button', { name: 'Check again' }).click();
      await page.getByText('Submitted Successfully').waitFor();
      expect(await ordersOf(token)).toMatchObject([{ direction: 'up', amount: '70.000000' }]);
    },
  );

  test('a reload during a purchase finds the order by its key, or says that there is none and places none', async () => {
    const { page, token } = await trader(browser);
    await loseAnswers(page);
    await openProduct(page, 'BTC/USDT');
    await fillTicket(page, '70');
    await tapUntilTold(page, page.getByRole('alert').filter({ hasText: UNKNOWN }));
    await page.unroute(CREATE);
    await page.reload();
    await page.getByText('An order that got no answer was placed after all: BTC/USDT 70').waitFor();
    expect(await ordersOf(token)).toMatchObject([{ amount: '70.000000' }]);

    await page.route(CREATE, (route) => route.abort('connectionrefused'));
    await fillTicket(page, '80');
    await tapTwice(page, /Buy up 80/);
    await page.getByRole('alert').filter({ hasText: UNKNOWN }).waitFor();
    await page.unroute(CREATE);
    await page.reload();
    await page.getByText('An order that got no answer was not placed: BTC/USDT 80').waitFor();
    expect(await ordersOf(token)).toHaveLength(1);
  });

  test('two tabs lose answers: each order is found by its key, or said not to exist, when the connection returns', async () => {
    const { page, context, token } = await trader(browser);
    const second = await context.newPage();
    await loseAnswers(page);
    await openProduct(page, 'BTC/USDT');
    await openProduct(second, 'BTC/USDT');
    await fillTicket(page, '70');
    await tapUntilTold(page, page.getByRole('alert').filter({ hasText: UNKNOWN }));
    await second.route(CREATE, (route) => route.abort('connectionrefused'));
    await fillTicket(second, '80');
    await tapTwice(second, /Buy up 80/);
    await second.getByRole('alert').filter({ hasText: UNKNOWN }).waitFor();
    // The start of the second tab asks too, and has no answer either.
    await openProduct(second, 'BTC/USDT');
    // Two tickets wait for an answer while the connection breaks: this one's order was never received, the other's was placed.
    await fillTicket(second, '90');
    await tapTwice(second, /Buy up 90/);
    const unknown = second.getByRole('alert').filter({ hasText: UNKNOWN });
    await unknown.waitFor();
    // A page whose code is missing when the connection returns is loaded again, and its message would be gone.
    await second.waitForLoadState('networkidle');
    await context.setOffline(true);
    for (const tab of [page, second])
      await tab.waitForFunction(() => document.documentElement.hasAttribute('data-stale'));
    // The second tab has its answers before the first, which finds its order although the second has forgotten it.
    await page.unroute(CREATE);
    await page.route(CREATE, (route) => route.abort('connectionrefused'));
    // Answers come only from here on: an earlier one would be told, and its message be gone, before this test looks.
    await second.unroute(CREATE);
    await context.setOffline(false);
    await second
      .getByText(
        /was placed after all: BTC\/USDT 70 DEMO · .*was not placed: BTC\/USDT 80 DEMO, BTC\/USDT 90 DEMO/,
      )
      .waitFor();
    // The tickets know it as well.
    await second.getByRole('alert').filter({ hasText: 'No order was placed' }).waitFor();
    expect(await unknown.count()).toBe(0);
    expect(await amount(second).inputValue()).toBe('90');
    await second.getByRole('button', { name: /^Buy up 90/ }).waitFor();
    await page.unroute(CREATE);
    await page.getByRole('dialog', { name: 'Purchase' }).waitFor({ state: 'detached' });
    expect(await ordersOf(token)).toMatchObject([{ amount: '70.000000' }]);
    await soon(() =>
      second.evaluate(() => Object.keys(localStorage).filter((name) => name.startsWith('pendingOrder'))),
    ).toEqual([]);
  });

  test('a refusal after a lost answer is no outcome: the order is asked by its key and found', async () => {
    const { page, token } = await trader(browser);
    const requests = placements(page);
    let lost = 0;
    await page.route(CREATE, async (route) => {
      if (lost === 2) return route.continue();
      if (lost === 1) {
        lost = 2;
        const json = { code: 0, msg: 'Too many requests', error: 'RATE_LIMITED', data: null };
        return route.fulfill({ json });
      }
      const answer = await route.fetch();
      const { error } = (await answer.json()) as { error?: string };
      if (error !== undefined) return route.fulfill({ response: answer });
      lost = 1;
      return route.abort('connectionreset');
    });
    await openProduct(page, 'BTC/USDT');
    await fillTicket(page, '60');
    await tapUntilTold(page, page.getByText('Submitted Successfully'));
    expect(new Set(requests.slice(-3).map(keyOf)).size).toBe(1);
    expect(await ordersOf(token)).toMatchObject([{ amount: '60.000000' }]);
  });

  test('an order that is refused although the log carries it is shown as a contradiction, with both documents to save', async () => {
    const { page } = await trader(browser);
    await page.route(CREATE, async (route) => {
      const answer = await route.fetch();
      const { error } = (await answer.json()) as { error?: string };
      if (error !== undefined) return route.fulfill({ response: answer });
      const json = { code: 0, msg: 'This took too long. No order was placed', error: 'LATE', data: null };
      return route.fulfill({ json });
    });
    await openProduct(page, 'BTC/USDT');
    await fillTicket(page, '60');
    await tapUntilTold(
      page,
      page.getByText('The order was refused, but this device found it in the public log.'),
    );
    const saved = async (name: string) => {
      const file = page.waitForEvent('download');
      await page.getByRole('button', { name }).click();
      return JSON.parse(await readFile((await (await file).path()) as string, 'utf8'));
    };
    const held = await saved('Save what this device kept');
    expect(held.asked).toMatchObject({ symbol: 'BTC/USDT', amount: '60' });
    expect(held.logged.entry).toMatch(/^orders\|4\|/);
    expect(await saved('Save what is shown now')).toMatchObject({ error: 'LATE' });
  });

  test('an unreachable server is told apart from a refusal, and the filled-in ticket is kept (S8-04, S9-01)', async () => {
    const { page, token } = await trader(browser);
    const requests = placements(page);
    await page.route(CREATE, (route) => route.abort('connectionrefused'));
    await openProduct(page, 'BTC/USDT');
    await fillTicket(page, '80');
    await page.getByRole('radio', { name: /^3 / }).check({ force: true });
    await page.getByRole('button', { name: /Buy up 80/ }).click();
    await armed(page).click();
    const alert = page.getByRole('alert');
    await alert.filter({ hasText: UNKNOWN }).waitFor();
    expect(requests.length).toBe(3);
    expect(new Set(requests.map(keyOf)).size).toBe(1);
    expect(await ordersOf(token)).toEqual([]);

    // The request hangs: after 5 s the app aborts it and asks again. By then the order can't open at its time any more.
    await page.unroute(CREATE);
    let held = 0;
    await page.route(CREATE, async (route) => {
      held += 1;
      if (held === 1) return;
      await route.continue();
    });
    const start = performance.now();
    await page.getByRole('button', { name: 'Check again' }).click();
    await alert.filter({ hasText: 'This took too long. No order was placed' }).waitFor();
    expect(performance.now() - start).toBeGreaterThan(5_000);
    expect(await page.getByLabel('Amount (stake)', { exact: true }).inputValue()).toBe('80');
    expect(await page.getByRole('radio', { name: /^3 / }).isChecked()).toBe(true);
    expect(await ordersOf(token)).toEqual([]);

    // The next request is a new order with its own key.
    await page.unroute(CREATE);
    const said = page.getByText('Submitted Successfully').waitFor();
    await tapUntilTaken(page, () => tapTwice(page, /Buy up 80/));
    await said;
    expect(keyOf(requests.at(-1))).not.toBe(keyOf(requests[0]));
    expect(await ordersOf(token)).toMatchObject([{ amount: '80.000000', minutes: 3 }]);
  });
});
