import type { EntryStore } from '../reader/entry-store.ts';
import type { ReaderSources } from '../reader/reader-lists.ts';
import type { SocialStore } from '../social/social-store.ts';
import type { SourceDrops } from './source-drops.ts';

export interface SourceFollowsDependencies {
  readonly social: Pick<SocialStore, 'follow' | 'findUser'>;
  readonly sources: ReaderSources;
  /** The user of a source; `null` if it has none. */
  readonly users: { find(sourceId: string): Promise<string | null> };
  readonly entries: Pick<EntryStore, 'list'>;
  readonly drops: Pick<SourceDrops, 'post'>;
}

/** How many of its newest entries a followed source posts at once. */
const NEWEST = 10;

/** Follows users. A source posts its newest entries at once, so that the home timeline of a new follower is not empty (R5). */
export class SourceFollows {
  readonly #deps: SourceFollowsDependencies;

  constructor(deps: SourceFollowsDependencies) {
    this.#deps = deps;
  }

  /** Returns whether it is new. Refused if one of the two has blocked the other. */
  async follow(person: string, userId: string): Promise<boolean> {
    const { social } = this.#deps;
    const changed = await social.follow(person, userId);
    const user = await social.findUser(userId);
    // Also for a known follower: an interrupted request is completed when it is sent again.
    if (user?.kind === 'source') await this.#postNewest(person, userId);
    return changed;
  }

  async #postNewest(person: string, userId: string): Promise<void> {
    const { entries, drops } = this.#deps;
    const source = await this.#sourceOf(userId);
    if (source === null) return;
    const page = await entries.list(person, { sourceIds: [source.id] }, { order: 'newest', limit: NEWEST });
    const news = page.entries.map(({ entry: { key, url, title, excerpt, publishedAt } }) => ({
      key,
      url,
      title,
      publishedAt,
      sourceId: source.id,
      sourceName: source.name,
      ...(excerpt !== null && { excerpt }),
    }));
    await drops.post({ userId }, source.id, news);
  }

  async #sourceOf(userId: string) {
    const { sources, users } = this.#deps;
    for (const source of sources.all()) if ((await users.find(source.id)) === userId) return source;
    return null;
  }
}
