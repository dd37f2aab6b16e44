import { randomUUID } from 'node:crypto';
import { type Client, createClient, Status } from 'nice-grpc';
import {
  PostServiceDefinition,
  type DropRef as WireDropRef,
  type Position as WirePosition,
  Visibility as WireVisibility,
} from '../../../proto/gen/avion/post.ts';
import { checkDrop, DropError, UserError } from '../../social/rules.ts';
import type { Drop, DropRef, NewDrop, SocialStore } from '../../social/social-store.ts';
import { parseDrop, parseDropRefs } from './responses.ts';
import type { Attempt, ServiceConnection } from './service-connection.ts';
import { isStatus } from './user-client.ts';

/** The operations of a social store that `avion.PostService` implements. */
export type PostOperations = Pick<
  SocialStore,
  'post' | 'deleteDrop' | 'getDrops' | 'getDropsByUserId' | 'recentPublic'
>;

type Position = { readonly createdAt: number; readonly id: string };

const MAX_REFS = 1000;
const MAX_DROPS = 100;

const VISIBILITIES = {
  public: WireVisibility.VISIBILITY_PUBLIC,
  followers: WireVisibility.VISIBILITY_FOLLOWERS,
  private: WireVisibility.VISIBILITY_PRIVATE,
} as const;

const FIELD_NAMES: Readonly<Record<string, keyof NewDrop>> = {
  user_id: 'userId',
  visibility: 'visibility',
  text: 'text',
  title: 'title',
  url: 'url',
  item_key: 'itemKey',
  pipeline: 'pipeline',
  idempotency_key: 'dedupeKey',
};

/** Drops at a remote `avion.PostService`. */
export class GrpcPostService implements PostOperations {
  readonly #connection: ServiceConnection;
  readonly #client: Client<typeof PostServiceDefinition>;
  readonly #makeKey: () => string;

  constructor(connection: ServiceConnection, makeKey: () => string = randomUUID) {
    this.#connection = connection;
    this.#client = createClient(PostServiceDefinition, connection.channel);
    this.#makeKey = makeKey;
  }

  async post(drop: NewDrop): Promise<{ readonly drop: Drop; readonly created: boolean }> {
    checkDrop(drop);
    const { userId, text, title, url, itemKey, pipeline, dedupeKey } = drop;
    // A generated idempotency key makes a drop without one safe to retry after a lost reply.
    const idempotencyKey = dedupeKey ?? `once-${this.#makeKey()}`;
    const visibility = VISIBILITIES[drop.visibility];
    const ask = { userId, visibility, text, title, url, itemKey, pipeline, idempotencyKey };
    try {
      const { value } = await this.#connection.call('CreateDrop', true, async (attempt) => {
        const answer = await this.#client.createDrop(ask, attempt);
        return { drop: parseDrop(answer.drop), created: answer.created };
      });
      return dedupeKey === undefined ? { ...value, created: true } : value;
    } catch (error) {
      throw toDropError(error, drop);
    }
  }

  async deleteDrop(dropId: string): Promise<Drop | null> {
    if (dropId === '') return null;
    const { value } = await this.#connection.call('DeleteDrop', true, async (attempt) => {
      const { drop } = await this.#client.deleteDrop({ dropId }, attempt);
      return drop === undefined ? null : parseDrop(drop);
    });
    return value;
  }

  async getDrops(ids: readonly string[], signal?: AbortSignal): Promise<readonly Drop[]> {
    const found: Drop[] = [];
    for (let at = 0; at < ids.length; at += MAX_DROPS) {
      const some = ids.slice(at, at + MAX_DROPS);
      const read = async (attempt: Attempt): Promise<readonly Drop[]> =>
        (await this.#client.getDrops({ ids: some }, attempt)).drops.map(parseDrop);
      found.push(...(await this.#connection.call('GetDrops', true, read, signal)).value);
    }
    return found;
  }

  getDropsByUserId(
    userId: string,
    page: { readonly limit: number; readonly before?: Position },
    signal?: AbortSignal,
  ): Promise<readonly DropRef[]> {
    const ask = (limit: number, before: WirePosition | undefined, attempt: Attempt) =>
      this.#client.getDropsByUserID({ userId, limit, ...(before ? { before } : {}) }, attempt);
    return this.#refs('GetDropsByUserID', ask, page.limit, page.before, signal);
  }

  recentPublic(limit: number, before?: Position, signal?: AbortSignal): Promise<readonly DropRef[]> {
    const ask = (size: number, from: WirePosition | undefined, attempt: Attempt) =>
      this.#client.getRecentPublicDrops({ limit: size, ...(from ? { before: from } : {}) }, attempt);
    return this.#refs('GetRecentPublicDrops', ask, limit, before, signal);
  }

  /** Reads as many pages as the limit needs. */
  async #refs(
    method: string,
    ask: (
      limit: number,
      before: WirePosition | undefined,
      attempt: Attempt,
    ) => Promise<{ readonly drops: readonly WireDropRef[] }>,
    limit: number,
    before: Position | undefined,
    signal: AbortSignal | undefined,
  ): Promise<readonly DropRef[]> {
    const refs: DropRef[] = [];
    for (let above = before; refs.length < limit; ) {
      const size = Math.min(MAX_REFS, limit - refs.length);
      const from = above === undefined ? undefined : { createdAt: above.createdAt, id: above.id };
      const read = async (attempt: Attempt): Promise<readonly DropRef[]> => {
        try {
          return parseDropRefs((await ask(size, from, attempt)).drops, size, from);
        } catch (error) {
          // A user unknown to the service has posted nothing.
          if (isStatus(error, Status.NOT_FOUND)) return [];
          throw error;
        }
      };
      const { value } = await this.#connection.call(method, true, read, signal);
      refs.push(...value);
      above = value.at(-1);
      if (value.length < size) break;
    }
    return refs;
  }
}

function toDropError(error: unknown, drop: NewDrop): unknown {
  if (isStatus(error, Status.NOT_FOUND)) return new UserError('unknown', drop.userId);
  if (isStatus(error, Status.ALREADY_EXISTS)) return new DropError('dedupeKey', 'is in use by another user');
  if (!isStatus(error, Status.INVALID_ARGUMENT)) return error;
  const [, name = '', why = ''] = /^([\w.]+): (.*)$/s.exec(error.details) ?? [];
  const field = FIELD_NAMES[name];
  return field === undefined ? error : new DropError(field, why);
}
