import { launch } from '@fairtick/kit/browser/browser.ts';
import { type ServerProcess, startServerProcess } from '@fairtick/kit/browser/server.ts';
import { trader } from '@fairtick/kit/browser/trader.ts';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';

/** Support by another provider (CHAT_URL): their page is embedded, and can't reach anything of the app. */
const PROVIDER = 'https://help.example';
let browser: Browser;
let house: ServerProcess;
beforeAll(async () => {
  // Another API process on the same database, with that setting. (Vitest sets a MODE of its own.)
  house = await startServerProcess({
    MODE: 'demo',
    ROLE: 'api',
    DATA_DIR: process.env.FAIRTICK_DATA as string,
    CHAT_URL: `${PROVIDER}/widget`,
    OFFICE_PORT: 'off',
  });
  browser = await launch();
});
afterAll(async () => {
  await browser?.close();
  await house?.stop();
});

/** The provider's page tries forbidden actions and reports those that worked. */
const WIDGET = `<!doctype html><title>Help</title><p id="said">Hello from the provider</p><script>
  const tried = [];
  try { parent.document.title; tried.push('read the page'); } catch {}
  try { parent.localStorage.getItem('token'); tried.push('read the session'); } catch {}
  try { top.location.href = 'https://elsewhere.example/'; tried.push('led away'); } catch {}
  document.getElementById('said').dataset.tried = tried.join(', ');
</script>`;

test('a provider’s page runs in a sandbox, and no other origin can be framed (S1-12, S2-31)', async () => {
  const { page, context } = await trader(browser, { base: house.origin });
  await context.route(`${PROVIDER}/**`, (route) =>
    route.fulfill({ contentType: 'text/html; charset=utf-8', body: WIDGET }),
  );
  await page.goto(`${house.origin}/chat`);
  const said = page.frameLocator('iframe').locator('#said');
  await said.waitFor();
  expect(await said.textContent()).toBe('Hello from the provider');
  await expect.poll(() => said.getAttribute('data-tried')).toBe('');
  expect(new URL(page.url()).pathname).toBe('/chat');
  await page.getByText('help.example').first().waitFor();
  expect(await page.getByLabel('Write a message').count()).toBe(0);

  const policy = (await fetch(`${house.origin}/chat`)).headers.get('content-security-policy') ?? '';
  expect(policy.split('; ').filter((part) => part.startsWith('frame-src'))).toEqual([
    `frame-src ${PROVIDER}`,
  ]);
  // The browser also refuses a frame of another origin.
  const refused = await page.evaluate(
    () =>
      new Promise<string>((resolve) => {
        document.addEventListener('securitypolicyviolation', (event) => resolve(event.effectiveDirective));
        const frame = document.createElement('iframe');
        frame.src = 'https://elsewhere.example/';
        document.body.append(frame);
      }),
  );
  expect(refused).toBe('frame-src');
  await context.close();
});
