import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { startServerProcess } from '../tests/e2e/server.ts';
import { CHROMIUM_FLAGS, ensureChromium } from './chromium.ts';
import { type Reader, SCENES, type Scene } from './shots-scenes.ts';

/**
 * Pictures of every screen and state, in all languages, themes and widths, for people to look at: `npm run shots`, or
 * `npm run shots -- NAME…` for some of them. Taken from a running server: `ORIGIN`, or one that is started for it.
 */
const FOLDER = 'shots';
const LANGUAGES = ['zh', 'tw', 'en'] as const;
const THEMES = ['dark', 'light'] as const;
const WIDTHS = [
  { width: 375, height: 812 },
  { width: 1280, height: 800 },
] as const;

const wanted = new Set(process.argv.slice(2));
const scenes = SCENES.filter((scene) => wanted.size === 0 || wanted.has(scene.name));
const server = process.env.ORIGIN ? null : await startServerProcess({ LIMIT_REGISTRATIONS: '10000' });
const origin = process.env.ORIGIN ?? server?.origin ?? '';
const browser = await chromium.launch({ executablePath: ensureChromium(), args: [...CHROMIUM_FLAGS] });
if (wanted.size === 0) rmSync(FOLDER, { recursive: true, force: true });
try {
  const readers = await prepareReaders(origin);
  for (const size of WIDTHS) {
    for (const language of LANGUAGES) {
      for (const theme of THEMES) await takeAll(browser, { ...size, language, theme }, readers);
    }
  }
} finally {
  await browser.close();
  await server?.stop();
}

interface Look {
  readonly width: number;
  readonly height: number;
  readonly language: (typeof LANGUAGES)[number];
  readonly theme: (typeof THEMES)[number];
}

async function takeAll(
  from: Browser,
  look: Look,
  readers: Readonly<Record<Scene['reader'], Reader | null>>,
): Promise<void> {
  const folder = join(FOLDER, String(look.width), `${look.language}-${look.theme}`);
  mkdirSync(folder, { recursive: true });
  for (const scene of scenes) {
    if (scene.only && scene.only !== look.width) continue;
    const context = await from.newContext({
      viewport: { width: look.width, height: look.height },
      deviceScaleFactor: 2,
      colorScheme: look.theme,
      hasTouch: look.width < 768,
      isMobile: look.width < 768,
    });
    await signIn(context, look, readers[scene.reader]);
    const page = await context.newPage();
    page.on('pageerror', (error) => console.error(`${scene.name} ${look.language}: ${error.message}`));
    try {
      await scene.show(page, origin, look.language);
      await settle(page);
      await page.screenshot({ path: join(folder, `${scene.name}.png`), fullPage: false });
    } catch (error) {
      console.error(
        `${scene.name} ${look.width} ${look.language} ${look.theme}: ${(error as Error).message.split('\n')[0]}`,
      );
    }
    await context.close();
  }
  console.log(folder);
}

async function signIn(context: BrowserContext, look: Look, reader: Reader | null): Promise<void> {
  await context.addInitScript(
    ({ language, session }) => {
      localStorage.setItem('language', language);
      if (!session) return;
      localStorage.setItem('token', session.token);
      localStorage.setItem('userInfo', JSON.stringify(session.userInfo));
    },
    { language: look.language, session: reader },
  );
}

/** Fonts, prices and charts have arrived; nothing is on its way in. */
async function settle(page: Page): Promise<void> {
  await page.evaluate(() => document.fonts.ready);
  await page.waitForTimeout(700);
}

/** One reader without orders, and one with an order that has settled and one under way. */
async function prepareReaders(at: string): Promise<Record<Scene['reader'], Reader | null>> {
  const fresh = await register(at);
  const trader = await register(at);
  for (const [symbol, direction, minutes] of [
    ['BTC/USDT', 'up', '1'],
    ['ETH/USDT', 'down', '1'],
    ['EUR/USD', 'up', '30'],
    ['XAU/USD', 'down', '60'],
  ] as const) {
    await post(
      at,
      'order/create',
      { symbol, direction, minutes, amount: '100', asset: 'DEMO' },
      trader.token,
    );
  }
  console.log('waiting for an order to settle');
  await new Promise((resolve) => setTimeout(resolve, 64_000));
  return { visitor: null, fresh, trader };
}

async function register(at: string): Promise<Reader> {
  const account = `s${Date.now().toString(36)}${Math.floor(Math.random() * 1e6).toString(36)}`;
  return post<Reader>(
    at,
    'user/register',
    { account, password: 'correct horse', confirmPassword: 'correct horse' },
    '',
  );
}

async function post<T>(at: string, path: string, fields: Record<string, string>, token: string): Promise<T> {
  const answer = await fetch(`${at}/api/${path}`, {
    method: 'POST',
    headers: { token },
    body: new URLSearchParams(fields),
  });
  const envelope = (await answer.json()) as { code: number; msg: string; data: T };
  if (envelope.code !== 1) throw new Error(`${path}: ${envelope.msg}`);
  return envelope.data;
}
