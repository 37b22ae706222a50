import { launch, origin } from '@fairtick/kit/browser/browser.ts';
import { member, open, unfold } from '@fairtick/kit/browser/screens.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import type { Locator, Page, Route } from 'playwright-core';
import { describe, expect, test } from 'vitest';

/** A message that belongs to no field is drawn above the sheet that is open, and reaches screen readers. */
const browser = forFile(() => launch());

const SHEETS = [
  { path: '/mine', opener: 'Change nickname', send: 'Save' },
  { path: '/mine', opener: 'Change password', send: 'Save' },
  { path: '/changeLog', opener: 'Export', send: 'Save file' },
  { path: '/login', opener: 'Forgot password', send: null },
] as const;

const json = (body: object) => ({ contentType: 'application/json', body: JSON.stringify(body) });
const FAULTS: Readonly<Record<string, (route: Route) => Promise<void>>> = {
  'no line': (route) => route.abort(),
  'a server error': (route) => route.fulfill({ status: 500, body: '' }),
  HTML: (route) => route.fulfill({ status: 200, contentType: 'text/html', body: '<p>Sign in to the Wi-Fi' }),
  'too many requests': (route) =>
    route.fulfill({
      status: 429,
      ...json({ code: 0, msg: 'Too many attempts', data: null, error: 'TOO_MANY' }),
    }),
  'a refusal of no field': (route) =>
    route.fulfill(json({ code: 0, msg: 'It is refused', data: null, error: 'REFUSED' })),
};

async function fillIn(sheet: Locator): Promise<void> {
  for (const input of await sheet.locator('input:visible:not([type=radio])').all())
    await input.fill(
      (await input.getAttribute('type')) === 'password' ? 'a tall green lantern' : 'Goldsmith',
    );
}

/** Whether the message is what lies at its middle, and not inert. */
const isReached = (message: Locator): Promise<boolean> =>
  message.evaluate((element) => {
    const { left, top, width, height } = element.getBoundingClientRect();
    const area = element.parentElement as HTMLElement;
    area.style.pointerEvents = 'auto';
    const at = document.elementFromPoint(left + width / 2, top + height / 2);
    area.style.pointerEvents = '';
    return at !== null && (element.contains(at) || area.contains(at));
  });

async function openSheet(page: Page, { path, opener }: (typeof SHEETS)[number]): Promise<Locator> {
  await open(page, path);
  if (path === '/mine') await unfold(page);
  await page.getByRole('button', { name: new RegExp(`^${opener}`) }).click();
  return page.getByRole('dialog', { name: opener });
}

describe.each([375, 1_280])('at %i px', (width) => {
  test.each(SHEETS)('every fault in “$opener” is seen and told', async (which) => {
    const { page, context } = await member(browser, { language: 'en' });
    if (which.path === '/login') await page.addInitScript(() => localStorage.removeItem('token'));
    await page.setViewportSize({ width, height: 780 });
    const sheet = await openSheet(page, which);
    await fillIn(sheet);
    let fail: ((route: Route) => Promise<void>) | undefined;
    await page.route(`${origin()}/api/**`, (route) => (fail ? fail(route) : route.continue()));
    // A message stays for seconds: all faults are tried in one sheet.
    const all = Object.entries(FAULTS);
    for (const [name, fault] of which.opener === 'Change nickname' && width === 375 ? all : all.slice(-1)) {
      fail = fault;
      const send = which.send ?? 'Set new password';
      await sheet.getByRole('button', { name: send, exact: true }).click();
      // By its role: what is inert has none.
      const message = page.getByRole('status').locator('> *').last();
      await message.waitFor();
      expect([name, await isReached(message)]).toEqual([name, true]);
      await message.waitFor({ state: 'detached' });
    }
    await context.close();
  });
});
