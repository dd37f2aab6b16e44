import {
  type EntryId,
  type EntryState,
  type SavedSearch,
  type StateChange,
  UNDO_WITHIN_MS,
} from '../../../reader/entry-store.ts';
import { isLive, type Story, type StoryRow } from './entry-model.ts';

/** "Mark all as read" of a source or of all. The newer of a mark and an explicit choice counts, by `seq`. */
export interface Mark {
  readonly seq: number;
  readonly upTo: EntryId;
  /** Only what was published before. */
  readonly before: number | null;
  /** Version of the index at that time: what a source carries only since then is not covered. */
  readonly version: number;
}

/** What a person chose for a story. */
export interface StoryChoice {
  /** `null`: the marks decide. */
  readonly read: boolean | null;
  /** Of the last choice between read and unread. */
  readonly readSeq: number;
  readonly starredAt: number | null;
  readonly laterAt: number | null;
}

type StoryKind = Exclude<StateChange['kind'], 'readAll'>;

/** A change of the last day; taking it back is removing it from the list. */
export type Operation = { readonly seq: number; readonly at: number } & (
  | { readonly kind: StoryKind; readonly stories: readonly EntryId[] }
  | { readonly kind: 'readAll'; readonly sourceIds: readonly string[] | null; readonly mark: Mark }
);

/** Everything that is kept about a person. */
export interface ReadingRecord {
  /** Number of the last change. */
  readonly seq: number;
  /** Marks of all sources (`null`) and of single ones, that can no longer be taken back. */
  readonly marks: ReadonlyMap<string | null, readonly Mark[]>;
  /** Choices that can no longer be taken back. */
  readonly choices: ReadonlyMap<EntryId, StoryChoice>;
  readonly operations: readonly Operation[];
  readonly searches: readonly SavedSearch[];
}

export const NO_READING: ReadingRecord = {
  seq: 0,
  marks: new Map(),
  choices: new Map(),
  operations: [],
  searches: [],
};

export type StoryById = (storyId: EntryId) => Story | undefined;

const NO_MARKS: readonly Mark[] = [];
const NO_CHOICE: StoryChoice = { read: null, readSeq: 0, starredAt: null, laterAt: null };
/** Marks of a source that none of the newer ones includes. */
const MAX_MARKS = 64;

/** A person's state of every story: what was folded, and the operations since, in their order. */
export class ReadingState {
  readonly record: ReadingRecord;
  readonly #recent = new Map<EntryId, StoryChoice>();
  readonly #marks: ReadonlyMap<string | null, readonly Mark[]>;
  /** Whether something is unread by choice, so that marks alone do not decide. */
  readonly #hasUnread: boolean;

  constructor(record: ReadingRecord) {
    this.record = record;
    const marks = new Map(record.marks);
    for (const operation of record.operations)
      if (operation.kind === 'readAll') addMarks(marks, operation);
      else
        for (const storyId of operation.stories)
          this.#recent.set(storyId, chosen(this.#choiceOf(storyId), operation));
    this.#marks = marks;
    this.#hasUnread = hasUnread(record.choices) || this.#recent.values().some(({ read }) => read === false);
  }

  stateOf(story: Story): EntryState {
    const { starredAt, laterAt } = this.#choiceOfStory(story);
    return { read: this.isRead(story), starredAt, laterAt };
  }

  isRead(story: Story): boolean {
    // Most stories are covered by a mark: the choices are then not looked up.
    if (!this.#hasUnread && this.#isMarked(story, 0)) return true;
    const { read, readSeq } = this.#choiceOfStory(story);
    return read === true || (this.#hasUnread && this.#isMarked(story, readSeq));
  }

  isKept(story: Story): boolean {
    const { starredAt, laterAt } = this.#choiceOfStory(story);
    return starredAt !== null || laterAt !== null;
  }

  /** Stories that are starred, or wanted later; of a joined one the ID that it has now. */
  kept(how: 'starredAt' | 'laterAt', storyWith: StoryById): EntryId[] {
    const chosenIds = [...this.record.choices.keys(), ...this.#recent.keys()];
    const kept = chosenIds.filter((id) => this.#choiceOf(id)[how] !== null);
    return [...new Set(kept.map((id) => storyWith(id)?.id ?? id))];
  }

  /** The stories whose state a change would change, and the IDs under which a joined one has a choice too. */
  changedBy(kind: StoryKind, stories: Iterable<Story>): EntryId[] {
    const changed = new Set<EntryId>();
    for (const story of stories) {
      const { starredAt, laterAt } = this.#choiceOfStory(story);
      const isSet =
        kind === 'star' || kind === 'unstar'
          ? starredAt !== null
          : kind === 'later' || kind === 'notLater'
            ? laterAt !== null
            : this.isRead(story);
      if (isSet === (kind === 'star' || kind === 'later' || kind === 'read')) continue;
      changed.add(story.id);
      for (const id of this.#joinedIds(story)) changed.add(id);
    }
    return [...changed];
  }

  /** Whether a mark after a choice covers one of the rows. */
  #isMarked(story: Story, afterSeq: number): boolean {
    if (this.#marks.size === 0) return false;
    const ofAll = this.#marks.get(null) ?? NO_MARKS;
    for (let at: StoryRow | null = story.rows; at !== null; at = at.next) {
      if (isCovered(ofAll, afterSeq, at)) return true;
      if (isCovered(this.#marks.get(at.index.sourceId) ?? NO_MARKS, afterSeq, at)) return true;
    }
    return false;
  }

  /**
   * A story that a person joined to another one keeps its choices under its own ID, which is that of its first entry: so
   * joining writes nothing for each person, and separating restores everything.
   */
  #choiceOfStory(story: Story): StoryChoice {
    let choice = this.#choiceOf(story.id);
    if (story.rows.next !== null)
      for (const id of this.#joinedIds(story)) choice = joinedChoice(choice, this.#choiceOf(id));
    return choice;
  }

  /** IDs of entries of a story under which there is a choice, besides its own. */
  #joinedIds(story: Story): Set<EntryId> {
    const ids = new Set<EntryId>();
    for (let at: StoryRow | null = story.rows; at !== null; at = at.next) {
      const id = at.index.id(at.row);
      if (id !== story.id && this.#choiceOf(id) !== NO_CHOICE) ids.add(id);
    }
    return ids;
  }

  #choiceOf(storyId: EntryId): StoryChoice {
    return this.#recent.get(storyId) ?? this.record.choices.get(storyId) ?? NO_CHOICE;
  }
}

/** Read if one of them is; starred and wanted later since the earlier time. */
function joinedChoice(one: StoryChoice, other: StoryChoice): StoryChoice {
  const earlier = (a: number | null, b: number | null): number | null =>
    a === null || b === null ? (a ?? b) : Math.min(a, b);
  return {
    read: one.read === true || other.read === true ? true : (one.read ?? other.read),
    readSeq: Math.max(one.readSeq, other.readSeq),
    starredAt: earlier(one.starredAt, other.starredAt),
    laterAt: earlier(one.laterAt, other.laterAt),
  };
}

/** The choices stay the same while their documents do. */
const unreadByChoices = new WeakMap<ReadingRecord['choices'], boolean>();

function hasUnread(choices: ReadingRecord['choices']): boolean {
  const known = unreadByChoices.get(choices) ?? choices.values().some(({ read }) => read === false);
  unreadByChoices.set(choices, known);
  return known;
}

function isCovered(marks: readonly Mark[], afterSeq: number, { index, row }: StoryRow): boolean {
  for (const mark of marks) if (mark.seq > afterSeq && covers(mark, index, row)) return true;
  return false;
}

export function covers(mark: Mark, index: StoryRow['index'], row: number): boolean {
  return (
    index.id(row) <= mark.upTo &&
    (mark.before === null || index.publishedAt(row) < mark.before) &&
    index.version(row) <= mark.version
  );
}

/** The token of an operation; of another person it is unknown, or means another operation with the same number and time. */
export function undoTokenOf({ seq, at }: Operation): string {
  return `${seq.toString(36)}.${at.toString(36)}`;
}

export function findOperation({ operations }: ReadingRecord, token: string, now: number): Operation | null {
  const found = operations.find((operation) => undoTokenOf(operation) === token);
  return found === undefined || now - found.at > UNDO_WITHIN_MS ? null : found;
}

/**
 * Folds the oldest operations, which can then no longer be taken back. Choices that change nothing are dropped: those of
 * stories that are no longer there, and those that say the same as the marks.
 */
export function folded(record: ReadingRecord, count: number, storyOf: StoryById): ReadingRecord {
  const marks = new Map(record.marks);
  const choices = new Map(record.choices);
  for (const operation of record.operations.slice(0, count))
    if (operation.kind === 'readAll') addMarks(marks, operation);
    else
      for (const storyId of operation.stories)
        choices.set(storyId, chosen(choices.get(storyId) ?? NO_CHOICE, operation));
  const left: ReadingRecord = {
    ...record,
    marks,
    choices: new Map(),
    operations: record.operations.slice(count),
  };
  const byMarks = new ReadingState({ ...left, operations: [] });
  const needed = new Map<EntryId, StoryChoice>();
  for (const [storyId, choice] of choices) {
    const story = storyOf(storyId);
    const isThere = isLive(story);
    const isMarked = isThere && byMarks.isRead(story);
    const isRedundant = !isThere || choice.read === null || choice.read === isMarked;
    const kept = choice.starredAt !== null || choice.laterAt !== null;
    if (!isRedundant) needed.set(storyId, choice);
    else if (kept) needed.set(storyId, { ...choice, read: null, readSeq: 0 });
  }
  return { ...left, choices: needed };
}

/** How many of the oldest operations can no longer be taken back. */
export function expiredOperations({ operations }: ReadingRecord, now: number): number {
  const first = operations.findIndex(({ at }) => now - at <= UNDO_WITHIN_MS);
  return first === -1 ? operations.length : first;
}

function chosen(choice: StoryChoice, { kind, seq, at }: Operation): StoryChoice {
  switch (kind) {
    case 'read':
    case 'unread':
      return { ...choice, read: kind === 'read', readSeq: seq };
    case 'star':
      return { ...choice, starredAt: at };
    case 'unstar':
      return { ...choice, starredAt: null };
    case 'later':
      return { ...choice, laterAt: at };
    case 'notLater':
      return { ...choice, laterAt: null };
    case 'readAll':
      return choice;
  }
}

function addMarks(
  marks: Map<string | null, readonly Mark[]>,
  { sourceIds, mark }: Extract<Operation, { kind: 'readAll' }>,
): void {
  for (const sourceId of sourceIds ?? [null]) {
    const others = (marks.get(sourceId) ?? []).filter((other) => !includes(mark, other));
    marks.set(sourceId, [...others, mark].slice(-MAX_MARKS));
  }
  if (sourceIds !== null) return;
  for (const [sourceId, others] of marks) {
    const left = sourceId === null ? others : others.filter((other) => !includes(mark, other));
    if (left.length === 0) marks.delete(sourceId);
    else marks.set(sourceId, left);
  }
}

function includes(mark: Mark, earlier: Mark): boolean {
  const isLater = mark.before === null || (earlier.before !== null && mark.before >= earlier.before);
  return isLater && mark.upTo >= earlier.upTo && mark.version >= earlier.version && mark.seq >= earlier.seq;
}
