import { abortAfter } from './time-limit.ts';

/** Minimum age of a page before it reloads: limits the reload rate if the server itself lacks the part. */
const RELOAD_AFTER_MS = 5_000;
const PAUSE_MS = 1_000;
const BACKGROUND_PAUSE_MS = 10_000;
const ANSWER_WITHIN_MS = 5_000;

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Fetches a part of the app's code that the user waits for. If it fails, because the connection is lost or a newer version of the
 * app was deployed, the page reloads as soon as the server answers. A retry would not help: browsers remember a module that
 * failed to load (the HTML standard required this until 2026, whatwg/html#6768), and do not wait twice for a style sheet that
 * failed.
 */
export async function untilLoaded<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch {
    while (performance.now() < RELOAD_AFTER_MS || !(await isServerThere())) await sleep(PAUSE_MS);
    location.reload();
    return new Promise(() => {});
  }
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
