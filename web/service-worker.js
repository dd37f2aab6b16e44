// @ts-check
/// <reference lib="webworker" />
// Keeps the page, the last lists and the articles that were opened, so that they can be read offline (R17).
// The build replaces the two constants.

const VERSION = '__VERSION__';
/** @type {readonly string[]} */
const FILES = ['__FILES__'];

const SHELL_CACHE = `kawaraban-shell-${VERSION}`;
const DATA_CACHE = 'kawaraban-data';
/** Answers that are kept, the newest ones. */
const MAX_ANSWERS = 400;
/** The page shows when the data was stored. */
const STORED_AT = 'x-kawaraban-stored-at';

/** What is readable offline. */
const KEPT = /^\/api\/v1\/(reader\/(overview|entries|hot)|timelines\/|session$|newsroom$|image$)/;
/** After these another account may be signed in. */
const PERSON_CHANGES = /^\/api\/v1\/(session|sessions|welcome|password)(\/|$)/;

const worker = /** @type {ServiceWorkerGlobalScope} */ (/** @type {unknown} */ (self));

/** Grows when the data is deleted: an answer that was requested before must not be stored after. */
let epoch = 0;

worker.addEventListener('install', (event) => {
  event.waitUntil(
    (async () => {
      const cache = await caches.open(SHELL_CACHE);
      await cache.addAll(FILES);
      await worker.skipWaiting();
    })(),
  );
});

worker.addEventListener('activate', (event) => {
  event.waitUntil(
    (async () => {
      const names = await caches.keys();
      const old = names.filter((name) => name.startsWith('kawaraban-shell-') && name !== SHELL_CACHE);
      await Promise.all(old.map((name) => caches.delete(name)));
      await worker.clients.claim();
    })(),
  );
});

worker.addEventListener('message', (event) => {
  if (event.data === 'forget') event.waitUntil(forget());
});

worker.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(worker.clients.openWindow(String(event.notification.data ?? '/')));
});

worker.addEventListener('fetch', (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (url.origin !== worker.location.origin) return;
  if (request.method !== 'GET') {
    if (PERSON_CHANGES.test(url.pathname)) event.respondWith(afterwardsForget(request));
    return;
  }
  if (request.mode === 'navigate') event.respondWith(navigate(request));
  else if (FILES.includes(url.pathname) || url.pathname.startsWith('/assets/'))
    event.respondWith(shellFile(request));
  else if (KEPT.test(url.pathname)) event.respondWith(answer(event, request));
});

/** @param {Request} request */
async function navigate(request) {
  try {
    return await fetch(request);
  } catch {
    return (await caches.match('/', { cacheName: SHELL_CACHE })) ?? Response.error();
  }
}

/**
 * Parts of the page that are loaded later are kept, too: their names contain a hash of their content.
 * @param {Request} request
 */
async function shellFile(request) {
  const cache = await caches.open(SHELL_CACHE);
  const kept = await cache.match(request);
  if (kept !== undefined) return kept;
  const fresh = await fetch(request);
  if (fresh.ok) await cache.put(request, fresh.clone());
  return fresh;
}

/**
 * From the newsroom; if it cannot be reached, as it was answered last.
 * @param {FetchEvent} event
 * @param {Request} request
 */
async function answer(event, request) {
  const began = epoch;
  try {
    const fresh = await fetch(request);
    if (fresh.status === 401) event.waitUntil(forget());
    else if (fresh.ok && fresh.type === 'basic') event.waitUntil(keep(request, fresh.clone(), began));
    return fresh;
  } catch (error) {
    const kept = await caches.match(request, { cacheName: DATA_CACHE });
    if (kept === undefined) throw error;
    return kept;
  }
}

/**
 * @param {Request} request
 * @param {Response} fresh
 * @param {number} began
 */
async function keep(request, fresh, began) {
  const headers = new Headers(fresh.headers);
  headers.set(STORED_AT, String(Date.now()));
  const body = await fresh.blob();
  if (began !== epoch) return;
  const cache = await caches.open(DATA_CACHE);
  // What is put again goes to the end, so that the first ones are the oldest.
  await cache.delete(request);
  await cache.put(request, new Response(body, { status: fresh.status, headers }));
  if (began !== epoch) {
    await forget();
    return;
  }
  const kept = await cache.keys();
  await Promise.all(kept.slice(0, Math.max(0, kept.length - MAX_ANSWERS)).map((old) => cache.delete(old)));
}

/** @param {Request} request */
async function afterwardsForget(request) {
  const answered = await fetch(request);
  if (answered.ok) await forget();
  return answered;
}

async function forget() {
  epoch += 1;
  await caches.delete(DATA_CACHE);
}
