import { launch, origin } from '@fairtick/kit/browser/browser.ts';
import { Line } from '@fairtick/kit/browser/line.ts';
import {
  fillTicket,
  openProduct,
  soon,
  tapTwice,
  tapUntilTaken,
  trader,
} from '@fairtick/kit/browser/trader.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { expect, test } from 'vitest';

const SYMBOL = 'XAG/USD';
const WAY_MS = 2_000;
/** A busy machine may hold up an order or two; a margin that does not follow the line makes each first try late. */
const ORDERS = 4;

const browser = forFile(() => launch());

test.each(['stream', 'polling'] as const)(
  'the opening time that the app names is reached at the first try on a line with 2 s each way: %s',
  async (way) => {
    const line = await Line.open(origin());
    const { page } = await trader(browser, { base: line.origin });
    if (way === 'polling') await page.routeWebSocket('**/api/stream', (socket) => socket.close());
    await openProduct(page, SYMBOL, line.origin);
    line.delay(WAY_MS);
    // Prices are fresh again: the line was measured.
    await page.waitForTimeout(8_000);
    const tries: number[] = [];
    while (tries.length < ORDERS && !tries.includes(1)) {
      await fillTicket(page, '100');
      await page.getByText(/about [4-9] s after the second tap/).waitFor();
      await soon(() => page.getByRole('button', { name: /^Buy up 100/ }).isEnabled()).toBe(true);
      tries.push(await tapUntilTaken(page, () => tapTwice(page)));
    }
    expect(tries).toContain(1);
    line.cut();
  },
  300_000,
);
