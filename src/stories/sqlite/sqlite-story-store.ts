import { setImmediate as nextTurn } from 'node:timers/promises';
import { chunked } from '../../item/chunked.ts';
import type { Clock } from '../../time/clock.ts';
import { DAY } from '../../time/duration.ts';
import { byRank, type ListedStory, type Rank, type Story } from '../story.ts';
import {
  type BestAnswer,
  type BestAsk,
  type FeedPart,
  type FeedPlace,
  type HiddenAsk,
  type HiddenPage,
  type NewStory,
  NO_USE,
  type Ranking,
  type StoryChange,
  type StoryStore,
  type StoryStoreAbilities,
  type StoryUse,
  type WorkerMemory,
} from '../story-store.ts';
import { MergedRanks } from './merged-ranks.ts';
import { LISTED, toListed, toStory, WHOLE } from './rows.ts';
import type { StoryFile } from './story-file.ts';
import { StoryWriter } from './writing.ts';

/** Stories in one transaction: the file is written for a few milliseconds, then others have their turn. */
const AT_ONCE = 10;
/** Ranks that one call looks at, hidden ones included. */
const MOST_EXAMINED = 1000;
/** Stories of a ranking that are read in one turn. */
const RANKED_AT_ONCE = 250;
/** How far back the feed reaches. */
const FEED_KEPT = 2 * DAY;
const PRUNED_AT_ONCE = 500;
const CHANGES_AT_ONCE = 250;
/** Who is so far behind had better rank anew. */
const MOST_CHANGES = 20_000;
/** Days of stories whose sync times are looked at in one turn. */
const STALE_SLICE = 2 * DAY;

const LISTED_BY_ID = `SELECT ${LISTED} FROM json_each(?) CROSS JOIN stories ON stories.id = json_each.value`;
const WHOLE_BY_ID = `SELECT ${WHOLE} FROM json_each(?) CROSS JOIN stories ON stories.id = json_each.value WHERE set_no = ?`;
const STALE = `SELECT id, updated FROM stories INDEXED BY stories_by_time
  WHERE set_no = ? AND time > ? AND time <= ? AND updated < ? ORDER BY updated LIMIT ?`;
const NEWEST =
  'SELECT time FROM stories INDEXED BY stories_by_time WHERE set_no = ? ORDER BY time DESC LIMIT 1';
const COUNT_USE = `INSERT INTO uses (set_no, day, requests, reads, writes) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET requests = requests + excluded.requests, reads = reads + excluded.reads,
    writes = writes + excluded.writes`;
const CHANGES = 'SELECT seq, set_no, before, after FROM changes WHERE seq > ? ORDER BY seq LIMIT ?';

/** One set of stories in the file that all sets share. */
export class SqliteStoryStore implements StoryStore {
  readonly abilities: StoryStoreAbilities = { looksEveryMs: 0, cache: null };
  readonly #file: StoryFile;
  readonly #set: number;
  readonly #clock: Clock;
  readonly #writer: StoryWriter;

  /** The file belongs to whoever opened it. */
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
    const rows = await this.#read(() => this.#db.all(WHOLE_BY_ID, JSON.stringify(ids), this.#set));
    return rows.map(toStory);
  }

  best(ask: BestAsk): Promise<BestAnswer> {
    return this.#read(() => this.#best(ask));
  }

  /**
   * A part at a time, so that others have their turn in between. What changes meanwhile stands in the feed after the place
   * that is answered, and is patched in by whoever asked.
   */
  async ranking(since: number | null, limit: number): Promise<Ranking> {
    const place = await this.head();
    const found = new Map<number, ListedStory>();
    let after: Rank | null = null;
    for (;;) {
      const part: BestAnswer = await this.best({
        since,
        after,
        limit: Math.min(RANKED_AT_ONCE, limit - found.size),
      });
      for (const story of part.stories) found.set(story.id, story);
      after = part.next;
      if (after === null || found.size >= limit) break;
      await nextTurn();
    }
    return { stories: [...found.values()].sort(byRank), complete: after === null, place };
  }

  async latestId(): Promise<number | null> {
    const row = await this.#read(() => this.#db.get('SELECT latest FROM sets WHERE no = ?', this.#set));
    return (row?.latest as number | null | undefined) ?? null;
  }

  /** A few days of stories at a time: a month of them read at once would hold up everybody. */
  async stale(since: number, updatedBefore: number, limit: number): Promise<readonly Story[]> {
    const newest = await this.#read(() => this.#db.get(NEWEST, this.#set));
    const end = (newest?.time as number | undefined) ?? since;
    let found: { id: number; updated: number }[] = [];
    for (let from = since; from < end; from += STALE_SLICE) {
      const slice = await this.#read(() =>
        this.#db.all(STALE, this.#set, from, Math.min(from + STALE_SLICE, end), updatedBefore, limit),
      );
      const more = slice.map((row) => ({ id: row.id as number, updated: row.updated as number }));
      found = [...found, ...more].sort((a, b) => a.updated - b.updated || a.id - b.id).slice(0, limit);
      await nextTurn();
    }
    const place = new Map(found.map(({ id }, n) => [id, n]));
    const stories = await this.find(found.map(({ id }) => id));
    return stories.toSorted((a, b) => (place.get(a.id) ?? 0) - (place.get(b.id) ?? 0));
  }

  head(): Promise<FeedPlace> {
    return this.#read(() => this.#head());
  }

  async changesSince(place: FeedPlace): Promise<FeedPart | null> {
    let after = Number(place);
    const oldest = await this.#read(() => this.#db.get('SELECT min(seq) AS seq FROM changes')?.seq);
    const reachesTo = Number(oldest ?? Number(await this.head()) + 1) - 1;
    if (!Number.isSafeInteger(after) || after < reachesTo) return null;
    const changes: StoryChange[] = [];
    for (;;) {
      const rows = await this.#read(() => this.#db.all(CHANGES, after, CHANGES_AT_ONCE));
      changes.push(...rows.filter((row) => row.set_no === this.#set).map(toChange));
      after = (rows.at(-1)?.seq as number | undefined) ?? after;
      if (rows.length < CHANGES_AT_ONCE) return { changes, place: toPlace(after) };
      if (changes.length > MOST_CHANGES) return null;
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

  hidden(username: string, page: HiddenAsk): Promise<HiddenPage> {
    return this.#read(() => this.#file.hidden.list(username, page));
  }

  async memory(): Promise<WorkerMemory | null> {
    const row = await this.#read(() => this.#db.get('SELECT memory FROM sets WHERE no = ?', this.#set));
    return typeof row?.memory === 'string' ? (JSON.parse(row.memory) as WorkerMemory) : null;
  }

  async remember(memory: WorkerMemory): Promise<void> {
    await this.#db.write(() =>
      this.#db.run('UPDATE sets SET memory = ? WHERE no = ?', JSON.stringify(memory), this.#set),
    );
  }

  async countUse(day: string, { requests, reads, writes }: StoryUse): Promise<void> {
    await this.#db.write(() => this.#db.run(COUNT_USE, this.#set, day, requests, reads, writes));
  }

  async useOf(day: string): Promise<StoryUse> {
    const sql = 'SELECT requests, reads, writes FROM uses WHERE set_no = ? AND day = ?';
    const row = await this.#read(() => this.#db.get(sql, this.#set, day));
    return row === undefined ? NO_USE : ({ ...row } as unknown as StoryUse);
  }

  async tend(): Promise<void> {
    const before = this.#clock.now() - FEED_KEPT;
    const prune = `DELETE FROM changes WHERE seq IN
      (SELECT seq FROM (SELECT seq, at FROM changes ORDER BY seq LIMIT ${PRUNED_AT_ONCE}) WHERE at < ?)`;
    while ((await this.#db.write(() => this.#db.run(prune, before))) === PRUNED_AT_ONCE) await nextTurn();
    await this.#file.tend();
  }

  /** The file is closed by whoever opened it. */
  async [Symbol.asyncDispose](): Promise<void> {}

  get #db() {
    return this.#file.db;
  }

  #read<T>(work: () => T): Promise<T> {
    return this.#db.patiently(work);
  }

  async #inBatches<T>(all: readonly T[], change: (one: T, now: number) => void): Promise<void> {
    for (const [n, batch] of chunked(all, AT_ONCE).entries()) {
      if (n > 0) await nextTurn();
      await this.#db.write(() => {
        for (const one of batch) change(one, this.#clock.now());
      });
      this.#file.wrote(batch.length);
    }
  }

  #best({ since, after, limit, notHiddenBy }: BestAsk): BestAnswer {
    const ranks = this.#ranks(since, after, Math.min(limit, MOST_EXAMINED));
    const found: Rank[] = [];
    let examined = 0;
    let last: Rank | null = after;
    while (found.length < limit && examined < MOST_EXAMINED) {
      const looked: Rank[] = [];
      while (looked.length < Math.min(limit, MOST_EXAMINED - examined)) {
        const rank = ranks.next();
        if (rank === null) break;
        looked.push(rank);
      }
      if (looked.length === 0) return { stories: this.#listed(found), next: null };
      examined += looked.length;
      const ids = looked.map(({ id }) => id);
      const hidden = notHiddenBy === undefined ? null : this.#file.hidden.among(notHiddenBy, ids);
      for (const rank of looked) {
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
    return this.#db.all(LISTED_BY_ID, JSON.stringify(ranks.map(({ id }) => id))).map(toListed);
  }

  #head(): FeedPlace {
    const row = this.#db.get("SELECT seq FROM sqlite_sequence WHERE name = 'changes'");
    return toPlace(Number(row?.seq ?? 0));
  }
}

function toPlace(seq: number): FeedPlace {
  return String(seq).padStart(16, '0');
}

function toChange(row: Record<string, unknown>): StoryChange {
  const story = (json: unknown): ListedStory | null =>
    typeof json === 'string' ? (JSON.parse(json) as ListedStory) : null;
  return { before: story(row.before), after: story(row.after) };
}
