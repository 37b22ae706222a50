import { origin } from '@fairtick/kit/browser/browser.ts';
import { FirefoxPage } from '@fairtick/kit/browser/firefox.ts';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

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
