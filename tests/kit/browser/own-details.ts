import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { call, type Member } from './screens.ts';

export const field = (scope: Page | Locator, label: string) => scope.getByLabel(label, { exact: true });
export const button = (scope: Page | Locator, name: string) =>
  scope.getByRole('button', { name, exact: true });
export const main = (page: Page) => page.locator('main:visible');

/** Chooses the country that comes first for what is typed. */
export async function chooseCountry(page: Page, label: string, typed: string): Promise<void> {
  await field(page, label).click();
  const sheet = page.getByRole('dialog', { name: label });
  await sheet.getByRole('combobox').fill(typed);
  await sheet.getByRole('option').first().click();
  await sheet.waitFor({ state: 'hidden' });
}

export const toast = (page: Page, text: string) =>
  page.locator('[role=status][aria-live]').getByText(text, { exact: true });

/** Waits for a message at the edge of the screen. */
export async function told(page: Page, text: string): Promise<void> {
  await toast(page, text).waitFor();
}

/** A field's note: its error, or else its hint. */
export const noteOf = async (input: Locator): Promise<string> => {
  const id = await input.getAttribute('aria-describedby');
  return (await input.page().locator(`[id="${id}"]`).textContent())?.trim() ?? '';
};
/** A field's error; null if it has none. */
export const faultOf = async (input: Locator): Promise<string | null> =>
  (await input.getAttribute('aria-invalid')) === 'true' ? noteOf(input) : null;

export async function userInfo({ token }: Member): Promise<Record<string, unknown>> {
  return (await call('user/getUserInfo', token)).data as Record<string, unknown>;
}

/** Counts the calls to an operation, and aborts the first `lost` of them. */
export async function watch(page: Page, path: string, lost = 0): Promise<() => number> {
  let calls = 0;
  await page.route(`**/api/${path}`, async (route) => {
    calls += 1;
    if (calls <= lost) return route.abort();
    return route.continue();
  });
  return () => calls;
}

/** Ends a visit, which must have had no fault. */
export async function ends({ complaints, context }: Member): Promise<void> {
  // The browser, not the app, reports aborted calls.
  expect(complaints.filter((line) => !line.includes('net::ERR_FAILED'))).toEqual([]);
  await context.close();
}
