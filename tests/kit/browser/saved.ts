import type { Page } from 'playwright-core';

/** The JSON of a file that a button saves. */
export async function saved(page: Page, button: string): Promise<unknown> {
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: button }).first().click();
  let text = '';
  for await (const part of await (await saving).createReadStream()) text += part;
  return JSON.parse(text);
}
