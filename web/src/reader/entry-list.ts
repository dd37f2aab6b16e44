import { batch, signal } from '@preact/signals';
import { MAX_ENTRY_PAGE } from '../../../src/reader/entry-store.ts';
import { ApiError } from '../api.ts';
import { asApiError } from '../live-timeline.ts';
import { onPersonChange } from '../session.ts';
import { type EntriesBody, readerApi, type ShownEntry } from './api.ts';
import { type Scope, scopeKey, scopeQuery } from './scope.ts';
import { withStates } from './states.ts';

const PAGE = 40;
/** Lists that are kept so that Back shows them at once. */
const MAX_LISTS = 12;

/**
 * One list as this reader sees it. Entries that become read stay until the list is read again; new ones are counted and
 * shown on request, so that nothing moves under the eyes.
 */
export class EntryList {
  readonly scope: Scope;
  readonly rows = signal<readonly ShownEntry[] | null>(null);
  readonly failure = signal<ApiError | null>(null);
  readonly next = signal<string | null>(null);
  /** The newest entry that had arrived when the list was shown: as far as "mark all as read" goes (R8). */
  readonly newestId = signal(0);
  /** How many entries arrived since. */
  readonly waiting = signal(0);
  /** The first entry that was there before new ones were shown. */
  readonly seenFrom = signal<number | null>(null);
  readonly loading = signal(false);

  #pending: EntriesBody | null = null;
  #turn = 0;

  constructor(scope: Scope) {
    this.scope = scope;
  }

  async loadFirst(): Promise<void> {
    this.#turn += 1;
    const mine = this.#turn;
    this.loading.value = true;
    try {
      const page = await this.#read(null);
      if (mine === this.#turn) this.#show(page);
    } catch (error) {
      if (mine === this.#turn) this.failure.value = asApiError(error);
    } finally {
      if (mine === this.#turn) this.loading.value = false;
    }
  }

  async loadMore(): Promise<void> {
    const cursor = this.next.value;
    if (this.loading.value || cursor === null) return;
    const mine = this.#turn;
    this.loading.value = true;
    try {
      const page = await this.#read(cursor);
      if (mine !== this.#turn) return;
      batch(() => {
        this.rows.value = withoutRepeats([...(this.rows.value ?? []), ...page.entries]);
        this.next.value = page.next;
        this.failure.value = null;
      });
    } catch (error) {
      if (mine !== this.#turn) return;
      // The cursor is no longer valid: begin with the list of now.
      if (error instanceof ApiError && (error.status === 410 || error.status === 400)) void this.loadFirst();
      else this.failure.value = asApiError(error);
    } finally {
      if (mine === this.#turn) this.loading.value = false;
    }
  }

  /** Counts what arrived since the list was shown. Only the newest come first, so only there they can be announced. */
  async lookForNew(): Promise<void> {
    const { rows, scope } = this;
    if (rows.value === null || scope.order !== 'newest' || scope.view === 'hot') return;
    const mine = this.#turn;
    try {
      const page = await this.#read(null);
      if (mine !== this.#turn) return;
      this.#pending = page;
      this.waiting.value = this.#arrived(page).length;
    } catch {
      // The next event asks again.
    }
  }

  /** The entries stay as they are; only their states are read again. */
  async rereadStates(): Promise<void> {
    if (this.scope.view === 'hot') return this.loadFirst();
    const view = this.scope.view === 'unread' ? 'all' : this.scope.view;
    const limit = Math.min(MAX_ENTRY_PAGE, Math.max(PAGE, this.rows.value?.length ?? 0));
    try {
      const query = { ...scopeQuery({ ...this.scope, view }, Date.now()), limit: String(limit) };
      await withStates(readerApi.entries(query), ({ entries }) => entries);
    } catch {
      // The states are shown as they were until the list is read again.
    }
  }

  /** Reads the shown entries again if the stories of some of them were split or joined. */
  async regroup(ids: ReadonlySet<number>): Promise<void> {
    const rows = this.rows.value ?? [];
    const isShown = rows.some(({ id, others }) => ids.has(id) || others.some((other) => ids.has(other.id)));
    if (!isShown) return;
    this.#turn += 1;
    const mine = this.#turn;
    this.loading.value = false;
    try {
      const page = await this.#read(null, Math.min(MAX_ENTRY_PAGE, Math.max(PAGE, rows.length + 1)));
      if (mine === this.#turn) this.#show(page);
    } catch {
      // The list is shown as it was until it is read again.
    }
  }

  showNew(): void {
    const page = this.#pending;
    if (page === null) return;
    const old = this.rows.value ?? [];
    const arrived = this.#arrived(page);
    // Nothing of the page is shown already: between the two there may be more.
    if (arrived.length === page.entries.length && page.next !== null) {
      this.#show(page);
      return;
    }
    const stories = new Set(arrived.map(({ storyId }) => storyId));
    const rest = old.filter(({ storyId }) => !stories.has(storyId));
    batch(() => {
      this.rows.value = [...arrived, ...rest];
      this.seenFrom.value = rest[0]?.id ?? null;
      this.newestId.value = page.newestId;
      this.waiting.value = 0;
    });
    this.#pending = null;
  }

  #arrived(page: EntriesBody): readonly ShownEntry[] {
    const known = new Set((this.rows.value ?? []).map(({ id }) => id));
    return page.entries.filter(({ id }) => id > this.newestId.value && !known.has(id));
  }

  #show(page: EntriesBody): void {
    this.#pending = null;
    batch(() => {
      this.rows.value = withoutRepeats(page.entries);
      this.next.value = page.next;
      this.newestId.value = page.newestId;
      this.waiting.value = 0;
      this.seenFrom.value = null;
      this.failure.value = null;
    });
  }

  async #read(cursor: string | null, limit = PAGE): Promise<EntriesBody> {
    if (this.scope.view === 'hot') {
      const hot = readerApi.hot({ folder: this.scope.folder });
      const { entries } = await withStates(hot, (answer) => answer.entries);
      return { entries, next: null, newestId: Math.max(0, ...entries.map(({ id }) => id)) };
    }
    const page = readerApi.entries({
      ...scopeQuery(this.scope, Date.now()),
      limit: String(limit),
      ...(cursor === null ? {} : { cursor }),
    });
    return withStates(page, ({ entries }) => entries);
  }
}

const lists = new Map<string, EntryList>();

export function listOf(scope: Scope): EntryList {
  const key = scopeKey(scope);
  const list = lists.get(key) ?? new EntryList(scope);
  lists.delete(key);
  lists.set(key, list);
  for (const oldest of lists.keys()) {
    if (lists.size <= MAX_LISTS) break;
    lists.delete(oldest);
  }
  return list;
}

onPersonChange(() => lists.clear());

/** A story may be on two pages when entries arrived between them. */
function withoutRepeats(entries: readonly ShownEntry[]): readonly ShownEntry[] {
  const byStory = new Map<number, ShownEntry>();
  for (const entry of entries) if (!byStory.has(entry.storyId)) byStory.set(entry.storyId, entry);
  return [...byStory.values()];
}
