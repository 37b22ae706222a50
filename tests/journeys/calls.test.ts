import { launch, newAccount, origin, PASSWORD, visit } from '@fairtick/kit/browser/browser.ts';
import {
  call,
  follow,
  memberWithoutStream,
  open,
  pathOf,
  shown,
  stored,
} from '@fairtick/kit/browser/screens.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { fullTest } from '@fairtick/kit/size.ts';
import type { Page, Request, Route } from 'playwright-core';
import { describe, expect, test } from 'vitest';

const browser = forFile(() => launch());

describe('calls of the API', () => {
  test('every GET has lang in its query, every POST has it in its form body, and all have the headers token and language (S7-01, S7-02, S7-05, S7-06, S7-07, S7-08, S7-09, S4-21)', async () => {
    const { page, context } = await visit(browser, { language: 'tw' });
    const account = newAccount();
    await call('user/register', '', { account, password: PASSWORD, confirmPassword: PASSWORD });
    const requests: Request[] = [];
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      // Tiles and the checkpoint are a public file store: they need neither lang nor these headers.
      if (pathname.startsWith('/api/') && !/\/transparency\/(tile|checkpoint)/.test(pathname))
        requests.push(request);
    });
    await open(page, '/login');
    await page.getByLabel('帳號').fill(account);
    await page.getByLabel('密碼', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: '登入' }).click();
    await shown(page, '/index');
    const { token } = await stored(page);
    const before = requests.length;
    const candles = page.waitForResponse(/\/api\/product\/candles/);
    await follow(page, '/product?symbol=EUR/USD');
    await candles;
    const orders = page.waitForResponse(/\/api\/order\/list\?limit=20/);
    await follow(page, '/historyOrder');
    await orders;
    await follow(page, '/mine');
    await page.getByRole('button', { name: '登出' }).click();
    await shown(page, '/login');
    const names = requests.map((request) => new URL(request.url()).pathname);
    expect(names).toEqual(
      expect.arrayContaining([
        '/api/user/login',
        '/api/product/detail',
        '/api/order/list',
        '/api/user/logout',
      ]),
    );
    for (const [at, request] of requests.entries()) {
      const { origin: host, pathname, searchParams } = new URL(request.url());
      const isPost = request.method() === 'POST';
      const headers = request.headers();
      const body = new URLSearchParams(request.postData() ?? '');
      const isMember = at >= before && !(at > names.indexOf('/api/user/logout'));
      expect(
        {
          host,
          lang: isPost ? body.get('lang') : searchParams.get('lang'),
          language: headers.language,
          hasToken: 'token' in headers,
          form: isPost ? headers['content-type'] : undefined,
          token: isMember ? headers.token : token,
        },
        pathname,
      ).toEqual({
        host: origin(),
        lang: 'tw',
        language: 'tw',
        hasToken: true,
        form: isPost ? 'application/x-www-form-urlencoded;charset=UTF-8' : undefined,
        token,
      });
    }
    await context.close();
  });

  const reset = (page: Page) => page.getByRole('button', { name: /Reset|重置/ }).click();
  const toast = (page: Page, text: string) => page.getByRole('status').filter({ hasText: text }).waitFor();
  const answerOnce = (page: Page, handle: (route: Route) => Promise<unknown>) =>
    page.route(/\/api\/fund\/resetDemo/, handle, { times: 1 });

  test('code 0 shows the server’s message and changes nothing (S7-30, S7-31, S8-01, S8-08)', async () => {
    const { page, context } = await memberWithoutStream(browser);
    await open(page, '/product?symbol=NO/SUCH');
    await page.getByText('This product does not exist').waitFor();
    await open(page, '/index');
    await answerOnce(page, (route) =>
      route.fulfill({ json: { code: 0, msg: 'Come back at noon', data: null, error: 'NOON' } }),
    );
    await reset(page);
    await toast(page, 'Come back at noon');
    expect(await page.getByTestId('balance').textContent()).toBe('10,000.00');
    expect(pathOf(page)).toBe('/index');
    await context.close();
  });

  test('another code, a server error, an answer without an envelope and a lost network show "Network Error" in the reader’s language (S7-33, S8-03, S8-04)', async () => {
    for (const { language, text } of [
      { language: 'en', text: 'Network Error' },
      { language: 'zh', text: '网络错误' },
      { language: 'tw', text: '網路錯誤' },
    ] as const) {
      const { page, context } = await memberWithoutStream(browser, language);
      await open(page, '/index');
      const failures: readonly ((route: Route) => Promise<unknown>)[] = [
        (route) => route.abort('internetdisconnected'),
        (route) => route.fulfill({ status: 500, json: { code: 500, msg: 'inside', data: null } }),
        (route) => route.fulfill({ json: { code: 7, msg: 'inside', data: {} } }),
        (route) => route.fulfill({ status: 502, contentType: 'text/html', body: '<h1>Bad Gateway</h1>' }),
        (route) => route.fulfill({ status: 200, contentType: 'text/html', body: '<h1>Hotel Wi-Fi</h1>' }),
      ];
      // All failures in English; the other languages use the same code for the same text.
      for (const [at, failure] of (language === 'en' ? failures : failures.slice(0, 1)).entries()) {
        await answerOnce(page, failure);
        await reset(page);
        await toast(page, text);
        expect(await page.getByText('inside').count(), String(at)).toBe(0);
        // The toast disappears by itself; a success in between makes the next one a new one.
        await reset(page);
        await page.getByRole('status').filter({ hasText: '10,000' }).waitFor();
      }
      await context.close();
    }
  });

  fullTest('an answer that takes longer than five seconds counts as none (S9-01)', async () => {
    const { page, context } = await memberWithoutStream(browser);
    await open(page, '/index');
    let isOver = false;
    await answerOnce(page, async (route) => {
      await page.getByRole('status').filter({ hasText: 'Network Error' }).waitFor();
      isOver = true;
      await route.abort();
    });
    // From before the app's clock starts, so that a stall makes it longer, never shorter.
    const began = performance.now();
    await reset(page);
    await toast(page, 'Network Error');
    expect(performance.now() - began).toBeGreaterThan(4_700);
    await expect.poll(() => isOver).toBe(true);
    await context.close();
  });
});
