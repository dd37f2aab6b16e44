import type { AddedEntry, EntryId, EntryText, NewEntry } from '../../../reader/entry-store.ts';
import { storedEnclosure } from '../../../reader/stored-enclosures.ts';
import { DAY } from '../../../time/duration.ts';
import type { Connection } from '../connection.ts';
import { NO_SOURCE } from './coverage.ts';
import { type EntryRow, type EntryRows, shortHash, sourceNumbers } from './entry-rows.ts';
import type { EntryTexts } from './entry-texts.ts';
import { nextNumber, nextOrd } from './order.ts';
import type { SearchIndex } from './search-index.ts';
import type { UnreadCounter } from './unread-counter.ts';

/** A tombstone is refreshed only so often while its article is still shown. */
const TOMBSTONE_REFRESH_MS = 7 * DAY;

export interface EntryWriterParts {
  readonly db: Connection;
  readonly rows: EntryRows;
  readonly texts: EntryTexts;
  readonly index: SearchIndex;
  readonly counter: UnreadCounter;
}

/** What a source says of a known article, merged into what is stored. */
interface Merged {
  readonly row: EntryRow;
  readonly isCarried: boolean;
  /** Something that people see changed. */
  readonly isEdited: boolean;
  /** Something that only the row has changed. */
  readonly isChanged: boolean;
  /** To be stored as the text. */
  readonly content: string | null;
}

/** Adds entries. All methods run in a transaction of the caller. */
export class EntryWriter {
  readonly #parts: EntryWriterParts;

  constructor(parts: EntryWriterParts) {
    this.#parts = parts;
  }

  /** The answer of `add` if it changes nothing; `undefined` if it has to be written. `null`: not added again. */
  unchanged(entry: NewEntry, now: number): AddedEntry | null | undefined {
    const { rows } = this.#parts;
    const row = rows.byKey(entry.key);
    if (row === undefined) {
      const seenAt = this.#tombstoneOf(entry.key);
      return seenAt !== null && seenAt > now - TOMBSTONE_REFRESH_MS ? null : undefined;
    }
    const source = rows.numberOf(entry.sourceId);
    if (source === undefined) return undefined;
    const { isCarried, isEdited, isChanged } = this.#merge(row, entry, source);
    return isCarried || isEdited || isChanged ? undefined : { entry: rows.toEntry(row), outcome: 'known' };
  }

  /** `null` if retention removed the article before. */
  add(entry: NewEntry, now: number, storyOf: (entry: NewEntry) => EntryId | null): AddedEntry | null {
    const { db, rows } = this.#parts;
    const row = rows.byKey(entry.key);
    if (row === undefined && this.#tombstoneOf(entry.key) !== null) {
      db.run('UPDATE tombstones SET seen_at = max(seen_at, ?) WHERE key_hash = ?', now, shortHash(entry.key));
      return null;
    }
    const source = this.#registerSource(entry);
    return row === undefined
      ? this.#insert(entry, source, now, storyOf)
      : this.#update(row, entry, source, now);
  }

  saveText(id: EntryId, text: EntryText): void {
    const { rows, texts, index } = this.#parts;
    const row = rows.byId(id);
    if (row === undefined) return;
    texts.put(id, text);
    index.put(row, text.html);
  }

  #insert(
    entry: NewEntry,
    source: number,
    now: number,
    storyOf: (entry: NewEntry) => EntryId | null,
  ): AddedEntry {
    const { db, rows, texts, index, counter } = this.#parts;
    const story = this.#knownStory(storyOf(entry));
    const { row } = counter.around(story, () => {
      const publishedAt = Math.min(entry.publishedAt, now);
      const id = nextNumber(db, now);
      const ord = nextOrd(db, publishedAt);
      if (story !== null) this.#share(story);
      const shared = story === null ? 0 : 1;
      const facts = factsOf(entry);
      db.run(
        `INSERT INTO entries (ord, id, key, story, shared, sources, url, title, author, excerpt, image_url, language,
           published_at, arrived_at, points, enclosure, content_hash, story_reason)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        ord,
        id,
        entry.key,
        story ?? id,
        shared,
        JSON.stringify([source]),
        facts.url,
        facts.title,
        facts.author,
        facts.excerpt,
        facts.image_url,
        facts.language,
        publishedAt,
        now,
        facts.points,
        facts.enclosure,
        entry.content === null ? null : shortHash(entry.content),
        entry.storyReason === undefined ? null : JSON.stringify(entry.storyReason),
      );
      this.#carry(source, ord, id, story ?? id, shared);
      const inserted = rows.byId(id);
      if (inserted === undefined) throw new Error('The new entry is missing.');
      return { row: inserted, story: inserted.story };
    });
    if (entry.content !== null) texts.put(row.id, feedText(entry.content, now));
    index.put(row, entry.content);
    return { entry: rows.toEntry(row), outcome: 'new' };
  }

  #update(before: EntryRow, entry: NewEntry, source: number, now: number): AddedEntry {
    const { db, rows, texts, index, counter } = this.#parts;
    const { row, isCarried, isEdited, isChanged, content } = this.#merge(before, entry, source);
    if (isEdited || isChanged)
      db.run(
        `UPDATE entries SET url = ?, title = ?, author = ?, excerpt = ?, image_url = ?, language = ?, points = ?,
           enclosure = ?, content_hash = ? WHERE ord = ?`,
        row.url,
        row.title,
        row.author,
        row.excerpt,
        row.image_url,
        row.language,
        row.points,
        row.enclosure,
        row.content_hash,
        row.ord,
      );
    if (isCarried)
      counter.around(row.story, () => {
        this.#addSource(row, source, now);
        return row;
      });
    if (content !== null) texts.put(row.id, feedText(content, now));
    const stored = rows.byOrd(row.ord) ?? row;
    if (isCarried || isEdited) index.put(stored, content ?? texts.get(row.id)?.html ?? null);
    return { entry: rows.toEntry(stored), outcome: isCarried ? 'carried' : isEdited ? 'edited' : 'known' };
  }

  /**
   * The first source of an article may change it; others only add what is missing, so that two sources do not overwrite each
   * other with every reading. A text of the page is kept.
   */
  #merge(before: EntryRow, entry: NewEntry, source: number): Merged {
    const [first = source] = sourceNumbers(before);
    const given = factsOf(entry);
    const pick = <T>(known: T | null, now: T | null): T | null =>
      source === first ? (now ?? known) : (known ?? now);
    const hash = entry.content === null ? null : shortHash(entry.content);
    const row: EntryRow = {
      ...before,
      url: source === first ? given.url : before.url,
      title: source === first ? given.title : before.title,
      author: pick(before.author, given.author),
      excerpt: pick(before.excerpt, given.excerpt),
      image_url: pick(before.image_url, given.image_url),
      language: pick(before.language, given.language),
      points: pick(before.points, given.points),
      enclosure: pick(before.enclosure, given.enclosure),
      content_hash: pick(before.content_hash, hash),
    };
    const hasContent = row.content_hash !== before.content_hash;
    const keepsPage = hasContent && this.#parts.texts.originOf(before.id) === 'page';
    const fields = ['url', 'title', 'author', 'excerpt', 'image_url', 'enclosure'] as const;
    return {
      row,
      isCarried: !sourceNumbers(before).includes(source),
      isEdited: fields.some((field) => row[field] !== before[field]) || (hasContent && !keepsPage),
      isChanged: hasContent || row.points !== before.points || row.language !== before.language,
      content: hasContent && !keepsPage ? entry.content : null,
    };
  }

  #addSource(row: EntryRow, source: number, now: number): void {
    const { db } = this.#parts;
    const sources = [...sourceNumbers(row), source];
    db.run('UPDATE entries SET sources = ? WHERE ord = ?', JSON.stringify(sources), row.ord);
    const isAlone = sources.length === 1 && row.shared === 0;
    if (sources.length === 1) db.run('DELETE FROM carried WHERE source = ? AND ord = ?', NO_SOURCE, row.ord);
    if (!isAlone) this.#share(row.story);
    this.#carry(source, row.ord, nextNumber(db, now), row.story, isAlone ? 0 : 1);
  }

  #carry(source: number, ord: number, seq: number, story: number, shared: number): void {
    const sql = 'INSERT INTO carried (source, ord, seq, story, shared) VALUES (?, ?, ?, ?, ?)';
    this.#parts.db.run(sql, source, ord, seq, story, shared);
  }

  /** A story that had one entry and one source gets more. */
  #share(story: number): void {
    const { db, rows } = this.#parts;
    const only = rows.byId(story);
    if (only === undefined || only.shared === 1) return;
    db.run('UPDATE entries SET shared = 1 WHERE ord = ?', only.ord);
    const [source = NO_SOURCE] = sourceNumbers(only);
    db.run('UPDATE carried SET shared = 1 WHERE source = ? AND ord = ?', source, only.ord);
  }

  /** The story of an entry, or that story itself where its first entry was removed. */
  #knownStory(id: EntryId | null): number | null {
    if (id === null) return null;
    const { db, rows } = this.#parts;
    const entry = rows.byId(id);
    if (entry !== undefined) return entry.story;
    const rest = db.get('SELECT story FROM carried WHERE story = ? AND shared = 1 LIMIT 1', id);
    return rest === undefined ? null : id;
  }

  #registerSource({ sourceId, sourceName }: NewEntry): number {
    const { db, rows } = this.#parts;
    db.run(
      'INSERT INTO sources (id, name) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET name = excluded.name WHERE name <> excluded.name',
      sourceId,
      sourceName.toWellFormed(),
    );
    const no = rows.numberOf(sourceId);
    if (no === undefined) throw new Error(`The source ${sourceId} is missing.`);
    return no;
  }

  #tombstoneOf(key: string): number | null {
    const row = this.#parts.db.get('SELECT seen_at FROM tombstones WHERE key_hash = ?', shortHash(key));
    return typeof row?.seen_at === 'number' ? row.seen_at : null;
  }
}

/** Stored as well-formed Unicode: SQLite would not return anything else as it was given. */
function factsOf(entry: NewEntry) {
  const text = (value: string | null): string | null => value?.toWellFormed() ?? null;
  const enclosure = storedEnclosure(entry.enclosures);
  return {
    url: entry.url.toWellFormed(),
    title: entry.title.toWellFormed(),
    author: text(entry.author),
    excerpt: text(entry.excerpt),
    image_url: text(entry.imageUrl),
    language: text(entry.language),
    points: entry.points,
    enclosure: enclosure === null ? null : JSON.stringify(enclosure),
  };
}

function feedText(html: string, fetchedAt: number): EntryText {
  return { html, origin: 'feed', byline: null, fetchedAt };
}
