import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Sighting } from '../item/item.ts';
import { sighting } from '../ledger/contract/subject.ts';
import { ServiceUnavailableError } from '../social/rules.ts';
import type { Drop, User } from '../social/social-store.ts';
import { SqliteSocialStore } from '../storage/sqlite/social-store.ts';
import { silentLogger } from '../telemetry/logger.ts';
import { ManualClock } from '../time/manual-clock.ts';
import { SourceDrops } from './source-drops.ts';

describe('the news of a source', () => {
  let social: SqliteSocialStore;
  let ann: User;
  let herald: User;
  let news: SourceDrops;
  /** The calls of the store that fail at the moment. */
  let unavailable: ReadonlySet<'post' | 'getFollowersPage'>;
  let warnings: string[];

  beforeEach(async () => {
    social = SqliteSocialStore.open({ path: ':memory:', clock: new ManualClock() });
    ann = await social.addUser({ name: 'ann', displayName: 'Ann', kind: 'person' });
    herald = await social.addUser({ name: 'herald', displayName: 'Herald', kind: 'source' });
    await social.follow(ann.id, herald.id);
    unavailable = new Set();
    warnings = [];
    news = start();
  });
  afterEach(() => social[Symbol.asyncDispose]());

  function start(): SourceDrops {
    const or = async <T>(ability: 'post' | 'getFollowersPage', work: () => Promise<T>): Promise<T> => {
      if (unavailable.has(ability))
        throw new ServiceUnavailableError('avion.PostService', 'down', 'connection refused');
      return work();
    };
    return new SourceDrops({
      users: { find: async (id) => (id === 'herald' ? herald.id : null) },
      social: {
        post: (drop) => or('post', () => social.post(drop)),
        getFollowersPage: (id, page) => or('getFollowersPage', () => social.getFollowersPage(id, page)),
      },
      log: { ...silentLogger, warn: (message) => warnings.push(message) },
    });
  }

  /** All of it is new. */
  async function arrives(names: readonly string[], more: Partial<Sighting> = {}, sourceId = 'herald') {
    const sightings = names.map((name, at) => sighting(name, { sourceId, publishedAt: at, ...more }));
    await news.postPending();
    const author = await news.authorOf(sourceId);
    if (author !== null) await news.post(author, sourceId, sightings);
  }

  async function drops(): Promise<readonly Drop[]> {
    const refs = await social.getDropsByUserId(herald.id, { limit: 1000 });
    return social.getDrops(refs.map(({ id }) => id));
  }
  const titles = async (): Promise<(string | null)[]> => (await drops()).map(({ title }) => title);

  it('becomes drops for followers, the oldest first, in plain words', async () => {
    await arrives(['a', 'b'], { excerpt: 'To @everyone:\n\u202Eread this' });
    expect(await titles()).toEqual(['About b', 'About a']);
    expect((await drops())[0]).toMatchObject({
      userId: herald.id,
      visibility: 'followers',
      url: 'https://news.example/b',
      itemKey: 'https://news.example/b',
      pipeline: null,
      text: 'To @\u2060everyone: read this',
    });
    await arrives(['c'], { title: '\u200B' });
    expect((await titles())[0]).toBe('https://news.example/c');
  });

  it('is posted once, also after a restart', async () => {
    await arrives(['a']);
    await arrives(['a', 'b']);
    news = start();
    await arrives(['a', 'b']);
    expect(await titles()).toEqual(['About b', 'About a']);
  });

  it('is not posted where the source has no followers', async () => {
    await arrives(['a'], {}, 'unknown');
    await social.unfollow(ann.id, herald.id);
    await arrives(['a']);
    expect(await titles()).toEqual([]);
  });

  it.each([['post'], ['getFollowersPage']] as const)(
    'waits while %s fails, in order, and comes with whatever arrives next',
    async (ability) => {
      unavailable = new Set([ability]);
      await arrives(['a', 'b']);
      await arrives(['a', 'b', 'c']);
      expect(await titles()).toEqual([]);
      expect(warnings.length).toBeGreaterThan(0);
      unavailable = new Set();
      await arrives(['z'], {}, 'unknown');
      expect(await titles()).toEqual(['About c', 'About b', 'About a']);
      await arrives(['a', 'b', 'c']);
      expect(await titles()).toHaveLength(3);
    },
  );

  it('pending news is dropped if there are no followers any more, and is bounded', async () => {
    unavailable = new Set(['post']);
    await arrives(['a']);
    await social.unfollow(ann.id, herald.id);
    unavailable = new Set();
    await arrives([], {}, 'unknown');
    await social.follow(ann.id, herald.id);
    unavailable = new Set(['post']);
    await arrives(Array.from({ length: 501 }, (_, n) => `n${n}`));
    expect(warnings).toContain('too much pending news of a source, dropped the oldest');
    unavailable = new Set();
    await arrives([], {}, 'unknown');
    expect(await titles()).toHaveLength(500);
    expect(await titles()).not.toContain('About n0');
  });

  it('an item that cannot be a drop is logged and blocks no other', async () => {
    const items = [sighting('bad', { url: 'javascript:alert(1)' }), sighting('good')];
    await news.post({ userId: herald.id }, 'herald', items);
    expect(await titles()).toEqual(['About good']);
    expect(warnings).toEqual(['failed to post an item as a drop of its source']);
  });
});
