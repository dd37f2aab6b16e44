import {
  type handleUnaryCall,
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type sendUnaryData,
  status,
} from '@grpc/grpc-js';
import { GetDropsByUserIDRequest, GetDropsByUserIDResponse } from '../proto/gen/avion/post.ts';
import {
  GetFollowersListRequest,
  GetFollowersListResponse,
  GetFollowingListRequest,
  GetFollowingListResponse,
} from '../proto/gen/avion/user.ts';

/** Numbers of `avion.Visibility`. */
export const VISIBILITY = { public: 1, followers: 2, private: 3, unlisted: 4 } as const;

export interface MinimalDrop {
  readonly id: string;
  readonly userId: string;
  readonly createdAt: number;
  readonly visibility?: number;
}

/** User and post services of another team: they implement only the three calls of C4. */
export interface MinimalServices extends AsyncDisposable {
  readonly address: string;
  /** By follower. A user who is not in it is unknown. */
  readonly following: Map<string, string[]>;
  readonly drops: MinimalDrop[];
  /** Names of the calls that arrived. */
  readonly calls: string[];
}

interface Codec<T> {
  encode(message: T): { finish(): Uint8Array };
  decode(bytes: Uint8Array): T;
}

export async function startMinimalServices(): Promise<MinimalServices> {
  const following = new Map<string, string[]>();
  const drops: MinimalDrop[] = [];
  const calls: string[] = [];
  const server = new Server();

  function offer<Ask, Answer>(
    service: string,
    method: string,
    ask: Codec<Ask>,
    answer: Codec<Answer>,
    handle: (request: Ask) => Answer | null,
  ): void {
    const definition = {
      path: `/avion.${service}/${method}`,
      requestStream: false as const,
      responseStream: false as const,
      requestSerialize: (message: Ask) => Buffer.from(ask.encode(message).finish()),
      requestDeserialize: (bytes: Buffer) => ask.decode(bytes),
      responseSerialize: (message: Answer) => Buffer.from(answer.encode(message).finish()),
      responseDeserialize: (bytes: Buffer) => answer.decode(bytes),
    };
    const answering = (call: ServerUnaryCall<Ask, Answer>, reply: sendUnaryData<Answer>): void => {
      calls.push(method);
      const given = handle(call.request);
      if (given === null) reply({ code: status.NOT_FOUND, details: 'no such user' });
      else reply(null, given);
    };
    server.addService({ [method]: definition } as never, {
      [method]: answering as handleUnaryCall<Ask, Answer>,
    });
  }

  offer(
    'UserService',
    'GetFollowingList',
    GetFollowingListRequest,
    GetFollowingListResponse,
    ({ userId }) => {
      const userIds = following.get(userId);
      return userIds === undefined ? null : { userIds: userIds.toSorted(), nextPageToken: '' };
    },
  );
  offer(
    'UserService',
    'GetFollowersList',
    GetFollowersListRequest,
    GetFollowersListResponse,
    ({ userId, afterId }) => {
      if (!following.has(userId)) return null;
      const all = [...following].filter(([, authors]) => authors.includes(userId)).map(([id]) => id);
      return { userIds: all.filter((id) => id > afterId).toSorted(), nextPageToken: '' };
    },
  );
  offer(
    'PostService',
    'GetDropsByUserID',
    GetDropsByUserIDRequest,
    GetDropsByUserIDResponse,
    ({ userId, limit, before }) => {
      if (!following.has(userId)) return null;
      const found = drops
        .filter((drop) => drop.userId === userId)
        .filter(
          ({ createdAt, id }) =>
            before === undefined ||
            createdAt < before.createdAt ||
            (createdAt === before.createdAt && id < before.id),
        )
        .toSorted((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1))
        .slice(0, limit === 0 ? 20 : limit);
      return {
        drops: found.map(({ visibility = VISIBILITY.public, ...drop }) => ({ ...drop, visibility })),
      };
    },
  );
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, at) =>
      error === null ? resolve(at) : reject(error),
    );
  });
  return {
    address: `127.0.0.1:${port}`,
    following,
    drops,
    calls,
    [Symbol.asyncDispose]: async () => server.forceShutdown(),
  };
}
