import { keep, kept } from './local-storage.ts';
import { onPersonChange } from './session.ts';
import { trustedScript } from './trusted.ts';

/** Prefix of the caches with answers of the API; the service worker uses it too. */
const DATA_CACHE = 'kawaraban-data';

/** Installs the service worker once the page is there, so that it does not compete with the first visit. */
export function installServiceWorker(): void {
  if (!('serviceWorker' in navigator) || import.meta.env.MODE === 'development') return;
  const install = (): void => {
    navigator.serviceWorker.register(trustedScript('/service-worker.js')).catch(() => {
      // Without it the page works, but not offline.
    });
  };
  if (document.readyState === 'complete') install();
  else addEventListener('load', install, { once: true });
}

/** What one person has read must not be shown to the next one who uses this browser. */
onPersonChange((person) => {
  const now = person?.userId ?? 'guest';
  if (kept('person') === now) return;
  keep('person', now);
  navigator.serviceWorker?.controller?.postMessage('forget');
  if ('caches' in globalThis) void caches.delete(DATA_CACHE);
});
