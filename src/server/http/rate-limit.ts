import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../time/clock.ts';
import { MINUTE } from '../../time/duration.ts';
import { clientNetwork } from './client-address.ts';
import { ProblemError } from './problem.ts';

export interface RateLimits {
  /** Requests a minute of a guest, by address; 0 means no limit. */
  readonly perAddress: number;
  /** Requests a minute of a user, over all sessions and tokens; 0 means no limit. */
  readonly perPerson: number;
}

interface Bucket {
  tokens: number;
  at: number;
}

const MAX_BUCKETS = 50_000;

/**
 * Token buckets. A bucket holds a minute's worth and refills steadily, so that bursts are allowed and floods are not.
 * Authenticated requests count for the user; until then they count for the address.
 *
 * `@fastify/rate-limit` has fixed windows, so that twice the limit passes around the end of one and nothing
 * for up to a minute after it; it cannot refund a request to the address once the user is known; and it counts by
 * the wall clock. Fixing these would need a store like this class.
 */
export class RateLimiter {
  readonly #clock: Clock;
  readonly #buckets = new Map<string, Bucket>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Takes a token. `waitMs` above 0: the bucket is empty, and this is the time until the next token. */
  consume(key: string, perMinute: number): { readonly left: number; readonly waitMs: number } {
    const bucket = this.#filled(key, perMinute);
    if (bucket.tokens < 1) return { left: 0, waitMs: Math.ceil(((1 - bucket.tokens) * MINUTE) / perMinute) };
    bucket.tokens -= 1;
    return { left: Math.floor(bucket.tokens), waitMs: 0 };
  }

  refund(key: string): void {
    const bucket = this.#buckets.get(key);
    if (bucket) bucket.tokens += 1;
  }

  #filled(key: string, perMinute: number): Bucket {
    const now = this.#clock.monotonic();
    const known = this.#buckets.get(key);
    this.#buckets.delete(key);
    const tokens = known
      ? Math.min(perMinute, known.tokens + ((now - known.at) * perMinute) / MINUTE)
      : perMinute;
    const bucket = { tokens, at: now };
    this.#buckets.set(key, bucket);
    for (const oldest of this.#buckets.keys()) {
      if (this.#buckets.size <= MAX_BUCKETS) break;
      this.#buckets.delete(oldest);
    }
    return bucket;
  }
}

/** Counts before authentication, to limit attempts with guessed tokens. */
export function limitAddresses(server: FastifyInstance, limiter: RateLimiter, limits: RateLimits): void {
  if (limits.perAddress > 0)
    server.addHook('onRequest', async (request, reply) => {
      if (isLimited(request)) charge(reply, limiter, addressKey(request), limits.perAddress);
    });
}

/** Counts after authentication. */
export function limitPeople(server: FastifyInstance, limiter: RateLimiter, limits: RateLimits): void {
  server.addHook('onRequest', async (request, reply) => {
    if (request.identity === null || !isLimited(request)) return;
    limiter.refund(addressKey(request));
    if (limits.perPerson > 0) charge(reply, limiter, `person ${request.identity.userId}`, limits.perPerson);
  });
}

/** By the matched route; requests without a route are limited as well. */
function isLimited({ routeOptions }: FastifyRequest): boolean {
  return routeOptions.config.rateLimited !== false;
}

function charge(reply: FastifyReply, limiter: RateLimiter, key: string, perMinute: number): void {
  const { left, waitMs } = limiter.consume(key, perMinute);
  const wait = Math.ceil(waitMs / 1000);
  reply.header('ratelimit-policy', `"default";q=${perMinute};w=60`);
  reply.header('ratelimit', `"default";r=${left};t=${wait}`);
  if (waitMs === 0) return;
  throw new ProblemError(
    {
      status: 429,
      code: 'too_many_requests',
      title: 'Too many requests',
      detail: `At most ${perMinute} requests a minute. Try again in ${wait} s.`,
      parameters: { perMinute, seconds: wait },
    },
    { 'retry-after': String(wait) },
  );
}

function addressKey({ ip }: FastifyRequest): string {
  return clientNetwork(ip);
}
