/*
 * Keeps what was seen last, for when the line is gone: pages as the server drew them, and the code that was loaded. Nothing of a
 * person is in either: answers of the API and the stream never pass through here.
 */
const KEPT = 'fairtick-1';
/** The code of a build is some 80 files; older builds go first. */
const MOST_KEPT = 250;

addEventListener('install', () => self.skipWaiting());
addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));
/** Keeps the files that the page loaded before this worker was there; the browser's own cache has them. */
addEventListener('message', (event) => {
  const keep = async () => {
    const kept = await caches.open(KEPT);
    await Promise.allSettled(event.data.map(async (url) => (await kept.match(url)) ?? kept.add(url)));
  };
  event.waitUntil(keep());
});
addEventListener('fetch', (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== 'GET' || url.origin !== location.origin) return;
  if (request.mode === 'navigate' && !url.pathname.startsWith('/api/')) event.respondWith(page(request, url));
  else if (url.pathname.startsWith('/assets/')) event.respondWith(asset(request));
});

/** Null where the browser stores nothing. */
const openKept = () => caches.open(KEPT).catch(() => null);
/** On a full disk nothing is kept, and the answer counts all the same. */
const keep = (kept, key, answer) => kept?.put(key, answer).catch(() => {});

/** From the server; without a line as it was last, marked as kept. */
async function page(request, { pathname }) {
  const kept = await openKept();
  try {
    const answer = await fetch(request);
    if (answer.status === 200 && answer.headers.get('content-type')?.startsWith('text/html'))
      await keep(kept, pathname, answer.clone());
    return answer;
  } catch (error) {
    const own = await kept?.match(pathname);
    const last = own ?? (await kept?.match('/index'));
    if (!last) throw error;
    // In place of another page it stays hidden: it only brings the app, which says what is not on the device.
    const mark = own ? 'data-kept' : 'data-kept="other"';
    const html = (await last.text()).replace('<html ', `<html ${mark} data-stale `);
    const headers = ['content-type', 'content-security-policy'].map((name) => [name, last.headers.get(name) ?? '']);
    return new Response(html, { headers });
  }
}

/** An asset's name changes with its content, so a kept copy is never an old one. */
async function asset(request) {
  const kept = await openKept();
  const known = await kept?.match(request);
  if (known) return known;
  const answer = await fetch(request);
  if (kept !== null && answer.status === 200) {
    await keep(kept, request, answer.clone());
    const all = await kept.keys();
    await Promise.all(all.slice(0, Math.max(0, all.length - MOST_KEPT)).map((old) => kept.delete(old)));
  }
  return answer;
}
