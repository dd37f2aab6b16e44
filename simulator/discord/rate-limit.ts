import { createHash } from 'node:crypto';
import type { Reply } from '../net/exchange.ts';
import { json } from '../net/reply.ts';

/** So many requests in so many milliseconds. */
export interface Limit {
  readonly requests: number;
  readonly perMs: number;
}

interface Window {
  used: number;
  endsAt: number;
}

/** Discord's limits: one bucket per route and its main resource, and one for everything. */
export class RateLimits {
  readonly #windows = new Map<string, Window>();
  readonly #global: Limit | null;

  constructor(global: Limit | null) {
    this.#global = global;
  }

  /** The headers that belong to the answer, or the 429 that is the answer. */
  take(route: string, resource: string, limit: Limit | null, now: number): Reply | Record<string, string> {
    const whole = this.#global && this.#use('global', this.#global, now);
    if (whole && whole.waitMs > 0) return limited(whole.waitMs, { 'x-ratelimit-global': 'true' }, true);
    if (!limit) return {};
    const { used, endsAt, waitMs } = this.#use(`${route} ${resource}`, limit, now);
    const headers = {
      'x-ratelimit-limit': String(limit.requests),
      'x-ratelimit-remaining': String(Math.max(0, limit.requests - used)),
      'x-ratelimit-reset': (endsAt / 1000).toFixed(3),
      'x-ratelimit-reset-after': ((endsAt - now) / 1000).toFixed(3),
      'x-ratelimit-bucket': createHash('md5').update(route).digest('hex'),
    };
    return waitMs > 0 ? limited(waitMs, { ...headers, 'x-ratelimit-scope': 'user' }, false) : headers;
  }

  #use(name: string, limit: Limit, now: number): Window & { waitMs: number } {
    let window = this.#windows.get(name);
    if (!window || window.endsAt <= now) {
      window = { used: 0, endsAt: now + limit.perMs };
      this.#windows.set(name, window);
    }
    if (window.used >= limit.requests) return { ...window, waitMs: window.endsAt - now };
    window.used++;
    return { ...window, waitMs: 0 };
  }
}

function limited(waitMs: number, headers: Readonly<Record<string, string>>, global: boolean): Reply {
  const seconds = Math.ceil(waitMs) / 1000;
  const body = { message: 'You are being rate limited.', retry_after: seconds, global };
  return json(body, 429, {
    ...headers,
    'retry-after': String(Math.ceil(seconds)),
    ...(global ? { 'x-ratelimit-scope': 'global' } : {}),
  });
}
