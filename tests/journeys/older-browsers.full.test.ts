import { readFileSync } from 'node:fs';
import { api, launch, newAccount, origin, PASSWORD, visit } from '@fairtick/kit/browser/browser.ts';
import {
  checkSettlement,
  fillTicket,
  openProduct,
  placeOrder,
  soon,
  untilPriceMoves,
} from '@fairtick/kit/browser/trader.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { PATIENCE_MS } from '@fairtick/kit/waiting/until.ts';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { BROWSERS } from '../../apps/web/browsers.ts';

const SETTLED_MS = 60_000 + PATIENCE_MS;
const POLLING = 'Live updates are blocked on this network. Prices refresh every 2 seconds';
const LOST = /Connection lost|Connecting\. Prices may/;

interface OrderAnswer {
  readonly id: string;
}

/** Logs in through the form, buys, and waits for the settlement on the order's page, which it checks. */
async function tradeOnce(page: Page, symbol: string): Promise<void> {
  const account = newAccount();
  const form = { account, password: PASSWORD, confirmPassword: PASSWORD, lang: 'en' };
  await fetch(`${origin()}/api/user/register`, { method: 'POST', body: new URLSearchParams(form) });
  await page.goto(`${origin()}/login`);
  await page.getByLabel('Account', { exact: true }).fill(account);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Log in', exact: true }).click();
  await soon(() => new URL(page.url()).pathname).toBe('/index');
  await openProduct(page, symbol);
  await fillTicket(page, '100');
  await placeOrder(page);
  const token = (await page.evaluate(() => localStorage.getItem('token'))) ?? '';
  const { items } = await api<{ items: OrderAnswer[] }>('order/list', token);
  expect(items.length).toBe(1);
  await page.locator(`[data-order="${items[0]?.id}"]`).first().waitFor();
  await page.goto(`${origin()}/historyOrder?id=${items[0]?.id}`);
  await page.locator('[data-status=settled]').waitFor({ timeout: SETTLED_MS });
  await checkSettlement(page);
  await page.getByRole('heading', { name: 'Checked on this device: everything matches' }).waitFor();
}

/** Replaces `WebSocket` by one that never opens, until the page is told that the network lets it through. */
function blockSockets(): void {
  class Blocked {
    readyState = 0;
    onclose: ((event: { code: number }) => void) | null = null;
    constructor() {
      setTimeout(() => {
        this.readyState = 3;
        this.onclose?.({ code: 1006 });
      }, 20);
    }
    send() {}
    close() {}
  }
  const Real = WebSocket;
  Object.assign(globalThis, {
    WebSocket: new Proxy(Real, {
      construct: (_, parts) =>
        sessionStorage.getItem('letThrough') ? new Real(...(parts as [string])) : new Blocked(),
    }),
  });
}

/** Removes what the oldest listed browsers lack: everything newer than Chromium 99, Safari 15.4 and Firefox 100. */
function removeNewerApis(): void {
  const remove = (owner: object | undefined, ...names: string[]) => {
    for (const name of names) if (owner) Reflect.deleteProperty(owner, name);
  };
  const root = globalThis as unknown as Record<string, { prototype: object } | undefined>;
  remove(URL, 'parse', 'canParse');
  remove(Map, 'groupBy');
  remove(Object, 'groupBy');
  remove(Array, 'fromAsync');
  remove(Promise, 'withResolvers', 'try');
  remove(AbortSignal, 'any', 'timeout');
  remove(AbortSignal.prototype, 'throwIfAborted');
  remove(ReadableStream.prototype, 'values');
  Reflect.deleteProperty(ReadableStream.prototype, Symbol.asyncIterator);
  remove(RegExp, 'escape');
  remove(Math, 'sumPrecise', 'f16round');
  remove(Uint8Array, 'fromBase64', 'fromHex');
  remove(Uint8Array.prototype, 'toBase64', 'toHex', 'setFromBase64', 'setFromHex');
  remove(ArrayBuffer.prototype, 'transfer', 'transferToFixedLength', 'resize');
  remove(String.prototype, 'isWellFormed', 'toWellFormed');
  const byCopy = ['toSorted', 'toReversed', 'toSpliced', 'with', 'findLast', 'findLastIndex'];
  remove(Array.prototype, ...byCopy.slice(0, 4));
  remove(Object.getPrototypeOf(Uint8Array.prototype), ...byCopy.slice(0, 4));
  remove(
    Set.prototype,
    ...['union', 'intersection', 'difference', 'symmetricDifference'],
    ...['isSubsetOf', 'isSupersetOf', 'isDisjointFrom'],
  );
  const iterator = Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]()));
  const lazily = [
    'map',
    'filter',
    'take',
    'drop',
    'flatMap',
    'reduce',
    'toArray',
    'forEach',
    'some',
    'every',
    'find',
  ];
  remove(iterator, ...lazily);
  remove(URLSearchParams.prototype, 'size');
  remove(Blob.prototype, 'bytes');
  remove(Response.prototype, 'bytes');
  remove(Request.prototype, 'bytes');
  remove(Intl, 'DurationFormat', 'Segmenter');
  remove(Document.prototype, 'startViewTransition', 'caretPositionFromPoint');
  remove(Element.prototype, 'checkVisibility', 'setHTML', 'setHTMLUnsafe', 'moveBefore');
  remove(HTMLElement.prototype, 'popover', 'showPopover', 'hidePopover', 'togglePopover');
  remove(HTMLDialogElement.prototype, 'requestClose');
  remove(HTMLInputElement.prototype, 'showPicker');
  remove(Navigator.prototype, 'scheduling', 'userActivation', 'virtualKeyboard', 'setAppBadge');
  remove(
    globalThis,
    ...['Iterator', 'requestIdleCallback', 'cancelIdleCallback', 'scheduler', 'navigation', 'onscrollend'],
    ...['DecompressionStream', 'CompressionStream', 'PressureObserver', 'URLPattern', 'Sanitizer'],
    ...['CSSScopeRule', 'CSSLayerBlockRule', 'Highlight', 'CloseWatcher', 'Temporal', 'Float16Array'],
  );
  remove(root.PublicKeyCredential, 'parseCreationOptionsFromJSON', 'parseRequestOptionsFromJSON');
  remove(root.PublicKeyCredential?.prototype, 'toJSON');
  remove(document, 'onscrollend');
  // These browsers have no Ed25519 of their own.
  for (const name of ['generateKey', 'importKey', 'verify', 'sign'] as const) {
    const own = SubtleCrypto.prototype[name] as (...parts: unknown[]) => Promise<unknown>;
    const refusing = function (this: SubtleCrypto, ...parts: unknown[]) {
      return JSON.stringify(parts).includes('Ed25519')
        ? Promise.reject(new DOMException('Unrecognized name.', 'NotSupportedError'))
        : own.apply(this, parts);
    };
    Object.assign(SubtleCrypto.prototype, { [name]: refusing });
  }
}

describe('browsers and networks that lack something', () => {
  const browser = forFile(() => launch());

  test('without WebSocket the app polls, says so, and trades; with it again the notice goes', async () => {
    const { context, page, complaints } = await visit(browser, { language: 'en' });
    await context.addInitScript(blockSockets);
    await page.goto(`${origin()}/index`);
    const notice = page.locator('[data-view=index]').getByText(POLLING);
    await notice.waitFor();
    const price = page.getByRole('link', { name: /BTC\/USDT/ }).locator('[data-price]');
    const first = await price.textContent();
    await expect.poll(() => price.textContent(), { timeout: PATIENCE_MS }).not.toBe(first);
    await tradeOnce(page, 'BTC/USDT');
    await soon(() => page.getByText(LOST).count()).toBe(0);
    await page.goto(`${origin()}/mine`);
    // What the order gave or took has reached the balance without a reload of the session.
    await soon(() => page.getByText(LOST).count()).toBe(0);

    await openProduct(page, 'BTC/USDT');
    const onProduct = page.locator('[data-view=product]').getByText(POLLING);
    await onProduct.waitFor();
    await page.evaluate(() => sessionStorage.setItem('letThrough', '1'));
    await onProduct.waitFor({ state: 'detached', timeout: SETTLED_MS });
    await untilPriceMoves(page);
    expect(complaints).toEqual([]);
  }, 300_000);

  test('the main screens work without any API newer than the listed browsers', async () => {
    const { context, page, complaints } = await visit(browser, { language: 'en' });
    await context.addInitScript(removeNewerApis);
    await tradeOnce(page, 'ETH/USDT');
    for (const path of [
      '/index',
      '/product',
      '/profit',
      '/news',
      '/mine',
      '/wallet',
      '/historyOrder',
      '/changeLog',
      '/chat',
      '/statistics',
    ]) {
      await page.goto(`${origin()}${path}`);
      await page.locator('[data-view] main').first().waitFor();
      await page.waitForLoadState('networkidle').catch(() => {});
      // These browsers show a popover as an ordinary part of the page.
      expect(await page.locator('[popover]').count(), path).toBe(0);
      expect(await page.getByRole('heading', { name: 'This screen has failed' }).count(), path).toBe(0);
    }
    await page.goto(`${origin()}/chat`);
    await page.getByRole('textbox').first().fill('Hello from an older browser');
    await page.keyboard.press('Enter');
    await page.getByText('Hello from an older browser').first().waitFor();
    expect(complaints).toEqual([]);
  }, 300_000);

  test('a browser below the list shows a sentence in three languages that names the list, in the app and in the office', async () => {
    const office = process.env.FAIRTICK_OFFICE ?? '';
    const names: Record<string, string> = {
      chrome: 'Chrome',
      edge: 'Edge',
      safari: 'Safari',
      ios: 'iOS',
      firefox: 'Firefox',
    };
    const listed = BROWSERS.map((target) => target.replace(/^[a-z]+/, (name) => `${names[name]} `));
    const readme =
      readFileSync('README.md', 'utf8')
        .match(/Customers and staff need [^;]+/)?.[0]
        .replace(/\s+/g, ' ') ?? '';
    for (const version of BROWSERS.map((target) => target.replace(/^[a-z]+/, '')))
      expect(readme).toContain(version);
    for (const address of [`${origin()}/index`, `${origin()}/home`, office]) {
      const { context, page, complaints } = await visit(browser, { language: 'en' });
      await context.addInitScript(() => Reflect.deleteProperty(globalThis, 'structuredClone'));
      await page.goto(address, { waitUntil: 'load' });
      const sentences = page.locator('body > p');
      await soon(() => sentences.count()).toBe(3);
      expect(await sentences.evaluateAll((all) => all.map((p) => (p as HTMLElement).lang))).toEqual([
        'zh-CN',
        'zh-TW',
        'en',
      ]);
      for (const text of await sentences.allTextContents())
        for (const one of listed) expect(text).toContain(one);
      expect(
        (await page.locator('body').innerText()).split('\n').filter((line) => line.trim() !== '').length,
      ).toBe(3);
      expect(complaints).toEqual([]);
      await context.close();
    }
  });
});
