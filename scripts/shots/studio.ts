import { LANGUAGES } from '@fairtick/protocol';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { ACCOUNT_SCENES } from './account-scenes.ts';
import { OFFICE_SCENES, type OfficeScene } from './office-scenes.ts';
import { OWN_SCENES } from './own-scenes.ts';
import type { People } from './people.ts';
import { type Scene, untilLoaded, wordsOf } from './scene.ts';
import { isTouched, type Look, nameOf } from './sizes.ts';
import { STATE_SCENES } from './state-scenes.ts';
import { TRADE_SCENES } from './trade-scenes.ts';

/** Highest window of a picture, in CSS pixels. */
const TALLEST = 2_400;
/** How long a scene may take to reach its state. */
const PATIENCE_MS = 20_000;

const APP_SCENES: readonly Scene[] = [...TRADE_SCENES, ...STATE_SCENES, ...ACCOUNT_SCENES, ...OWN_SCENES];
export const scenesOf = (look: Look): readonly (Scene | OfficeScene)[] =>
  look.part === 'office' ? OFFICE_SCENES : APP_SCENES.filter(({ isIn }) => isIn?.(look) ?? true);

interface SessionCookie {
  readonly name: string;
  readonly value: string;
  readonly url: string;
}

/** A running demo with people in it, and a browser. */
export interface Demo {
  readonly browser: Browser;
  readonly origin: string;
  readonly office: string;
  readonly people: People;
}

export interface ShotOptions {
  /** Covers what no two runs have in common, such as charts, and stops what moves: for a comparison. */
  readonly isStill?: boolean;
  /** Is told what the page's console says. */
  hear?(text: string): void;
  /** Looks at the page before the picture is taken. */
  look?(page: Page): Promise<unknown>;
}

const words = Object.fromEntries(LANGUAGES.map((language) => [language, wordsOf(language)]));

/** Takes pictures of scenes, each in a browser context of its own. */
export class Studio {
  readonly #demo: Demo;
  /** Sessions of the demo's staff, opened once per account. */
  readonly #cookies = new Map<string, Promise<readonly SessionCookie[]>>();

  constructor(demo: Demo) {
    this.#demo = demo;
  }

  /** @throws Error in one line that names the scene, if its state can't be reached */
  async take(scene: Scene | OfficeScene, look: Look, options: ShotOptions = {}): Promise<Buffer> {
    const context = await this.#contextFor(look, options);
    try {
      const page = await context.newPage();
      page.setDefaultTimeout(PATIENCE_MS);
      page.on('console', (message) => options.hear?.(message.text()));
      page.on('pageerror', (error) => options.hear?.(error.message));
      await this.#show(scene, look, context, page);
      await grow(page, look);
      await options.look?.(page);
      return await shoot(page, options);
    } catch (error) {
      const reason = (error as Error).message.split('\n').slice(0, 3).join(' ');
      throw new Error(`${nameOf(look)} ${scene.name}: ${reason}`, { cause: error });
    } finally {
      await context.close();
    }
  }

  async #contextFor(look: Look, { isStill = false }: ShotOptions): Promise<BrowserContext> {
    const context = await this.#demo.browser.newContext({
      viewport: { width: look.width, height: look.height },
      deviceScaleFactor: Number(process.env.SCALE ?? 1),
      colorScheme: look.theme,
      hasTouch: isTouched(look),
      isMobile: isTouched(look),
      timezoneId: 'Asia/Singapore',
      reducedMotion: 'reduce',
      // The office allows no style of ours.
      bypassCSP: isStill,
      serviceWorkers: 'block',
    });
    await context.addInitScript((language) => localStorage.setItem('language', language), look.language);
    return context;
  }

  async #show(scene: Scene | OfficeScene, look: Look, context: BrowserContext, page: Page): Promise<void> {
    const { origin, office, people } = this.#demo;
    if ('staff' in scene) {
      if (scene.staff) {
        await context.addCookies([...(await this.#cookiesOf(scene.staff))]);
        await context.addInitScript(() => localStorage.setItem('hasSession', '1'));
      }
      await page.goto(`${office}${scene.path(people)}`);
      await untilLoaded(page);
      await scene.after?.(page);
      if (scene.sees) await page.locator(scene.sees).first().waitFor();
      return untilLoaded(page);
    }
    const reader = people.readers[scene.reader];
    if (reader) {
      await context.addInitScript(({ token, userInfo }) => {
        localStorage.setItem('token', token);
        localStorage.setItem('userInfo', JSON.stringify(userInfo));
      }, reader);
    }
    const word = words[look.language] as (id: string) => string;
    await scene.show({ page, origin, people, word });
  }

  #cookiesOf(account: string): Promise<readonly SessionCookie[]> {
    const known = this.#cookies.get(account) ?? this.#logIn(account);
    this.#cookies.set(account, known);
    return known;
  }

  async #logIn(account: string): Promise<readonly SessionCookie[]> {
    const url = this.#demo.office;
    const answer = await fetch(`${url}/api/session/login`, {
      method: 'POST',
      headers: { 'x-office': '1' },
      body: new URLSearchParams({ account, password: 'Staff-1234' }),
    });
    const [name, value] = answer.headers.getSetCookie()[0]?.split(';')[0]?.split('=') ?? [];
    if (!name || !value) throw new Error(`${account} could not log in`);
    return [{ name, value, url }];
  }
}

/** Waits until two frames are drawn: charts take a new size a frame after the layout. */
const drawn = (page: Page) =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

/** Waits for fonts, and makes the window as tall as its content. */
async function grow(page: Page, look: Look): Promise<void> {
  await page.evaluate(() => document.fonts.ready);
  await drawn(page);
  const tall = await page.evaluate(() => {
    const parts = [...document.querySelectorAll('main, main *')].filter((part) => part.checkVisibility());
    const hidden = parts.map(({ scrollHeight, clientHeight }) =>
      clientHeight > 300 ? scrollHeight - clientHeight : 0,
    );
    return innerHeight + Math.max(0, ...hidden);
  });
  const height = Math.min(tall, TALLEST);
  // A chart and its lists fill a window of any height, so its height stays; the chart's panel is there before the chart.
  const fills = 'canvas:visible, section[data-height]:visible';
  // These have a layout of their own in a low window.
  const isLow = look.height < 560 ? ', [data-view=index]:visible, [data-view=product]:visible' : '';
  const isWindow = (await page.locator(fills + isLow).count()) > 0;
  if (!isWindow && height > look.height) {
    await page.setViewportSize({ width: look.width, height });
    await drawn(page);
  }
}

/**
 * Charts, codes and pictures in conversations as grey areas, a line's labels at no price, no name of a build, and rows of products without sparklines and
 * prices, because a closed market has none. Dialogs and menus above them stay as they are. Up and down have one colour, because a simulated price may do either.
 */
const WITHOUT_PLOTS = `
  :root, [data-updown] {
    --up: var(--info) !important; --down: var(--info) !important;
    --up-wash: var(--info-wash) !important; --down-wash: var(--info-wash) !important
  }
  canvas, [role=log] img, svg:has(polyline, [data-direction] + path), svg[shape-rendering] { background: #808080 !important }
  canvas, [role=log] img { object-fit: none; object-position: -9999px 0 }
  svg:has(polyline, [data-direction] + path) > *, svg[shape-rendering] > * { visibility: hidden }
  [style*='translateY(calc('], nav > .caption:last-child { visibility: hidden !important }
  li > a[href^='/product?symbol='] > :not(:first-child) { visibility: hidden !important; background: none !important }
`;

const shoot = (page: Page, { isStill = false }: ShotOptions): Promise<Buffer> =>
  page.screenshot(isStill ? { animations: 'disabled', style: WITHOUT_PLOTS } : {});
