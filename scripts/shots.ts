import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { axeFindings } from '@fairtick/kit/browser/screens.ts';
import { startServerProcess } from '@fairtick/kit/browser/server.ts';
import { LANGUAGES } from '@fairtick/protocol';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { CHROMIUM_FLAGS, ensureChromium } from './chromium.ts';
import { OFFICE_SCENES, type OfficeScene } from './shots-office.ts';
import { OWN_SCENES } from './shots-own.ts';
import { type People, prepare, type Reader } from './shots-people.ts';
import { SCENES, type Scene, untilLoaded } from './shots-scenes.ts';

/**
 * Pictures of every screen and state, in all languages, themes and widths, for people to look at: `npm run shots`, or `npm run
 * shots -- NAME…` for some of them. `LOOKS=app-375-zh-light,office-1920-en-dark` names the looks, `AXE=1` also checks each for
 * accessibility. Taken from a running demo (`FAIRTICK_ORIGIN` and `FAIRTICK_OFFICE`; the people made there are kept for the next
 * time), or from one that is started for it.
 */
const FOLDER = 'shots';
const THEMES = ['dark', 'light'] as const;
const WIDTHS = { app: [375, 1280], office: [1280, 1920] } as const;
const TALLEST = 2_400;

interface SessionCookie {
  readonly name: string;
  readonly value: string;
  readonly url: string;
}

interface Look {
  readonly part: 'app' | 'office';
  readonly width: number;
  readonly language: (typeof LANGUAGES)[number];
  readonly theme: (typeof THEMES)[number];
}

const ALL: readonly Look[] = (['app', 'office'] as const).flatMap((part) =>
  WIDTHS[part].flatMap((width) =>
    LANGUAGES.flatMap((language) => THEMES.map((theme) => ({ part, width, language, theme }))),
  ),
);
const nameOf = ({ part, width, language, theme }: Look) => `${part}-${width}-${language}-${theme}`;

const named = new Set(process.argv.slice(2));
const looks = process.env.LOOKS?.split(',');
const wants = ({ name }: { name: string }) => named.size === 0 || named.has(name);
const server = process.env.FAIRTICK_ORIGIN
  ? null
  : await startServerProcess({
      MODE: 'demo',
      HOLD_SECONDS: '1',
      LIMIT_REGISTRATIONS: '10000',
      LIMIT_QUOTA_PERCENT: '1000000',
    });
if (server) {
  process.env.FAIRTICK_ORIGIN = server.origin;
  process.env.FAIRTICK_OFFICE = server.officeOrigin;
}
const origin = process.env.FAIRTICK_ORIGIN as string;
const office = process.env.FAIRTICK_OFFICE as string;
const browser = await chromium.launch({ executablePath: ensureChromium(), args: [...CHROMIUM_FLAGS] });
const cookies = new Map<string, readonly SessionCookie[]>();
try {
  const people = await knownOrNew();
  for (const look of ALL) {
    if (looks && !looks.includes(nameOf(look))) continue;
    const folder = join(FOLDER, nameOf(look));
    mkdirSync(folder, { recursive: true });
    if (look.part === 'app') {
      for (const scene of [...SCENES, ...OWN_SCENES].filter(wants)) await takeOwn(scene, look, people);
    } else {
      for (const scene of OFFICE_SCENES.filter(wants)) await takeDesk(scene, look, people);
    }
    console.log(folder);
  }
} finally {
  await browser.close();
  await server?.stop();
}

/** The people made earlier at this origin; otherwise new ones. */
async function knownOrNew(): Promise<People> {
  const file = join(FOLDER, 'people.json');
  if (!server && existsSync(file)) {
    const known = JSON.parse(readFileSync(file, 'utf8')) as { origin: string; people: People };
    if (known.origin === origin) return known.people;
  }
  const people = await prepare();
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(file, JSON.stringify({ origin, people }));
  return people;
}

async function contextFor(from: Browser, look: Look): Promise<BrowserContext> {
  const isPhone = look.width < 768;
  const context = await from.newContext({
    viewport: { width: look.width, height: heightOf(look) },
    deviceScaleFactor: Number(process.env.SCALE ?? 1),
    colorScheme: look.theme,
    hasTouch: isPhone,
    isMobile: isPhone,
    timezoneId: 'Asia/Singapore',
    serviceWorkers: 'block',
  });
  await context.addInitScript((language) => localStorage.setItem('language', language), look.language);
  return context;
}

function heightOf({ width }: Look): number {
  if (width < 768) return 812;
  return width < 1900 ? 800 : 1080;
}

async function takeOwn(scene: Scene, look: Look, people: People): Promise<void> {
  if (scene.only && scene.only !== look.width) return;
  const context = await contextFor(browser, look);
  await signIn(context, people.readers[scene.reader]);
  await take(context, scene.name, look, (page) => scene.show(page, origin, look.language, people));
}

async function takeDesk(scene: OfficeScene, look: Look, people: People): Promise<void> {
  const context = await contextFor(browser, look);
  if (scene.staff) {
    await context.addCookies(await cookiesOf(scene.staff));
    await context.addInitScript(() => localStorage.setItem('hasSession', '1'));
  }
  await take(context, scene.name, look, async (page) => {
    await page.goto(`${office}${scene.path(people)}`);
    await untilLoaded(page);
    await page.waitForTimeout(500);
    await scene.after?.(page);
  });
}

async function take(
  context: BrowserContext,
  name: string,
  look: Look,
  show: (page: Page) => Promise<void>,
): Promise<void> {
  const page = await context.newPage();
  page.setDefaultTimeout(8_000);
  const where = `${nameOf(look)} ${name}`;
  page.on('console', (message) => {
    if (!message.text().startsWith('Service Worker registration blocked')) {
      console.error(`${where}: ${message.text().slice(0, 200)}`);
    }
  });
  page.on('pageerror', (error) => console.error(`${where}: ${error.message}`));
  try {
    await show(page);
    await settle(page, look);
    if (process.env.AXE) {
      for (const finding of await axeFindings(page)) console.error(`${where}: ${finding}`);
    }
  } catch (error) {
    console.error(`${where}: ${(error as Error).message.split('\n').slice(0, 2).join(' ')}`);
  }
  await page.screenshot({ path: join(FOLDER, nameOf(look), `${name}.png`) });
  await context.close();
}

/** Waits for fonts, prices and charts, and makes the window as tall as its content. */
async function settle(page: Page, look: Look): Promise<void> {
  await page.evaluate(() => document.fonts.ready);
  await page.waitForTimeout(500);
  const tall = await page.evaluate(() => {
    const parts = [...document.querySelectorAll('main, main *')].filter((part) => part.checkVisibility());
    const hidden = parts.map(({ scrollHeight, clientHeight }) =>
      clientHeight > 300 ? scrollHeight - clientHeight : 0,
    );
    return innerHeight + Math.max(0, ...hidden);
  });
  const height = Math.min(tall, TALLEST);
  // A chart and its lists fill a window of any height, so its height stays.
  const isWindow = (await page.locator('canvas:visible').count()) > 0;
  if (!isWindow && height > heightOf(look)) {
    await page.setViewportSize({ width: look.width, height });
    await page.waitForTimeout(300);
  }
}

async function signIn(context: BrowserContext, reader: Reader | null): Promise<void> {
  if (!reader) return;
  await context.addInitScript(({ token, userInfo }) => {
    localStorage.setItem('token', token);
    localStorage.setItem('userInfo', JSON.stringify(userInfo));
  }, reader);
}

/** The cookies of a session of the demo's staff, opened once per account. */
async function cookiesOf(account: string): Promise<readonly SessionCookie[]> {
  const known = cookies.get(account);
  if (known) return known;
  const answer = await fetch(`${office}/api/session/login`, {
    method: 'POST',
    headers: { 'x-office': '1' },
    body: new URLSearchParams({ account, password: 'Staff-1234' }),
  });
  const [name, value] = answer.headers.getSetCookie()[0]?.split(';')[0]?.split('=') ?? [];
  if (!name || !value) throw new Error(`${account} could not log in`);
  const made = [{ name, value, url: office }];
  cookies.set(account, made);
  return made;
}
