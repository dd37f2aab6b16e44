import { computed, signal } from '@preact/signals';
import { api } from './api.ts';
import { keep, kept } from './local-storage.ts';
import { me, onPersonChange } from './session.ts';

/**
 * Stories that this reader does not want to see any more. A guest's are kept in the browser; a signed-in person's by the
 * newsroom, which leaves them out by itself, so that here only those of this visit are known.
 */
const MOST_OF_A_GUEST = 50_000;

export interface HiddenStory {
  readonly set: string;
  readonly id: number;
  readonly title: string;
}

const keys = signal<ReadonlySet<string>>(new Set(readKept()));

export const hiddenKeys = computed(() => keys.value);
/** The last ones hidden on this visit, the newest first: what undo takes back. */
export const undoable = signal<readonly HiddenStory[]>([]);
/** Said while something is hidden or shown again and could not be stored. */
export const hidingFailed = signal<string | null>(null);

export function keyOf(set: string, id: number): string {
  return `${set} ${id}`;
}

export async function hide(story: HiddenStory): Promise<void> {
  change((set) => set.add(keyOf(story.set, story.id)));
  undoable.value = [story, ...undoable.value].slice(0, 50);
  await store(() => api.hidden.add(story.set, [story.id]), story, false);
}

/** Shows the last one again. */
export async function undo(): Promise<HiddenStory | null> {
  const [story, ...rest] = undoable.value;
  if (story === undefined) return null;
  undoable.value = rest;
  change((set) => set.delete(keyOf(story.set, story.id)));
  await store(() => api.hidden.remove(story.set, story.id), story, true);
  return story;
}

async function store(send: () => Promise<unknown>, story: HiddenStory, wasHidden: boolean): Promise<void> {
  hidingFailed.value = null;
  if (me.value === null) return;
  try {
    await send();
  } catch (error) {
    // What could not be stored must not look as if it were.
    change((set) =>
      wasHidden ? set.add(keyOf(story.set, story.id)) : set.delete(keyOf(story.set, story.id)),
    );
    undoable.value = undoable.value.filter((other) => other !== story);
    hidingFailed.value = error instanceof Error ? error.message : String(error);
  }
}

function change(how: (set: Set<string>) => unknown): void {
  const next = new Set(keys.value);
  how(next);
  keys.value = next;
  if (me.value === null) keep('hidden', JSON.stringify([...next].slice(-MOST_OF_A_GUEST)));
}

/** What a guest hid goes along when the guest signs in. */
onPersonChange((person) => {
  undoable.value = [];
  const guests = readKept();
  keys.value = new Set(guests);
  if (person === null || guests.length === 0) return;
  const bySet = new Map<string, number[]>();
  for (const key of guests) {
    const space = key.lastIndexOf(' ');
    const id = Number(key.slice(space + 1));
    if (space > 0 && Number.isSafeInteger(id) && id >= 0)
      bySet.set(key.slice(0, space), [...(bySet.get(key.slice(0, space)) ?? []), id]);
  }
  void (async () => {
    try {
      for (const [set, ids] of bySet)
        for (let at = 0; at < ids.length; at += 500) await api.hidden.add(set, ids.slice(at, at + 500));
      keep('hidden', null);
    } catch {
      // They stay in the browser, and go along the next time.
    }
  })();
});

function readKept(): string[] {
  try {
    const read: unknown = JSON.parse(kept('hidden') ?? '[]');
    return Array.isArray(read) ? read.filter((key) => typeof key === 'string') : [];
  } catch {
    return [];
  }
}
