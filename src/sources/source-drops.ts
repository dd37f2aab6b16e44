import { createHash } from 'node:crypto';
import { type ItemFacts, itemFacts, type Sighting } from '../item/item.ts';
import { shorten } from '../item/shorten.ts';
import { plainLine } from '../publishers/plain-text.ts';
import { DropError } from '../social/rules.ts';
import type { NewDrop, SocialStore } from '../social/social-store.ts';
import type { Logger } from '../telemetry/logger.ts';

export interface SourceDropsOptions {
  /** The user of a source; `null` if it has none. */
  readonly users: { find(sourceId: string): Promise<string | null> };
  /** Posts reach the timelines through this. */
  readonly social: Pick<SocialStore, 'getFollowersPage' | 'post'>;
  readonly log: Logger;
}

/** The user of a source that has followers; `unavailable` while the store cannot tell. */
export type SourceAuthor = { readonly userId: string } | 'unavailable';

const MAX_TITLE = 300;
const MAX_TEXT = 1000;
/** Maximum number of pending items per source: older ones would no longer be news. */
const MAX_PENDING = 500;

/**
 * Posts the new items of a source as its drops, unjudged, for its followers. While the store is unavailable they are kept in
 * memory and retried with the next items of any source; the pipelines do not wait for that.
 */
export class SourceDrops {
  readonly #deps: SourceDropsOptions;
  readonly #pending = new Map<string, readonly ItemFacts[]>();

  constructor(deps: SourceDropsOptions) {
    this.#deps = deps;
  }

  /** `null` if the source has no followers. */
  async authorOf(sourceId: string): Promise<SourceAuthor | null> {
    try {
      const userId = await this.#deps.users.find(sourceId);
      if (userId === null) return null;
      const [one] = await this.#deps.social.getFollowersPage(userId, { limit: 1 });
      return one === undefined ? null : { userId };
    } catch (error) {
      this.#deps.log.warn('failed to read the followers of a source', { source: sourceId, error });
      return 'unavailable';
    }
  }

  /** Posts news, the oldest first. Idempotent per item. Never fails. */
  async post(author: SourceAuthor, sourceId: string, news: readonly Sighting[]): Promise<void> {
    await this.#postInOrder(
      author,
      sourceId,
      news.toSorted((a, b) => a.publishedAt - b.publishedAt),
    );
  }

  /** Retries what could not be posted before. */
  async postPending(): Promise<void> {
    const pending = [...this.#pending];
    this.#pending.clear();
    for (const [sourceId, news] of pending) {
      const author = await this.authorOf(sourceId);
      if (author !== null) await this.#postInOrder(author, sourceId, news);
    }
  }

  async #postInOrder(author: SourceAuthor, sourceId: string, news: readonly ItemFacts[]): Promise<void> {
    if (author === 'unavailable') return this.#addPending(sourceId, news);
    for (const [done, sighting] of news.entries()) {
      try {
        await this.#deps.social.post(dropOf(author.userId, sighting));
      } catch (error) {
        const fields = { source: sourceId, item: sighting.key, error };
        if (!(error instanceof DropError)) {
          this.#deps.log.warn('failed to post news of a source, retrying', fields);
          return this.#addPending(sourceId, news.slice(done));
        }
        this.#deps.log.warn('failed to post an item as a drop of its source', fields);
      }
    }
  }

  #addPending(sourceId: string, news: readonly ItemFacts[]): void {
    const all = [...(this.#pending.get(sourceId) ?? []), ...news.map(itemFacts)];
    const lost = all.length - MAX_PENDING;
    if (lost > 0)
      this.#deps.log.warn('too much pending news of a source, dropped the oldest', {
        source: sourceId,
        lost,
      });
    if (all.length > 0) this.#pending.set(sourceId, all.slice(-MAX_PENDING));
  }
}

function dropOf(userId: string, { key, sourceId, url, title, excerpt }: ItemFacts): NewDrop {
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
