import type { Language } from '@fairtick/protocol';
import type { Browser, Page } from 'playwright-core';
import { expect } from 'vitest';
import { PATIENCE_MS } from '../waiting/until.ts';
import type { Visit } from './browser.ts';

const PASSWORD = 'Staff-1234';

/** A staff member's desk in the office: its own browser context, in which injected scripts leave a trace. */
export interface Desk extends Visit {
  readonly office: string;
  close(): Promise<void>;
}

export async function openDesk(
  browser: Browser,
  office: string,
  options: {
    language?: Language;
    theme?: 'dark' | 'light';
    width?: number;
    height?: number;
    isPhone?: boolean;
  } = {},
): Promise<Desk> {
  const context = await browser.newContext({
    viewport: options.isPhone
      ? { width: 375, height: 740 }
      : { width: options.width ?? 1280, height: options.height ?? 800 },
    ...(options.isPhone ? { hasTouch: true, isMobile: true } : {}),
    colorScheme: options.theme ?? 'light',
    timezoneId: 'Asia/Singapore',
  });
  await context.addInitScript((language) => {
    localStorage.setItem('language', language);
    const stopped: string[] = [];
    Object.assign(globalThis, { stopped });
    document.addEventListener('securitypolicyviolation', (event) => stopped.push(event.violatedDirective));
  }, options.language ?? 'en');
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  const complaints: string[] = [];
  page.on('console', (message) => {
    complaints.push(`${message.type()}: ${message.text()} ${message.location().url}`);
  });
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`));
  page.on('dialog', (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  return { office, context, page, complaints, close: () => context.close() };
}

/** Logs a member of the demo's staff in, in a new browser context. */
export async function sitDown(
  browser: Browser,
  office: string,
  account: string,
  options: Parameters<typeof openDesk>[2] = {},
): Promise<Desk> {
  const desk = await openDesk(browser, office, options);
  await desk.page.goto(office);
  await desk.page.locator('input[name=account]').fill(account);
  await desk.page.locator('input[name=password]').fill(PASSWORD);
  await desk.page.locator('button[type=submit]').click();
  await desk.page.locator('nav').waitFor();
  return desk;
}

/** Enters the password again in the step-up dialog. */
export async function stepUp(page: Page): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'Confirm your identity' });
  await dialog.getByLabel('Password').fill(PASSWORD);
  await dialog.getByRole('button', { name: 'Continue' }).click();
}

/** Closes the desk; fails if an injected script ran or was blocked, or if the console reported anything. */
export async function leave(desk: Desk): Promise<void> {
  const told = await desk.page.evaluate(() => ({
    isHacked: 'isHacked' in globalThis,
    stopped: (globalThis as unknown as { stopped: string[] }).stopped,
  }));
  expect(told).toEqual({ isHacked: false, stopped: [] });
  expect(desk.complaints).toEqual([]);
  await desk.close();
}
