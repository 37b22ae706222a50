import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Language } from '@fairtick/protocol';
import type { Page } from 'playwright-core';
import type { People, ReaderName } from './people.ts';
import type { Look } from './sizes.ts';

/** A page with a reader who is logged in, or a visitor, and what a scene needs to bring it into its state. */
export interface Stage {
  readonly page: Page;
  readonly origin: string;
  readonly people: People;
  /** The app's own text, to find controls in every language. @throws Error if there is none of this id */
  word(id: string): string;
}

/** A screen of the app in one of its states. */
export interface Scene {
  readonly name: string;
  readonly reader: ReaderName;
  /** Whether the state exists in this look; absent: it does in all. */
  isIn?(look: Look): boolean;
  /** Brings the screen into its state. It throws if the state can't be reached. */
  show(stage: Stage): Promise<unknown>;
}

const MESSAGES = join(import.meta.dirname, '../../apps/web/src/messages');
const read = (file: string): Record<string, string> =>
  JSON.parse(readFileSync(join(MESSAGES, file), 'utf8')) as Record<string, string>;

/** The texts of the app in a language, with those of all its parts. */
export function wordsOf(language: Language): (id: string) => string {
  const parts = readdirSync(MESSAGES, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const shared = `../../../../packages/ui/src/messages/receipt/${language}.json`;
  const files = [`${language}.json`, ...parts.map(({ name }) => `${name}/${language}.json`), shared];
  const words: Record<string, string> = Object.assign({}, ...files.map(read));
  return (id) => {
    const word = words[id];
    if (word === undefined) throw new Error(`the app has no text ${id}`);
    return word;
  };
}

/** Waits until the app itself, not the prerendered content, is shown, and neither a visible part nor the progress bar says that it is loading. */
export async function untilLoaded(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle');
  await page.waitForFunction(
    () =>
      !document.documentElement.hasAttribute('data-page') &&
      document.querySelector('.bprogress') === null &&
      [...document.querySelectorAll('main, form')].some(
        (part) => part.checkVisibility() && part.textContent !== '',
      ) &&
      [...document.images].every((image) => image.complete) &&
      ![...document.querySelectorAll('[aria-busy=true]')].some((part) => part.checkVisibility()),
  );
}

export async function open({ page, origin }: Stage, path: string): Promise<void> {
  await page.goto(`${origin}${path}`);
  await untilLoaded(page);
}

/** Opens a path, then takes the steps to the state. */
export const scene = (
  name: string,
  reader: ReaderName,
  path: string,
  after?: (page: Page, stage: Stage) => Promise<unknown>,
): Scene => ({
  name,
  reader,
  async show(stage) {
    await open(stage, path);
    if (!after) return;
    await after(stage.page, stage);
    await untilLoaded(stage.page);
  },
});

/** A button with one of the app's own texts. */
export const button = ({ page, word }: Stage, id: string) =>
  page.getByRole('button', { name: word(id), exact: true });

/** Opens a product and waits for its chart. */
export async function openChart(stage: Stage, symbol: string): Promise<void> {
  await open(stage, `/product?symbol=${symbol}`);
  await stage.page.locator('canvas:visible').first().waitFor();
}

/** Opens the ticket of a product: on demand on phones, always there on a wide screen. */
export async function openTicket(stage: Stage, symbol: string): Promise<void> {
  await openChart(stage, symbol);
  const amount = stage.page.locator('#ticket-amount');
  if (!(await amount.isVisible())) await button(stage, 'trade.up').click();
  await amount.waitFor();
}
