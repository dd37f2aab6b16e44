import { batch, computed, effect, type ReadonlySignal, signal } from '@preact/signals';
import type { ShownDrop, TimelineBody } from '../../src/server/http/timeline-routes.ts';
import { ApiError, api } from './api.ts';
import { type LiveStatus, listen } from './event-stream.ts';
import { withStates } from './reader/states.ts';
import { onPersonChange } from './session.ts';

export const TIMELINES = ['home', 'local', 'global'] as const;
export type TimelineKind = (typeof TIMELINES)[number];
/** Pages that show a timeline. */
export const TIMELINE_PATHS: readonly string[] = ['/', '/home', '/global'];

const PAGE = '30';
/** More than this came since the reader looked: the list is loaded from its top instead of filled up. */
const MOST_AT_ONCE = 500;
/** As far down as this a place where the reader stopped is looked for. */
const DEEPEST = 3_000;

/**
 * One timeline as this reader sees it. New drops are counted and shown when the reader asks for them, so that nothing
 * moves under the eyes; deleted ones vanish at once.
 */
export class News {
  readonly kind: TimelineKind;
  readonly drops = signal<readonly ShownDrop[] | null>(null);
  readonly failure = signal<ApiError | null>(null);
  readonly status = signal<LiveStatus>('connecting');
  readonly loadingOlder = signal(false);
  /** ID of the first drop that was there before the reader last asked for new ones. */
  readonly seenFrom = signal<string | null>(null);
  readonly reachedEnd: ReadonlySignal<boolean>;
  readonly waitingCount: ReadonlySignal<number>;

  readonly #older = signal<string | null>(null);
  readonly #waiting = signal<ReadonlySet<string>>(new Set());
  #newer = '';
  #stopListening: (() => void) | null = null;

  constructor(kind: TimelineKind) {
    this.kind = kind;
    this.reachedEnd = computed(() => this.#older.value === null);
    this.waitingCount = computed(() => this.#waiting.value.size);
  }

  async open(): Promise<void> {
    if (this.drops.value === null) await this.loadFirst();
    else if (this.#stopListening === null) this.#listen();
  }

  /** Ends the stream and keeps what is shown; `open` goes on where it stopped. */
  pause(): void {
    this.#stopListening?.();
    this.#stopListening = null;
  }

  /** Forgets everything, for example because another person is signed in now. */
  close(): void {
    this.pause();
    batch(() => {
      this.drops.value = null;
      this.failure.value = null;
      this.#older.value = null;
      this.#waiting.value = new Set();
      this.seenFrom.value = null;
    });
  }

  async loadFirst(): Promise<void> {
    try {
      const page = await this.#read({ limit: PAGE });
      batch(() => {
        this.drops.value = page.drops;
        this.#older.value = page.cursors.older;
        this.#waiting.value = new Set();
        this.seenFrom.value = null;
        this.failure.value = null;
      });
      this.#newer = page.cursors.newer;
      this.#listen();
    } catch (error) {
      this.failure.value = asApiError(error);
    }
  }

  async loadOlder(): Promise<void> {
    if (this.loadingOlder.value || this.#older.value === null) return;
    this.loadingOlder.value = true;
    try {
      await this.#takeOlder(PAGE);
    } catch (error) {
      this.failure.value = asApiError(error);
    } finally {
      this.loadingOlder.value = false;
    }
  }

  /** Loads down to a drop, or to where it was; answers its place in the list, or `null` where it lies too deep. */
  async loadDownTo(id: string): Promise<number | null> {
    if (this.loadingOlder.value) return null;
    this.loadingOlder.value = true;
    try {
      while (this.#older.value !== null && (this.drops.value?.at(-1)?.id ?? '') > id) {
        if ((this.drops.value?.length ?? 0) > DEEPEST) return null;
        await this.#takeOlder('100');
      }
      const at = this.drops.value?.findIndex((drop) => drop.id <= id) ?? -1;
      return at === -1 ? null : at;
    } catch (error) {
      this.failure.value = asApiError(error);
      return null;
    } finally {
      this.loadingOlder.value = false;
    }
  }

  async showNew(): Promise<void> {
    const before = this.drops.value?.[0]?.id ?? null;
    try {
      const found: ShownDrop[] = [];
      let top = '';
      for (let max: string | undefined; ; ) {
        const page = await this.#read({
          since_id: this.#newer,
          limit: '100',
          ...(max ? { max_id: max } : {}),
        });
        if (top === '') top = page.cursors.newer;
        found.push(...page.drops);
        if (found.length > MOST_AT_ONCE) return await this.loadFirst();
        if (page.cursors.older === null) break;
        max = page.cursors.older;
      }
      this.#newer = top;
      batch(() => {
        this.drops.value = withoutRepeats([...found, ...(this.drops.value ?? [])]);
        this.#waiting.value = new Set();
        this.seenFrom.value = before;
        this.failure.value = null;
      });
    } catch (error) {
      this.failure.value = asApiError(error);
    }
  }

  /** The drops stay as they are; only the states of their entries are read again. */
  async rereadStates(): Promise<void> {
    try {
      await this.#read({ limit: '100' });
    } catch {
      // The states are shown as they were until the timeline is read again.
    }
  }

  #read(query: Readonly<Record<string, string>>): Promise<TimelineBody> {
    return withStates(api.timeline(this.kind, query), ({ drops }) =>
      drops.flatMap(({ entry }) => entry ?? []),
    );
  }

  async #takeOlder(limit: string): Promise<void> {
    if (this.#older.value === null) return;
    const page = await this.#read({ max_id: this.#older.value, limit });
    batch(() => {
      this.drops.value = withoutRepeats([...(this.drops.value ?? []), ...page.drops]);
      this.#older.value = page.cursors.older;
      this.failure.value = null;
    });
  }

  #listen(): void {
    this.pause();
    this.#stopListening = listen(this.kind, this.#newer, {
      newDrop: (id) => {
        if (this.drops.value?.some((drop) => drop.id === id)) return;
        this.#waiting.value = new Set([...this.#waiting.value, id]);
      },
      dropDeleted: (id) => this.remove(id),
      reset: () => void this.#takeStock(),
      status: (next) => {
        this.status.value = next;
      },
    });
  }

  /** The stream no longer knows what was missed: compares the top of the news with what is shown. */
  async #takeStock(): Promise<void> {
    try {
      const page = await this.#read({ limit: '100' });
      const there = new Set(page.drops.map((drop) => drop.id));
      const shown = this.drops.value ?? [];
      const lowest = page.cursors.older === null ? '' : (page.drops.at(-1)?.id ?? '');
      batch(() => {
        // IDs grow with time, so what lies above the page's lowest and is not on it was deleted.
        this.drops.value = shown.filter((drop) => drop.id < lowest || there.has(drop.id));
        const known = new Set(shown.map((drop) => drop.id));
        this.#waiting.value = new Set([...there].filter((id) => !known.has(id) && id > (shown[0]?.id ?? '')));
      });
    } catch (error) {
      this.failure.value = asApiError(error);
    }
  }

  /** Shows the new text of an edited drop. */
  replace(edited: ShownDrop): void {
    const shown = this.drops.value;
    if (shown?.some(({ id }) => id === edited.id))
      this.drops.value = shown.map((drop) =>
        drop.id === edited.id ? { ...drop, text: edited.text, editedAt: edited.editedAt } : drop,
      );
  }

  remove(id: string): void {
    batch(() => {
      if (this.#waiting.value.has(id))
        this.#waiting.value = new Set([...this.#waiting.value].filter((other) => other !== id));
      if (this.drops.value?.some((drop) => drop.id === id))
        this.drops.value = this.drops.value.filter((drop) => drop.id !== id);
    });
  }
}

export const news: Readonly<Record<TimelineKind, News>> = {
  home: new News('home'),
  local: new News('local'),
  global: new News('global'),
};

/** The timeline that is open, also while another page is shown: it is the one that is listened to. */
export const open = signal<TimelineKind>('local');
export const current = computed(() => news[open.value]);

effect(() => {
  const { kind } = current.value;
  for (const other of TIMELINES) if (other !== kind) news[other].pause();
});

onPersonChange(() => {
  for (const kind of TIMELINES) news[kind].close();
});

function withoutRepeats(list: readonly ShownDrop[]): readonly ShownDrop[] {
  return [...new Map(list.map((drop) => [drop.id, drop])).values()];
}

export function asApiError(error: unknown): ApiError {
  return error instanceof ApiError ? error : new ApiError(String(error), -1);
}
