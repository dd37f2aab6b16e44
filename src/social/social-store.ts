/** Who there is and who follows whom. The embedded one is SQLite; a remote one is `avion.UserService`. */
export interface UserService {
  getFollowingList(userId: string, signal?: AbortSignal): Promise<readonly string[]>;
  /**
   * Followers in the order of their IDs, strictly above `after` where given; fewer than `limit` only at the end. For
   * authors with so many that all of them at once would be too much.
   */
  getFollowersPage(
    userId: string,
    page: { readonly limit: number; readonly after?: string },
    signal?: AbortSignal,
  ): Promise<readonly string[]>;
}

/** What was posted. The embedded one is SQLite; a remote one is `avion.PostService`. */
export interface PostService {
  /** Newest first; strictly below `before` where given. */
  getDropsByUserId(
    userId: string,
    page: { readonly limit: number; readonly before?: { readonly createdAt: number; readonly id: string } },
    signal?: AbortSignal,
  ): Promise<readonly DropRef[]>;
}

/** As much of a drop as a timeline keeps. */
export interface DropRef {
  /** UUIDv7. */
  readonly id: string;
  readonly userId: string;
  readonly visibility: Visibility;
  readonly createdAt: number;
}

/** `unlisted`: for everybody who has its ID, and in the homes of followers, but in no list of public drops. Remote services have such drops. */
export type Visibility = 'public' | 'unlisted' | 'followers' | 'private';

/** A short post; what a pipeline publishes is one too. */
export interface Drop extends DropRef {
  readonly text: string;
  readonly title: string | null;
  readonly url: string | null;
  readonly itemKey: string | null;
  readonly pipeline: string | null;
}

export interface User {
  readonly id: string;
  readonly name: string;
  readonly displayName: string;
  /** A pipeline posts what it chose, a source all that is new in it. */
  readonly kind: 'person' | 'pipeline' | 'source';
  readonly createdAt: number;
}

/** What a block has changed. */
export interface BlockOutcome {
  /** False where it was so already. */
  readonly changed: boolean;
  /** The blocker followed the blocked until now. */
  readonly endedFollowing: boolean;
  /** The blocked followed the blocker until now. */
  readonly endedBeingFollowed: boolean;
}

/** Both services with the write side. */
export interface SocialStore extends UserService, PostService, AsyncDisposable {
  addUser(user: {
    readonly name: string;
    readonly displayName: string;
    readonly kind: User['kind'];
  }): Promise<User>;
  findUser(idOrName: string, signal?: AbortSignal): Promise<User | null>;
  /** In the order of their names; everybody where no page is asked for. `after` is a name. */
  listUsers(page?: { readonly limit: number; readonly after?: string }): Promise<readonly User[]>;
  /** Whether it was not so before. Refused where one of the two has blocked the other. */
  follow(followerId: string, followedId: string): Promise<boolean>;
  unfollow(followerId: string, followedId: string): Promise<boolean>;
  /** Ends following in both directions, and keeps it from beginning again until `unblock`. Nobody blocks oneself. */
  block(blockerId: string, blockedId: string): Promise<BlockOutcome>;
  unblock(blockerId: string, blockedId: string): Promise<boolean>;
  /** Whom this user has blocked. */
  getBlockedList(userId: string): Promise<readonly string[]>;
  /** Posting the same `dedupeKey` again returns the drop that is there. */
  post(drop: NewDrop): Promise<{ readonly drop: Drop; readonly created: boolean }>;
  deleteDrop(dropId: string): Promise<Drop | null>;
  /** In the order asked for; what is deleted or unknown is left out. */
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

/** An ID that no user has. */
export const HEALTH_CHECK_USER_ID = 'kawaraban.health-check';

/** Asks both services something small that every one of them must offer (C4); throws where one does not answer. */
export async function checkSocialStore(
  social: Pick<SocialStore, 'getFollowersPage' | 'getDropsByUserId'>,
): Promise<void> {
  await Promise.all([
    social.getFollowersPage(HEALTH_CHECK_USER_ID, { limit: 1 }),
    social.getDropsByUserId(HEALTH_CHECK_USER_ID, { limit: 1 }),
  ]);
}
