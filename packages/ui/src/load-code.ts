/** A page that is younger is not loaded anew: where the server itself lacks the part, this bounds how often. */
const RELOAD_AFTER_MS = 5_000;
const PAUSE_MS = 1_000;
const BACKGROUND_PAUSE_MS = 10_000;
const ANSWER_WITHIN_MS = 5_000;

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Fetches a part of the app's code that somebody waits for. Where it does not come, because the line is cut or a newer version of
 * the app has taken its place, the page is loaded anew as soon as the server answers. To ask again would not do: browsers
 * remember a module that did not come (the HTML standard asked them to until 2026, whatwg/html#6768), and a style sheet that did
 * not come is not waited for twice.
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

/** Fetches a part that nobody waits for: it is asked for again now and then, and nothing is loaded anew for it. */
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
  fetch('/', { method: 'HEAD', cache: 'no-store', signal: AbortSignal.timeout(ANSWER_WITHIN_MS) }).then(
    ({ ok }) => ok,
    () => false,
  );
