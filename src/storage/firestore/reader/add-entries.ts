import type { DocumentSnapshot } from '@google-cloud/firestore';
import type { AddedEntry, Entry, EntryId, EntryText, NewEntry } from '../../../reader/entry-store.ts';
import { Batcher } from '../batcher.ts';
import type { FirestoreConnection, Write } from '../connection.ts';
import {
  entryAt,
  entryData,
  keepersOf,
  type StoredEntry,
  textAt,
  textData,
  toEntryText,
  toStoredEntry,
} from './documents.ts';
import type { EntryDocuments } from './entry-documents.ts';
import type { EntryModel } from './entry-model.ts';
import type { IndexCache } from './index-cache.ts';
import type { IndexDraft } from './index-draft.ts';
import { retireFromSource } from './retire-entries.ts';
import { textStartOf, tokensOf } from './search.ts';
import { fingerprintOf, hashOfKey, MAX_SOURCE_ENTRIES, nextId, ORPHANS } from './source-index.ts';
import { checkedEntry, mergeReport, newStoredEntry, withSource } from './stored-entry.ts';

/** Entries of one commit: each writes two documents, and may push two others out of its source. */
const MAX_GROUP_ENTRIES = 50;
const MAX_GROUP_CHARACTERS = 2_000_000;
/** Readings of sources that are committed together. */
const MAX_GROUPS = 2;

export interface AddRequest {
  readonly entries: readonly NewEntry[];
  readonly now: number;
  readonly storyOf: (entry: NewEntry) => EntryId | null;
}

/** An entry that a commit creates or changes. */
interface Working {
  readonly found: DocumentSnapshot;
  stored: StoredEntry | null;
  isChanged: boolean;
  /** Extracted from the page: the content of the feed does not replace it. */
  hasPageText: boolean;
  /** To be written. */
  text: EntryText | null;
}

/**
 * Adds what sources show. What the index knows costs nothing. Everything else is one commit with the heads as precondition: so
 * IDs become visible in their order, and replicas that add the same article at the same time make one entry of it.
 */
export class EntryAdder {
  readonly #connection: FirestoreConnection;
  readonly #cache: IndexCache;
  readonly #documents: EntryDocuments;
  readonly #batcher = new Batcher((requests: readonly AddRequest[]) => this.#commit(requests), MAX_GROUPS);

  constructor(connection: FirestoreConnection, cache: IndexCache, documents: EntryDocuments) {
    this.#connection = connection;
    this.#cache = cache;
    this.#documents = documents;
  }

  async add({ entries, now, storyOf }: AddRequest): Promise<readonly AddedEntry[]> {
    if (!this.#cache.isLoaded) await this.#cache.refresh();
    const added: AddedEntry[] = [];
    for (const group of groupsOf(entries.map((entry) => checkedEntry(entry, now)))) {
      const known = group.map((entry) => this.#known(entry));
      if (known.every((one) => one !== null)) added.push(...known.flat());
      else added.push(...(await this.#batcher.do({ entries: group, now, storyOf })));
    }
    return added;
  }

  async #commit(requests: readonly AddRequest[]): Promise<readonly AddedEntry[][]> {
    const attempts = new Attempts();
    const added = await this.#cache.change(async (draft) => {
      const working = await this.#readUnknown(requests.flatMap(({ entries }) => entries));
      const addition = new Addition(draft, this.#cache.model, working);
      const value = requests.map((request) =>
        request.entries.flatMap((entry) =>
          (this.#known(entry) ?? addition.add(entry, request)).map((one) => attempts.outcomeOf(entry, one)),
        ),
      );
      attempts.next();
      return { value, writes: [...addition.writes(), ...(await this.#trim(draft, working))] };
    });
    for (const { entry } of added.flat()) this.#documents.remember(entry);
    return added;
  }

  /** The answer for what the index knows: empty for a removed entry, `null` if its document is needed. */
  #known(reported: NewEntry): AddedEntry[] | null {
    const index = this.#cache.model.source(reported.sourceId);
    const row = index?.rowOfKey(hashOfKey(reported.key));
    if (index === undefined || row === undefined) return null;
    if (index.isGone(row)) return [];
    if (index.fingerprint(row) !== fingerprintOf(reported)) return null;
    const id = index.id(row);
    const { sourceId: _, sourceName: __, content: ___, ...fields } = reported;
    const entry: Entry = this.#documents.cached(id) ?? {
      ...fields,
      id,
      storyId: index.storyId(row),
      publishedAt: index.publishedAt(row),
      arrivedAt: index.arrivedAt(row),
      sourceIds: this.#cache.model.carriersOf(id),
    };
    return [{ entry, outcome: 'known' }];
  }

  async #readUnknown(entries: readonly NewEntry[]): Promise<Map<string, Working>> {
    const keys = [...new Set(entries.filter((entry) => this.#known(entry) === null).map(({ key }) => key))];
    const found = await this.#connection.getAll(keys.map(entryAt));
    const working = new Map<string, Working>();
    for (const [nth, key] of keys.entries()) {
      const document = found[nth];
      if (document !== undefined)
        working.set(key, {
          found: document,
          stored: toStoredEntry(document),
          isChanged: false,
          hasPageText: false,
          text: null,
        });
    }
    const edited = entries.flatMap((entry) => {
      const stored = working.get(entry.key)?.stored;
      return stored && mergeReport(stored, entry).content !== null ? [{ entry, stored }] : [];
    });
    const texts = await this.#connection.getAll(edited.map(({ stored }) => textAt(stored.entry.id)));
    for (const [nth, { entry }] of edited.entries()) {
      const text = texts[nth];
      const one = working.get(entry.key);
      if (text !== undefined && one !== undefined) one.hasPageText = toEntryText(text)?.origin === 'page';
    }
    return working;
  }

  /** Takes the oldest entries out of sources that have too many. */
  async #trim(draft: IndexDraft, working: ReadonlyMap<string, Working>): Promise<Write[]> {
    const writes: Write[] = [];
    const busy = new Set([...working.values()].map(({ stored }) => stored?.entry.id));
    for (const sourceId of [...draft.touchedSources]) {
      const live = [...draft.rowsOf(sourceId).values()].filter(({ isGone }) => !isGone).map(({ id }) => id);
      if (live.length <= MAX_SOURCE_ENTRIES || sourceId === ORPHANS) continue;
      const oldest = live
        .sort((a, b) => a - b)
        .slice(0, live.length - MAX_SOURCE_ENTRIES)
        .filter((id) => !busy.has(id))
        .slice(0, MAX_GROUP_ENTRIES);
      writes.push(...retireFromSource(draft, sourceId, oldest, await this.#documents.snapshots(oldest)));
    }
    return writes;
  }
}

/** One commit's entries, in their order. */
class Addition {
  readonly #draft: IndexDraft;
  readonly #model: EntryModel;
  readonly #working: ReadonlyMap<string, Working>;
  readonly #storyOfNew = new Map<EntryId, EntryId>();

  constructor(draft: IndexDraft, model: EntryModel, working: ReadonlyMap<string, Working>) {
    this.#draft = draft;
    this.#model = model;
    this.#working = working;
  }

  add(reported: NewEntry, { now, storyOf }: AddRequest): AddedEntry[] {
    const one = this.#working.get(reported.key);
    if (one === undefined) return [];
    if (one.stored === null) return [this.#create(one, reported, now, storyOf(reported))];
    if (!one.stored.entry.sourceIds.includes(reported.sourceId))
      return [this.#carry(one, one.stored, reported, now)];
    return [this.#edit(one, one.stored, reported, now)];
  }

  writes(): Write[] {
    return [...this.#working.values()].flatMap(({ found, stored, isChanged, text }): Write[] => {
      if (stored === null || !isChanged) return [];
      const at = entryAt(stored.entry.key);
      const data = entryData(stored, tokensOf(stored), keepersOf(found));
      const { updateTime } = found;
      const { id } = stored.entry;
      return [
        updateTime === undefined ? { do: 'create', at, data } : { do: 'replace', at, data, asOf: updateTime },
        ...(text === null ? [] : [{ do: 'set' as const, at: textAt(id), data: textData(id, text) }]),
      ];
    });
  }

  #create(one: Working, reported: NewEntry, now: number, relative: EntryId | null): AddedEntry {
    const id = nextId(this.#draft.newest, now);
    const storyId =
      relative === null ? id : (this.#storyOfNew.get(relative) ?? this.#model.storyOf(relative)?.id ?? id);
    this.#draft.newest = id;
    this.#storyOfNew.set(id, storyId);
    const stored = newStoredEntry(reported, id, storyId, now);
    one.stored = stored;
    one.isChanged = true;
    if (reported.content !== null) one.text = feedText(reported.content, now);
    this.#putRow(stored.entry, reported);
    return { entry: stored.entry, outcome: 'new' };
  }

  #carry(one: Working, before: StoredEntry, reported: NewEntry, now: number): AddedEntry {
    if (before.entry.sourceIds.length === 0) this.#draft.rowsOf(ORPHANS).delete(before.entry.id);
    const { entry } = this.#merge(one, withSource(before, reported), reported, now);
    one.isChanged = true;
    return { entry, outcome: 'carried' };
  }

  #edit(one: Working, before: StoredEntry, reported: NewEntry, now: number): AddedEntry {
    const { entry, isEdited } = this.#merge(one, before, reported, now);
    return { entry, outcome: isEdited ? 'edited' : 'known' };
  }

  #merge(
    one: Working,
    before: StoredEntry,
    reported: NewEntry,
    now: number,
  ): { readonly entry: Entry; readonly isEdited: boolean } {
    const { stored, isChanged, isEdited, content } = mergeReport(before, reported);
    const replaced = one.hasPageText ? null : content;
    one.stored = replaced === null ? stored : { ...stored, textStart: textStartOf(replaced) };
    one.isChanged ||= isChanged;
    if (replaced !== null) one.text = feedText(replaced, now);
    this.#putRow(stored.entry, reported);
    return { entry: stored.entry, isEdited: isEdited || replaced !== null };
  }

  #putRow({ id, storyId, publishedAt, arrivedAt }: Entry, reported: NewEntry): void {
    const rows = this.#draft.rowsOf(reported.sourceId);
    rows.set(id, {
      id,
      storyId,
      publishedAt,
      arrivedAt,
      version: rows.get(id)?.version ?? this.#draft.version,
      keyHash: hashOfKey(reported.key),
      fingerprint: fingerprintOf(reported),
      isGone: false,
    });
  }
}

/** The answers of earlier attempts of a commit: one of them may have succeeded, and only its reply was lost. */
class Attempts {
  #earlier = new Map<string, AddedEntry[]>();
  #now = new Map<string, AddedEntry[]>();

  /** What an own attempt added is still new to the caller. */
  outcomeOf({ key, sourceId }: NewEntry, added: AddedEntry): AddedEntry {
    const name = JSON.stringify([sourceId, key]);
    const answers = this.#now.get(name) ?? [];
    const earlier = this.#earlier.get(name)?.[answers.length];
    const isOwn =
      added.outcome === 'known' &&
      earlier?.entry.id === added.entry.id &&
      (earlier.outcome !== 'new' || added.entry.sourceIds[0] === sourceId);
    const answer = isOwn ? { ...added, outcome: earlier.outcome } : added;
    this.#now.set(name, [...answers, answer]);
    return answer;
  }

  next(): void {
    this.#earlier = this.#now;
    this.#now = new Map();
  }
}

function feedText(html: string, now: number): EntryText {
  return { html, origin: 'feed', byline: null, fetchedAt: now };
}

function groupsOf(entries: readonly NewEntry[]): NewEntry[][] {
  const groups: NewEntry[][] = [];
  let characters = 0;
  for (const entry of entries) {
    const last = groups.at(-1);
    characters += entry.content?.length ?? 0;
    if (last !== undefined && last.length < MAX_GROUP_ENTRIES && characters <= MAX_GROUP_CHARACTERS)
      last.push(entry);
    else {
      groups.push([entry]);
      characters = entry.content?.length ?? 0;
    }
  }
  return groups;
}
