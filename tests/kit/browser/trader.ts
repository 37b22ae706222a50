import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { PATIENCE_MS } from '../waiting/until.ts';
import { awaitApp, heed, newAccount, origin, PASSWORD, type Visit, visit } from './browser.ts';

/** A customer with a browser. */
export interface Trader extends Visit {
  readonly token: string;
  /** Origin that serves the app: the server, or a proxy in front of it. */
  readonly base: string;
}

export interface Account {
  readonly token: string;
  readonly userInfo: unknown;
}

export async function register(): Promise<Account> {
  const form = { account: newAccount(), password: PASSWORD, confirmPassword: PASSWORD, lang: 'en' };
  const answer = await fetch(`${origin()}/api/user/register`, {
    method: 'POST',
    body: new URLSearchParams(form),
  });
  return ((await answer.json()) as { data: Account }).data;
}

type VisitOptions = NonNullable<Parameters<typeof visit>[1]>;

/** A browser with a logged-in customer and no page opened yet. */
export async function trader(
  browser: Browser,
  options: VisitOptions & { base?: string; account?: Account } = {},
): Promise<Trader> {
  const account = options.account ?? (await register());
  const visited = await visit(browser, { language: 'en', ...options });
  await visited.context.addInitScript(({ token, userInfo }) => {
    if (localStorage.getItem('token')) return;
    localStorage.setItem('token', token);
    localStorage.setItem('userInfo', JSON.stringify(userInfo));
  }, account);
  return { ...visited, token: account.token, base: options.base ?? origin() };
}

/** One more tab of the same browser; its errors count as the customer's. */
export async function anotherTab({ context, complaints }: Visit): Promise<Page> {
  const page = await context.newPage();
  awaitApp(page);
  heed(page, complaints);
  page.setDefaultTimeout(PATIENCE_MS);
  return page;
}

/** Opens a product and waits until its price moves. */
export async function openProduct(page: Page, symbol: string, base = origin()): Promise<void> {
  await page.goto(`${base}/product?symbol=${encodeURIComponent(symbol)}`);
  await untilPriceMoves(page);
}

/** Waits until the displayed price has changed. */
export async function untilPriceMoves(page: Page, timeout = PATIENCE_MS): Promise<void> {
  await page.waitForFunction(
    () => {
      const text = document.querySelector('[data-testid=price]')?.textContent ?? '';
      if (!/\d/.test(text)) return false;
      const root = document.documentElement;
      root.dataset.firstPrice ??= text;
      const hasMoved = root.dataset.firstPrice !== text;
      if (hasMoved) delete root.dataset.firstPrice;
      return hasMoved;
    },
    undefined,
    { timeout },
  );
}

/** Opens the purchase dialog and fills it in, up to the two taps that confirm. */
export async function fillTicket(page: Page, amount: string, direction: 'up' | 'down' = 'up'): Promise<void> {
  await page
    .getByRole('button', { name: direction === 'up' ? 'Buy up' : 'Buy down', exact: true })
    .last()
    .click();
  await chooseMinutes(page, 1);
  await page.getByLabel('Amount (stake)', { exact: true }).fill(amount);
}

/** Chooses the cycle on the open ticket. */
export async function chooseMinutes(page: Page, minutes: number): Promise<void> {
  await page.locator(`input[name=minutes][value="${minutes}"]`).check({ force: true });
}

/** A busy server refuses an order with one of these, and a customer taps again. */
const BUSY = new Set(['LATE', 'EXPIRED', 'PRICE_UNAVAILABLE']);

/**
 * Sends the ticket's order by `tap`, and again while the server is too busy for it. After a 503 the app itself sends it again.
 * Returns how many times it was tapped.
 * @throws Error when the order is refused for another reason
 */
export async function tapUntilTaken(page: Page, tap: () => Promise<unknown>): Promise<number> {
  const deadline = performance.now() + PATIENCE_MS;
  for (let tries = 1; ; tries += 1) {
    const answer = page.waitForResponse(
      (response) => response.url().endsWith('/api/order/create') && response.status() < 500,
    );
    await tap();
    const { error, msg } = (await (await answer).json()) as { error?: string; msg: string };
    if (error === undefined) return tries;
    const isOver = performance.now() > deadline;
    if (!BUSY.has(error) || isOver) throw new Error(`the order was refused: ${error}, ${msg}`);
    await sleep(1_000);
  }
}

/** Taps the ticket's button twice, and returns the time of the second tap. */
export async function tapTwice(page: Page): Promise<number> {
  await page.getByRole('button', { name: /^Buy (up|down) \d/ }).click();
  await page.getByRole('button', { name: /Tap again/ }).click();
  return Date.now();
}

/** Places the ticket's order with two taps, and two more while the server is too busy for it. */
export async function placeOrder(page: Page): Promise<void> {
  await tapUntilTaken(page, () => tapTwice(page));
}

/** Taps the ticket's button until `told` is seen: two taps send the order, and a busy server's refusal takes two more. */
export async function tapUntilTold(page: Page, told: Locator): Promise<void> {
  const confirm = page.locator('button[data-state]');
  const tapped = async () => {
    if (await told.isVisible()) return true;
    const state = await confirm.getAttribute('data-state');
    if (state !== 'sending' && (await confirm.isEnabled())) await confirm.click();
    return false;
  };
  await expect.poll(tapped, { timeout: PATIENCE_MS, interval: 500 }).toBe(true);
}

/** Taps "Check this settlement" until there is a report: the receipt is ready once the log has been signed again. */
export async function checkSettlement(
  page: Page,
  tap: (check: Locator) => Promise<unknown> = (check) => check.click(),
): Promise<void> {
  const check = page.getByRole('button', { name: 'Check this settlement' });
  const fault = check.locator('xpath=following-sibling::*[@role="status"]');
  const report = page.locator('section[data-valid]');
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    await tap(check);
    await report.or(fault).first().waitFor();
    if (await report.isVisible()) return;
    if (performance.now() > deadline) throw new Error(`no report: ${await fault.textContent()}`);
    await sleep(500);
  }
}

/** Runs a step and returns its duration in ms. */
export async function timed(step: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await step();
  return performance.now() - start;
}

/** Polls for a condition that must soon hold, on a busy machine too. */
export const soon = <T>(look: () => T, timeout = PATIENCE_MS) => expect.poll(look, { timeout });
