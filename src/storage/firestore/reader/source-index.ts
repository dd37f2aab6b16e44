import { createHash } from 'node:crypto';
import type { EntryId, NewEntry } from '../../../reader/entry-store.ts';
import { storedEnclosure } from '../../../reader/stored-enclosures.ts';
import { NumberReader, NumberWriter } from './packed-numbers.ts';

/** The newest entries of a source that the reader keeps; what a person starred stays beyond that. */
export const MAX_SOURCE_ENTRIES = 5_000;
/** Removed entries of a source that are remembered, so that they do not come back with the next reading. */
export const MAX_GONE_ENTRIES = 5_000;
/** Entries that people starred and that no source carries any more. */
export const MAX_ORPHANS = 15_000;
/** The index of entries that no source carries; no source has this ID. */
export const ORPHANS = '';

/** IDs are milliseconds since this time, times `IDS_PER_MS`. */
const ID_EPOCH = Date.UTC(2020, 0, 1);
const IDS_PER_MS = 4096;

/** What the index of a source knows of one entry. */
export interface IndexRow {
  readonly id: EntryId;
  readonly storyId: EntryId;
  readonly publishedAt: number;
  readonly arrivedAt: number;
  /** Version of the reader's index that first had this row: tells whether the source carried the entry when a person marked all as read. */
  readonly version: number;
  /** 53 bits of the key's hash: recognises a known article without reading its document. 0: the source was removed. */
  readonly keyHash: number;
  /** 32 bits of the hash of what the source last reported: recognises an edit. */
  readonly fingerprint: number;
  /** The entry was removed. Its row remains: "mark all as read" covers it, and so what remains of its story. */
  readonly isGone: boolean;
}

interface Columns {
  readonly ids: Float64Array;
  readonly stories: Float64Array;
  readonly published: Float64Array;
  readonly arrived: Float64Array;
  readonly versions: Float64Array;
  readonly keys: Float64Array;
  readonly fingerprints: Uint32Array;
  readonly gone: Uint8Array;
}

/** The newest entries of one source, by ID; immutable, and small enough in memory for a million rows. */
export class SourceIndex {
  readonly sourceId: string;
  readonly revision: number;
  readonly length: number;
  readonly #columns: Columns;
  #rowByKey: ReadonlyMap<number, number> | null = null;

  constructor(sourceId: string, revision: number, columns: Columns) {
    this.sourceId = sourceId;
    this.revision = revision;
    this.length = columns.ids.length;
    this.#columns = columns;
  }

  /** `rows` by ascending ID. */
  static of(sourceId: string, revision: number, rows: readonly IndexRow[]): SourceIndex {
    const columns = emptyColumns(rows.length);
    for (const [nth, row] of rows.entries()) {
      columns.ids[nth] = row.id;
      columns.stories[nth] = row.storyId;
      columns.published[nth] = row.publishedAt;
      columns.arrived[nth] = row.arrivedAt;
      columns.versions[nth] = row.version;
      columns.keys[nth] = row.keyHash;
      columns.fingerprints[nth] = row.fingerprint;
      columns.gone[nth] = row.isGone ? 1 : 0;
    }
    return new SourceIndex(sourceId, revision, columns);
  }

  id(row: number): EntryId {
    return this.#columns.ids[row] as number;
  }

  storyId(row: number): EntryId {
    return this.#columns.stories[row] as number;
  }

  publishedAt(row: number): number {
    return this.#columns.published[row] as number;
  }

  arrivedAt(row: number): number {
    return this.#columns.arrived[row] as number;
  }

  version(row: number): number {
    return this.#columns.versions[row] as number;
  }

  fingerprint(row: number): number {
    return this.#columns.fingerprints[row] as number;
  }

  isGone(row: number): boolean {
    return this.#columns.gone[row] === 1;
  }

  /** The row of a key; `undefined` if the source does not carry it. */
  rowOfKey(keyHash: number): number | undefined {
    if (keyHash === 0) return undefined;
    this.#rowByKey ??= new Map(Array.from(this.#columns.keys, (key, row) => [key, row] as const));
    return this.#rowByKey.get(keyHash);
  }

  rows(): IndexRow[] {
    return Array.from({ length: this.length }, (_, row) => ({
      id: this.id(row),
      storyId: this.storyId(row),
      publishedAt: this.publishedAt(row),
      arrivedAt: this.arrivedAt(row),
      version: this.version(row),
      keyHash: this.#columns.keys[row] as number,
      fingerprint: this.fingerprint(row),
      isGone: this.isGone(row),
    }));
  }
}

/** About 27 bytes a row: differences are small numbers. */
export function packRows(rows: readonly IndexRow[]): Uint8Array {
  const writer = new NumberWriter();
  let [lastId, lastVersion] = [0, 0];
  writer.put(rows.length);
  for (const row of rows) {
    writer.put(row.id - lastId);
    writer.put(row.id - row.storyId);
    writer.put(row.arrivedAt - timeOfId(row.id));
    writer.put(row.arrivedAt - row.publishedAt);
    writer.put(row.version - lastVersion);
    writer.put(row.keyHash);
    writer.put(row.fingerprint);
    writer.put(row.isGone ? 1 : 0);
    [lastId, lastVersion] = [row.id, row.version];
  }
  return writer.bytes();
}

export function unpackIndex(sourceId: string, revision: number, bytes: Uint8Array): SourceIndex {
  const reader = new NumberReader(bytes);
  const columns = emptyColumns(reader.next());
  let [id, version] = [0, 0];
  for (let row = 0; row < columns.ids.length; row++) {
    id += reader.next();
    columns.ids[row] = id;
    columns.stories[row] = id - reader.next();
    const arrivedAt = timeOfId(id) + reader.next();
    columns.arrived[row] = arrivedAt;
    columns.published[row] = arrivedAt - reader.next();
    version += reader.next();
    columns.versions[row] = version;
    columns.keys[row] = reader.next();
    columns.fingerprints[row] = reader.next();
    columns.gone[row] = reader.next();
  }
  return new SourceIndex(sourceId, revision, columns);
}

function emptyColumns(length: number): Columns {
  return {
    ids: new Float64Array(length),
    stories: new Float64Array(length),
    published: new Float64Array(length),
    arrived: new Float64Array(length),
    versions: new Float64Array(length),
    keys: new Float64Array(length),
    fingerprints: new Uint32Array(length),
    gone: new Uint8Array(length),
  };
}

/** The next ID: by the time, and above all others even if the clock was set back. */
export function nextId(newest: EntryId, now: number): EntryId {
  return Math.max(newest + 1, (now - ID_EPOCH) * IDS_PER_MS);
}

function timeOfId(id: EntryId): number {
  return Math.floor(id / IDS_PER_MS) + ID_EPOCH;
}

export function hashOfKey(key: string): number {
  const bytes = createHash('sha256').update(key).digest();
  return bytes.readUIntBE(0, 6) * 32 + ((bytes[6] ?? 0) & 31);
}

/** Of what an edit can change. Points count only where they grew by about 40 percent: each change costs a write. */
export function fingerprintOf(reported: NewEntry): number {
  const { url, title, excerpt, content, imageUrl, author, language, enclosures, points } = reported;
  const level = points === null ? -1 : Math.floor(2 * Math.log2(Math.max(0, points) + 1));
  const all = [url, title, excerpt, content, imageUrl, author, language, storedEnclosure(enclosures), level];
  return createHash('sha256').update(JSON.stringify(all)).digest().readUInt32BE(0);
}
