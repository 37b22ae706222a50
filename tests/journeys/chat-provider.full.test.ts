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

test.each([
  ['en', 'help.example can’t be reached now', 'Try again', 'Open it in a new window'],
  ['zh', '目前无法连接 help.example', '重试', '在新窗口中打开'],
  ['tw', '目前無法連線到 help.example', '重試', '在新視窗中開啟'],
] as const)(
  'a provider’s page that does not come is said in %s, with ways on',
  async (language, gone, again, open) => {
    const { page, context } = await trader(browser, { base: house.origin, language });
    let isThere = false;
    await context.route(`${PROVIDER}/**`, (route) =>
      isThere ? route.fulfill({ contentType: 'text/html; charset=utf-8', body: WIDGET }) : route.abort(),
    );
    await page.goto(`${house.origin}/chat`);
    await page.getByRole('status').filter({ hasText: gone }).waitFor();
    expect(await page.getByRole('link', { name: open }).getAttribute('href')).toBe(`${PROVIDER}/widget`);
    expect(await page.locator('iframe').count()).toBe(0);
    isThere = true;
    await page.getByRole('button', { name: again }).click();
    await page.frameLocator('iframe').locator('#said').waitFor();
    await context.close();
  },
);
