import { launch, origin } from '@fairtick/kit/browser/browser.ts';
import { follow, member, open, shown } from '@fairtick/kit/browser/screens.ts';
import { soon } from '@fairtick/kit/browser/trader.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { sample } from '@fairtick/kit/size.ts';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';

/** Screens without content, screens that can't load, and screens without a connection. */
const browser = forFile(() => launch());

const main = (page: Page) => page.locator('[data-view]:visible main');

/** The texts of empty screens. */
const EMPTY = {
  '/profit': 'No profit yet',
  '/chat': 'No messages yet',
  '/historyOrder': 'No orders yet',
  '/accessLog': 'No deposits or withdrawals',
  '/whoLooked': 'Nobody has viewed your data',
  '/notices': 'No notifications',
  '/alerts': 'No alerts yet',
  '/statistics': 'No settled orders in this period',
  '/bank': 'No bank card or account yet.',
  '/security': 'Not set up',
} as const;

/** Screens that must load data first; the others are forms, or show what the browser keeps. */
const READING = [
  ...['/profit', '/news', '/changeLog', '/historyOrder', '/accessLog', '/whoLooked', '/notices', '/alerts'],
  ...['/statistics', '/limits', '/recharge', '/with', '/realName', '/security', '/devices'],
] as const;

/** Every call except the one that each navigation makes in addition. */
const DATA = /\/api\/(?!user\/getUserInfo)/;

/** Opening this many screens afresh is slow on a busy machine. */
const PATIENCE_MS = 300_000;

describe('screens', () => {
  test('say so when they have nothing to show (S2-77)', async () => {
    const { page, context, complaints } = await member(browser, { language: 'en' });
    await open(page, '/mine');
    for (const [path, text] of Object.entries(EMPTY)) {
      await follow(page, path);
      await shown(page, path);
      await main(page).getByText(text, { exact: true }).first().waitFor();
    }
    expect(complaints).toEqual([]);
    await context.close();
  });

  test(
    'say so when they cannot be read, and read again on request (S2-77, S8-04)',
    async () => {
      const { page, context } = await member(browser, { language: 'en' });
      const faults: string[] = [];
      for (const path of sample(READING, 5)) {
        await page.route(DATA, (route) => route.abort('connectionrefused'));
        await page.goto(`${origin()}${path}`);
        const fault = main(page).getByText('Network Error', { exact: true }).first();
        const again = main(page).getByRole('button', { name: 'Try again' }).first();
        await again.waitFor().catch(() => faults.push(`${path}: nothing to try again`));
        if ((await fault.count()) === 0) faults.push(`${path}: no word of it`);
        await page.unroute(DATA);
        // A screen with several parts asks again for each.
        await soon(async () => {
          if (await again.isVisible()) await again.click();
          return [path, await fault.count()];
        }).toEqual([path, 0]);
      }
      expect(faults).toEqual([]);
      await context.close();
    },
    PATIENCE_MS,
  );

  test('show the last known content with its time while the connection is lost (S2-77, S8-04)', async () => {
    const { page, context } = await member(browser, { language: 'en' });
    const sockets: { close(): Promise<void> }[] = [];
    let isCut = false;
    await page.routeWebSocket(/\/api\/stream/, (socket) => {
      if (isCut) return void socket.close();
      socket.connectToServer();
      sockets.push(socket);
    });
    await open(page, '/mine');
    await page.getByTestId('total').getByText('10,000.00').waitFor();
    isCut = true;
    // Without the stream alone the app would poll.
    await context.setOffline(true);
    for (const socket of sockets) await socket.close();
    await page.getByText(/^Connection lost. Data as of \d\d:\d\d:\d\d$/).waitFor();
    expect(await page.getByTestId('total').innerText()).toBe('10,000.00');
    await context.close();
  });
});
