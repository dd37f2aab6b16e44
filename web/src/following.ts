import { signal } from '@preact/signals';
import { api } from './api.ts';
import { news } from './live-timeline.ts';
import { me, onPersonChange } from './session.ts';

/** IDs of those whom the signed-in person follows; `null` before that is known. */
export const following = signal<ReadonlySet<string> | null>(null);

let asking = false;

export function openFollowing(): void {
  if (asking || me.value === null || following.value !== null) return;
  asking = true;
  void load(me.value.userId).finally(() => {
    asking = false;
  });
}

async function load(userId: string): Promise<void> {
  const found = new Set<string>();
  try {
    for (let cursor: string | undefined; ; ) {
      const page = await api.following(userId, cursor);
      for (const user of page.users) found.add(user.id);
      if (page.next === null) break;
      cursor = page.next;
    }
    if (me.value?.userId === userId) following.value = found;
  } catch {
    // The buttons appear with the next page that asks.
  }
}

export async function follow(userId: string, on: boolean): Promise<void> {
  await (on ? api.follow(userId) : api.unfollow(userId));
  const next = new Set(following.value);
  if (on) next.add(userId);
  else next.delete(userId);
  following.value = next;
  // What is in the home has changed in the middle, not only at the top.
  news.home.close();
}

onPersonChange(() => {
  following.value = null;
});
