/** Who there is and who follows whom. The embedded one is SQLite; a remote one is `avion.UserService`. */
export interface UserService {
  getFollowingList(userId: string, signal?: AbortSignal): Promise<readonly string[]>;
  getFollowersList(userId: string, signal?: AbortSignal): Promise<readonly string[]>;
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

export type Visibility = 'public' | 'followers' | 'private';

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
  readonly kind: 'person' | 'pipeline';
  readonly createdAt: number;
}

/** The write side, which only the embedded services have. */
export interface SocialStore extends UserService, PostService, AsyncDisposable {
  addUser(user: {
    readonly name: string;
    readonly displayName: string;
    readonly kind: User['kind'];
  }): Promise<User>;
  findUser(idOrName: string): Promise<User | null>;
  listUsers(): Promise<readonly User[]>;
  follow(followerId: string, followedId: string): Promise<boolean>;
  unfollow(followerId: string, followedId: string): Promise<boolean>;
  /** Posting the same `dedupeKey` again returns the drop that is there. */
  post(drop: NewDrop): Promise<{ readonly drop: Drop; readonly created: boolean }>;
  deleteDrop(dropId: string): Promise<Drop | null>;
  getDrops(ids: readonly string[]): Promise<readonly Drop[]>;
  /** The newest public drops, for the local timeline after a restart. */
  recentPublic(
    limit: number,
    before?: { readonly createdAt: number; readonly id: string },
  ): Promise<readonly DropRef[]>;
}

export interface NewDrop {
  readonly userId: string;
  readonly visibility: Visibility;
  readonly text: string;
  readonly title?: string;
  readonly url?: string;
  readonly itemKey?: string;
  readonly pipeline?: string;
  readonly dedupeKey?: string;
}
