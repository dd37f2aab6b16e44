import type { Clock } from '../time/clock.ts';
import { SECOND } from '../time/duration.ts';
import { fingerprint } from './follow-checks.ts';
import type { TimelineOrigin } from './origin.ts';
import type { PullAuthors } from './timeline-store.ts';
import {
  type HomePullAuthors,
  ownerOf,
  type RebuiltList,
  type TimelineName,
  type TimelineStore,
} from './timeline-store.ts';

export interface RebuildDependencies {
  readonly store: TimelineStore;
  readonly origin: TimelineOrigin;
  readonly pullAuthors: PullAuthors;
  readonly clock: Clock;
  readonly cap: number;
}

/** A rebuild restarts if follows change meanwhile; after this many attempts the timeline is read without the store. */
const MAX_ATTEMPTS = 3;
/** After this time the rebuild counts as dead, and another one may begin. */
const LEASE_MS = 15 * SECOND;
/** Maximum time that a reader waits for the rebuild of another replica before it reads without the store. */
const MAX_WAIT_MS = 5 * SECOND;
const FIRST_POLL_MS = 10;

/**
 * Rebuilds a missing timeline in the store (C16), one rebuild at a time for each timeline over all replicas. The store
 * accepts new drops from the start, so that drops posted meanwhile are included.
 */
export class TimelineRebuilder {
  readonly #deps: RebuildDependencies;
  readonly #running = new Map<TimelineName, Promise<boolean>>();

  constructor(deps: RebuildDependencies) {
    this.#deps = deps;
  }

  /** Returns whether the timeline is in the store now. */
  rebuild(timeline: TimelineName): Promise<boolean> {
    const running = this.#running.get(timeline);
    if (running) return running;
    const started = this.#build(timeline).finally(() => this.#running.delete(timeline));
    this.#running.set(timeline, started);
    return started;
  }

  /** The authors that are merged in when this user reads. */
  async pullAuthorsOf(
    userId: string,
    following?: readonly string[],
    signal?: AbortSignal,
  ): Promise<HomePullAuthors> {
    const { pullAuthors, origin } = this.#deps;
    const { version, authors } = await pullAuthors.list();
    if (authors.size === 0) return { version, authors: [] };
    const followed = following ?? (await origin.following(userId, signal));
    return { version, authors: followed.filter((author) => authors.has(author)) };
  }

  async #build(timeline: TimelineName): Promise<boolean> {
    const { store, clock } = this.#deps;
    const giveUpAt = clock.monotonic() + MAX_WAIT_MS;
    for (let attempt = 0, pollMs = FIRST_POLL_MS; attempt < MAX_ATTEMPTS; ) {
      const token = await store.beginRebuild(timeline, LEASE_MS);
      if (token === null) {
        if (clock.monotonic() >= giveUpAt) return false;
        await clock.sleep(pollMs);
        pollMs = Math.min(pollMs * 2, 250);
        if ((await store.page(timeline, { limit: 1 })) !== null) return true;
        continue;
      }
      attempt += 1;
      try {
        if (await store.merge(timeline, await this.#read(timeline), token)) return true;
      } catch (error) {
        // A half-built timeline would accept drops for ever and never be readable.
        await store.evict(timeline, token).catch(() => {});
        throw error;
      }
    }
    return false;
  }

  async #read(timeline: TimelineName): Promise<RebuiltList> {
    const { origin, cap, clock } = this.#deps;
    const userId = ownerOf(timeline);
    const following = userId === null ? undefined : await origin.following(userId);
    const entries = await origin.read(timeline, { limit: cap, ...(following && { following }) });
    const floor = entries.length < cap ? null : (entries.at(-1) ?? null);
    if (userId === null || following === undefined) return { entries, floor };
    const follows = { follows: fingerprint(following), checkedAt: clock.now() };
    return {
      entries,
      floor,
      following,
      pullAuthors: { ...(await this.pullAuthorsOf(userId, following)), ...follows },
    };
  }
}
