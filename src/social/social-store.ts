/** Users and follows. The embedded one is SQLite; a remote one is `avion.UserService`. */
export interface UserService {
  getFollowingList(userId: string, signal?: AbortSignal): Promise<readonly string[]>;
  /**
   * Followers ordered by ID, strictly above `after` if given; fewer than `limit` only at the end. Paged because some
   * authors have too many to load at once.
   */
  getFollowersPage(
    userId: string,
    page: { readonly limit: number; readonly after?: string },
    signal?: AbortSignal,
  ): Promise<readonly string[]>;
}

/** Drops. The embedded one is SQLite; a remote one is `avion.PostService`. */
export interface PostService {
  /** Newest first; strictly below `before` if given. */
  getDropsByUserId(
    userId: string,
    page: { readonly limit: number; readonly before?: { readonly createdAt: number; readonly id: string } },
    signal?: AbortSignal,
  ): Promise<readonly DropRef[]>;
}

/** The part of a drop that a timeline stores. */
export interface DropRef {
  /** UUIDv7. */
  readonly id: string;
  readonly userId: string;
  readonly visibility: Visibility;
  readonly createdAt: number;
}

/** `unlisted`: visible to everyone with its ID and in the followers' home timelines, but not in public lists. Only remote services have such drops. */
export type Visibility = 'public' | 'unlisted' | 'followers' | 'private';

/** A short post, by a person or a pipeline. */
export interface Drop extends DropRef {
  readonly text: string;
  readonly title: string | null;
  readonly url: string | null;
  readonly itemKey: string | null;
  readonly pipeline: string | null;
  /** When its author last changed the text; `null` if never. */
  readonly editedAt: number | null;
}

export interface User {
  readonly id: string;
  readonly name: string;
  readonly displayName: string;
  /** A pipeline posts what it selected, a source all its new items. */
  readonly kind: 'person' | 'pipeline' | 'source';
  readonly createdAt: number;
}

/** Effect of a block. */
export interface BlockOutcome {
  /** False if it was already in place. */
  readonly changed: boolean;
  /** The blocker followed the blocked until now. */
  readonly endedFollowing: boolean;
  /** The blocked followed the blocker until now. */
  readonly endedBeingFollowed: boolean;
}

/** Both services with the write operations. */
export interface SocialStore extends UserService, PostService, AsyncDisposable {
  addUser(user: {
    readonly name: string;
    readonly displayName: string;
    readonly kind: User['kind'];
  }): Promise<User>;
  /** Changes the display name. False for an unknown user, and where the store is a remote service without this call. */
  renameUser(userId: string, displayName: string): Promise<boolean>;
  findUser(idOrName: string, signal?: AbortSignal): Promise<User | null>;
  /** Ordered by name; all users without a page. `after` is a name. */
  listUsers(page?: { readonly limit: number; readonly after?: string }): Promise<readonly User[]>;
  /** Returns whether it is new. Refused if one of the two has blocked the other. */
  follow(followerId: string, followedId: string): Promise<boolean>;
  unfollow(followerId: string, followedId: string): Promise<boolean>;
  /** Ends following in both directions and prevents it until `unblock`. Users cannot block themselves. */
  block(blockerId: string, blockedId: string): Promise<BlockOutcome>;
  unblock(blockerId: string, blockedId: string): Promise<boolean>;
  /** The users whom this user has blocked. */
  getBlockedList(userId: string): Promise<readonly string[]>;
  /** Posting the same `dedupeKey` again returns the existing drop. */
  post(drop: NewDrop): Promise<{ readonly drop: Drop; readonly created: boolean }>;
  /**
   * Replaces the text of a drop; its place in timelines stays. `null` for an unknown or deleted one. Rejects a text that `post`
   * would reject, and with an `EditUnsupportedError` where the store is a remote service without this call.
   */
  editDrop(dropId: string, text: string): Promise<Drop | null>;
  deleteDrop(dropId: string): Promise<Drop | null>;
  /** In the requested order, without deleted and unknown ones. */
  getDrops(ids: readonly string[], signal?: AbortSignal): Promise<readonly Drop[]>;
  /** The newest public drops, for the local timeline after a restart. */
  recentPublic(
    limit: number,
    before?: { readonly createdAt: number; readonly id: string },
    signal?: AbortSignal,
  ): Promise<readonly DropRef[]>;
}

export interface NewDrop {
  readonly userId: string;
  readonly visibility: Exclude<Visibility, 'unlisted'>;
  readonly text: string;
  readonly title?: string;
  readonly url?: string;
  readonly itemKey?: string;
  readonly pipeline?: string;
  readonly dedupeKey?: string;
}

/** An ID that belongs to no user. */
export const HEALTH_CHECK_USER_ID = 'kawaraban.health-check';

/** Sends both services a small query that each must support (C4); throws if one does not answer. */
export async function checkSocialStore(
  social: Pick<SocialStore, 'getFollowersPage' | 'getDropsByUserId'>,
): Promise<void> {
  await Promise.all([
    social.getFollowersPage(HEALTH_CHECK_USER_ID, { limit: 1 }),
    social.getDropsByUserId(HEALTH_CHECK_USER_ID, { limit: 1 }),
  ]);
}
