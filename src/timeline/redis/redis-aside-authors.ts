import { randomBytes } from 'node:crypto';
import type { RedisConnection } from '../../redis/connection.ts';
import { RedisAwayError } from '../../redis/errors.ts';
import { script } from '../../redis/script.ts';
import type { Clock } from '../../time/clock.ts';
import { SECOND } from '../../time/duration.ts';
import type { AsideAuthors, AsideList } from '../aside-authors.ts';
import { TimelinesUnavailableError } from '../unavailable.ts';

/** So long a copy believes what it has read. */
const FRESH = SECOND;

/** KEYS the set, its version. ARGV command, author, new version. */
const CHANGE = script(
  'aside',
  "if redis.call(ARGV[1], KEYS[1], ARGV[2]) == 1 then redis.call('SET', KEYS[2], ARGV[3]) end return 1",
);
const LIST = script('aside_list', "return { redis.call('GET', KEYS[2]), redis.call('SMEMBERS', KEYS[1]) }");

/** The list that all copies share. Reading a page asks for it, so that it is kept for a second. */
export class RedisAsideAuthors implements AsideAuthors {
  readonly #redis: RedisConnection;
  readonly #clock: Clock;
  readonly #keys: readonly string[];
  #known: AsideList | null = null;
  #readAt = 0;
  #reading: Promise<AsideList> | null = null;

  constructor(connection: RedisConnection, clock: Clock) {
    this.#redis = connection;
    this.#clock = clock;
    const key = `${connection.prefix}timeline_aside`;
    this.#keys = [key, key.includes('{') ? `${key}:version` : `{${key}}:version`];
  }

  async list(): Promise<AsideList> {
    if (this.#known && this.#clock.monotonic() - this.#readAt < FRESH) return this.#known;
    this.#reading ??= this.#read().finally(() => {
      this.#reading = null;
    });
    return this.#reading;
  }

  add(authorId: string): Promise<void> {
    return this.#change('SADD', authorId);
  }

  remove(authorId: string): Promise<void> {
    return this.#change('SREM', authorId);
  }

  async #change(command: string, authorId: string): Promise<void> {
    await this.#away(() =>
      this.#redis.run(CHANGE, this.#keys, [command, authorId, randomBytes(6).toString('hex')]),
    );
    this.#known = null;
  }

  async #read(): Promise<AsideList> {
    const reply = await this.#away(() => this.#redis.run(LIST, this.#keys, []));
    const [version, authors] = Array.isArray(reply) ? reply : [];
    this.#known = {
      version: String(version ?? '0'),
      authors: new Set(Array.isArray(authors) ? authors.map(String) : []),
    };
    this.#readAt = this.#clock.monotonic();
    return this.#known;
  }

  async #away<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw error instanceof RedisAwayError ? new TimelinesUnavailableError({ cause: error }) : error;
    }
  }
}
