/** So long after the page's own work this may wait. */
const PATIENCE_MS = 10_000;

/**
 * Lets the browser keep what it has loaded, for when the line is gone, and gives the worker what was loaded before it was there.
 * Where that is not possible the app goes on without.
 */
export function keepForOffline(): void {
  if (!('serviceWorker' in navigator)) return;
  const begin = async () => {
    await navigator.serviceWorker.register('/sw.js');
    const { active } = await navigator.serviceWorker.ready;
    const loaded = performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname);
    active?.postMessage([location.pathname, ...loaded.filter((path) => path.startsWith('/assets/'))]);
  };
  const later = globalThis.requestIdleCallback ?? ((work: () => void) => setTimeout(work, PATIENCE_MS));
  later(() => void begin().catch(() => {}), { timeout: PATIENCE_MS });
}

/** What was kept is forgotten with the session, as every other cache is. */
export function forgetKept(): void {
  globalThis.caches?.keys().then(
    (names) => names.forEach((name) => void caches.delete(name)),
    () => {},
  );
}
