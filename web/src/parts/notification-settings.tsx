import { useState } from 'preact/hooks';
import {
  badge,
  badgeSupported,
  notifications,
  notificationsSupported,
  setBadge,
  setNotifications,
} from '../notifications.ts';
import { me } from '../session.ts';
import { words } from '../words/words.ts';
import { Select, Toggle } from './setting.tsx';

/** Notifications and the badge of the installed app, on this device. */
export function NotificationSettings() {
  const w = words.value.manage.settings;
  const [denied, setDenied] = useState(false);
  const isOwner = me.value?.role === 'owner';
  if (!isOwner && !badgeSupported) return null;
  return (
    <section class="setting-group" aria-labelledby="notifications-title">
      <h3 id="notifications-title">{w.notifications}</h3>
      <p class="quiet">{w.onThisDevice}</p>
      {isOwner && (
        <Toggle
          label={w.notify}
          on={notifications.value}
          disabled={!notificationsSupported}
          set={(on) => void setNotifications(on).then((isOn) => setDenied(on && !isOn))}
        />
      )}
      {isOwner && !notificationsSupported && <p class="quiet">{w.notifyUnsupported}</p>}
      {denied && (
        <p class="form-problem" role="alert">
          {w.notifyDenied}
        </p>
      )}
      {badgeSupported && (
        <Select
          id="badge"
          label={w.badge}
          value={badge.value}
          options={[
            ['unread', w.badges.unread],
            ...(isOwner ? ([['attention', w.badges.attention]] as const) : []),
            ['off', w.badges.off],
          ]}
          choose={setBadge}
        />
      )}
    </section>
  );
}
