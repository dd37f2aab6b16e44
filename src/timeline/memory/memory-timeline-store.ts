import type { Clock } from '../../time/clock.ts';
import { HOUR } from '../../time/duration.ts';
import {
  DEFAULT_CAP,
  ownerOf,
  type RebuiltList,
  type TimelineEntry,
  type TimelineName,
  type TimelineRange,
  type TimelineStore,
  type TimelineWindow,
} from '../timeline-store.ts';
import { MemoryWindow } from './window.ts';

export interface MemoryTimelineOptions {
  readonly clock: Clock;
  readonly cap?: number;
  /** How long a deleted drop is remembered: longer than any fan-out or rebuild can take. */
  readonly keepTombstonesMs?: number;
}

/** Timelines in this process. Each call is one step: nothing else runs in between. */
export class MemoryTimelineStore implements TimelineStore {
  readonly #clock: Clock;
  readonly #cap: number;
  readonly #keepTombstonesMs: number;
  readonly #windows = new Map<TimelineName, MemoryWindow>();
  /** Drop ID → when it may be forgotten. In the order of time, because each is set anew at the end. */
  readonly #tombstones = new Map<string, number>();
  #builds = 0;

  constructor({ clock, cap = DEFAULT_CAP, keepTombstonesMs = HOUR }: MemoryTimelineOptions) {
    this.#clock = clock;
    this.#cap = cap;
    this.#keepTombstonesMs = keepTombstonesMs;
  }

  async add(entry: TimelineEntry, timelines: readonly TimelineName[]): Promise<readonly TimelineName[]> {
    if (this.#isDeleted(entry.id)) return [];
    return timelines.filter((timeline) => this.#windowToAdd(timeline, entry)?.add(entry) ?? false);
  }

  async remove(dropId: string, timelines: readonly TimelineName[]): Promise<void> {
    this.#forgetOldTombstones();
    this.#tombstones.delete(dropId);
    this.#tombstones.set(dropId, this.#clock.monotonic() + this.#keepTombstonesMs);
    for (const timeline of timelines) this.#windows.get(timeline)?.remove(dropId);
  }

  async page(timeline: TimelineName, range: TimelineRange): Promise<TimelineWindow | null> {
    const window = this.#windows.get(timeline);
    return window === undefined || window.building !== null ? null : window.page(range);
  }

  async begin(timeline: TimelineName): Promise<string> {
    const token = `${++this.#builds}`;
    const window = this.#windows.get(timeline);
    if (window) window.building = token;
    else this.#windows.set(timeline, new MemoryWindow(this.#cap, null, token));
    return token;
  }

  async merge(timeline: TimelineName, list: RebuiltList, token?: string): Promise<boolean> {
    const window = this.#windows.get(timeline);
    if (window === undefined || (token !== undefined && window.building !== token)) return false;
    if (token !== undefined) window.building = null;
    window.merge(list, (dropId) => this.#isDeleted(dropId));
    return true;
  }

  async drop(timeline: TimelineName): Promise<void> {
    this.#windows.delete(timeline);
  }

  async size(timeline: TimelineName): Promise<number | null> {
    return this.#windows.get(timeline)?.size ?? null;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#windows.clear();
    this.#tombstones.clear();
  }

  /** The timelines of everybody exist from their first drop on, and know nothing of what came before it. */
  #windowToAdd(timeline: TimelineName, entry: TimelineEntry): MemoryWindow | undefined {
    const window = this.#windows.get(timeline);
    if (window !== undefined || ownerOf(timeline) !== null) return window;
    const made = new MemoryWindow(this.#cap, entry, null);
    this.#windows.set(timeline, made);
    return made;
  }

  #isDeleted(dropId: string): boolean {
    const until = this.#tombstones.get(dropId);
    return until !== undefined && until > this.#clock.monotonic();
  }

  #forgetOldTombstones(): void {
    const now = this.#clock.monotonic();
    for (const [dropId, until] of this.#tombstones) {
      if (until > now) return;
      this.#tombstones.delete(dropId);
    }
  }
}
