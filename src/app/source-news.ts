import { createHash } from 'node:crypto';
import type { ItemKey, Sighting } from '../item/item.ts';
import { shorten } from '../item/shorten.ts';
import type { SourceReaders } from '../pipelines/admission.ts';
import { plainLine } from '../press/plain-text.ts';
import { DropError } from '../social/refusals.ts';
import type { NewDrop, SocialStore } from '../social/services.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { SourceUsers } from './source-users.ts';

export interface SourceNewsParts {
  readonly users: Pick<SourceUsers, 'find'>;
  /** What is posted here reaches the timelines. */
  readonly social: Pick<SocialStore, 'getFollowersPage' | 'post'>;
  readonly log: Logger;
}

/** Whose drop it will be. `nobody`: nobody follows the source. `cannot_tell`: the store is away. */
type Author = { readonly userId: string } | 'nobody' | 'cannot_tell';

const MOST_TITLE = 300;
const MOST_TEXT = 1000;
/** More than this is not kept for later: it would be no news by then. */
const MOST_OWED = 500;

/**
 * Whatever is new in a source becomes a drop of the source, unjudged, for those who follow it. Where nobody does, it costs one
 * question. What cannot be posted because the store is away is owed, in memory, and tried again with whatever arrives next from
 * any source; the pipelines do not wait for it.
 */
export class SourceNews implements SourceReaders {
  readonly #parts: SourceNewsParts;
  /** What each source carried when it was last looked through, so that nothing is looked up or posted over and over. */
  readonly #seen = new Map<string, ReadonlySet<ItemKey>>();
  readonly #owed = new Map<string, readonly Sighting[]>();

  constructor(parts: SourceNewsParts) {
    this.#parts = parts;
  }

  async tell(
    sourceId: string,
    sightings: readonly Sighting[],
    newsAmong: (some: readonly Sighting[]) => Promise<readonly Sighting[]>,
  ): Promise<void> {
    await this.#payOwed();
    const author = await this.#wanted(sourceId);
    if (author === 'nobody') {
      this.#seen.delete(sourceId);
      return;
    }
    const seen = this.#seen.get(sourceId);
    const news = await newsAmong(sightings.filter(({ key }) => seen?.has(key) !== true));
    this.#seen.set(sourceId, new Set(sightings.map(({ key }) => key)));
    await this.#post(
      author,
      sourceId,
      news.toSorted((a, b) => a.publishedAt - b.publishedAt),
    );
  }

  async #payOwed(): Promise<void> {
    const owed = [...this.#owed];
    this.#owed.clear();
    for (const [sourceId, news] of owed) await this.#post(await this.#wanted(sourceId), sourceId, news);
  }

  async #wanted(sourceId: string): Promise<Author> {
    try {
      const userId = await this.#parts.users.find(sourceId);
      if (userId === null) return 'nobody';
      const [one] = await this.#parts.social.getFollowersPage(userId, { limit: 1 });
      return one === undefined ? 'nobody' : { userId };
    } catch (error) {
      this.#parts.log.warn('it cannot be told who follows a source', { source: sourceId, error });
      return 'cannot_tell';
    }
  }

  async #post(author: Author, sourceId: string, news: readonly Sighting[]): Promise<void> {
    if (author === 'nobody') return;
    if (author === 'cannot_tell') return this.#owe(sourceId, news);
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
    const lost = all.length - MOST_OWED;
    if (lost > 0)
      this.#parts.log.warn('too much news of a source waits; the oldest is lost', { source: sourceId, lost });
    if (all.length > 0) this.#owed.set(sourceId, all.slice(-MOST_OWED));
  }
}

function dropOf(userId: string, { key, sourceId, url, title, excerpt }: Sighting): NewDrop {
  return {
    userId,
    visibility: 'followers',
    title: shorten(plainLine(title), MOST_TITLE) || url,
    text: shorten(plainLine(excerpt ?? ''), MOST_TEXT),
    url,
    itemKey: key,
    dedupeKey: `source:${sourceId}:${createHash('sha256').update(key).digest('hex')}`,
  };
}
