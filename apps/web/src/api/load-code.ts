const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 8_000;

/**
 * Fetches a part of the app's code, and asks again until it comes: a screen that was opened while the line was cut shows
 * once it is back, and takes nothing down with it.
 */
export async function untilLoaded<T>(load: () => Promise<T>): Promise<T> {
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
    try {
      return await load();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
}
