import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLogger } from '../../telemetry/logger.ts';
import { ManualClock } from '../../time/manual-clock.ts';
import type { ChangeFeed, FeedChange } from '../../timelines/change-feed.ts';
import type { SocialStore, User } from '../social-store.ts';

type Store = SocialStore & { readonly changes: ChangeFeed };

/** Contract of every social store. `edits: false` is for a remote service, which has no call to edit a drop or a user. */
export function describeSocialStore(
  name: string,
  open: (clock: ManualClock) => Promise<Store>,
  { edits = true }: { readonly edits?: boolean } = {},
): void {
  describe(`${name}: the social contract`, () => {
    let clock: ManualClock;
    let store: Store;
    let ann: User;
    let ben: User;

    beforeEach(async () => {
      clock = new ManualClock();
      store = await open(clock);
      ann = await store.addUser({ name: 'ann', displayName: 'Ann', kind: 'person' });
      ben = await store.addUser({ name: 'ben', displayName: 'Ben', kind: 'pipeline' });
    });
    afterEach(async () => {
      await store[Symbol.asyncDispose]();
    });

    const post = async (userId: string, text: string, more = {}) =>
      (await store.post({ userId, visibility: 'public', text, ...more })).drop;

    it('finds a user by ID and by name only', async () => {
      expect(await store.findUser(ann.id)).toEqual(ann);
      expect(await store.findUser('ben')).toEqual(ben);
      expect(await store.findUser('cat')).toBeNull();
      expect((await store.listUsers()).map((user) => user.name)).toEqual(['ann', 'ben']);
    });

    it('R26 changes the display name of a user, where the service can', async () => {
      expect(await store.renameUser(ben.id, 'Ben the Second')).toBe(edits);
      const displayName = edits ? 'Ben the Second' : ben.displayName;
      expect(await store.findUser('ben')).toEqual({ ...ben, displayName });
      expect(await store.findUser('ann')).toEqual(ann);
      expect(await store.renameUser('0190a000-0000-7000-8000-000000000009', 'No one')).toBe(false);
    });

    it('stores the kind of a user; users of every kind can be followed', async () => {
      const cat = await store.addUser({ name: 'cat', displayName: 'The Cat Times', kind: 'source' });
      expect(cat.kind).toBe('source');
      expect(await store.findUser(cat.id)).toEqual(cat);
      expect((await store.listUsers()).map(({ kind }) => kind)).toEqual(['person', 'pipeline', 'source']);
      expect(await store.follow(ann.id, cat.id)).toBe(true);
      expect(await store.getFollowersPage(cat.id, { limit: 1 })).toEqual([ann.id]);
      const { drop } = await store.post({ userId: cat.id, visibility: 'followers', text: 'new' });
      expect((await store.getDropsByUserId(cat.id, { limit: 1 }))[0]).toMatchObject({ id: drop.id });
      expect(await store.unfollow(ann.id, cat.id)).toBe(true);
    });

    it.each(['', 'two words', 'x'.repeat(65), '<b>', '0190a000-0000-7000-8000-000000000000'])(
      'refuses the name %j and stores nothing',
      async (bad) => {
        const user = { name: bad, displayName: 'X', kind: 'person' as const };
        await expect(store.addUser(user)).rejects.toMatchObject({ name: 'UserError', problem: 'bad_name' });
        expect(await store.listUsers()).toHaveLength(2);
      },
    );

    it('refuses a name that is taken', async () => {
      const again = store.addUser({ name: 'ann', displayName: 'Another', kind: 'person' });
      await expect(again).rejects.toMatchObject({ name: 'UserError', problem: 'taken' });
    });

    it('follows and unfollows idempotently; a user cannot follow themselves', async () => {
      expect(await store.follow(ann.id, ben.id)).toBe(true);
      expect(await store.follow(ann.id, ben.id)).toBe(false);
      expect(await store.follow(ann.id, ann.id)).toBe(false);
      expect(await store.getFollowingList(ann.id)).toEqual([ben.id]);
      expect(await store.getFollowersPage(ben.id, { limit: 1000 })).toEqual([ann.id]);
      expect(await store.unfollow(ann.id, ben.id)).toBe(true);
      expect(await store.unfollow(ann.id, ben.id)).toBe(false);
      expect(await store.getFollowersPage(ben.id, { limit: 1000 })).toEqual([]);
      await expect(store.follow(ann.id, 'unknown')).rejects.toMatchObject({ problem: 'unknown' });
    });

    it('C12 the feed has every change, in order, and nothing else', async () => {
      const relayed: string[] = [];
      const stop = new AbortController();
      const accept = async ({ change }: FeedChange): Promise<void> => {
        const { type } = change;
        const ids =
          'drop_id' in change
            ? [change.drop_id]
            : 'user_id' in change
              ? [change.user_id, change.author_id]
              : [];
        relayed.push([type, ...ids].join(' '));
      };
      const relaying = store.changes.relay({ durable: true, log: silentLogger, accept }, stop.signal);
      await store.follow(ann.id, ben.id);
      await store.follow(ann.id, ben.id);
      const drop = await post(ben.id, 'one', { dedupeKey: 'k' });
      await post(ben.id, 'one', { dedupeKey: 'k' });
      await store.unfollow(ann.id, ben.id);
      await store.unfollow(ann.id, ben.id);
      await store.deleteDrop(drop.id);
      await store.deleteDrop(drop.id);
      await store.follow(ann.id, ben.id);
      await store.follow(ben.id, ann.id);
      await store.block(ann.id, ben.id);
      stop.abort();
      await relaying;
      const changes = [
        `followed ${ann.id} ${ben.id}`,
        `drop_created ${drop.id}`,
        `unfollowed ${ann.id} ${ben.id}`,
        `drop_deleted ${drop.id}`,
        `followed ${ann.id} ${ben.id}`,
        `followed ${ben.id} ${ann.id}`,
        `unfollowed ${ann.id} ${ben.id}`,
        `unfollowed ${ben.id} ${ann.id}`,
      ];
      // A remote service may announce a drop twice.
      expect(relayed.filter((change, n) => change !== relayed[n - 1])).toEqual(changes);
    });

    it('C13 a block ends follows in both directions and prevents new ones', async () => {
      await store.follow(ann.id, ben.id);
      await store.follow(ben.id, ann.id);
      expect(await store.block(ann.id, ben.id)).toEqual({
        changed: true,
        endedFollowing: true,
        endedBeingFollowed: true,
      });
      for (const user of [ann, ben]) {
        expect(await store.getFollowingList(user.id)).toEqual([]);
        expect(await store.getFollowersPage(user.id, { limit: 1000 })).toEqual([]);
      }
      expect(await store.getBlockedList(ann.id)).toEqual([ben.id]);
      expect(await store.getBlockedList(ben.id)).toEqual([]);
      const refused = { name: 'UserError', problem: 'blocked' };
      await expect(store.follow(ben.id, ann.id)).rejects.toMatchObject(refused);
      await expect(store.follow(ann.id, ben.id)).rejects.toMatchObject(refused);
      expect(await store.getFollowingList(ben.id)).toEqual([]);
    });

    it('blocks and unblocks idempotently, not oneself; unblocking restores no follow', async () => {
      await store.follow(ben.id, ann.id);
      const nothing = { changed: false, endedFollowing: false, endedBeingFollowed: false };
      expect(await store.block(ann.id, ben.id)).toEqual({
        ...nothing,
        changed: true,
        endedBeingFollowed: true,
      });
      expect(await store.block(ann.id, ben.id)).toEqual(nothing);
      expect(await store.block(ann.id, ann.id)).toEqual(nothing);
      await expect(store.block(ann.id, 'unknown')).rejects.toMatchObject({ problem: 'unknown' });
      expect(await store.unblock(ben.id, ann.id)).toBe(false);
      expect(await store.unblock(ann.id, ben.id)).toBe(true);
      expect(await store.unblock(ann.id, ben.id)).toBe(false);
      expect(await store.getFollowersPage(ann.id, { limit: 1000 })).toEqual([]);
      expect(await store.follow(ben.id, ann.id)).toBe(true);
    });

    it('pages through followers and users, each once', async () => {
      const ids: string[] = [];
      for (let i = 0; i < 7; i++) {
        const user = await store.addUser({ name: `reader${i}`, displayName: '', kind: 'person' });
        await store.follow(user.id, ben.id);
        ids.push(user.id);
      }
      const read: string[] = [];
      for (let after: string | undefined; ; after = read.at(-1)) {
        const page = await store.getFollowersPage(ben.id, { limit: 3, ...(after ? { after } : {}) });
        read.push(...page);
        if (page.length < 3) break;
      }
      expect(read).toEqual(ids.toSorted());
      const first = await store.listUsers({ limit: 4 });
      const rest = await store.listUsers({ limit: 100, after: first.at(-1)?.name ?? '' });
      expect([...first, ...rest]).toEqual(await store.listUsers());
      expect(first).toHaveLength(4);
    });

    it('stores all fields of a drop; its ID contains its time', async () => {
      const full = { title: '見出し', url: 'https://a.example/', itemKey: 'k', pipeline: 'daily' };
      const drop = await post(ben.id, 'text', full);
      expect(drop).toMatchObject({ ...full, userId: ben.id, createdAt: clock.now(), visibility: 'public' });
      expect(Number.parseInt(drop.id.replaceAll('-', '').slice(0, 12), 16)).toBe(clock.now());
      expect(await store.getDrops([drop.id])).toEqual([drop]);
    });

    it('posts a dedupe key once, also after its drop was deleted', async () => {
      const first = await store.post({
        userId: ben.id,
        visibility: 'public',
        text: 'a',
        dedupeKey: 'k',
      });
      const again = await store.post({ userId: ben.id, visibility: 'public', text: 'b', dedupeKey: 'k' });
      expect(first.created).toBe(true);
      expect(again).toEqual({ drop: first.drop, created: false });
      await store.deleteDrop(first.drop.id);
      const late = await store.post({ userId: ben.id, visibility: 'public', text: 'a', dedupeKey: 'k' });
      expect(late.created).toBe(false);
      expect(await store.getDrops([late.drop.id])).toEqual([]);
    });

    it('deletes idempotently, and a deleted drop is in no list', async () => {
      const drop = await post(ben.id, 'gone');
      const kept = await post(ben.id, 'kept');
      expect(await store.deleteDrop(drop.id)).toEqual(drop);
      expect(await store.deleteDrop(drop.id)).toBeNull();
      expect(await store.deleteDrop('no such drop')).toBeNull();
      expect(await store.getDrops([drop.id, kept.id])).toEqual([kept]);
      expect((await store.recentPublic(10)).map((ref) => ref.id)).toEqual([kept.id]);
      expect((await store.getDropsByUserId(ben.id, { limit: 10 })).map((ref) => ref.id)).toEqual([kept.id]);
    });

    if (edits) describeEditing();
    else
      it('R22 refuses to edit where the remote service cannot', async () => {
        const drop = await post(ben.id, 'text');
        await expect(store.editDrop(drop.id, 'other')).rejects.toMatchObject({
          name: 'EditUnsupportedError',
        });
        expect(await store.getDrops([drop.id])).toEqual([drop]);
      });

    function describeEditing(): void {
      it('R22 editing replaces the text and keeps everything else', async () => {
        const drop = await post(ben.id, 'frist', {
          title: '見出し',
          url: 'https://a.example/',
          dedupeKey: 'k',
        });
        const newer = await post(ann.id, 'newer');
        await clock.advance(5_000);
        const edited = await store.editDrop(drop.id, 'first');
        expect(edited).toEqual({ ...drop, text: 'first', editedAt: clock.now() });
        expect(await store.getDrops([drop.id])).toEqual([edited]);
        expect((await store.recentPublic(10)).map(({ id }) => id)).toEqual([newer.id, drop.id]);
        const again = await store.post({ userId: ben.id, visibility: 'public', text: 'x', dedupeKey: 'k' });
        expect(again).toEqual({ drop: edited, created: false });
      });

      it('R22 a deleted, unknown or emptied drop is not edited', async () => {
        const drop = await post(ben.id, 'text');
        await expect(store.editDrop(drop.id, ' ')).rejects.toMatchObject({
          name: 'DropError',
          field: 'text',
        });
        await expect(store.editDrop(drop.id, 'x'.repeat(100_001))).rejects.toThrow('maximum');
        expect(await store.getDrops([drop.id])).toEqual([drop]);
        await store.deleteDrop(drop.id);
        expect(await store.editDrop(drop.id, 'back again')).toBeNull();
        expect(await store.getDrops([drop.id])).toEqual([]);
        expect(await store.editDrop('no such drop', 'x')).toBeNull();
      });
    }

    it('returns drops in the requested order', async () => {
      const drops = [await post(ben.id, '1'), await post(ann.id, '2'), await post(ben.id, '3')];
      const ids = drops.map((drop) => drop.id).reverse();
      expect((await store.getDrops(ids)).map((drop) => drop.id)).toEqual(ids);
    });

    it('C15 pages without gaps or repeats through drops of one millisecond and of a clock set back', async () => {
      const ids: string[] = [];
      for (let i = 0; i < 25; i++) {
        if (i === 10) clock.jump(-60_000);
        if (i === 20) clock.jump(120_000);
        ids.push((await post(i % 3 === 0 ? ann.id : ben.id, `${i}`)).id);
      }
      const newestFirst = ids.toReversed();
      const read: string[] = [];
      for (let before: { createdAt: number; id: string } | undefined; ; ) {
        const page = await store.recentPublic(4, before);
        read.push(...page.map((ref) => ref.id));
        const last = page.at(-1);
        if (!last) break;
        before = { createdAt: last.createdAt, id: last.id };
      }
      expect(read).toEqual(newestFirst);
    });

    it('lists only public drops publicly', async () => {
      await post(ann.id, 'hidden', { visibility: 'followers' });
      await post(ann.id, 'mine', { visibility: 'private' });
      expect(await store.recentPublic(10)).toEqual([]);
      expect(await store.getDropsByUserId(ann.id, { limit: 10 })).toHaveLength(2);
    });

    it.each([
      ['a script as address', { url: 'javascript:alert(1)' }, 'url'],
      ['an invalid address', { url: 'not an address' }, 'url'],
      ['an empty text', { text: ' ' }, 'text'],
      ['a text that is too long', { text: 'x'.repeat(100_001) }, 'text'],
      ['an unknown visibility', { visibility: 'secret' as 'public' }, 'visibility'],
    ])('refuses %s, names the field and stores nothing', async (_what, bad, field) => {
      const drop = { userId: ben.id, visibility: 'public' as const, text: 'fine', ...bad };
      await expect(store.post(drop)).rejects.toMatchObject({ name: 'DropError', field });
      expect(await store.recentPublic(10)).toEqual([]);
    });

    it('refuses a drop of an unknown user', async () => {
      const drop = store.post({ userId: 'unknown', visibility: 'public', text: 'x' });
      await expect(drop).rejects.toMatchObject({ name: 'UserError', problem: 'unknown' });
    });
  });
}
