import { randomBytes } from 'node:crypto';
import type { Language } from '@fairtick/protocol';
import {
  type APIResponse,
  type Browser,
  type BrowserContext,
  chromium,
  type Page,
  type Response,
} from 'playwright-core';
import { expect } from 'vitest';
import { CHROMIUM_FLAGS, ensureChromium } from '../../../scripts/chromium.ts';
import { PATIENCE_MS, seen } from '../waiting/until.ts';
import { ownFonts } from './fonts.ts';

export const origin = (): string => {
  const value = process.env.FAIRTICK_ORIGIN;
  if (!value) throw new Error('the server is started by the global setup');
  return value;
};

let launched: Promise<Browser> | null = null;

/** The browser of this worker, which all its test files share. `close` ends its contexts and leaves it running. */
export async function launch(): Promise<Browser> {
  launched ??= ownFonts().then((env) =>
    chromium.launch({ executablePath: ensureChromium(), args: [...CHROMIUM_FLAGS], env }),
  );
  const browser = await launched;
  browser.close = async () => {
    for (const context of browser.contexts()) await context.close();
  };
  return browser;
}

export interface Visit {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Console messages and page errors; a journey must end with none. */
  readonly complaints: string[];
}

/** Playwright's message about a service worker that it was told to block: caused by the test, not by the app. */
const WORKER_BLOCKED = 'Service Worker registration blocked by Playwright';

/** Opens a page in a new, empty browser context. */
export async function visit(
  browser: Browser,
  options: {
    language?: Language;
    theme?: 'dark' | 'light';
    width?: number;
    height?: number;
    /** Allows the app's service worker. A test can't mock requests that the service worker answers. */
    keepsOffline?: boolean;
    /** Leaves animations on. */
    moves?: boolean;
  } = {},
): Promise<Visit> {
  const width = options.width ?? 375;
  const context = await browser.newContext({
    viewport: { width, height: options.height ?? 812 },
    colorScheme: options.theme ?? 'light',
    hasTouch: width < 768,
    isMobile: width < 768,
    timezoneId: 'Asia/Singapore',
    // Prices do not flash then: drawing the flashes is half of a page's cost.
    reducedMotion: options.moves ? 'no-preference' : 'reduce',
    serviceWorkers: options.keepsOffline ? 'allow' : 'block',
  });
  if (options.language) {
    const { language } = options;
    await context.addInitScript((chosen) => {
      if (!sessionStorage.getItem('begun')) localStorage.setItem('language', chosen);
      sessionStorage.setItem('begun', '1');
    }, language);
  }
  const page = await context.newPage();
  const complaints: string[] = [];
  heed(page, complaints);
  page.setDefaultTimeout(PATIENCE_MS);
  awaitApp(page);
  return { context, page, complaints };
}

/** Adds styles to a page, in the one way that its policy leaves. */
export async function addStyles(page: Page, styles: string): Promise<void> {
  await page.evaluate((text) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  }, styles);
}

/** Records console messages and errors of a page. */
export function heed(page: Page, complaints: string[]): void {
  page.on('console', (message) => {
    if (message.text() !== WORKER_BLOCKED) complaints.push(`${message.type()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`));
}

/**
 * A page counts as loaded when the app has replaced the prerendered content; the load event comes earlier. A sheet that closes
 * takes the page one entry back, and the browser gives up a navigation that has begun in that moment: it is begun once more.
 */
export function awaitApp(page: Page): void {
  const goto = page.goto.bind(page);
  page.goto = async (url, options) => {
    const answer = await goto(url, options).catch((error: Error) => {
      if (!error.message.includes('net::ERR_ABORTED')) throw error;
      return goto(url, options);
    });
    if (!options?.waitUntil) {
      await page.waitForFunction(() => !document.documentElement.hasAttribute('data-page'));
    }
    return answer;
  };
}

/** Lets the app wait without limit for an answer that a test holds back. Called before the page is opened. */
export async function neverGiveUp(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const { abort } = AbortController.prototype;
    AbortController.prototype.abort = function (reason) {
      if (reason?.name !== 'TimeoutError') abort.call(this, reason);
    };
  });
}

/** Answers that the server has given and that a page has not received yet. */
export interface HeldAnswers {
  /** The first of them, once the server has given it. */
  readonly first: Promise<APIResponse>;
  /** Lets the page have them, and waits until it has drawn what follows. */
  release(): Promise<void>;
}

/** Holds back the answers to a page's requests to an operation. {@link neverGiveUp} keeps the app waiting for more than 5 s. */
export async function holdAnswers(page: Page, operation: string): Promise<HeldAnswers> {
  const [first, mayAnswer] = [Promise.withResolvers<APIResponse>(), Promise.withResolvers<void>()];
  const held: Promise<Response | null>[] = [];
  await page.route(`**/api/${operation}?*`, async (route) => {
    const response = await route.fetch();
    held.push(route.request().response());
    first.resolve(response);
    await mayAnswer.promise;
    await route.fulfill({ response });
  });
  const release = async () => {
    mayAnswer.resolve();
    for (const response of await Promise.all(held)) await response?.finished();
    await page.evaluate(
      () => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))),
    );
  };
  return { first: first.promise, release };
}

export const newAccount = (): string => `u${randomBytes(7).toString('hex')}`;
export const PASSWORD = 'correct horse battery';

export async function api<T>(path: string, token: string, fields: Record<string, string> = {}): Promise<T> {
  const answer = await fetch(`${origin()}/api/${path}?${new URLSearchParams(fields)}`, {
    headers: { token },
  });
  const envelope = (await answer.json()) as { code: number; data: T };
  expect(envelope.code).toBe(1);
  return envelope.data;
}

/** Errors of a slow server: nothing was placed, and the same request may succeed in a moment. */
const FOR_NOW: ReadonlySet<string | undefined> = new Set(['LATE', 'PRICE_UNAVAILABLE', 'NOT_READY']);

/** Places an order over the API, and again under the same key while the server is too slow for it. */
export async function place(
  token: string,
  order: Record<string, string>,
): Promise<{ id: string; settlesAt: number }> {
  const form = { direction: 'up', minutes: '1', amount: '100', asset: 'DEMO', symbol: 'EUR/USD', ...order };
  const headers = { token, 'idempotency-key': randomBytes(16).toString('hex') };
  return seen(
    async () => {
      const answer = await fetch(`${origin()}/api/order/create`, {
        method: 'POST',
        headers,
        body: new URLSearchParams(form),
      });
      const envelope = (await answer.json()) as {
        msg: string;
        error?: string;
        data: { id: string; settlesAt: number };
      };
      if (FOR_NOW.has(envelope.error)) return null;
      expect(envelope.msg).toBe('');
      return envelope.data;
    },
    { what: 'an accepted order', everyMs: 500 },
  );
}
