import type { Enclosure, ItemKey } from '../item/item.ts';
import type { StoryReason } from '../same-story/story-reason.ts';

/**
 * ID of an entry: an integer of at most 53 bits that grows with the order of arrival, so that other programs can use it
 * as a number.
 */
export type EntryId = number;

/** One article as the reader shows it, whichever sources carry it. */
export interface Entry {
  readonly id: EntryId;
  readonly key: ItemKey;
  /** The ID of the first entry about the same event; its own ID where it is the first or the only one. */
  readonly storyId: EntryId;
  readonly url: string;
  readonly title: string;
  readonly author: string | null;
  /** Text that the source gave, without markup, shortened. */
  readonly excerpt: string | null;
  readonly imageUrl: string | null;
  /** BCP 47, where known. */
  readonly language: string | null;
  /** As the source says, and never later than `arrivedAt`. Lists are ordered by it. */
  readonly publishedAt: number;
  readonly arrivedAt: number;
  readonly points: number | null;
  /** What can be played comes first. */
  readonly enclosures: readonly Enclosure[];
  /** IDs of the sources that carry it, the first one first. */
  readonly sourceIds: readonly string[];
  /** Why it is in its story, or was kept out of one (Q14); absent if nothing was like it. */
  readonly storyReason?: StoryReason;
}

/** An entry as a source reports it. */
export interface NewEntry extends Omit<Entry, 'id' | 'storyId' | 'arrivedAt' | 'sourceIds'> {
  readonly sourceId: string;
  /** Display name of the source, for the search. */
  readonly sourceName: string;
  /** Content that the feed itself carries, as sanitised HTML; `null` if there is only an excerpt. */
  readonly content: string | null;
}

export interface AddedEntry {
  readonly entry: Entry;
  /** `new`: the article was unknown. `carried`: known, and new from this source. `known`: nothing changed. `edited`: title, text or picture changed. */
  readonly outcome: 'new' | 'carried' | 'known' | 'edited';
}

/** The text of an article, as it is shown and searched. */
export interface EntryText {
  /** Sanitised HTML; pictures have their original addresses. */
  readonly html: string;
  /** From the feed itself, or extracted from the page. */
  readonly origin: 'feed' | 'page';
  readonly byline: string | null;
  readonly fetchedAt: number;
}

/** A person's state of an entry. It belongs to the story: reading one of its entries reads all. */
export interface EntryState {
  readonly read: boolean;
  readonly starredAt: number | null;
  readonly laterAt: number | null;
}

/** Which entries a list shows; all conditions together. */
export interface EntryFilter {
  /** Entries that at least one of these sources carries; absent: all sources. */
  readonly sourceIds?: readonly string[];
  readonly unread?: boolean;
  readonly starred?: boolean;
  readonly later?: boolean;
  /** Full-text search: every word, "phrases", -without. */
  readonly text?: string;
  /** Names that sources have now, by ID. The search finds entries by them and by the name with which they came. */
  readonly sourceNames?: ReadonlyMap<string, string>;
  /** Bounds of `publishedAt`. */
  readonly since?: number;
  readonly before?: number;
}

export interface EntryListOptions {
  readonly order: 'newest' | 'oldest';
  readonly limit: number;
  /** `next` of the page before. An unusable one is a `BadCursorError`. */
  readonly cursor?: string;
}

/** One story of a list: the first of its entries that the filter matches, and all entries about the same event. */
export interface ListedEntry {
  readonly entry: Entry;
  readonly state: EntryState;
  /** The other entries about the same event, newest first, whether or not the filter matches them. */
  readonly others: readonly Pick<Entry, 'id' | 'title' | 'url' | 'sourceIds' | 'publishedAt'>[];
}

export interface EntryPage {
  readonly entries: readonly ListedEntry[];
  readonly next: string | null;
}

/** Unread stories by source; sources without any are absent. `all` counts a story of several sources once. */
export interface UnreadCounts {
  readonly all: number;
  readonly bySource: Readonly<Record<string, number>>;
}

export interface MarkedCounts {
  readonly starred: number;
  readonly later: number;
}

/**
 * A change of a person's state. `ids` are entries; the change applies to their stories. `all` marks everything of the sources
 * (absent: of all sources) that arrived up to `upTo` and was published before `before`; its cost does not depend on how much that is.
 */
export type StateChange =
  | {
      readonly kind: 'read' | 'unread' | 'star' | 'unstar' | 'later' | 'notLater';
      readonly ids: readonly EntryId[];
    }
  | {
      readonly kind: 'readAll';
      readonly sourceIds?: readonly string[];
      /** The newest entry that the person could see. */
      readonly upTo: EntryId;
      readonly before?: number;
    };

export interface AppliedChange {
  /** Takes the change back with `undo`, within a day; `null` if nothing changed. */
  readonly undoToken: string | null;
}

/** New stories of entries, by a person's decision. */
export interface Regrouping {
  /** The entries of each story. Entries of the same stories that are not listed go with the first list. */
  readonly stories: readonly (readonly EntryId[])[];
  /** New reasons of entries; `null`: none. The others keep theirs. */
  readonly reasons: ReadonlyMap<EntryId, StoryReason | null>;
}

/** Stories by how many of the sources told them. */
export interface HotStory extends ListedEntry {
  readonly sourceCount: number;
}

/**
 * The articles of all sources, and what each person did with them (R). Kept apart from the ledgers of the pipelines:
 * every enabled source is here, whether or not a pipeline uses it.
 */
export interface EntryStore extends AsyncDisposable {
  /**
   * Adds what one reading of a source shows, in the given order; a known article gets the source added and, from its first source, its
   * changed title, text and picture. `storyOf` names an entry of the story that a new entry belongs to, or `null` for one of its own.
   * An article that retention removed and the source still shows is not added again, and is absent from the answer.
   */
  add(
    entries: readonly NewEntry[],
    now: number,
    storyOf: (entry: NewEntry) => EntryId | null,
  ): Promise<readonly AddedEntry[]>;
  get(id: EntryId): Promise<Entry | null>;
  /** The entries of the story of an entry, the first one first; empty if there is no such entry. */
  story(id: EntryId): Promise<readonly Entry[]>;
  /** By their keys; unknown ones are absent. */
  findByKeys(keys: readonly ItemKey[]): Promise<ReadonlyMap<ItemKey, Entry>>;
  /** What arrived since, newest first, without states: for grouping by story and for `hot`. */
  recent(since: number, limit: number): Promise<readonly Entry[]>;

  /**
   * Makes each of these lists of entries one story (Q15). A story that joins another passes its states on: what was read, starred or
   * to be read later in one of them is so in both together; separating them again gives each its own state back. What is
   * separated for the first time is unread, unless "read all" covers it; the states stay with the first entry.
   */
  regroup(regrouping: Regrouping): Promise<void>;

  /** The text that is kept; `null` if there is none (any more). */
  text(id: EntryId): Promise<EntryText | null>;
  saveText(id: EntryId, text: EntryText): Promise<void>;

  list(person: string, filter: EntryFilter, options: EntryListOptions): Promise<EntryPage>;
  /** Stories that at least two of the sources published since, those of most sources first. */
  hot(
    person: string,
    sourceIds: readonly string[] | undefined,
    since: number,
    limit: number,
  ): Promise<readonly HotStory[]>;
  statesOf(person: string, ids: readonly EntryId[]): Promise<ReadonlyMap<EntryId, EntryState>>;
  unreadCounts(person: string, sourceIds: readonly string[]): Promise<UnreadCounts>;
  /** Unread stories of each group of sources, such as a folder. A story of several sources of a group counts once there. */
  unreadOfGroups(person: string, groups: readonly (readonly string[])[]): Promise<readonly number[]>;
  /** Stories that the person starred, and that are to be read later. */
  markedCounts(person: string): Promise<MarkedCounts>;
  /**
   * The newest number; 0 if nothing was ever added. At least the newest ID: a known article that another source carries takes a number
   * too, so that it is not covered by an earlier "read all" of that source.
   */
  newestId(): Promise<EntryId>;

  change(person: string, change: StateChange, now: number): Promise<AppliedChange>;
  /** False if the token is unknown or too old. */
  undo(person: string, token: string, now: number): Promise<boolean>;

  savedSearches(person: string): Promise<readonly SavedSearch[]>;
  saveSearch(person: string, search: SavedSearch): Promise<void>;
  removeSearch(person: string, id: string): Promise<boolean>;

  /** Removes texts and entries by age, in small steps. Entries that a person starred or wants to read later stay. */
  sweep(limits: EntryRetention, now: number, signal?: AbortSignal): Promise<EntrySweep>;
  /** Deletes everything about a person. */
  removePerson(person: string): Promise<void>;
  /** Removes a source from its entries; those that no other source carries are swept unless starred or wanted later. */
  removeSource(sourceId: string): Promise<void>;
}

export interface SavedSearch {
  readonly id: string;
  readonly name: string;
  readonly text: string;
  readonly folder: string | null;
  readonly sourceId: string | null;
  readonly unread: boolean;
}

export interface EntryRetention {
  /** Entries that arrived longer ago are removed; `null`: never. */
  readonly entriesMs: number | null;
  readonly textsMs: number | null;
  /** Newest entries of a source that stay, however old. */
  readonly keepPerSource: number;
}

export interface EntrySweep {
  readonly entries: number;
  readonly texts: number;
}

/** Maximum IDs of one change, and maximum entries of one page. */
export const MAX_CHANGED_IDS = 1_000;
export const MAX_ENTRY_PAGE = 200;
/** Longer texts are cut at a block. */
export const MAX_ENTRY_TEXT_BYTES = 400_000;
/** How long a change can be taken back. */
export const UNDO_WITHIN_MS = 24 * 60 * 60 * 1000;
