import { hash } from 'node:crypto';
import type { ItemKey } from '../../../item/item.ts';
import type { Entry } from '../../../reader/entry-store.ts';
import { enclosuresFrom, type StoredEnclosure } from '../../../reader/stored-enclosures.ts';
import type { StoryReason } from '../../../same-story/story-reason.ts';
import type { Connection, Row } from '../connection.ts';

/** A row of `entries`. */
export interface EntryRow {
  readonly ord: number;
  readonly id: number;
  readonly key: string;
  readonly story: number;
  readonly shared: number;
  /** JSON list of source numbers, the first one first. */
  readonly sources: string;
  readonly url: string;
  readonly title: string;
  readonly author: string | null;
  readonly excerpt: string | null;
  readonly image_url: string | null;
  readonly language: string | null;
  readonly published_at: number;
  readonly arrived_at: number;
  readonly points: number | null;
  readonly enclosure: string | null;
  readonly content_hash: string | null;
  readonly story_reason: string | null;
}

/** Entries by their columns that identify them, and the names of sources by their numbers. */
export class EntryRows {
  readonly #db: Connection;
  readonly #ids = new Map<number, string>();
  readonly #numbers = new Map<string, number>();

  constructor(db: Connection) {
    this.#db = db;
  }

  byId(id: number): EntryRow | undefined {
    return toRow(this.#db.get('SELECT * FROM entries WHERE id = ?', id));
  }

  byKey(key: string): EntryRow | undefined {
    return toRow(this.#db.get('SELECT * FROM entries WHERE key = ?', key));
  }

  byOrd(ord: number): EntryRow | undefined {
    return toRow(this.#db.get('SELECT * FROM entries WHERE ord = ?', ord));
  }

  recent(since: number, limit: number): EntryRow[] {
    const sql = 'SELECT * FROM entries WHERE arrived_at >= ? ORDER BY arrived_at DESC, id DESC LIMIT ?';
    return this.#db.all(sql, since, limit) as unknown as EntryRow[];
  }

  /** The entries of a story, the first one first. */
  ofStory(story: number): EntryRow[] {
    const sql = `SELECT * FROM entries WHERE ord IN (SELECT ord FROM carried WHERE story = ?1 AND shared = 1)
      OR (id = ?1 AND shared = 0) ORDER BY id`;
    return this.#db.all(sql, story) as unknown as EntryRow[];
  }

  toEntry(row: EntryRow): Entry {
    return {
      id: row.id,
      key: row.key as ItemKey,
      storyId: row.story,
      url: row.url,
      title: row.title,
      author: row.author,
      excerpt: row.excerpt,
      imageUrl: row.image_url,
      language: row.language,
      publishedAt: row.published_at,
      arrivedAt: row.arrived_at,
      points: row.points,
      enclosures: row.enclosure === null ? [] : enclosuresFrom(JSON.parse(row.enclosure) as StoredEnclosure),
      sourceIds: this.sourceIds(row),
      ...(row.story_reason !== null && { storyReason: JSON.parse(row.story_reason) as StoryReason }),
    };
  }

  sourceIds(row: Pick<EntryRow, 'sources'>): string[] {
    return sourceNumbers(row).flatMap((no) => this.#idOf(no) ?? []);
  }

  /** `undefined`: nothing of it was ever added. */
  numberOf(sourceId: string): number | undefined {
    const known = this.#numbers.get(sourceId);
    if (known !== undefined) return known;
    const no = this.#db.get('SELECT no FROM sources WHERE id = ?', sourceId)?.no;
    if (typeof no === 'number') this.#numbers.set(sourceId, no);
    return typeof no === 'number' ? no : undefined;
  }

  numbersOf(sourceIds: readonly string[]): number[] {
    return [...new Set(sourceIds.flatMap((id) => this.numberOf(id) ?? []))];
  }

  allNumbers(): number[] {
    return this.#db.all('SELECT no FROM sources').map(({ no }) => Number(no));
  }

  namesOf(numbers: readonly number[]): string[] {
    const sql = 'SELECT name FROM sources WHERE no IN (SELECT value FROM json_each(?))';
    return this.#db.all(sql, JSON.stringify(numbers)).map(({ name }) => String(name));
  }

  /** Numbers can be reused after a roll-back or a removal. */
  forgetNumbers(): void {
    this.#ids.clear();
    this.#numbers.clear();
  }

  #idOf(no: number): string | undefined {
    const known = this.#ids.get(no);
    if (known !== undefined) return known;
    const id = this.#db.get('SELECT id FROM sources WHERE no = ?', no)?.id;
    if (typeof id === 'string') this.#ids.set(no, id);
    return typeof id === 'string' ? id : undefined;
  }
}

function toRow(row: Row | undefined): EntryRow | undefined {
  return row as EntryRow | undefined;
}

export function sourceNumbers({ sources }: Pick<EntryRow, 'sources'>): number[] {
  return JSON.parse(sources) as number[];
}

/** Identifies a content or a key. 96 bits. */
export function shortHash(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, 16);
}
