import { launch, neverGiveUp, newAccount, origin, PASSWORD, visit } from '@fairtick/kit/browser/browser.ts';
import {
  call,
  follow,
  MEMBER_SCREENS,
  member,
  memberWithoutStream,
  open,
  pathOf,
  SCREENS,
  shown,
  stored,
  view,
} from '@fairtick/kit/browser/screens.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { fullTest } from '@fairtick/kit/size.ts';
import type { Page, Route } from 'playwright-core';
import { describe, expect, test } from 'vitest';

const browser = forFile(() => launch());

describe('access to pages', () => {
  test('a visitor sees six routes and is sent to /login from all others (S6-01, S6-02, S6-03)', async () => {
    const { page, context } = await visit(browser, { language: 'en' });
    await open(page, '/index');
    for (const { path, access } of SCREENS) {
      await follow(page, path);
      await shown(page, access === 'public' ? path : '/login');
    }
    expect(SCREENS.filter(({ access }) => access === 'public').map(({ path }) => path)).toEqual([
      '/index',
      '/product',
      '/register',
      '/login',
      '/home',
      '/transparency',
    ]);
    // The same for an address that is typed or comes from a link.
    for (const path of ['/mine', '/historyOrder?id=1']) {
      await page.goto(`${origin()}${path}`);
      await shown(page, '/login');
    }
    await context.close();
  });

  test('a token without user info, or user info without a token, counts as no login (S3-07, S6-04)', async () => {
    const { page, context } = await member(browser, { language: 'en' });
    await open(page, '/mine');
    const session = await stored(page);
    // Edited on a page without the app, so that the app can't restore it.
    const beside = () => page.goto(`${origin()}/icon.svg`);
    for (const missing of ['token', 'userInfo'] as const) {
      await beside();
      await page.evaluate((key) => localStorage.removeItem(key), missing);
      await page.goto(`${origin()}/mine`);
      await shown(page, '/login');
      await page.evaluate(([key, value]) => localStorage.setItem(key, value), [missing, session[missing]] as [
        string,
        string,
      ]);
      await open(page, '/mine');
    }
    await beside();
    await page.evaluate(() => localStorage.setItem('userInfo', '{"half":'));
    await page.goto(`${origin()}/mine`);
    await shown(page, '/login');
    await context.close();
  });

  fullTest(
    'a customer sees only pages for customers: no role, and links to routes only (S6-01, S6-05, S6-07)',
    async () => {
      const { page, context, token } = await member(browser, { language: 'en' });
      await open(page, '/index');
      const known = new Set([
        '/',
        '/api/docs',
        // The machine-readable forms of the public figures.
        ...['stats', 'rules', 'checkpoint', 'liabilities'].map((name) => `/api/transparency/${name}`),
        ...SCREENS.map(({ path }) => path),
      ]);
      for (const { path } of MEMBER_SCREENS) {
        await follow(page, path);
        await shown(page, path);
        const links = await view(page)
          .getByRole('link')
          .evaluateAll((all) => (all as HTMLAnchorElement[]).map((link) => link.href));
        const strange = links.filter(
          (href) => href.startsWith(origin()) && !known.has(new URL(href).pathname),
        );
        expect(strange, path).toEqual([]);
      }
      const { data } = await call('user/getUserInfo', token);
      expect(Object.keys(data as object).filter((key) => /role|admin|staff/i.test(key))).toEqual([]);
      for (const path of ['/admin', '/office', '/api/admin']) {
        expect((await fetch(`${origin()}${path}`)).status, path).toBe(404);
      }
      await context.close();
    },
  );
});

describe('user info', () => {
  test('is requested again on each navigation to a protected page, stored, and shows no loading indicator (S3-05, S6-06, S7-14, S7-15, S7-16)', async () => {
    const { page, context, token } = await member(browser, { language: 'en' });
    await open(page, '/mine');
    await open(page, '/index');
    const asked: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/api/user/getUserInfo')) asked.push(pathOf(page));
    });
    for (const path of ['/news', '/product', '/mine', '/index', '/historyOrder', '/historyOrder?id=1']) {
      const isPublic = path === '/product' || path === '/index';
      const answer = isPublic ? null : page.waitForResponse(/\/api\/user\/getUserInfo/);
      await follow(page, path);
      await answer;
      await shown(page, path);
    }
    expect(asked).toEqual(['/news', '/mine', '/historyOrder', '/historyOrder']);

    // Changed elsewhere meanwhile; the answer takes longer than a progress bar's delay.
    await call('user/setUserName', token, { nickname: 'Goldsmith' });
    await page.evaluate(() => {
      const seen = { bars: 0 };
      Object.assign(window, { seen });
      new MutationObserver(() => {
        if (document.querySelector('.bprogress')) seen.bars += 1;
      }).observe(document.body, { subtree: true, childList: true });
    });
    await page.route(/\/api\/user\/getUserInfo/, async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 600));
      await route.continue();
    });
    // The last pages have been read: a call under way would show a bar later.
    await view(page).getByText('This order does not exist').waitFor();
    await page.getByText('No orders yet').first().waitFor({ state: 'attached' });
    await page.locator('.bprogress').waitFor({ state: 'detached' });
    await page.evaluate(() =>
      Object.assign((window as unknown as { seen: { bars: number } }).seen, { bars: 0 }),
    );
    await follow(page, '/mine');
    await page.getByText('Goldsmith').first().waitFor();
    expect(await page.evaluate(() => (window as unknown as { seen: { bars: number } }).seen.bars)).toBe(0);
    expect(JSON.parse((await stored(page)).userInfo ?? '{}')).toMatchObject({ nickname: 'Goldsmith' });
    await context.close();
  });
});

describe('a login', () => {
  test('takes what a password manager fills in without telling the page', async () => {
    const { page, context } = await visit(browser, { language: 'en' });
    const account = newAccount();
    await call('user/register', '', { account, password: PASSWORD, confirmPassword: PASSWORD });
    await open(page, '/login');
    await page.evaluate(
      ([account, password]) => {
        const [name, secret] = document.querySelectorAll<HTMLInputElement>('main form input');
        if (name) name.value = account as string;
        // From a world of its own a manager uses the element's own setter, which React does not see.
        Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(secret, password);
      },
      [account, PASSWORD],
    );
    await page.getByRole('button', { name: 'Log in', exact: true }).click();
    await shown(page, '/index');
    await context.close();
  });
});

describe('the end of a session', () => {
  test('a 401 for a session that ended elsewhere clears all local storage and leads to /login (S4-23, S4-24, S7-32, S8-02)', async () => {
    const { page, context, token } = await memberWithoutStream(browser);
    await open(page, '/index');
    await page.evaluate(() => {
      for (const key of ['somethingElse', 'chart', 'drawings', 'chart@1', 'drawings@1'])
        localStorage.setItem(key, '1');
    });
    expect((await call('user/logout', token, {})).code).toBe(1);
    const answer = page.waitForResponse(/\/api\/user\/getUserInfo/);
    await follow(page, '/mine');
    expect((await answer).status()).toBe(401);
    await shown(page, '/login');
    expect(await stored(page)).toEqual({});
    await context.close();
  });

  fullTest(
    'a 401 in the envelope alone ends the session, and so does a status of 401 alone (S4-23, S4-24, S8-02)',
    async () => {
      for (const answer of [
        { status: 200, json: { code: 401, msg: 'expired', data: null } },
        { status: 401, contentType: 'text/plain', body: 'no' },
      ]) {
        const { page, context } = await memberWithoutStream(browser);
        await open(page, '/index');
        await page.route(/\/api\/fund\/resetDemo/, (route) => route.fulfill(answer));
        await page.getByRole('button', { name: 'Reset' }).click();
        await shown(page, '/login');
        expect(await stored(page), String(answer.status)).toEqual({});
        await context.close();
      }
    },
  );

  fullTest(
    'the stream reports it: a session that ended elsewhere leaves the screen by itself (S8-02)',
    async () => {
      const { page, context, token } = await member(browser, { language: 'en' });
      const isSubscribed = page.waitForEvent('websocket').then((socket) =>
        socket.waitForEvent('framereceived', {
          predicate: ({ payload }) => String(payload).includes('"funds"'),
        }),
      );
      await open(page, '/mine');
      await isSubscribed;
      await call('user/logout', token, {});
      await shown(page, '/login');
      expect(await stored(page)).toEqual({});
      await context.close();
    },
  );

  fullTest('an answer that arrives after the end restores nothing (S8-02, S4-23)', async () => {
    const { page, context } = await memberWithoutStream(browser);
    await neverGiveUp(page);
    await open(page, '/mine');
    await open(page, '/index');
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(/\/api\/user\/getUserInfo/, async (route) => {
      const response = await route.fetch();
      await held;
      await route.fulfill({ response });
    });
    const answer = page.waitForResponse(/\/api\/user\/getUserInfo/);
    await follow(page, '/mine');
    await page.getByRole('button', { name: 'Log out' }).click();
    await shown(page, '/login');
    release();
    expect((await answer).status()).toBe(200);
    await (await answer).finished();
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))));
    expect(await stored(page)).toEqual({});
    await context.close();
  });

  fullTest('logging out calls the API and ends the token (S4-22, S7-11, S2-66)', async () => {
    const { page, context, token } = await member(browser, { language: 'en' });
    await open(page, '/mine');
    expect((await call('user/getUserInfo', token)).code).toBe(1);
    const [request] = await Promise.all([
      page.waitForRequest(/\/api\/user\/logout/),
      page.getByRole('button', { name: 'Log out' }).click(),
    ]);
    expect([request.method(), request.postData(), request.headers().token]).toEqual([
      'POST',
      'lang=en',
      token,
    ]);
    await shown(page, '/login');
    expect(await stored(page)).toEqual({});
    expect(await call('user/getUserInfo', token)).toMatchObject({ status: 401, code: 401 });
    await context.close();
  });
});

describe('a shared device', () => {
  /** Leaves an unsent message and an order's evidence, as the support's and the order's screens do. */
  async function leaveTraces(page: Page): Promise<string> {
    const { id } = JSON.parse((await stored(page)).userInfo as string) as { id: string };
    await page.evaluate((customerId) => {
      localStorage.setItem(`chatOutbox@${customerId}`, '[{"text":"my illness"}]');
      localStorage.setItem(`pendingOrder@${customerId}@1`, '{}');
      return new Promise((resolve, reject) => {
        const opening = indexedDB.open('fairtick-held', 1);
        opening.onupgradeneeded = () => {
          opening.result.createObjectStore('orders', { keyPath: ['customerId', 'number'] });
          opening.result.createObjectStore('logs', { keyPath: 'origin' });
        };
        opening.onerror = reject;
        opening.onsuccess = () => {
          const change = opening.result.transaction('orders', 'readwrite');
          change.objectStore('orders').put({ customerId, number: 1 });
          change.oncomplete = resolve;
        };
      });
    }, id);
    return id;
  }
  const orders = (page: Page) =>
    page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          const opening = indexedDB.open('fairtick-held', 1);
          opening.onsuccess = () => {
            const count = opening.result.transaction('orders').objectStore('orders').count();
            count.onsuccess = () => resolve(count.result);
          };
        }),
    );

  test('keeps nothing of a customer who asks for that at the logout, and keeps it for one who does not', async () => {
    for (const isShared of [true, false]) {
      const { page, context } = await member(browser, { language: 'en' });
      await open(page, '/mine');
      const id = await leaveTraces(page);
      if (isShared) await page.getByLabel('Shared device').check();
      await page.getByRole('button', { name: 'Log out' }).click();
      await shown(page, '/login');
      await expect.poll(() => orders(page)).toBe(isShared ? 0 : 1);
      const kept = isShared ? [] : [`chatOutbox@${id}`, `pendingOrder@${id}@1`];
      expect(Object.keys(await stored(page)).sort()).toEqual(kept);
      await context.close();
    }
  });
});

describe('over plain HTTP', () => {
  test('texts are copied as over https', async () => {
    const { page, context } = await visit(browser, { language: 'en' });
    const lan = 'http://lan.invalid';
    await page.route(`${lan}/**`, async (route) => {
      const url = route.request().url().replace(lan, origin());
      await route.fulfill({ response: await route.fetch({ url }) });
    });
    await page.goto(`${lan}/register`);
    expect(await page.evaluate(() => [isSecureContext, 'clipboard' in navigator])).toEqual([false, false]);
    await page.getByLabel('Account', { exact: true }).fill(newAccount());
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByLabel('Confirm password', { exact: true }).fill(PASSWORD);
    await page.getByRole('checkbox').check();
    await page.getByRole('button', { name: 'Register', exact: true }).click();
    await page.getByRole('button', { name: 'Copy', exact: true }).click();
    const codes = (await page.getByRole('listitem').allInnerTexts()).filter((text) =>
      /^[A-Z0-9-]{19}$/.test(text),
    );
    expect(codes).toHaveLength(10);
    await page.evaluate(() => document.body.append(document.createElement('textarea')));
    await page.locator('textarea').focus();
    await page.keyboard.press('Control+V');
    expect(await page.locator('textarea').inputValue()).toBe(codes.join('\n'));
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await context.close();
  });
});

describe('one browser with two tabs', () => {
  /** A new customer, registered over the API. */
  async function customer(): Promise<string> {
    const account = newAccount();
    await call('user/register', '', { account, password: PASSWORD, confirmPassword: PASSWORD });
    return account;
  }
  async function logInAs(page: Page, account: string): Promise<void> {
    await page.getByLabel('Account', { exact: true }).fill(account);
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Log in', exact: true }).click();
    await shown(page, '/index');
  }
  async function logOut(page: Page): Promise<void> {
    await follow(page, '/mine');
    await page.getByRole('button', { name: 'Log out' }).click();
    await shown(page, '/login');
  }
  const sessionIn = async (page: Page) => {
    const { token, userInfo } = await stored(page);
    return { token, account: JSON.parse(userInfo ?? '{}').account };
  };
  const hasHalfHours = (page: Page) => page.getByRole('radio', { name: '30m', exact: true }).isChecked();
  /** A tab of A, and another one, with B's session, as if the first tab had slept meanwhile: it heard nothing. */
  async function asleep() {
    const [a, b] = [await customer(), await customer()];
    const { page: first, context, complaints } = await visit(browser, { language: 'en' });
    await first.addInitScript(() => {
      const sleep = (event: Event) => {
        if (sessionStorage.getItem('sleeps')) event.stopImmediatePropagation();
      };
      for (const type of ['storage', 'visibilitychange', 'pageshow']) addEventListener(type, sleep, true);
    });
    await first.routeWebSocket(/\/api\/stream/, () => {});
    await open(first, '/login');
    await logInAs(first, a);
    await open(first, '/product?symbol=EUR/USD');
    await first.getByRole('radio', { name: '30m', exact: true }).check({ force: true });
    await first.evaluate(() => sessionStorage.setItem('sleeps', '1'));
    const second = await context.newPage();
    await open(second, '/mine');
    await logOut(second);
    await logInAs(second, b);
    const session = await sessionIn(second);
    expect(session.account).toBe(b);
    return { a, b, first, second, context, complaints, session };
  }

  fullTest(
    'a tab that slept through another customer’s login shows that customer, and changes nothing of theirs',
    async () => {
      const { a, b, first, second, session } = await asleep();
      const calls: (string | undefined)[] = [];
      first.on('request', (request) => {
        if (request.url().includes('/api/user/')) calls.push(request.headers().token);
      });
      // A tab in the background draws nothing. Without a stream the tab polls, and its next call finds the other session.
      await first.bringToFront();
      await first.getByText(`You logged in as ${b} in another tab`).waitFor();
      await expect.poll(() => pathOf(first)).toBe('/index');
      expect(await sessionIn(second)).toEqual(session);
      expect(calls.filter((token) => token !== session.token)).toEqual([]);
      // From here on it hears of the other tab's logout by itself.
      await first.evaluate(() => sessionStorage.removeItem('sleeps'));
      await second.bringToFront();
      await open(second, '/product?symbol=EUR/USD');
      expect(await hasHalfHours(second)).toBe(false);
      await logOut(second);
      await expect.poll(() => pathOf(first)).toBe('/login');
      // What a customer chose for charts went with the session.
      await logInAs(second, a);
      await follow(second, '/product?symbol=EUR/USD');
      await shown(second, '/product?symbol=EUR/USD');
      expect(await hasHalfHours(second)).toBe(false);
    },
  );

  fullTest('a 401 for an earlier session ends nobody else’s', async () => {
    const a = await customer();
    const b = await customer();
    const { page: first, context } = await visit(browser, { language: 'en' });
    await first.routeWebSocket(/\/api\/stream/, () => {});
    await neverGiveUp(first);
    await open(first, '/login');
    await logInAs(first, a);
    const over = Promise.withResolvers<void>();
    const refuse = async (route: Route) => {
      await over.promise;
      await route.fulfill({ status: 401, json: { code: 401, msg: 'expired', data: null } });
    };
    await first.route(/\/api\/user\/getUserInfo/, refuse, { times: 1 });
    const asked = first.waitForRequest(/\/api\/user\/getUserInfo/);
    await follow(first, '/mine');
    await asked;
    const second = await context.newPage();
    await open(second, '/mine');
    await logOut(second);
    await logInAs(second, b);
    const session = await sessionIn(second);
    await first.bringToFront();
    await first.getByText(`You logged in as ${b} in another tab`).waitFor();
    over.resolve();
    await follow(first, '/mine');
    await first.getByText(b, { exact: false }).first().waitFor();
    expect(await sessionIn(second)).toEqual(session);
    await expect.poll(() => pathOf(first)).toBe('/mine');
  });
});
