import { setImmediate as nextTurn } from 'node:timers/promises';
import { type EntryRetention, type EntrySweep, UNDO_WITHIN_MS } from '../../../reader/entry-store.ts';
import { DAY } from '../../../time/duration.ts';
import type { Connection } from '../connection.ts';
import { ALL_SOURCES, frontier, type Mark, NO_SOURCE, toRegion } from './coverage.ts';
import type { EntryRemover } from './entry-remover.ts';
import { type EntryRow, type EntryRows, sourceNumbers } from './entry-rows.ts';
import type { EntryTexts } from './entry-texts.ts';
import type { People } from './people.ts';

/** Entries of one transaction. */
const BATCH_SIZE = 50;
/** How long a removed article is recognised after a source showed it last. */
const TOMBSTONE_MS = 400 * DAY;

export interface EntrySweeperParts {
  readonly db: Connection;
  readonly rows: EntryRows;
  readonly texts: EntryTexts;
  readonly people: People;
  readonly remover: EntryRemover;
  /** Runs a transaction. */
  readonly write: <T>(work: () => T) => Promise<T>;
}

/** Removes what is old, and sources, in small transactions. */
export class EntrySweeper {
  readonly #parts: EntrySweeperParts;

  constructor(parts: EntrySweeperParts) {
    this.#parts = parts;
  }

  async sweep(limits: EntryRetention, now: number, signal?: AbortSignal): Promise<EntrySweep> {
    const texts = limits.textsMs === null ? 0 : await this.#sweepTexts(now - limits.textsMs, signal);
    const old =
      limits.entriesMs === null ? 0 : await this.#sweepEntries(limits.entriesMs, limits, now, signal);
    const withoutSource = await this.#sweepWithoutSource(signal);
    if (signal?.aborted !== true) await this.#sweepRecords(now);
    return { texts, entries: old + withoutSource };
  }

  async removeSource(sourceId: string): Promise<void> {
    const { db, rows, remover, write } = this.#parts;
    const sql = `SELECT e.* FROM carried c CROSS JOIN entries e ON e.ord = c.ord WHERE c.source = ? LIMIT ${BATCH_SIZE}`;
    for (;;) {
      const done = await write(() => {
        const source = rows.numberOf(sourceId);
        if (source === undefined) return true;
        const batch = db.all(sql, source) as unknown as EntryRow[];
        for (const row of batch) remover.removeSource(row, source);
        return batch.length < BATCH_SIZE;
      });
      if (done) break;
      await nextTurn();
    }
    await write(() => {
      const source = rows.numberOf(sourceId);
      if (source === undefined) return;
      db.run('DELETE FROM marks WHERE source = ?', source);
      db.run('DELETE FROM sources WHERE no = ?', source);
      rows.forgetNumbers();
      this.#parts.people.clear();
    });
  }

  #sweepTexts(before: number, signal: AbortSignal | undefined): Promise<number> {
    const { db, rows, texts, remover } = this.#parts;
    const sql = `SELECT id, fetched_at AS at FROM texts WHERE fetched_at < ? AND (fetched_at, id) > (?, ?)
      ORDER BY fetched_at, id LIMIT ${BATCH_SIZE}`;
    let last = { at: -1, id: 0 };
    return this.#inBatches(signal, () => {
      const batch = db.all(sql, before, last.at, last.id) as unknown as { id: number; at: number }[];
      let removed = 0;
      for (const { id } of batch) {
        const row = rows.byId(id);
        if (row === undefined || !remover.isWanted(row.story)) removed += texts.remove(id);
      }
      last = batch.at(-1) ?? last;
      return { removed, done: batch.length < BATCH_SIZE };
    });
  }

  #sweepEntries(
    maxAgeMs: number,
    { keepPerSource }: EntryRetention,
    now: number,
    signal: AbortSignal | undefined,
  ): Promise<number> {
    const { db, remover } = this.#parts;
    const sql = `SELECT * FROM entries WHERE arrived_at < ? AND (arrived_at, id) > (?, ?)
      ORDER BY arrived_at, id LIMIT ${BATCH_SIZE}`;
    const newest = new NewestOfSources(db, keepPerSource);
    let last = { at: -1, id: 0 };
    return this.#inBatches(signal, () => {
      const batch = db.all(sql, now - maxAgeMs, last.at, last.id) as unknown as EntryRow[];
      const old = batch.filter(
        (row) =>
          !sourceNumbers(row).some((source) => newest.has(source, row.ord)) && !remover.isWanted(row.story),
      );
      for (const row of old) {
        remover.remove(row);
        remover.leaveTombstone(row, now);
      }
      const end = batch.at(-1);
      if (end !== undefined) last = { at: end.arrived_at, id: end.id };
      return { removed: old.length, done: batch.length < BATCH_SIZE };
    });
  }

  #sweepWithoutSource(signal: AbortSignal | undefined): Promise<number> {
    const { db, remover } = this.#parts;
    const sql = `SELECT e.* FROM carried c CROSS JOIN entries e ON e.ord = c.ord WHERE c.source = ${NO_SOURCE} AND c.ord > ?
      ORDER BY c.ord LIMIT ${BATCH_SIZE}`;
    let last = -1;
    return this.#inBatches(signal, () => {
      const batch = db.all(sql, last) as unknown as EntryRow[];
      const unwanted = batch.filter(({ story }) => !remover.isWanted(story));
      for (const row of unwanted) remover.remove(row);
      last = batch.at(-1)?.ord ?? last;
      return { removed: unwanted.length, done: batch.length < BATCH_SIZE };
    });
  }

  async #inBatches(
    signal: AbortSignal | undefined,
    work: () => { readonly removed: number; readonly done: boolean },
  ): Promise<number> {
    let all = 0;
    while (signal?.aborted !== true) {
      const { removed, done } = await this.#parts.write(work);
      all += removed;
      if (done) break;
      await nextTurn();
    }
    return all;
  }

  /** Undo records that are too old, tombstones, and marks that others contain and that can no longer be undone. */
  async #sweepRecords(now: number): Promise<void> {
    const { db, people, write } = this.#parts;
    const undoable = now - UNDO_WITHIN_MS;
    await write(() => {
      db.run('DELETE FROM undos WHERE at < ?', undoable);
      db.run('DELETE FROM tombstones WHERE seen_at < ?', now - TOMBSTONE_MS);
    });
    for (const { no } of people.withMarks()) await write(() => this.#pruneMarks(no, undoable));
  }

  #pruneMarks(person: number | null, before: number): void {
    const { db } = this.#parts;
    const sql = 'SELECT token, source, up_to AS upTo, before FROM marks WHERE person = ? AND at < ?';
    const marks = db.all(sql, person, before) as unknown as (Mark & { token: string })[];
    const bySource = Map.groupBy(marks, ({ source }) => source);
    const ofAll = (bySource.get(ALL_SOURCES) ?? []).map(toRegion);
    for (const [source, own] of bySource) {
      const kept = frontier([...own.map(toRegion), ...(source === ALL_SOURCES ? [] : ofAll)]);
      const needed = new Set(kept.map(({ upTo, beforeOrd }) => `${upTo} ${beforeOrd}`));
      for (const mark of own) {
        const { upTo, beforeOrd } = toRegion(mark);
        // Of equal ones the first is kept.
        const isNeeded = needed.delete(`${upTo} ${beforeOrd}`);
        const isOfAll =
          source !== ALL_SOURCES && ofAll.some((one) => one.upTo === upTo && one.beforeOrd === beforeOrd);
        if (!isNeeded || isOfAll)
          db.run(
            'DELETE FROM marks WHERE person = ? AND token = ? AND source = ?',
            person,
            mark.token,
            source,
          );
      }
    }
  }
}

/** The newest entries of each source, which stay. */
class NewestOfSources {
  readonly #db: Connection;
  readonly #keep: number;
  readonly #oldest = new Map<number, number>();

  constructor(db: Connection, keep: number) {
    this.#db = db;
    this.#keep = keep;
  }

  has(source: number, ord: number): boolean {
    if (this.#keep <= 0) return false;
    const known = this.#oldest.get(source) ?? this.#find(source);
    this.#oldest.set(source, known);
    return ord >= known;
  }

  #find(source: number): number {
    const sql = 'SELECT ord FROM carried WHERE source = ? ORDER BY ord DESC LIMIT 1 OFFSET ?';
    return Number(this.#db.get(sql, source, this.#keep - 1)?.ord ?? 0);
  }
}
