import { isOlder, newestFirst } from '../cursor.ts';
import type { Aside, RebuiltList, TimelineEntry, TimelineRange, TimelineWindow } from '../timeline-store.ts';

/** One timeline in memory: a sorted array, newest first, and the floor below which it knows nothing. */
export class MemoryWindow {
  #entries: TimelineEntry[] = [];
  #floor: TimelineEntry | null;
  readonly #cap: number;
  /** Set while a rebuild runs. */
  build: { readonly token: string; readonly at: number } | null = null;
  readAt: number;
  aside: Aside | null = null;

  constructor(cap: number, floor: TimelineEntry | null, readAt: number) {
    this.#cap = cap;
    this.#floor = floor;
    this.readAt = readAt;
  }

  get size(): number {
    return this.#entries.length;
  }

  /** Whether the window holds it afterwards. */
  add(entry: TimelineEntry): boolean {
    if (this.#floor && isOlder(entry, this.#floor)) return false;
    const at = this.#place(entry);
    if (this.#entries[at]?.id === entry.id) return true;
    this.#entries.splice(at, 0, entry);
    this.#trim();
    return at < this.#entries.length;
  }

  holds(entry: TimelineEntry): boolean {
    return this.#entries[this.#place(entry)]?.id === entry.id;
  }

  timeOf(dropId: string): number | null {
    return this.#entries.find(({ id }) => id === dropId)?.createdAt ?? null;
  }

  /** Whether it was there. */
  remove(dropId: string): boolean {
    const at = this.#entries.findIndex((entry) => entry.id === dropId);
    if (at >= 0) this.#entries.splice(at, 1);
    return at >= 0;
  }

  merge(list: RebuiltList, isDeleted: (dropId: string) => boolean): void {
    if (list.aside) this.aside = list.aside;
    if (list.floor && (!this.#floor || isOlder(this.#floor, list.floor))) this.#floor = list.floor;
    const floor = this.#floor;
    const all = new Map([...this.#entries, ...list.entries].map((entry) => [entry.id, entry]));
    this.#entries = [...all.values()]
      .filter((entry) => !isDeleted(entry.id) && !(floor && isOlder(entry, floor)))
      .sort(newestFirst);
    this.#trim();
  }

  page({ limit, before, after }: TimelineRange): Pick<TimelineWindow, 'entries' | 'floor'> {
    let start = 0;
    if (before) {
      start = this.#place(before);
      if (this.#entries[start]?.id === before.id) start += 1;
    }
    const end = after ? this.#place(after) : this.#entries.length;
    return {
      entries: this.#entries.slice(start, Math.max(start, Math.min(end, start + limit))),
      floor: this.#floor,
    };
  }

  /** Index of the first entry that is not newer than this position. */
  #place(position: TimelineEntry): number {
    let low = 0;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const entry = this.#entries[middle];
      if (entry && isOlder(position, entry)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #trim(): void {
    if (this.#entries.length <= this.#cap) return;
    this.#entries.length = this.#cap;
    this.#floor = this.#entries.at(-1) ?? this.#floor;
  }
}
