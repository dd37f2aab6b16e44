import type { DocumentSnapshot } from '@google-cloud/firestore';
import { createDropIds, type DropIds } from '../../social/drop-id.ts';
import { checkDrop, checkEdit, checkUserName, UserError } from '../../social/rules.ts';
import type { BlockOutcome, Drop, DropRef, NewDrop, SocialStore, User } from '../../social/social-store.ts';
import type { Clock } from '../../time/clock.ts';
import { dropCreated } from '../../timelines/change-feed.ts';
import { FirestoreChangeFeed, type PreparedChange } from './change-feed.ts';
import type { FirestoreConnection, Mutation, Write } from './connection.ts';
import {
  blockAt,
  DROPS,
  dropAt,
  dropData,
  dropKeyAt,
  FOLLOWS,
  followAt,
  isDeleted,
  nameAt,
  SOCIAL_QUERIES,
  toDrop,
  toDropRef,
  toUser,
  userAt,
  userData,
} from './social-documents.ts';

export interface FirestoreSocialOptions {
  /** Owned by the caller. */
  readonly connection: FirestoreConnection;
  readonly clock: Clock;
  readonly random?: (bytes: Uint8Array<ArrayBuffer>) => Uint8Array;
}

interface Deleted {
  readonly drop: Drop;
  readonly change: PreparedChange;
}

interface Position {
  readonly createdAt: number;
  readonly id: string;
}

const USER_ID_PATTERN = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The user and post services on Firestore, shared by all replicas. */
export class FirestoreSocialStore implements SocialStore {
  readonly changes: FirestoreChangeFeed;
  readonly #connection: FirestoreConnection;
  readonly #clock: Clock;
  readonly #userIds: DropIds;
  readonly #random: Pick<FirestoreSocialOptions, 'random'>;
  /** Created at the first drop, above the newest stored one, so that a clock set back reorders nothing. */
  #dropIds: Promise<DropIds> | null = null;

  constructor({ connection, clock, random }: FirestoreSocialOptions) {
    this.#connection = connection;
    this.#clock = clock;
    this.#random = random === undefined ? {} : { random };
    this.#userIds = createDropIds({ now: () => clock.now(), ...this.#random });
    this.changes = new FirestoreChangeFeed(connection, clock, () => this.#userIds.next().id);
  }

  async addUser({ name, displayName, kind }: Pick<User, 'name' | 'displayName' | 'kind'>): Promise<User> {
    checkUserName(name);
    const { id } = this.#userIds.next();
    const user: User = { id, name, displayName, kind, createdAt: this.#clock.now() };
    const at = nameAt(name);
    return this.#connection.mutate(at, (existing) => {
      // An earlier attempt succeeded, but its reply was lost.
      if (existing.get('user_id') === id) return { value: user, writes: [] };
      if (existing.exists) throw new UserError('taken', name);
      return {
        value: user,
        writes: [
          { do: 'create', at: userAt(id), data: userData(user) },
          { do: 'create', at, data: { user_id: id } },
        ],
      };
    });
  }

  renameUser(userId: string, displayName: string): Promise<boolean> {
    const at = userAt(userId);
    return this.#connection.mutate(at, (now): Mutation<boolean> => {
      const user = toUser(now);
      if (user === null || now.updateTime === undefined) return { value: false, writes: [] };
      if (user.displayName === displayName) return { value: true, writes: [] };
      const data = userData({ ...user, displayName });
      return { value: true, writes: [{ do: 'replace', at, data, asOf: now.updateTime }] };
    });
  }

  async findUser(idOrName: string): Promise<User | null> {
    if (USER_ID_PATTERN.test(idOrName)) return toUser(await this.#connection.get(userAt(idOrName)));
    const id: unknown = (await this.#connection.get(nameAt(idOrName))).get('user_id');
    return typeof id === 'string' ? toUser(await this.#connection.get(userAt(id))) : null;
  }

  async listUsers(page?: { readonly limit: number; readonly after?: string }): Promise<readonly User[]> {
    const found = await this.#connection.query(SOCIAL_QUERIES.users, {
      where: [],
      ...(page === undefined ? {} : { limit: page.limit }),
      ...(page?.after === undefined ? {} : { startAfter: [page.after] }),
    });
    return found.flatMap((user) => toUser(user) ?? []);
  }

  async follow(followerId: string, followedId: string): Promise<boolean> {
    const at = followAt(followerId, followedId);
    const change = this.changes.prepare({ type: 'followed', user_id: followerId, author_id: followedId });
    const changed = await this.#connection.transact(FOLLOWS, async ({ getAll }) => {
      const [users, [there, ...blocks]] = await this.#readBoth(getAll, followerId, followedId, [
        at,
        blockAt(followerId, followedId),
        blockAt(followedId, followerId),
      ]);
      mustExist(users, [followerId, followedId]);
      if (blocks.some(({ exists }) => exists)) throw new UserError('blocked', followedId);
      if (followerId === followedId || there?.exists) return { value: false, writes: [] };
      const data = { follower_id: followerId, followed_id: followedId, created_at: this.#clock.now() };
      return { value: true, writes: [{ do: 'create', at, data }, change.write] };
    });
    if (changed) this.changes.committed(change);
    return changed;
  }

  async unfollow(followerId: string, followedId: string): Promise<boolean> {
    const change = this.#unfollowed(followerId, followedId);
    const changed = await this.#remove(followAt(followerId, followedId), [change.write]);
    if (changed) this.changes.committed(change);
    return changed;
  }

  async block(blockerId: string, blockedId: string): Promise<BlockOutcome> {
    const at = blockAt(blockerId, blockedId);
    const follows = [followAt(blockerId, blockedId), followAt(blockedId, blockerId)] as const;
    const changes = [this.#unfollowed(blockerId, blockedId), this.#unfollowed(blockedId, blockerId)] as const;
    const outcome = await this.#connection.transact(FOLLOWS, async ({ getAll }) => {
      const [users, [there, following, followed]] = await this.#readBoth(getAll, blockerId, blockedId, [
        at,
        ...follows,
      ]);
      mustExist(users, [blockerId, blockedId]);
      const isOther = blockerId !== blockedId;
      const value = {
        changed: isOther && !there?.exists,
        endedFollowing: isOther && following?.exists === true,
        endedBeingFollowed: isOther && followed?.exists === true,
      };
      const data = { blocker_id: blockerId, blocked_id: blockedId, created_at: this.#clock.now() };
      const writes: Write[] = [];
      if (value.changed) writes.push({ do: 'create', at, data });
      if (value.endedFollowing) writes.push({ do: 'delete', at: follows[0] }, changes[0].write);
      if (value.endedBeingFollowed) writes.push({ do: 'delete', at: follows[1] }, changes[1].write);
      return { value, writes };
    });
    if (outcome.endedFollowing) this.changes.committed(changes[0]);
    if (outcome.endedBeingFollowed) this.changes.committed(changes[1]);
    return outcome;
  }

  async unblock(blockerId: string, blockedId: string): Promise<boolean> {
    return this.#remove(blockAt(blockerId, blockedId));
  }

  async getBlockedList(userId: string): Promise<readonly string[]> {
    const found = await this.#connection.query(SOCIAL_QUERIES.blocked, { where: [userId] });
    return found.map((block) => String(block.get('blocked_id'))).sort();
  }

  async getFollowingList(userId: string): Promise<readonly string[]> {
    const found = await this.#connection.query(SOCIAL_QUERIES.following, { where: [userId] });
    return found.map((follow) => String(follow.get('followed_id')));
  }

  async getFollowersPage(
    userId: string,
    { limit, after }: { readonly limit: number; readonly after?: string },
  ): Promise<readonly string[]> {
    const found = await this.#connection.query(SOCIAL_QUERIES.followers, {
      where: [userId],
      limit,
      ...(after === undefined ? {} : { startAfter: [after] }),
    });
    return found.map((follow) => String(follow.get('follower_id')));
  }

  async post(drop: NewDrop): Promise<{ readonly drop: Drop; readonly created: boolean }> {
    checkDrop(drop);
    const { id, time } = (await this.#ids()).next();
    const made: Drop = {
      id,
      userId: drop.userId,
      visibility: drop.visibility,
      createdAt: time,
      text: drop.text,
      title: drop.title ?? null,
      url: drop.url ?? null,
      itemKey: drop.itemKey ?? null,
      pipeline: drop.pipeline ?? null,
      editedAt: null,
    };
    const keyed = drop.dedupeKey === undefined ? null : dropKeyAt(drop.dedupeKey);
    const change = this.changes.prepare(dropCreated(made));
    const posted = await this.#connection.transact<{ readonly drop: Drop; readonly created: boolean }>(
      DROPS,
      async ({ getAll }) => {
        const [author, key] = await getAll([userAt(drop.userId), ...(keyed === null ? [] : [keyed])]);
        if (!author?.exists) throw new UserError('unknown', drop.userId);
        const known: unknown = key?.get('drop_id');
        if (typeof known === 'string') {
          const [found] = await getAll([dropAt(known)]);
          const existing = found === undefined ? null : toDrop(found);
          if (existing === null) throw new Error('No drop has the dedupe key that is in use.');
          return { value: { drop: existing, created: false }, writes: [] };
        }
        const writes: Write[] = [{ do: 'create', at: dropAt(id), data: dropData(made, false) }, change.write];
        if (keyed !== null) writes.push({ do: 'create', at: keyed, data: { drop_id: id } });
        return { value: { drop: made, created: true }, writes };
      },
    );
    if (posted.created) this.changes.committed(change);
    return posted;
  }

  async editDrop(dropId: string, text: string): Promise<Drop | null> {
    const at = dropAt(dropId);
    return this.#connection.mutate<Drop | null>(at, (now) => {
      const drop = toDrop(now);
      if (drop === null || isDeleted(now) || now.updateTime === undefined) return { value: null, writes: [] };
      checkEdit(drop, text);
      const edited: Drop = { ...drop, text, editedAt: this.#clock.now() };
      return {
        value: edited,
        writes: [{ do: 'replace', at, data: dropData(edited, false), asOf: now.updateTime }],
      };
    });
  }

  async deleteDrop(dropId: string): Promise<Drop | null> {
    const at = dropAt(dropId);
    const deleted = await this.#connection.mutate<Deleted | null>(at, (now) => {
      const drop = toDrop(now);
      if (drop === null || isDeleted(now) || now.updateTime === undefined) return { value: null, writes: [] };
      const data = dropData({ ...drop, text: '', title: null, url: null }, true);
      const change = this.changes.prepare({ type: 'drop_deleted', drop_id: dropId, user_id: drop.userId });
      const writes: Write[] = [{ do: 'replace', at, data, asOf: now.updateTime }, change.write];
      return { value: { drop, change }, writes };
    });
    if (deleted === null) return null;
    this.changes.committed(deleted.change);
    return deleted.drop;
  }

  async getDrops(ids: readonly string[]): Promise<readonly Drop[]> {
    const distinct = [...new Set(ids)];
    const found = new Map<string, Drop>();
    for (const snapshot of await this.#connection.getAll(distinct.map(dropAt))) {
      const drop = isDeleted(snapshot) ? null : toDrop(snapshot);
      if (drop !== null) found.set(drop.id, drop);
    }
    return ids.flatMap((id) => found.get(id) ?? []);
  }

  async getDropsByUserId(
    userId: string,
    page: { readonly limit: number; readonly before?: Position },
  ): Promise<readonly DropRef[]> {
    return this.#page(SOCIAL_QUERIES.byUser, userId, page.limit, page.before);
  }

  async recentPublic(limit: number, before?: Position): Promise<readonly DropRef[]> {
    return this.#page(SOCIAL_QUERIES.recentPublic, 'public', limit, before);
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  async #page(
    form: (typeof SOCIAL_QUERIES)['byUser' | 'recentPublic'],
    of: string,
    limit: number,
    before: Position | undefined,
  ): Promise<readonly DropRef[]> {
    const found = await this.#connection.query(form, {
      where: [of, false],
      limit,
      ...(before === undefined ? {} : { startAfter: [before.createdAt, before.id] }),
    });
    return found.map(toDropRef);
  }

  /** Two users, each read once even if they are the same, and the documents between them. */
  async #readBoth(
    getAll: (places: readonly (readonly [string, string])[]) => Promise<readonly DocumentSnapshot[]>,
    one: string,
    other: string,
    between: readonly (readonly [string, string])[],
  ): Promise<readonly [readonly DocumentSnapshot[], readonly DocumentSnapshot[]]> {
    const users = one === other ? [one] : [one, other];
    const places = one === other ? [] : between;
    const found = await getAll([...users.map(userAt), ...places]);
    return [found.slice(0, users.length), found.slice(users.length)];
  }

  #unfollowed(userId: string, authorId: string): PreparedChange {
    return this.changes.prepare({ type: 'unfollowed', user_id: userId, author_id: authorId });
  }

  #remove(at: readonly [string, string], also: readonly Write[] = []): Promise<boolean> {
    return this.#connection.mutate(at, (now) =>
      now.updateTime === undefined
        ? { value: false, writes: [] }
        : { value: true, writes: [{ do: 'delete', at, asOf: now.updateTime }, ...also] },
    );
  }

  #ids(): Promise<DropIds> {
    this.#dropIds ??= this.#makeIds().catch((error: unknown) => {
      this.#dropIds = null;
      throw error;
    });
    return this.#dropIds;
  }

  async #makeIds(): Promise<DropIds> {
    const [newest] = await this.#connection.query(SOCIAL_QUERIES.newest, { where: [], limit: 1 });
    const after: unknown = newest?.get('drop_id');
    return createDropIds({
      now: () => this.#clock.now(),
      ...this.#random,
      ...(typeof after === 'string' ? { after } : {}),
    });
  }
}

function mustExist(found: readonly DocumentSnapshot[], ids: readonly string[]): void {
  for (const [index, snapshot] of found.entries())
    if (!snapshot.exists) throw new UserError('unknown', ids[index] ?? '');
}
