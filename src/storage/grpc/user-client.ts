import { type Client, ClientError, createClient, Status } from 'nice-grpc';
import { UserKind, UserServiceDefinition } from '../../../proto/gen/avion/user.ts';
import { checkUserName, UserError } from '../../social/rules.ts';
import type { BlockOutcome, SocialStore, User } from '../../social/social-store.ts';
import { InvalidResponseError, parseId, parseUser } from './responses.ts';
import type { Attempt, ServiceConnection } from './service-connection.ts';

/** The operations of a social store that `avion.UserService` implements. */
export type UserOperations = Pick<
  SocialStore,
  | 'addUser'
  | 'findUser'
  | 'listUsers'
  | 'follow'
  | 'unfollow'
  | 'block'
  | 'unblock'
  | 'getFollowingList'
  | 'getFollowersPage'
  | 'getBlockedList'
>;

interface IdPage {
  readonly userIds: readonly string[];
  readonly nextPageToken: string;
}

const KINDS: Readonly<Record<User['kind'], UserKind>> = {
  person: UserKind.USER_KIND_PERSON,
  pipeline: UserKind.USER_KIND_PIPELINE,
  source: UserKind.USER_KIND_SOURCE,
};
const MAX_IDS = 10_000;
const MAX_USERS = 1000;

/** Users and follows at a remote `avion.UserService`. */
export class GrpcUserService implements UserOperations {
  readonly #connection: ServiceConnection;
  readonly #client: Client<typeof UserServiceDefinition>;

  constructor(connection: ServiceConnection) {
    this.#connection = connection;
    this.#client = createClient(UserServiceDefinition, connection.channel);
  }

  async addUser(user: Pick<User, 'name' | 'displayName' | 'kind'>): Promise<User> {
    checkUserName(user.name);
    const ask = { name: user.name, displayName: user.displayName, kind: KINDS[user.kind] };
    try {
      const { value } = await this.#connection.call('CreateUser', false, async (attempt) =>
        parseUser((await this.#client.createUser(ask, attempt)).user),
      );
      return value;
    } catch (error) {
      if (isStatus(error, Status.ALREADY_EXISTS)) throw new UserError('taken', user.name);
      if (isStatus(error, Status.INVALID_ARGUMENT)) throw new UserError('bad_name', user.name);
      throw error;
    }
  }

  async findUser(idOrName: string, signal?: AbortSignal): Promise<User | null> {
    if (idOrName === '') return null;
    const ask = async (attempt: Attempt): Promise<User | null> => {
      try {
        return parseUser((await this.#client.getUser({ idOrName }, attempt)).user);
      } catch (error) {
        if (isStatus(error, Status.NOT_FOUND)) return null;
        throw error;
      }
    };
    return (await this.#connection.call('GetUser', true, ask, signal)).value;
  }

  async listUsers(page?: { readonly limit: number; readonly after?: string }): Promise<readonly User[]> {
    const users: User[] = [];
    const most = page?.limit ?? Number.POSITIVE_INFINITY;
    const afterName = page?.after ?? '';
    for (let token = ''; users.length < most; ) {
      const pageSize = Math.min(MAX_USERS, most - users.length);
      const { value } = await this.#connection.call('ListUsers', true, async (attempt) => {
        const answer = await this.#client.listUsers({ pageSize, pageToken: token, afterName }, attempt);
        return { users: answer.users.map(parseUser), next: nextToken(answer, answer.users.length, token) };
      });
      users.push(...value.users);
      token = value.next;
      if (token === '') break;
    }
    return users;
  }

  getFollowingList(userId: string, signal?: AbortSignal): Promise<readonly string[]> {
    return this.#ids(
      'GetFollowingList',
      (page, attempt) => this.#client.getFollowingList({ userId, ...page }, attempt),
      signal,
    );
  }

  getBlockedList(userId: string): Promise<readonly string[]> {
    return this.#ids('GetBlockedList', (page, attempt) =>
      this.#client.getBlockedList({ userId, ...page }, attempt),
    );
  }

  getFollowersPage(
    userId: string,
    { limit, after: afterId = '' }: { readonly limit: number; readonly after?: string },
    signal?: AbortSignal,
  ): Promise<readonly string[]> {
    return this.#ids(
      'GetFollowersList',
      async (page, attempt) => {
        const answer = await this.#client.getFollowersList({ userId, ...page, afterId }, attempt);
        if (answer.userIds.some((id) => id <= afterId))
          throw new InvalidResponseError('followers out of order');
        return answer;
      },
      signal,
      limit,
    );
  }

  follow(followerId: string, followedId: string): Promise<boolean> {
    return this.#change('Follow', followedId, (attempt) =>
      this.#client.follow({ followerId, followedId }, attempt),
    );
  }

  unfollow(followerId: string, followedId: string): Promise<boolean> {
    return this.#change('Unfollow', followedId, (attempt) =>
      this.#client.unfollow({ followerId, followedId }, attempt),
    );
  }

  unblock(blockerId: string, blockedId: string): Promise<boolean> {
    return this.#change('Unblock', blockedId, (attempt) =>
      this.#client.unblock({ blockerId, blockedId }, attempt),
    );
  }

  async block(blockerId: string, blockedId: string): Promise<BlockOutcome> {
    const { value, retried } = await this.#connection
      .call('Block', true, (attempt) => this.#client.block({ blockerId, blockedId }, attempt))
      .catch((error: unknown) => {
        throw toUserError(error, blockedId);
      });
    // The lost reply of an earlier attempt may have reported ended follows; reporting them twice does no harm.
    return retried ? { changed: true, endedFollowing: true, endedBeingFollowed: true } : value;
  }

  async #change(
    method: string,
    other: string,
    ask: (attempt: Attempt) => Promise<{ readonly changed: boolean }>,
  ): Promise<boolean> {
    try {
      const { value, retried } = await this.#connection.call(method, true, ask);
      return value.changed || retried;
    } catch (error) {
      throw toUserError(error, other);
    }
  }

  async #ids(
    method: string,
    ask: (page: { pageSize: number; pageToken: string }, attempt: Attempt) => Promise<IdPage>,
    signal?: AbortSignal,
    limit = Number.POSITIVE_INFINITY,
  ): Promise<readonly string[]> {
    const ids: string[] = [];
    for (let pageToken = ''; ids.length < limit; ) {
      const pageSize = Math.min(MAX_IDS, limit - ids.length);
      const read = async (attempt: Attempt): Promise<IdPage> => {
        const answer = await emptyIfUnknown(ask({ pageSize, pageToken }, attempt));
        const userIds = answer.userIds.map(parseId);
        return { userIds, nextPageToken: nextToken(answer, userIds.length, pageToken) };
      };
      const { value } = await this.#connection.call(method, true, read, signal);
      for (const id of value.userIds) ids.push(id);
      pageToken = value.nextPageToken;
      if (pageToken === '') break;
    }
    return ids;
  }
}

/** A user unknown to the service has no relations. */
async function emptyIfUnknown(page: Promise<IdPage>): Promise<IdPage> {
  return page.catch((error: unknown) => {
    if (isStatus(error, Status.NOT_FOUND)) return { userIds: [], nextPageToken: '' };
    throw error;
  });
}

/** Rejects page tokens that make no progress, which would be followed for ever. */
function nextToken(
  { nextPageToken }: { readonly nextPageToken: string },
  size: number,
  before: string,
): string {
  if (nextPageToken !== '' && (size === 0 || nextPageToken === before))
    throw new InvalidResponseError('a page token that repeats');
  return nextPageToken;
}

function toUserError(error: unknown, user: string): unknown {
  if (isStatus(error, Status.NOT_FOUND) || isStatus(error, Status.INVALID_ARGUMENT))
    return new UserError('unknown', user);
  if (isStatus(error, Status.FAILED_PRECONDITION)) return new UserError('blocked', user);
  return error;
}

export function isStatus(error: unknown, code: Status): error is ClientError {
  return error instanceof ClientError && error.code === code;
}
