import { launch, origin, place } from '@fairtick/kit/browser/browser.ts';
import {
  follow,
  MEMBER_SCREENS,
  type Member,
  member,
  open,
  shown,
  view,
} from '@fairtick/kit/browser/screens.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import type { Browser, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';

const PATHS = MEMBER_SCREENS.map(({ path }) => path);
/** A screen without a connection tries its calls again before it says so. */
const SAYS_WITHIN_MS = 12_000;
const AGAIN = 'Try again';
const LINE_LOST = /^Connection lost\. /;

/** Opens a screen with the service worker and waits until its files are kept. */
async function keeper(browser: Browser): Promise<Member> {
  const reader = await member(browser, { language: 'en', keepsOffline: true });
  await place(reader.token, { symbol: 'BTC/USDT', minutes: '5' });
  await open(reader.page, '/index');
  const isKept = () =>
    reader.page.evaluate(async () => {
      const kept = await (await caches.open('fairtick-1')).keys();
      const paths = kept.map(({ url }) => new URL(url).pathname);
      return navigator.serviceWorker.controller !== null && paths.includes('/index') && paths.length > 8;
    });
  await expect.poll(isKept, { timeout: 20_000 }).toBe(true);
  return reader;
}

/** How a screen without a connection ends: its sentence with a retry, its data with their time, or what is wrong. */
async function endOf(page: Page, path: string): Promise<string> {
  const main = view(page).locator('main').first();
  const busy = view(page).locator('[aria-busy=true]:visible');
  const isOver = await expect
    .poll(async () => (await busy.count()) + (await page.locator('#app > .bprogress').count()), {
      timeout: SAYS_WITHIN_MS,
    })
    .toBe(0)
    .then(
      () => true,
      () => false,
    );
  if (!isOver) return `${path} goes on loading`;
  const again = main.getByRole('button', { name: AGAIN }).and(main.locator(':visible'));
  const asOf = view(page).getByText(LINE_LOST);
  // A notice above figures waits for some seconds, so that a short interruption does not move the screen.
  const hasEnd = expect.poll(async () => (await again.count()) + (await asOf.count()), { timeout: 8_000 });
  const isTold = await hasEnd.toBeGreaterThan(0).then(
    () => true,
    () => false,
  );
  if (!isTold) return `${path} has neither a time nor a retry`;
  return (await again.count()) > 0 ? 'says why' : 'as of';
}

async function endsOf(page: Page, paths: readonly string[]): Promise<Record<string, string>> {
  const ends: Record<string, string> = {};
  for (const path of paths) {
    await follow(page, path);
    await page.waitForFunction((wanted) => location.pathname === wanted, path);
    await view(page).locator('main').first().waitFor();
    ends[path] = await endOf(page, path);
  }
  return ends;
}

const wrong = (ends: Record<string, string>) =>
  Object.values(ends).filter((end) => end !== 'says why' && end !== 'as of');

describe('without a connection', () => {
  const browser = forFile(() => launch());

  test('a screen that was never opened says so with a retry, and comes by itself with the connection', async () => {
    const { page, context } = await keeper(browser);
    await context.setOffline(true);
    await page.getByText(LINE_LOST).first().waitFor();
    const ends = await endsOf(page, PATHS);
    expect(wrong(ends)).toEqual([]);
    expect(Object.values(ends).filter((end) => end === 'says why').length).toBeGreaterThan(10);
    await follow(page, '/changeLog');
    await view(page).getByText('This screen is not on this device').waitFor();
    await view(page).getByRole('button', { name: AGAIN }).click();
    await view(page).getByText('This screen is not on this device').waitFor();
    await context.setOffline(false);
    await shown(page, '/changeLog');
    await view(page).getByText('This screen is not on this device').waitFor({ state: 'detached' });
    await context.close();
  });

  test('an address that was never opened says so at once, without the home in its place', async () => {
    const { page, context } = await keeper(browser);
    await context.setOffline(true);
    await page.addInitScript(() => {
      const look = () => {
        const app = document.getElementById('app');
        const isSeen = app !== null && getComputedStyle(app).visibility === 'visible';
        if (isSeen && app.innerText.includes('Signed every second')) document.title = 'home was seen';
        requestAnimationFrame(look);
      };
      look();
    });
    await page.goto(`${origin()}/statistics`, { waitUntil: 'commit' });
    const begunMs = performance.now();
    await view(page).getByText('This screen is not on this device').waitFor();
    expect(performance.now() - begunMs).toBeLessThan(5_000);
    expect(await page.title()).not.toBe('home was seen');
    expect(await page.evaluate(() => document.documentElement.hasAttribute('data-stale'))).toBe(true);
    await context.setOffline(false);
    await view(page).getByText('This screen is not on this device').waitFor({ state: 'detached' });
    await context.close();
  });

  test('a screen that the server drew is there on another page', async () => {
    const { page, context } = await keeper(browser);
    await open(page, '/mine');
    await expect
      .poll(() => page.evaluate(() => caches.match('/mine').then((kept) => kept !== undefined)))
      .toBe(true);
    await context.setOffline(true);
    await page.getByText(LINE_LOST).first().waitFor();
    await follow(page, '/index');
    await view(page).getByRole('heading', { level: 1 }).first().waitFor();
    expect(await view(page).getByText('This screen is not on this device').count()).toBe(0);
    expect(
      await view(page)
        .getByRole('link', { name: /BTC\/USDT/ })
        .count(),
    ).toBeGreaterThan(0);
    await context.close();
  });

  /** Opens every screen with a connection, then takes it away. */
  async function openAll({ page, context }: Member): Promise<void> {
    for (const path of PATHS) {
      await follow(page, path);
      await shown(page, path);
      await expect.poll(() => view(page).locator('[aria-busy=true]:visible').count()).toBe(0);
    }
    await context.setOffline(true);
    await page.getByText(LINE_LOST).first().waitFor();
  }

  test('a screen that was opened before ends with its data as of a time', async () => {
    const reader = await keeper(browser);
    await openAll(reader);
    expect(wrong(await endsOf(reader.page, PATHS))).toEqual([]);
    await reader.context.close();
  });

  test('a screen whose code is on the device without its data says so with a retry', async () => {
    const reader = await keeper(browser);
    const { page, context } = reader;
    await openAll(reader);
    // The data were only in the memory of the page.
    await follow(page, '/index');
    await page.reload();
    await page.getByText(LINE_LOST).first().waitFor();
    expect(wrong(await endsOf(page, PATHS))).toEqual([]);
    for (const path of ['/historyOrder', '/notices', '/profit', '/security', '/changeLog']) {
      await follow(page, path);
      await view(page).getByRole('button', { name: AGAIN }).first().waitFor();
    }
    await view(page)
      .getByText('You are offline, and this device does not have this screen’s data')
      .first()
      .waitFor();
    await context.setOffline(false);
    await view(page).getByText('You are offline').waitFor({ state: 'detached' });
    await context.close();
  });
});
