import { signal } from '@preact/signals';
import type { EntryState } from '../../../src/reader/entry-store.ts';
import { keep, kept } from '../local-storage.ts';
import { ended, me, onPersonChange } from '../session.ts';
import type { ReactionRequest, ReadAllScope, StateKind } from './api.ts';

export type ChangeRequest =
  | { readonly kind: 'state'; readonly state: StateKind; readonly ids: readonly number[] }
  | { readonly kind: 'reaction'; readonly reaction: ReactionRequest; readonly ids: readonly number[] }
  | { readonly kind: 'readAll'; readonly scope: ReadAllScope }
  | { readonly kind: 'undo'; readonly token: string };

/** A story that a change changed on this page. */
export interface ChangedStory {
  readonly id: number;
  readonly sourceIds: readonly string[];
  readonly before: EntryState;
  readonly after: EntryState;
}

/** A change of states that the newsroom does not have yet. */
export interface WaitingChange {
  readonly id: string;
  readonly at: number;
  /** What is still to be sent, in this order. */
  readonly requests: readonly ChangeRequest[];
  readonly stories: readonly ChangedStory[];
}

/** Changes that were made while the newsroom could not be reached, the first one first. Kept in this browser for one person. */
export const waiting = signal<readonly WaitingChange[]>([]);

const NAME = 'changes';
const MAX_CHANGES = 500;
/** Browsers keep about five million characters for a site. */
const MAX_CHARACTERS = 1_000_000;

/** Whether the browser keeps them; otherwise they last as long as the page. */
let isKept = true;

/** False if there are too many. */
export function addWaiting(change: WaitingChange): boolean {
  const next = [...reloadWaiting(), change].sort((a, b) => a.at - b.at);
  return next.length <= MAX_CHANGES && save(next);
}

/** False if it was not waiting any more. */
export function removeWaiting(id: string): boolean {
  const before = reloadWaiting();
  const rest = before.filter((change) => change.id !== id);
  save(rest);
  return rest.length < before.length;
}

/** Its first request was answered. */
export function removeFirstRequest(id: string): void {
  save(
    reloadWaiting().map((change) =>
      change.id === id ? { ...change, requests: change.requests.slice(1) } : change,
    ),
  );
}

/** The changes with those that other tabs added and sent. */
export function reloadWaiting(): readonly WaitingChange[] {
  if (isKept) waiting.value = storedFor(me.peek()?.userId ?? null);
  return waiting.peek();
}

function save(changes: readonly WaitingChange[]): boolean {
  const person = me.peek()?.userId ?? null;
  const text = changes.length === 0 ? null : JSON.stringify({ person, changes });
  if (text !== null && text.length > MAX_CHARACTERS) return false;
  keep(NAME, text);
  isKept = kept(NAME) === text;
  waiting.value = changes;
  return true;
}

function storedFor(person: string | null): readonly WaitingChange[] {
  try {
    const stored: unknown = JSON.parse(kept(NAME) ?? 'null');
    if (typeof stored !== 'object' || stored === null) return [];
    if (!('person' in stored) || stored.person !== person || person === null) return [];
    return 'changes' in stored && Array.isArray(stored.changes) ? stored.changes.filter(isWaitingChange) : [];
  } catch {
    return [];
  }
}

/** Another version of the page may have written something else. */
function isWaitingChange(value: unknown): value is WaitingChange {
  if (typeof value !== 'object' || value === null) return false;
  const { id, at, requests, stories } = value as Partial<Record<keyof WaitingChange, unknown>>;
  return (
    typeof id === 'string' && typeof at === 'number' && Array.isArray(requests) && Array.isArray(stories)
  );
}

/** A state of the newsroom with the waiting changes of its story. */
export function withWaiting(
  state: EntryState,
  storyId: number,
  isCovered: (scope: ReadAllScope) => boolean,
): EntryState {
  let shown = state;
  for (const { requests, stories } of waiting.peek()) {
    const story = stories.find(({ id }) => id === storyId);
    if (story !== undefined) shown = withDifference(shown, story);
    else if (requests.some((request) => request.kind === 'readAll' && isCovered(request.scope)))
      shown = { ...shown, read: true };
  }
  return shown;
}

/** What the waiting changes do to each story together. */
export function waitingStories(): readonly ChangedStory[] {
  const stories = new Map<number, ChangedStory>();
  for (const change of waiting.peek())
    for (const story of change.stories) {
      const earlier = stories.get(story.id) ?? { ...story, after: story.before };
      stories.set(story.id, { ...earlier, after: withDifference(earlier.after, story) });
    }
  return [...stories.values()];
}

function withDifference(state: EntryState, { before, after }: ChangedStory): EntryState {
  return {
    read: before.read === after.read ? state.read : after.read,
    starredAt: before.starredAt === after.starredAt ? state.starredAt : after.starredAt,
    laterAt: before.laterAt === after.laterAt ? state.laterAt : after.laterAt,
  };
}

onPersonChange((person) => {
  waiting.value = storedFor(person?.userId ?? null);
  // They wait for the person whose session ended, but not after signing out or for another one.
  const isKeptForLater = person === null && ended.peek() !== null;
  if (waiting.value.length === 0 && !isKeptForLater) keep(NAME, null);
});
