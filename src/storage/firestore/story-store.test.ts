import { Firestore, Timestamp } from '@google-cloud/firestore';
import { describe, expect, it, vi } from 'vitest';
import { emulatorForThisFile, freshProject } from '../../../test/emulators.ts';
import { requires } from '../../../test/requirements.ts';
import { sampleStory } from '../../stories/contract/sample-stories.ts';
import { describeStoryStore } from '../../stories/contract/story-store.ts';
import { silentEvents } from '../../telemetry/events.ts';
import { systemClock } from '../../time/clock.ts';
import { HOUR } from '../../time/duration.ts';
import { FirestoreConnection } from './connection.ts';
import { documentId, environmentPrefix } from './story-documents.ts';
import { FirestoreStoryStore, fitToDocument, openHiddenStories } from './story-store.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const NOW = Date.UTC(2026, 10, 15, 12);

describe('the names of collections', () => {
  it.each([
    ['production', 'prod-'],
    ['staging', 'staging-'],
    ['ci', 'ci-'],
    ['test', 'dev-'],
    ['toString', 'dev-'],
    ['', 'dev-'],
    [undefined, 'dev-'],
  ])('E1 the environment %s gives %s', (environment, prefix) => {
    expect(environmentPrefix(environment)).toBe(prefix);
  });

  it('E3 ordinary names stay unchanged, and no two names collide', () => {
    expect(documentId('dang')).toBe('dang');
    const names = ['a/b', 'a%2Fb', '.', '..', '__x__', '%', 'a_b'];
    expect(new Set(names.map(documentId)).size).toBe(names.length);
    for (const name of names) expect(documentId(name)).not.toMatch(/^\.{1,2}$|\/|^__.*__$/);
  });
});

describe('a cache document', () => {
  it('E4 is truncated by bytes, not by characters', () => {
    const long = Array.from({ length: 2000 }, (_, n) => sampleStory(n, { title: '読'.repeat(300) }));
    const fits = fitToDocument(long);
    expect(fits.length).toBeLessThan(1200);
    expect(fits.length).toBeGreaterThan(900);
    expect(fits).toEqual(long.slice(0, fits.length));
    const short = Array.from({ length: 2000 }, (_, n) => sampleStory(n));
    expect(fitToDocument(short)).toBe(short);
  });
});

requires('gcloud')('stories on Firestore', () => {
  const emulator = emulatorForThisFile('firestore');
  const connect = (project: string): FirestoreConnection =>
    new FirestoreConnection({ project, emulator: emulator.host, clock: systemClock, events: silentEvents });
  const storeOn = (connection: FirestoreConnection, set = 'hackernews'): FirestoreStoryStore =>
    new FirestoreStoryStore({
      connection,
      prefix: 'prod-',
      set,
      clock: systemClock,
      hidden: openHiddenStories(connection, 'prod-', systemClock),
    });

  // The feed goes by the server's own time, so the clock of these is the real one.
  describeStoryStore('Firestore', async () => {
    const project = freshProject();
    const connections = [connect(project), connect(project)] as const;
    return {
      mine: storeOn(connections[0]),
      theirs: storeOn(connections[1]),
      other: storeOn(connections[0], 'pipeline-morning'),
      dispose: async () => {
        for (const connection of connections) await connection[Symbol.asyncDispose]();
      },
    };
  });

  describe('documents', () => {
    const raw = (project: string): Firestore =>
      new Firestore({ projectId: project, host: emulator.host, ssl: false });

    it('E2 E3 have exactly the fields of the contract', async () => {
      const project = freshProject();
      const [connection, db] = [connect(project), raw(project)];
      const store = storeOn(connection);
      const one = sampleStory(42_345_678, { time: NOW - HOUR, updated: NOW, score: 7, descendants: 3 });
      await store.upsert([{ story: one }]);
      await store.hide('dang', [42_345_678], NOW);
      expect((await db.doc('prod-stories/0042345678').get()).data()).toEqual({
        by: one.by,
        descendants: 3,
        id: 42_345_678,
        kids: one.kids,
        score: 7,
        time: Timestamp.fromMillis(NOW - HOUR),
        title: one.title,
        url: one.url,
        updated: Timestamp.fromMillis(NOW),
      });
      expect((await db.doc('prod-users/dang').get()).data()).toEqual({});
      expect((await db.doc('prod-users/dang/hidden/42345678').get()).data()).toEqual({ addedAt: NOW });
      await connection[Symbol.asyncDispose]();
      await db.terminate();
    });

    it('E3 X22 hiding leaves the document of a user and hidden stories of another program unchanged', async () => {
      const project = freshProject();
      const [connection, db] = [connect(project), raw(project)];
      await db.doc('prod-users/dang').set({ theme: 'dark' });
      await db.doc('prod-users/dang/hidden/7').set({ addedAt: NOW - HOUR });
      // As the original program leaves it where only the subcollection was written.
      await db.doc('prod-users/pg/hidden/7').set({ addedAt: NOW - HOUR });
      const store = storeOn(connection);
      for (const name of ['dang', 'pg']) {
        expect(await store.hiddenAmong(name, [7, 8])).toEqual(new Set([7]));
        await store.hide(name, [7, 8], NOW);
        const hidden = await db.collection(`prod-users/${name}/hidden`).get();
        expect(hidden.docs.map((one) => [one.id, one.data()])).toEqual([
          ['7', { addedAt: NOW - HOUR }],
          ['8', { addedAt: NOW }],
        ]);
        await store.unhide(name, [7]);
        expect((await db.doc(`prod-users/${name}/hidden/7`).get()).exists).toBe(false);
      }
      expect((await db.doc('prod-users/dang').get()).data()).toEqual({ theme: 'dark' });
      expect((await db.doc('prod-users/pg').get()).data()).toEqual({});
      await connection[Symbol.asyncDispose]();
      await db.terminate();
    });

    it('E4 a cache document has the list and its time of writing, and never exceeds 1 MiB', async () => {
      const project = freshProject();
      const [connection, db] = [connect(project), raw(project)];
      const { cache } = storeOn(connection).abilities;
      const short = [sampleStory(1, { time: NOW }), sampleStory(2, { time: NOW })];
      const before = systemClock.now();
      await cache?.set('Week', { stories: short, rankedAt: NOW });
      const { kids: _kids, updated: _updated, ...shown } = short[0] as (typeof short)[0];
      const stored = (await db.doc('prod-cache/Week').get()).data();
      expect(stored).toMatchObject({ cachedAt: expect.any(Number), stories: [shown, { id: 2 }] });
      expect(stored?.cachedAt).toBeGreaterThanOrEqual(before);
      expect(await cache?.get('Week')).toMatchObject({ rankedAt: NOW, hasChanges: true });
      const long = Array.from({ length: 2000 }, (_, n) =>
        sampleStory(n, { title: `${n} ${'ü'.repeat(700)}` }),
      );
      await cache?.set('Year', { stories: long, rankedAt: NOW });
      const kept = (await cache?.get('Year'))?.stories.length ?? 0;
      expect(kept).toBeGreaterThan(500);
      expect(kept).toBeLessThan(2000);
      await cache?.clear();
      expect(await cache?.get('Year')).toBeNull();
      expect((await db.collection('prod-cache').get()).size).toBe(0);
      await connection[Symbol.asyncDispose]();
      await db.terminate();
    });

    it('E4 a cache document of an older format counts as absent', async () => {
      const project = freshProject();
      const [connection, db] = [connect(project), raw(project)];
      const { cache } = storeOn(connection).abilities;
      const shapes = [
        {},
        { stories: 'none', cachedAt: NOW },
        { stories: [{ id: 'x' }], cachedAt: NOW },
        { stories: [{ id: 1 }] },
        { items: [], at: NOW },
      ];
      for (const shape of shapes) {
        await db.doc('prod-cache/All').set(shape);
        expect(await cache?.get('All'), JSON.stringify(shape)).toBeNull();
      }
      await db.doc('prod-cache/All').set({ stories: [{ id: 1, score: 5 }], cachedAt: NOW });
      expect(await cache?.get('All')).toMatchObject({
        stories: [{ id: 1, score: 5, by: '', descendants: 0, time: 0, title: '', url: '' }],
        rankedAt: NOW,
        hasChanges: false,
      });
      await connection[Symbol.asyncDispose]();
      await db.terminate();
    });

    it('E14 an incomplete story of another program breaks nothing', async () => {
      const project = freshProject();
      const [connection, db] = [connect(project), raw(project)];
      await db.doc('prod-stories/0000000007').set({ id: 7, score: 5, time: Timestamp.fromMillis(NOW) });
      await db.doc('prod-stories/0000000008').set({ score: 'many', id: 8 });
      const store = storeOn(connection);
      expect(await store.find([7])).toMatchObject([{ id: 7, score: 5, title: '', kids: [] }]);
      expect((await store.ranking(NOW - HOUR, 10)).stories).toMatchObject([{ id: 7 }]);
      expect((await store.ranking(null, 10)).stories.map(({ id }) => id)).toContain(7);
      await connection[Symbol.asyncDispose]();
      await db.terminate();
    });
  });

  it('E5 connects on first use, and accepts a client of the caller', async () => {
    const project = freshProject();
    const connection = new FirestoreConnection({
      project,
      emulator: '127.0.0.1:1',
      clock: systemClock,
      events: silentEvents,
    });
    const store = storeOn(connection);
    expect(store.abilities.cache).not.toBeNull();
    expect(connection.used).toEqual({ reads: 0, writes: 0, deletes: 0 });
    await connection[Symbol.asyncDispose]();

    const client = new Firestore({ projectId: project, host: emulator.host, ssl: false });
    const given = new FirestoreConnection({ project, client, clock: systemClock, events: silentEvents });
    await storeOn(given).upsert([{ story: sampleStory(5, { time: NOW }), before: null }]);
    expect((await client.doc('prod-stories/0000000005').get()).exists).toBe(true);
    await given[Symbol.asyncDispose]();
  });
});
