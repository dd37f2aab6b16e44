import { batch, type Signal, signal } from '@preact/signals';
import type { EntryState } from '../../../src/reader/entry-store.ts';
import { onPersonChange } from '../session.ts';
import type { NamedSource, OtherEntry, ReadAllScope, StateKind } from './api.ts';
import { countChange, isInFolder, sourceOf } from './overview.ts';
import { type ChangedStory, withWaiting } from './waiting.ts';

/** What has to be known of an entry to change its state: shown entries have it, and drops of the timelines too. */
export interface StatefulEntry {
  readonly id: number;
  readonly storyId: number;
  readonly state: EntryState;
  readonly sources: readonly NamedSource[];
  readonly publishedAt?: number;
  readonly others?: readonly OtherEntry[];
}

interface Story {
  readonly id: number;
  readonly state: Signal<EntryState>;
  readonly entryIds: Set<number>;
  readonly sourceIds: Set<string>;
  publishedAt: number;
  /** The version of its last change on this page or elsewhere. */
  changedAt: number;
  /** Changes that are on their way to the server. */
  saving: number;
}

/** The stories that this page has seen, with their states. A state belongs to the story: all its entries show the same. */
const stories = new Map<number, Story>();
const storyOfEntry = new Map<number, Story>();

/** Grows with each change of a state. */
let version = 0;

/**
 * Takes over the states of an answer, but not those that changed since it was asked for, nor those that are being stored: the answer may
 * have been read before the change. Changes that wait to be sent stay in force.
 */
export async function withStates<T>(
  answer: Promise<T>,
  entriesOf: (answer: T) => readonly StatefulEntry[],
): Promise<T> {
  const askedAt = version;
  const found = await answer;
  batch(() => {
    for (const entry of entriesOf(found)) {
      const story = storyFor(entry);
      if (story.saving === 0 && story.changedAt <= askedAt)
        story.state.value = shownState(story, entry.state);
    }
  });
  return found;
}

/** Holds the states of a change until it is stored. */
export async function whileSaving(changed: Snapshot, save: () => Promise<void>): Promise<void> {
  const held = [...changed.keys()].flatMap((id) => stories.get(id) ?? []);
  for (const story of held) story.saving += 1;
  try {
    await save();
  } finally {
    version += 1;
    for (const story of held) {
      story.saving -= 1;
      story.changedAt = version;
    }
  }
}

export function stateOf(entry: StatefulEntry): EntryState {
  return storyFor(entry).state.value;
}

function storyFor(entry: StatefulEntry): Story {
  let story = stories.get(entry.storyId);
  if (story === undefined) {
    story = {
      id: entry.storyId,
      state: signal(entry.state),
      entryIds: new Set(),
      sourceIds: new Set(),
      publishedAt: 0,
      changedAt: 0,
      saving: 0,
    };
    stories.set(entry.storyId, story);
  }
  if (story.entryIds.has(entry.id)) return story;
  const isNew = story.entryIds.size === 0;
  for (const { id, sources } of [entry, ...(entry.others ?? [])]) {
    story.entryIds.add(id);
    storyOfEntry.set(id, story);
    for (const source of sources) story.sourceIds.add(source.id);
  }
  story.publishedAt = Math.max(story.publishedAt, entry.publishedAt ?? 0);
  if (isNew) story.state.value = shownState(story, entry.state);
  return story;
}

function shownState(story: Story, state: EntryState): EntryState {
  return withWaiting(state, story.id, (scope) => covers(scope, story));
}

/** What a change changed, with the states of now. */
export function changedStories(before: Snapshot): readonly ChangedStory[] {
  return [...before].flatMap(([id, old]) => {
    const story = stories.get(id);
    if (story === undefined) return [];
    return [{ id, sourceIds: [...story.sourceIds], before: old, after: story.state.peek() }];
  });
}

/** The states before a change, to take it back exactly. */
export type Snapshot = ReadonlyMap<number, EntryState>;

export function applyState(kind: StateKind, ids: readonly number[], now: number): Snapshot {
  return changeEach(new Set(ids.flatMap((id) => storyOfEntry.get(id) ?? [])), (state) =>
    after(state, kind, now),
  );
}

export function applyReadAll(scope: ReadAllScope): Snapshot {
  const covered = [...stories.values()].filter((story) => covers(scope, story));
  return changeEach(new Set(covered), (state) => ({ ...state, read: true }));
}

/** Returns the states from before it. */
export function restore(before: Snapshot): Snapshot {
  const known = [...before.keys()].flatMap((id) => stories.get(id) ?? []);
  return changeEach(new Set(known), (state, { id }) => before.get(id) ?? state);
}

function changeEach(
  changed: ReadonlySet<Story>,
  next: (state: EntryState, story: Story) => EntryState,
): Snapshot {
  const before = new Map<number, EntryState>();
  version += 1;
  batch(() => {
    for (const story of changed) {
      const old = story.state.value;
      const fresh = next(old, story);
      story.changedAt = version;
      if (same(old, fresh)) continue;
      before.set(story.id, old);
      story.state.value = fresh;
      countChange(story.sourceIds, old, fresh);
    }
  });
  return before;
}

function same(a: EntryState, b: EntryState): boolean {
  return (
    a.read === b.read &&
    (a.starredAt === null) === (b.starredAt === null) &&
    (a.laterAt === null) === (b.laterAt === null)
  );
}

function after(state: EntryState, kind: StateKind, now: number): EntryState {
  switch (kind) {
    case 'read':
      return { ...state, read: true };
    case 'unread':
      return { ...state, read: false };
    case 'star':
      return { ...state, starredAt: state.starredAt ?? now };
    case 'unstar':
      return { ...state, starredAt: null };
    case 'later':
      return { ...state, laterAt: state.laterAt ?? now };
    case 'notLater':
      return { ...state, laterAt: null };
  }
}

function covers(scope: ReadAllScope, story: Story): boolean {
  if (Math.min(...story.entryIds) > scope.upTo) return false;
  if (scope.before !== undefined && story.publishedAt >= scope.before) return false;
  const { source, folder, view } = scope;
  if (source !== undefined) return story.sourceIds.has(source);
  if (folder === undefined && view === undefined) return true;
  return [...story.sourceIds].some((id) => {
    const known = sourceOf(id);
    return known !== null && (folder === undefined ? known.followed : isInFolder(known, folder));
  });
}

onPersonChange(() => {
  stories.clear();
  storyOfEntry.clear();
});
