import { computed, effect, signal } from '@preact/signals';
import { api } from './api.ts';
import { keep, kept } from './local-storage.ts';
import { overview } from './reader/overview.ts';
import { me } from './session.ts';
import { words } from './words/words.ts';

export type BadgeKind = 'unread' | 'attention' | 'off';

/** What the badge of the installed app counts, on this device. */
export const badge = signal<BadgeKind>(readBadge());
/** Notifications about what needs attention are on, and the browser allows them. */
export const notifications = signal(kept('notifications') === 'on' && permission() === 'granted');

export const badgeSupported = 'setAppBadge' in navigator;
export const notificationsSupported = 'Notification' in globalThis;

const CHECK_INTERVAL_MS = 5 * 60_000;

/** Items and pipelines that wait for the owner; `null` before that is known. */
const attention = signal<number | null>(null);

export function setBadge(kind: BadgeKind): void {
  badge.value = kind;
  keep('badge', kind);
}

/** To be called on a click: a browser asks the person only then. Answers whether they are on now. */
export async function setNotifications(on: boolean): Promise<boolean> {
  const allowed = on && notificationsSupported && (await Notification.requestPermission()) === 'granted';
  notifications.value = allowed;
  keep('notifications', allowed ? 'on' : null);
  return allowed;
}

/** Keeps the badge, and tells the owner when something new needs attention. */
export function startNotifications(): void {
  const count = computed(() => {
    if (me.value === null || badge.value === 'off') return 0;
    return badge.value === 'unread' ? (overview.value?.unread.all ?? 0) : (attention.value ?? 0);
  });
  effect(() => {
    if (!badgeSupported) return;
    const shown = count.value > 0 ? navigator.setAppBadge(count.value) : navigator.clearAppBadge();
    shown.catch(() => undefined);
  });
  const wanted = computed(
    () =>
      me.value?.role === 'owner' && (notifications.value || (badgeSupported && badge.value === 'attention')),
  );
  effect(() => {
    if (!wanted.value) return;
    void check();
    const timer = setInterval(() => void check(), CHECK_INTERVAL_MS);
    return () => clearInterval(timer);
  });
}

async function check(): Promise<void> {
  try {
    const { pipelines } = await api.pipelines();
    const n = pipelines.reduce(
      (sum, { state, counts }) => sum + counts.byState.parked + Number(state === 'failing'),
      0,
    );
    const before = attention.value;
    attention.value = n;
    if (before !== null && n > before && notifications.value) await notify(n);
  } catch {
    // The next check comes.
  }
}

async function notify(n: number): Promise<void> {
  const w = words.value.reader.notify;
  const options = { body: w.body(n), icon: '/icon-192.png', tag: 'attention', data: '/attention' };
  const worker = await navigator.serviceWorker?.getRegistration();
  if (worker) await worker.showNotification(w.title, options);
  else new Notification(w.title, options).addEventListener('click', () => focus());
}

function permission(): NotificationPermission {
  return 'Notification' in globalThis ? Notification.permission : 'denied';
}

function readBadge(): BadgeKind {
  const stored = kept('badge');
  return stored === 'attention' || stored === 'off' ? stored : 'unread';
}
