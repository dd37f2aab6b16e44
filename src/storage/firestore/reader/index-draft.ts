import type { DocumentSnapshot } from '@google-cloud/firestore';
import type { EntryId } from '../../../reader/entry-store.ts';
import type { Write } from '../connection.ts';
import { createOrReplace } from '../query.ts';
import { deflated, HEADS_AT, indexAt } from './documents.ts';
import type { EntryModel } from './entry-model.ts';
import {
  type IndexRow,
  MAX_GONE_ENTRIES,
  MAX_ORPHANS,
  ORPHANS,
  packRows,
  SourceIndex,
} from './source-index.ts';

/** The newest ID, and the revision of each source's index. Every change of an index raises `version` by one. */
export interface Heads {
  readonly version: number;
  readonly newest: EntryId;
  readonly revisions: ReadonlyMap<string, number>;
}

export interface FinishedDraft {
  readonly heads: Heads;
  readonly indexes: readonly SourceIndex[];
  /** The heads carry the precondition for all. */
  readonly writes: readonly Write[];
}

/** Changes of indexes that are committed together. */
export class IndexDraft {
  newest: EntryId;
  /** Of the rows that are added. */
  readonly version: number;
  readonly #heads: Heads;
  readonly #model: EntryModel;
  readonly #rows = new Map<string, Map<EntryId, IndexRow>>();

  constructor(model: EntryModel, heads: Heads) {
    this.#model = model;
    this.#heads = heads;
    this.version = heads.version + 1;
    this.newest = heads.newest;
  }

  get isEmpty(): boolean {
    return this.#rows.size === 0;
  }

  get touchedSources(): Iterable<string> {
    return this.#rows.keys();
  }

  /** For changing. */
  rowsOf(sourceId: string): Map<EntryId, IndexRow> {
    const there = this.#rows.get(sourceId);
    if (there !== undefined) return there;
    const rows = new Map((this.#model.source(sourceId)?.rows() ?? []).map((row) => [row.id, row]));
    this.#rows.set(sourceId, rows);
    return rows;
  }

  /** The entry is no longer there; its row remains. */
  markGone(sourceId: string, id: EntryId): void {
    const row = this.rowsOf(sourceId).get(id);
    if (row !== undefined) this.rowsOf(sourceId).set(id, { ...row, isGone: true });
  }

  finish(snapshot: DocumentSnapshot): FinishedDraft {
    const { version, newest } = this;
    const indexes: SourceIndex[] = [];
    const writes: Write[] = [];
    const revisions = new Map(this.#heads.revisions);
    for (const [sourceId, all] of this.#rows) {
      const at = indexAt(sourceId);
      const rows = fitting(sourceId, all);
      if (rows.length === 0) {
        revisions.delete(sourceId);
        writes.push({ do: 'delete', at });
        continue;
      }
      revisions.set(sourceId, version);
      indexes.push(SourceIndex.of(sourceId, version, rows));
      const data = { source_id: sourceId.toWellFormed(), revision: version, content: packRows(rows) };
      writes.push({ do: 'set', at, data });
    }
    const data = { version, newest, content: deflated([...revisions]) };
    return {
      heads: { version, newest, revisions },
      indexes,
      writes: [createOrReplace(snapshot, HEADS_AT, data), ...writes],
    };
  }
}

/** The rows by ID, without the oldest removed ones. */
function fitting(sourceId: string, rows: ReadonlyMap<EntryId, IndexRow>): IndexRow[] {
  const sorted = [...rows.values()].sort((a, b) => a.id - b.id);
  if (sourceId === ORPHANS) return sorted.slice(-MAX_ORPHANS);
  let tooMany = sorted.filter(({ isGone }) => isGone).length - MAX_GONE_ENTRIES;
  return sorted.filter(({ isGone }) => !isGone || tooMany-- <= 0);
}
