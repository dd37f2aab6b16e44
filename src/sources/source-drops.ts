import { createHash } from 'node:crypto';
import type { Sighting } from '../item/item.ts';
import { shorten } from '../item/shorten.ts';
import { plainLine } from '../publishers/plain-text.ts';
import { DropError } from '../social/rules.ts';
import type { NewDrop, SocialStore } from '../social/social-store.ts';
import type { Logger } from '../telemetry/logger.ts';

export interface SourceDropsOptions {
  /** The user that a source is; `null` where it has none. */
  readonly users: { find(sourceId: string): Promise<string | null> };
  /** What is posted here reaches the timelines. */
  readonly social: Pick<SocialStore, 'getFollowersPage' | 'post'>;
  readonly log: Logger;
}

/** The user of a source that has followers; `unavailable` while the store cannot tell. */
export type SourceAuthor = { readonly userId: string } | 'unavailable';

const MAX_TITLE = 300;
const MAX_TEXT = 1000;
/** More than this is not kept for later: it would be no news by then. */
const MAX_OWED = 500;

/**
 * Posts what is new in a source as drops of the source, unjudged, for its followers. What cannot be posted because the store is
 * away is kept in memory and retried with whatever arrives next from any source; the pipelines do not wait for it.
 */
export class SourceDrops {
  readonly #parts: SourceDropsOptions;
  readonly #owed = new Map<string, readonly Sighting[]>();

  constructor(parts: SourceDropsOptions) {
    this.#parts = parts;
  }

  /** `null` where the source has no followers. */
  async authorOf(sourceId: string): Promise<SourceAuthor | null> {
    try {
      const userId = await this.#parts.users.find(sourceId);
      if (userId === null) return null;
      const [one] = await this.#parts.social.getFollowersPage(userId, { limit: 1 });
      return one === undefined ? null : { userId };
    } catch (error) {
      this.#parts.log.warn('it cannot be told who follows a source', { source: sourceId, error });
      return 'unavailable';
    }
  }

  /** Posts news, the oldest first. Posting the same item again changes nothing. Never fails. */
  async post(author: SourceAuthor, sourceId: string, news: readonly Sighting[]): Promise<void> {
    await this.#postInOrder(
      author,
      sourceId,
      news.toSorted((a, b) => a.publishedAt - b.publishedAt),
    );
  }

  /** Retries what could not be posted before. */
  async postPending(): Promise<void> {
    const owed = [...this.#owed];
    this.#owed.clear();
    for (const [sourceId, news] of owed) {
      const author = await this.authorOf(sourceId);
      if (author !== null) await this.#postInOrder(author, sourceId, news);
    }
  }

  async #postInOrder(author: SourceAuthor, sourceId: string, news: readonly Sighting[]): Promise<void> {
    if (author === 'unavailable') return this.#owe(sourceId, news);
    for (const [done, sighting] of news.entries()) {
      try {
        await this.#parts.social.post(dropOf(author.userId, sighting));
      } catch (error) {
        const fields = { source: sourceId, item: sighting.key, error };
        if (!(error instanceof DropError)) {
          this.#parts.log.warn('news of a source could not be posted; it is tried again', fields);
          return this.#owe(sourceId, news.slice(done));
        }
        this.#parts.log.warn('an item cannot be a drop of its source', fields);
      }
    }
  }

  #owe(sourceId: string, news: readonly Sighting[]): void {
    const all = [...(this.#owed.get(sourceId) ?? []), ...news];
    const lost = all.length - MAX_OWED;
    if (lost > 0)
      this.#parts.log.warn('too much news of a source waits; the oldest is lost', { source: sourceId, lost });
    if (all.length > 0) this.#owed.set(sourceId, all.slice(-MAX_OWED));
  }
}

function dropOf(userId: string, { key, sourceId, url, title, excerpt }: Sighting): NewDrop {
  return {
    userId,
    visibility: 'followers',
    title: shorten(plainLine(title), MAX_TITLE) || url,
    text: shorten(plainLine(excerpt ?? ''), MAX_TEXT),
    url,
    itemKey: key,
    dedupeKey: `source:${sourceId}:${createHash('sha256').update(key).digest('hex')}`,
  };
}
