import { expect, it } from 'vitest';
import type { ItemKey } from '../item/item.ts';
import type { EntryFilter, EntryListOptions, ListedEntry } from '../reader/entry-store.ts';
import { SqliteSocialStore } from '../storage/sqlite/social-store.ts';
import { silentLogger } from '../telemetry/logger.ts';
import { systemClock } from '../time/clock.ts';
import { SourceDrops } from './source-drops.ts';
import { SourceFollows } from './source-follows.ts';

it('R5 following a source posts its newest entries once, the oldest first; other users post nothing', async () => {
  await using social = SqliteSocialStore.open({ path: ':memory:', clock: systemClock });
  const add = (name: string, kind: 'person' | 'source') => social.addUser({ name, displayName: name, kind });
  const [ann, ben, herald] = [
    await add('ann', 'person'),
    await add('ben', 'person'),
    await add('herald', 'source'),
  ];
  const users = { find: async (id: string) => (id === 'herald' ? herald.id : null) };
  const asked: unknown[] = [];
  const follows = new SourceFollows({
    social,
    users,
    sources: {
      all: () =>
        ['wire', 'herald'].map(
          (id) => ({ id, name: id, kind: 'feed', folders: [], enabled: true, site: null }) as const,
        ),
    },
    entries: {
      async list(person: string, filter: EntryFilter, options: EntryListOptions) {
        asked.push([person, filter, options]);
        return { entries: [listed(3), listed(2)], next: null };
      },
    },
    drops: new SourceDrops({ users, social, log: silentLogger }),
  });
  expect(await follows.follow(ann.id, ben.id)).toBe(true);
  expect(asked).toEqual([]);
  expect(await follows.follow(ann.id, herald.id)).toBe(true);
  expect(asked).toEqual([[ann.id, { sourceIds: ['herald'] }, { order: 'newest', limit: 10 }]]);
  expect(await follows.follow(ann.id, herald.id)).toBe(false);
  const drops = await social.getDropsByUserId(herald.id, { limit: 10 });
  const shown = await social.getDrops(drops.map(({ id }) => id));
  expect(shown.map(({ title, itemKey }) => [title, itemKey])).toEqual([
    ['Title 3', 'key 3'],
    ['Title 2', 'key 2'],
  ]);
});

function listed(n: number): ListedEntry {
  return {
    entry: {
      id: n,
      key: `key ${n}` as ItemKey,
      storyId: n,
      url: `https://example.org/${n}`,
      title: `Title ${n}`,
      author: null,
      excerpt: null,
      imageUrl: null,
      language: null,
      publishedAt: n,
      arrivedAt: n,
      points: null,
      enclosures: [],
      sourceIds: ['herald'],
    },
    state: { read: false, starredAt: null, laterAt: null },
    others: [],
  };
}
