import { api, newAccount, origin, PASSWORD } from '@fairtick/kit/browser/browser.ts';
import { FirefoxPage } from '@fairtick/kit/browser/firefox.ts';
import { PATIENCE_MS } from '@fairtick/kit/waiting/until.ts';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const button = (name: string) =>
  `[...document.querySelectorAll('button')].filter((e) => e.checkVisibility() && ${name}.test(e.textContent.trim())).at(-1)`;

describe('Firefox', () => {
  let page: FirefoxPage;
  beforeAll(async () => {
    // Scrollbars that take room, as on most desktops, in a dark system.
    page = await FirefoxPage.open({
      'widget.gtk.overlay-scrollbars.enabled': false,
      'ui.systemUsesDarkTheme': 1,
    });
  }, 60_000);
  afterAll(() => page.close());

  test('a customer logs in, buys, sees it settle and checks the receipt', async () => {
    const account = newAccount();
    const form = { account, password: PASSWORD, confirmPassword: PASSWORD, lang: 'en' };
    await fetch(`${origin()}/api/user/register`, { method: 'POST', body: new URLSearchParams(form) });
    await page.goto(`${origin()}/home?lang=en`);
    await page.goto(`${origin()}/login`);
    await page.fill("document.querySelector('[data-view=login] input:not([type=password])')", account);
    await page.fill("document.querySelector('[data-view=login] input[type=password]')", PASSWORD);
    await page.click(button('/^Log in$/'));
    await page.until("location.pathname === '/index'");

    await page.goto(`${origin()}/product?symbol=SOL%2FUSDT`);
    const first = await page.until(
      "document.querySelector('[data-testid=price]')?.textContent.match(/\\d.*/)?.[0]",
    );
    await page.until(
      `document.querySelector('[data-testid=price]').textContent !== ${JSON.stringify(first)}`,
    );
    await page.click('document.querySelector(\'input[name=minutes][value="1"]\').closest("label")');
    await page.fill("document.querySelector('#ticket-amount')", '100');
    await page.click(button('/^Buy up ?100/'));
    await page.click(button('/Tap again/'));
    await page.until("document.querySelector('[data-order]')?.dataset.order");
    const token = String(await page.evaluate("localStorage.getItem('token')"));
    const { items } = await api<{ items: { id: string }[] }>('order/list', token);
    expect(items.length).toBe(1);

    await page.goto(`${origin()}/historyOrder?id=${items[0]?.id}`);
    await page.until("document.querySelector('[data-status=settled]') && true", 60_000 + PATIENCE_MS);
    // The receipt is ready once the log has been signed again.
    await page.until(`(() => { ${button('/^Check this settlement$/')}?.click();
      return document.querySelector('section[data-valid]')?.dataset.valid; })()`);
    await page.until("document.body.textContent.includes('Checked on this device: everything matches')");
    expect(page.complaints).toEqual([]);
  }, 300_000);

  test('no light strip stands at the edge of a dark page', async () => {
    for (const path of ['/index', '/home', '/mine']) {
      await page.goto(`${origin()}${path}`);
      const picture = sharp(await page.screenshot());
      const { width = 0, height = 0 } = await picture.metadata();
      const edge = { left: width - 16, top: 0, width: 16, height };
      const { channels } = await picture.extract(edge).stats();
      // Mean brightness: a light scrollbar is above 200, dark ones with their thumb below 100.
      for (const { mean } of channels.slice(0, 3)) expect(mean, path).toBeLessThan(100);
    }
  });
});
