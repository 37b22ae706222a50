import { abortAfter } from './time-limit.ts';
import { storeTyped } from './typed-text.ts';

/** The page reloads by itself once in this time: a server that lacks the part must not make it reload for ever. */
const RELOAD_EVERY_MS = 60_000;
const RELOADED = 'reloadedForCode';
const PAUSE_MS = 1_000;
const BACKGROUND_PAUSE_MS = 10_000;
const ANSWER_WITHIN_MS = 5_000;

/** An event of the window: code that the user waits for could not be fetched. */
export const CODE_MISSING = 'codemissing';
let isMissing = false;
/** Whether that has happened since the page was loaded. */
export const isCodeMissing = (): boolean => isMissing;

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Fetches a part of the app's code that the user waits for. If it fails, because the connection is lost or a newer version of the
 * app was deployed, the page reloads as soon as the server answers, with what was typed. A retry would not help: browsers remember
 * a module that failed to load (the HTML standard required this until 2026, whatwg/html#6768), and do not wait twice for a style
 * sheet that failed.
 * @throws StaleCodeError if the page has been reloaded for this just before: the reader decides
 */
export async function untilLoaded<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch {
    isMissing = true;
    dispatchEvent(new Event(CODE_MISSING));
    while (!(await isServerThere())) await sleep(PAUSE_MS);
    if (!mayReload()) throw new StaleCodeError();
    storeTyped();
    location.reload();
    return new Promise(() => {});
  }
}

/** A part of the app's code could not be fetched, not even after a reload. */
export class StaleCodeError extends Error {}

function mayReload(): boolean {
  try {
    if (Date.now() - Number(sessionStorage.getItem(RELOADED)) < RELOAD_EVERY_MS) return false;
    sessionStorage.setItem(RELOADED, String(Date.now()));
    return true;
  } catch {
    return false;
  }
}

/** Offers to reload a page whose first part could not be fetched: nothing else of the app is there, not even its texts. */
export function offerReload(): void {
  const button = document.createElement('button');
  button.textContent = 'Reload · 重新加载 · 重新載入';
  button.setAttribute('role', 'alert');
  button.style.cssText = 'position:fixed;inset:auto 16px 16px;z-index:9;padding:16px';
  button.onclick = () => location.reload();
  document.body.append(button);
}

/** Reloads the page, with what was typed, if the server answers: without a connection a reload would lose the page. */
export async function reloadIfThere(): Promise<void> {
  if (!(await isServerThere())) return;
  storeTyped();
  location.reload();
}

/** Fetches a part that the user does not wait for: it retries at intervals and never reloads the page. */
export async function whenLoaded<T>(load: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await load();
    } catch {
      await sleep(BACKGROUND_PAUSE_MS);
    }
  }
}

const isServerThere = (): Promise<boolean> =>
  fetch('/', { method: 'HEAD', cache: 'no-store', signal: abortAfter(ANSWER_WITHIN_MS) }).then(
    ({ ok }) => ok,
    () => false,
  );
