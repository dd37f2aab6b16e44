import type { EntryId, StateChange } from '../../../reader/entry-store.ts';
import { entriesOf } from './entry-model.ts';
import type { IndexCache } from './index-cache.ts';
import type { KeptEntries } from './kept-entries.ts';
import type { FirestorePeople } from './people.ts';
import {
  covers,
  findOperation,
  type Mark,
  type Operation,
  type ReadingState,
  undoTokenOf,
} from './reading-state.ts';

interface Parts {
  readonly people: FirestorePeople;
  readonly kept: KeptEntries;
  readonly cache: IndexCache;
}

type ReadAll = Extract<StateChange, { kind: 'readAll' }>;

/** Applies a change and returns its undo token; `null` if it changes nothing. */
export async function changeState(
  parts: Parts,
  person: string,
  change: StateChange,
  now: number,
): Promise<string | null> {
  if (change.kind === 'readAll')
    return record(parts, person, now, (state) => readAllOperation(parts, state, change, now));
  const { kind, ids } = change;
  const { model } = parts.cache;
  const stories = [...new Set(ids.flatMap((id) => model.storyOf(id)?.id ?? []))];
  if (stories.length === 0) return null;
  if (kind === 'star' || kind === 'later') await parts.kept.set(person, entryIdsOf(parts, stories), true);
  const token = await record(parts, person, now, (state) => {
    const changed = state.changedBy(
      kind,
      stories.flatMap((storyId) => model.story(storyId) ?? []),
    );
    return changed.length === 0 ? null : { seq: state.record.seq + 1, at: now, kind, stories: changed };
  });
  if (token !== null && (kind === 'unstar' || kind === 'notLater')) await release(parts, person, stories);
  return token;
}

/** Takes a change back: as if it had never been made, whatever came after it. */
export async function undoChange(parts: Parts, person: string, token: string, now: number): Promise<boolean> {
  const operation = findOperation((await parts.people.load(person)).record, token, now);
  if (operation === null) return false;
  const stories = operation.kind === 'readAll' ? [] : operation.stories;
  const isRelease = operation.kind === 'unstar' || operation.kind === 'notLater';
  if (isRelease) await parts.kept.set(person, entryIdsOf(parts, stories), true);
  let isTaken = false;
  const isUndone = await parts.people.change(person, now, ({ record: before }) => {
    const operations = before.operations.filter((one) => undoTokenOf(one) !== token);
    // Absent after an own attempt whose reply was lost.
    const isThere = operations.length < before.operations.length;
    if (!isThere) return { value: isTaken, next: null };
    isTaken = true;
    return { value: true, next: { ...before, operations } };
  });
  if (operation.kind === 'star' || operation.kind === 'later' || (isRelease && !isUndone))
    await release(parts, person, stories);
  return isUndone;
}

async function record(
  { people }: Parts,
  person: string,
  now: number,
  make: (state: ReadingState) => Operation | null,
): Promise<string | null> {
  const tried = new Set<string>();
  return people.change(person, now, (state) => {
    // An earlier attempt succeeded, but its reply was lost.
    const own = state.record.operations.find((one) => tried.has(JSON.stringify(one)));
    if (own !== undefined) return { value: undoTokenOf(own), next: null };
    const operation = make(state);
    if (operation === null) return { value: null, next: null };
    tried.add(JSON.stringify(operation));
    const operations = [...state.record.operations, operation];
    return { value: undoTokenOf(operation), next: { ...state.record, seq: operation.seq, operations } };
  });
}

function readAllOperation(
  { cache }: Parts,
  state: ReadingState,
  { sourceIds, upTo, before }: ReadAll,
  now: number,
): Operation | null {
  const seq = state.record.seq + 1;
  const mark: Mark = { seq, upTo, before: before ?? null, version: cache.heads.version };
  const { model } = cache;
  const covered = model
    .sources(sourceIds)
    .some((index) =>
      model
        .storiesOf(index)
        .some((story, row) => !index.isGone(row) && covers(mark, index, row) && !state.isRead(story)),
    );
  if (!covered) return null;
  return { seq, at: now, kind: 'readAll', sourceIds: sourceIds === undefined ? null : [...sourceIds], mark };
}

/** Of stories that the person neither starred nor wants to read later any more. */
async function release(parts: Parts, person: string, stories: readonly EntryId[]): Promise<void> {
  const state = await parts.people.load(person);
  const { model } = parts.cache;
  const released = stories.filter((storyId) => {
    const story = model.storyWith(storyId);
    return story !== undefined && !state.isKept(story);
  });
  await parts.kept.set(person, entryIdsOf(parts, released), false);
}

function entryIdsOf({ cache }: Parts, stories: readonly EntryId[]): EntryId[] {
  return stories.flatMap((storyId) => [...entriesOf(cache.model.storyWith(storyId))]);
}
