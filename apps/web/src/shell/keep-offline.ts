import { serviceWorkerAddress } from './trusted-types.ts';

/** Longest wait for an idle moment. */
const PATIENCE_MS = 10_000;

/**
 * Registers the service worker, which caches files for offline use, and gives it the files that were loaded before it was active.
 * The app works without it.
 */
export function keepForOffline(): void {
  if (!('serviceWorker' in navigator)) return;
  const begin = async () => {
    await navigator.serviceWorker.register(serviceWorkerAddress());
    const { active } = await navigator.serviceWorker.ready;
    const loaded = performance.getEntriesByType('resource').map(({ name }) => name);
    // The server puts a page's styles into its HTML, so they were not loaded; another page may need the files.
    const inlined = [...document.querySelectorAll<HTMLLinkElement>('link[rel=stylesheet]')].map(
      ({ href }) => href,
    );
    const paths = [...loaded, ...inlined].map((url) => new URL(url).pathname);
    active?.postMessage([location.pathname, ...paths.filter((path) => path.startsWith('/assets/'))]);
  };
  const later = globalThis.requestIdleCallback ?? ((work: () => void) => setTimeout(work, PATIENCE_MS));
  later(() => void begin().catch(() => {}), { timeout: PATIENCE_MS });
}

/** Deletes the cached files at the end of a session, as all other caches. */
export function forgetKept(): void {
  globalThis.caches?.keys().then(
    (names) => names.forEach((name) => void caches.delete(name)),
    () => {},
  );
}
