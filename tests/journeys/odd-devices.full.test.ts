import { launch, newAccount, origin, PASSWORD, visit } from '@fairtick/kit/browser/browser.ts';
import { call, follow, MEMBER_SCREENS, open, shown } from '@fairtick/kit/browser/screens.ts';
import {
  anotherTab,
  fillTicket,
  openProduct,
  register,
  tapTwice,
  tapUntilTaken,
  trader,
  untilPriceMoves,
} from '@fairtick/kit/browser/trader.ts';
import { setClockWrong } from '@fairtick/kit/browser/wrong-clock.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';

/** Devices and browsers that are set up, extended or put to sleep in unusual ways: the app shows live prices and trades on all of them. */
const browser = forFile(() => launch());

const SYMBOL = 'BTC/USDT';
const PRODUCT = `/product?symbol=${SYMBOL}`;
const DAY_MS = 86_400_000;

/** Looks at screens, and places an order. */
async function trades(
  page: Page,
  screens: readonly string[] = ['/index', '/mine', '/historyOrder', '/with'],
) {
  await untilPriceMoves(page);
  for (const path of [...screens, PRODUCT]) {
    await follow(page, path);
    await shown(page, path);
  }
  await untilPriceMoves(page);
  await fillTicket(page, '25');
  await tapUntilTaken(page, () => tapTwice(page));
}

const ordersOf = async (token: string) =>
  ((await call('order/list', token)).data as { items: unknown[] }).items;

test.each([
  ['three years fast', 3 * 365 * DAY_MS],
  ['ten years slow', -10 * 365 * DAY_MS],
])('a device whose clock is %s shows the server’s times and trades', async (_name, offMs) => {
  const { page, context, token, complaints } = await trader(browser);
  await setClockWrong(context, offMs);
  await openProduct(page, SYMBOL);
  await trades(page);
  expect(await ordersOf(token)).toHaveLength(1);
  await follow(page, '/index');
  await shown(page, '/index');
  // The order of one minute counts down by the server's clock.
  expect(await page.locator('[data-left]:visible').first().textContent()).toMatch(/^0[01]:\d\d/);
  expect(complaints).toEqual([]);
  await context.close();
});

test('a tab whose timers run once a minute keeps its line, and is live at once when it is looked at', async () => {
  const { page, context, complaints } = await trader(browser);
  await page.addInitScript(() => {
    /** What timers wanted to do while they slept, each thing once, as a browser keeps them for hidden pages. */
    const waiting = new Set<() => void>();
    const state = { sleeps: false };
    const gate = (run: () => void) => () => {
      if (state.sleeps) waiting.add(run);
      else run();
    };
    const [later, often] = [setTimeout.bind(globalThis), setInterval.bind(globalThis)];
    Object.assign(globalThis, {
      state,
      wake: () => {
        const due = [...waiting];
        waiting.clear();
        for (const run of due) run();
      },
      setTimeout: (run: () => void, ms?: number) => later(gate(run), ms),
      setInterval: (run: () => void, ms?: number) => often(gate(run), ms),
    });
  });
  const sockets: string[] = [];
  page.on('websocket', (socket) => sockets.push(socket.url()));
  await openProduct(page, SYMBOL);
  const before = sockets.length;
  await page.evaluate(async () => {
    const { state, wake } = globalThis as unknown as { state: { sleeps: boolean }; wake: () => void };
    state.sleeps = true;
    for (let minute = 0; minute < 3; minute += 1) {
      // A frame's time is no timer of the page.
      const begun = performance.now();
      while (performance.now() - begun < 4_000) await new Promise((done) => requestAnimationFrame(done));
      wake();
    }
    state.sleeps = false;
    wake();
    document.dispatchEvent(new Event('visibilitychange'));
  });
  await untilPriceMoves(page);
  await trades(page);
  expect(sockets.length - before).toBeLessThanOrEqual(1);
  expect(complaints).toEqual([]);
  await context.close();
});

test('a browser that blocks all storage shows prices, logs in and trades', async () => {
  const account = newAccount();
  const form = { account, password: PASSWORD, confirmPassword: PASSWORD, lang: 'en' };
  await call('user/register', '', form);
  const { page, context, complaints } = await visit(browser);
  await context.addInitScript(() => {
    for (const name of ['localStorage', 'sessionStorage', 'indexedDB', 'caches'])
      Object.defineProperty(globalThis, name, {
        get: () => {
          throw new DOMException('The operation is insecure.', 'SecurityError');
        },
      });
  });
  await openProduct(page, SYMBOL);
  await follow(page, '/login');
  await shown(page, '/login');
  const fields = page.locator('[data-view]:visible form input');
  await fields.nth(0).fill(account);
  await fields.nth(1).fill(PASSWORD);
  await page.locator('[data-view]:visible form button[type=submit]').click();
  await shown(page, '/index');
  await follow(page, PRODUCT);
  await shown(page, PRODUCT);
  await trades(page, ['/mine', '/historyOrder']);
  expect(complaints).toEqual([]);
  await context.close();
});

test('a page that an extension changes goes on', async () => {
  const { page, context, complaints } = await trader(browser);
  await page.addInitScript(() => {
    /** Marks fields, adds boxes at the beginning of everything, and puts styles on the root, as password managers and dark modes do. */
    const change = () => {
      document.documentElement.dataset.theme = 'extended';
      document.documentElement.style.setProperty('--extended', '1');
      for (const field of document.querySelectorAll('input, textarea')) {
        field.setAttribute('data-extended', 'true');
        field.setAttribute('spellcheck', 'false');
        if (field.nextElementSibling?.localName !== 'extended-mark')
          field.after(document.createElement('extended-mark'));
      }
      for (const box of document.querySelectorAll('body, main, form'))
        if (box.firstElementChild?.localName !== 'extended-mark')
          box.prepend(document.createElement('extended-mark'));
    };
    addEventListener('DOMContentLoaded', () => setInterval(change, 100));
  });
  await openProduct(page, SYMBOL);
  await page.locator('extended-mark').first().waitFor({ state: 'attached' });
  await trades(page);
  expect(complaints).toEqual([]);
  await context.close();
});

test('a browser with a locale and a zone that do not exist shows times and trades', async () => {
  const { page, context, complaints } = await trader(browser);
  await page.addInitScript(() => {
    Object.defineProperty(navigator, 'language', { get: () => 'en-US@posix' });
    Object.defineProperty(navigator, 'languages', { get: () => ['C', 'en-US@posix', 'xx-invalid-'] });
    const options = Intl.DateTimeFormat.prototype.resolvedOptions;
    Intl.DateTimeFormat.prototype.resolvedOptions = function known() {
      return { ...options.call(this), timeZone: 'Etc/Unknown' };
    };
  });
  await openProduct(page, SYMBOL);
  await trades(page, ['/index', '/mine', '/historyOrder', '/changeLog']);
  expect(complaints).toEqual([]);
  await context.close();
});

test('a duplicated tab trades by itself, and neither tab repeats what the other did', async () => {
  const account = await register();
  const { page, context, complaints } = await trader(browser, { account });
  await openProduct(page, SYMBOL);
  await fillTicket(page, '25');
  const kept = await page.evaluate(() => ({ ...sessionStorage }));
  const second = await anotherTab({ page, context, complaints });
  await second.addInitScript((entries) => {
    for (const [name, value] of Object.entries(entries)) sessionStorage.setItem(name, value as string);
  }, kept);
  await openProduct(second, SYMBOL);
  expect(await ordersOf(account.token)).toEqual([]);
  await trades(second);
  expect(await ordersOf(account.token)).toHaveLength(1);
  await page.bringToFront();
  await tapUntilTaken(page, () => tapTwice(page));
  expect(await ordersOf(account.token)).toHaveLength(2);
  expect(complaints).toEqual([]);
  await context.close();
});

/** What is wider than the window, and controls of the screen that the focus does not bring into sight. */
const outOfReach = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const main = [...document.querySelectorAll('main')].find((each) => each.checkVisibility());
    const faults: string[] = [];
    if ((document.scrollingElement?.scrollWidth ?? 0) > innerWidth) faults.push('scrolls sideways');
    const all = [...(main?.querySelectorAll<HTMLElement>('a, button, input:not([type=hidden])') ?? [])];
    const pressed = all.filter(
      (one) => one.checkVisibility({ visibilityProperty: true }) && !one.matches(':disabled'),
    );
    for (const control of [pressed[0], pressed.at(-1)]) {
      if (!control) continue;
      control.focus();
      const box = control.getBoundingClientRect();
      const hit = document.elementFromPoint(box.left + box.width / 2, box.top + Math.min(box.height / 2, 20));
      const isHit = hit !== null && (control.contains(hit) || hit.contains(control));
      if (!isHit) faults.push(`${control.textContent?.slice(0, 40) || control.ariaLabel} is covered`);
    }
    return faults;
  });

test('every screen can be used at 320 × 256 px, which is a phone at four times its size', async () => {
  const { page, context } = await trader(browser, { width: 320, height: 256 });
  const faults: string[] = [];
  await open(page, '/index');
  for (const { path } of MEMBER_SCREENS) {
    await follow(page, path);
    await shown(page, path);
    await page.waitForFunction(
      () => ![...document.querySelectorAll('[aria-busy=true]')].some((part) => part.checkVisibility()),
    );
    faults.push(...(await outOfReach(page)).map((fault) => `${path}: ${fault}`));
  }
  expect(faults).toEqual([]);
  await context.close();
});

test('an odd nickname is shown as it is, on a narrow phone too', async () => {
  const account = await register();
  const { page, context, complaints } = await trader(browser, { account, width: 320 });
  for (const nickname of ['<b>O’Hara</b> & co', '👩‍👩‍👧‍👦🇸🇬👍🏽', 'ﷺﷺﷺﷺﷺﷺﷺﷺ', 'Z̷͑a̸l̴gó', 'W'.repeat(20)]) {
    await call('user/setUserName', account.token, { nickname });
    await page.goto(`${origin()}/mine`);
    await shown(page, '/mine');
    await page.getByText(nickname, { exact: true }).first().waitFor();
    expect([nickname, await page.evaluate(() => document.documentElement.scrollWidth)]).toEqual([
      nickname,
      320,
    ]);
  }
  expect(complaints).toEqual([]);
  await context.close();
});
