import { existsSync } from 'node:fs';
import { type Browser, launch, type Page } from 'puppeteer-core';
import { ensurePackages } from '../processes/debian-postgres.ts';
import { PATIENCE_MS } from '../waiting/until.ts';

const DEBIAN = '/usr/bin/firefox-esr';
const PLACES = [
  DEBIAN,
  '/usr/bin/firefox',
  '/snap/bin/firefox',
  '/Applications/Firefox.app/Contents/MacOS/firefox',
];

/** Finds a Firefox, or installs Debian's where that is allowed. @throws Error in one line that says what to install */
function ensureFirefox(): string {
  const found = process.env.FIREFOX ?? PLACES.find((place) => existsSync(place));
  if (found === undefined) ensurePackages(DEBIAN, 'firefox-esr');
  return found ?? DEBIAN;
}

/** A stock Firefox, which Playwright can't drive, without the network's services and with the given preferences. */
export function launchFirefox(
  preferences: Readonly<Record<string, string | number | boolean>> = {},
): Promise<Browser> {
  return launch({
    browser: 'firefox',
    executablePath: ensureFirefox(),
    defaultViewport: { width: 1280, height: 800 },
    extraPrefsFirefox: { 'ui.prefersReducedMotion': 1, ...preferences },
  });
}

/** A new tab, and a list that its console messages and page errors are added to. */
export async function firefoxTab(browser: Browser): Promise<{ page: Page; complaints: string[] }> {
  const page = await browser.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) =>
    complaints.push(`error: ${error instanceof Error ? error.message : error}`),
  );
  return { page, complaints };
}

/** Opens an address, and waits until the app has replaced the prerendered page. */
export async function open(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await page.waitForFunction(() => !document.documentElement.hasAttribute('data-page'));
}
