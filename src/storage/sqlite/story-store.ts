import { setImmediate as nextTurn } from 'node:timers/promises';
import { chunked } from '../../item/chunked.ts';
import { byRank, type ListedStory, type Rank, type Story } from '../../stories/story.ts';
import {
  type BestPage,
  type BestRequest,
  type ChangePage,
  type ChangePosition,
  type HiddenPage,
  type HiddenRequest,
  type NewStory,
  NO_USAGE,
  type Ranking,
  type StoryChange,
  type StoryStore,
  type StoryStoreAbilities,
  type StoryUsage,
  type SyncState,
} from '../../stories/story-store.ts';
import type { Clock } from '../../time/clock.ts';
import { DAY } from '../../time/duration.ts';
import type { StoryFile } from './story-file.ts';
import { MergedRanks } from './story-ranks.ts';
import { ALL_COLUMNS, LISTED_COLUMNS, StoryWriter, toListed, toStory } from './story-writer.ts';

/** Stories in one transaction: the write lock is held for a few milliseconds only. */
const BATCH_SIZE = 10;
/** Ranks that one call examines, hidden ones included. */
const MAX_EXAMINED = 1000;
/** Stories of a ranking that are read per event-loop iteration. */
const RANKING_BATCH_SIZE = 250;
/** Retention of the change feed. */
const CHANGE_RETENTION_MS = 2 * DAY;
const PRUNE_BATCH_SIZE = 500;
const CHANGES_BATCH_SIZE = 250;
/** With more changes than this, reloading the ranking is cheaper. */
const MAX_CHANGES = 20_000;
/** Period of stories whose sync times are read per event-loop iteration. */
const STALE_SLICE_MS = 2 * DAY;

const SELECT_LISTED_BY_ID = `SELECT ${LISTED_COLUMNS} FROM json_each(?) CROSS JOIN stories ON stories.id = json_each.value`;
const SELECT_BY_ID = `SELECT ${ALL_COLUMNS} FROM json_each(?) CROSS JOIN stories ON stories.id = json_each.value WHERE set_no = ?`;
const SELECT_STALE = `SELECT id, updated FROM stories INDEXED BY stories_by_time
  WHERE set_no = ? AND time > ? AND time <= ? AND updated < ? ORDER BY updated LIMIT ?`;
const SELECT_NEWEST =
  'SELECT time FROM stories INDEXED BY stories_by_time WHERE set_no = ? ORDER BY time DESC LIMIT 1';
const ADD_USAGE = `INSERT INTO uses (set_no, day, requests, reads, writes) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET requests = requests + excluded.requests, reads = reads + excluded.reads,
    writes = writes + excluded.writes`;
const SELECT_CHANGES = 'SELECT seq, set_no, before, after FROM changes WHERE seq > ? ORDER BY seq LIMIT ?';

/** One set of stories, in a file shared by all sets. */
export class SqliteStoryStore implements StoryStore {
  readonly abilities: StoryStoreAbilities = { pollIntervalMs: 0, cache: null };
  readonly #file: StoryFile;
  readonly #set: number;
  readonly #clock: Clock;
  readonly #writer: StoryWriter;

  /** The file belongs to the caller. */
  constructor(file: StoryFile, set: number, clock: Clock) {
    this.#file = file;
    this.#set = set;
    this.#clock = clock;
    this.#writer = new StoryWriter(file.db, set);
  }

  async upsert(stories: readonly NewStory[]): Promise<void> {
    await this.#inBatches(stories, ({ story }, now) => this.#writer.put(story, now));
  }

  async remove(ids: readonly number[]): Promise<void> {
    await this.#inBatches(ids, (id, now) => this.#writer.remove(id, now));
  }

  async find(ids: readonly number[]): Promise<readonly Story[]> {
    const rows = await this.#read(() => this.#db.all(SELECT_BY_ID, JSON.stringify(ids), this.#set));
    return rows.map(toStory);
  }

  best(ask: BestRequest): Promise<BestPage> {
    return this.#read(() => this.#best(ask));
  }

  /**
   * Reads in batches and yields to the event loop in between. Changes made meanwhile follow the returned position in the
   * change feed; the caller applies them.
   */
  async ranking(since: number | null, limit: number): Promise<Ranking> {
    const position = await this.head();
    const found = new Map<number, ListedStory>();
    let after: Rank | null = null;
    for (;;) {
      const part: BestPage = await this.best({
        since,
        after,
        limit: Math.min(RANKING_BATCH_SIZE, limit - found.size),
      });
      for (const story of part.stories) found.set(story.id, story);
      after = part.next;
      if (after === null || found.size >= limit) break;
      await nextTurn();
    }
    return { stories: [...found.values()].sort(byRank), complete: after === null, position };
  }

  async latestId(): Promise<number | null> {
    const row = await this.#read(() => this.#db.get('SELECT latest FROM sets WHERE no = ?', this.#set));
    return (row?.latest as number | null | undefined) ?? null;
  }

  /** Reads a few days of stories at a time: a whole month would block the event loop. */
  async stale(since: number, updatedBefore: number, limit: number): Promise<readonly Story[]> {
    const newest = await this.#read(() => this.#db.get(SELECT_NEWEST, this.#set));
    const end = (newest?.time as number | undefined) ?? since;
    let found: { id: number; updated: number }[] = [];
    for (let from = since; from < end; from += STALE_SLICE_MS) {
      const slice = await this.#read(() =>
        this.#db.all(
          SELECT_STALE,
          this.#set,
          from,
          Math.min(from + STALE_SLICE_MS, end),
          updatedBefore,
          limit,
        ),
      );
      const more = slice.map((row) => ({ id: row.id as number, updated: row.updated as number }));
      found = [...found, ...more].sort((a, b) => a.updated - b.updated || a.id - b.id).slice(0, limit);
      await nextTurn();
    }
    const place = new Map(found.map(({ id }, n) => [id, n]));
    const stories = await this.find(found.map(({ id }) => id));
    return stories.toSorted((a, b) => (place.get(a.id) ?? 0) - (place.get(b.id) ?? 0));
  }

  head(): Promise<ChangePosition> {
    return this.#read(() => this.#head());
  }

  async changesSince(position: ChangePosition): Promise<ChangePage | null> {
    let after = Number(position);
    const oldest = await this.#read(() => this.#db.get('SELECT min(seq) AS seq FROM changes')?.seq);
    const reachesTo = Number(oldest ?? Number(await this.head()) + 1) - 1;
    if (!Number.isSafeInteger(after) || after < reachesTo) return null;
    const changes: StoryChange[] = [];
    for (;;) {
      const rows = await this.#read(() => this.#db.all(SELECT_CHANGES, after, CHANGES_BATCH_SIZE));
      changes.push(...rows.filter((row) => row.set_no === this.#set).map(toChange));
      after = (rows.at(-1)?.seq as number | undefined) ?? after;
      if (rows.length < CHANGES_BATCH_SIZE) return { changes, position: toPosition(after) };
      if (changes.length > MAX_CHANGES) return null;
      await nextTurn();
    }
  }

  hide(username: string, storyIds: readonly number[], at: number): Promise<void> {
    return this.#file.hidden.hide(username, storyIds, at);
  }

  unhide(username: string, storyIds: readonly number[]): Promise<void> {
    return this.#file.hidden.unhide(username, storyIds);
  }

  hiddenAmong(username: string, storyIds: readonly number[]): Promise<ReadonlySet<number>> {
    return this.#read(() => this.#file.hidden.among(username, storyIds));
  }

  hidden(username: string, page: HiddenRequest): Promise<HiddenPage> {
    return this.#read(() => this.#file.hidden.list(username, page));
  }

  async loadSyncState(): Promise<SyncState | null> {
    const row = await this.#read(() => this.#db.get('SELECT memory FROM sets WHERE no = ?', this.#set));
    return typeof row?.memory === 'string' ? (JSON.parse(row.memory) as SyncState) : null;
  }

  async saveSyncState(state: SyncState): Promise<void> {
    await this.#db.write(() =>
      this.#db.run('UPDATE sets SET memory = ? WHERE no = ?', JSON.stringify(state), this.#set),
    );
  }

  async addUsage(day: string, { requests, reads, writes }: StoryUsage): Promise<void> {
    await this.#db.write(() => this.#db.run(ADD_USAGE, this.#set, day, requests, reads, writes));
  }

  async usageOf(day: string): Promise<StoryUsage> {
    const sql = 'SELECT requests, reads, writes FROM uses WHERE set_no = ? AND day = ?';
    const row = await this.#read(() => this.#db.get(sql, this.#set, day));
    return row === undefined ? NO_USAGE : ({ ...row } as unknown as StoryUsage);
  }

  async maintain(): Promise<void> {
    const before = this.#clock.now() - CHANGE_RETENTION_MS;
    const prune = `DELETE FROM changes WHERE seq IN
      (SELECT seq FROM (SELECT seq, at FROM changes ORDER BY seq LIMIT ${PRUNE_BATCH_SIZE}) WHERE at < ?)`;
    while ((await this.#db.write(() => this.#db.run(prune, before))) === PRUNE_BATCH_SIZE) await nextTurn();
    await this.#file.maintain();
  }

  /** The caller closes the file. */
  async [Symbol.asyncDispose](): Promise<void> {}

  get #db() {
    return this.#file.db;
  }

  #read<T>(work: () => T): Promise<T> {
    return this.#db.retryWhileBusy(work);
  }

  async #inBatches<T>(all: readonly T[], change: (one: T, now: number) => void): Promise<void> {
    for (const [n, batch] of chunked(all, BATCH_SIZE).entries()) {
      if (n > 0) await nextTurn();
      await this.#db.write(() => {
        for (const one of batch) change(one, this.#clock.now());
      });
      this.#file.recordWrites(batch.length);
    }
  }

  #best({ since, after, limit, notHiddenBy }: BestRequest): BestPage {
    const ranks = this.#ranks(since, after, Math.min(limit, MAX_EXAMINED));
    const found: Rank[] = [];
    let examined = 0;
    let last: Rank | null = after;
    while (found.length < limit && examined < MAX_EXAMINED) {
      const batch: Rank[] = [];
      while (batch.length < Math.min(limit, MAX_EXAMINED - examined)) {
        const rank = ranks.next();
        if (rank === null) break;
        batch.push(rank);
      }
      if (batch.length === 0) return { stories: this.#listed(found), next: null };
      examined += batch.length;
      const ids = batch.map(({ id }) => id);
      const hidden = notHiddenBy === undefined ? null : this.#file.hidden.among(notHiddenBy, ids);
      for (const rank of batch) {
        if (found.length === limit) break;
        last = rank;
        if (hidden?.has(rank.id) !== true) found.push(rank);
      }
    }
    return { stories: this.#listed(found), next: last };
  }

  #ranks(since: number | null, after: Rank | null, expected: number): MergedRanks {
    return new MergedRanks(this.#db, this.#set, since === null || since < 0 ? null : since, after, expected);
  }

  #listed(ranks: readonly Rank[]): ListedStory[] {
    return this.#db.all(SELECT_LISTED_BY_ID, JSON.stringify(ranks.map(({ id }) => id))).map(toListed);
  }

  #head(): ChangePosition {
    const row = this.#db.get("SELECT seq FROM sqlite_sequence WHERE name = 'changes'");
    return toPosition(Number(row?.seq ?? 0));
  }
}

function toPosition(seq: number): ChangePosition {
  return String(seq).padStart(16, '0');
}

function toChange(row: Record<string, unknown>): StoryChange {
  const story = (json: unknown): ListedStory | null =>
    typeof json === 'string' ? (JSON.parse(json) as ListedStory) : null;
  return { before: story(row.before), after: story(row.after) };
}
