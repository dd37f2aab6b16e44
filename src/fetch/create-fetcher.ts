import type { Config } from '../config/config.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Clock } from '../time/clock.ts';
import { MINUTE, SECOND } from '../time/duration.ts';
import type { Resolve } from './exchange.ts';
import type { Fetcher, FetchRequest } from './fetcher.ts';
import { GuardedFetcher } from './guarded-fetcher.ts';

/** The options of the fetcher, from the configuration. */
export function fetcherSettings({ network }: Config) {
  return {
    allow: network.allow,
    contact: network.contact ?? null,
    limits: {
      totalMs: network.timeout,
      connectMs: network.connectTimeout,
      maxRedirects: network.maxRedirects,
      concurrency: network.concurrency,
      perHost: network.requestsPerHost,
      spacingMs: network.hostSpacing,
    },
  };
}

const MAX_RESPONSE_BYTES = 20 * 1024 * 1024;

/** The guarded fetcher with the signature of `fetch`, for packages that need one. Redirects of a POST are not followed. */
export function guardedFetch(fetcher: Fetcher): typeof globalThis.fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const body = request.body === null ? undefined : new Uint8Array(await request.arrayBuffer());
    const outcome = await fetcher.fetch(
      {
        url: request.url,
        method: request.method as NonNullable<FetchRequest['method']>,
        headers: Object.fromEntries(request.headers),
        maxBytes: MAX_RESPONSE_BYTES,
        polite: false,
        ...(body !== undefined && { body }),
      },
      request.signal,
    );
    request.signal.throwIfAborted();
    if (outcome.outcome === 'failed')
      throw new TypeError(`fetch failed: ${outcome.why}`, { cause: new Error(outcome.detail) });
    const empty = outcome.status === 204 || outcome.status === 205 || outcome.status === 304;
    return new Response(empty ? null : Buffer.from(outcome.body), {
      status: outcome.status,
      headers: withoutEncodingHeaders(outcome.headers),
    });
  };
}

/** The body is already decompressed, so the headers must not claim an encoding. */
function withoutEncodingHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const {
    'content-encoding': _encoding,
    'content-length': _length,
    'transfer-encoding': _transfer,
    ...rest
  } = headers;
  return rest;
}

/** Limits of requests to other servers. */
export interface FetchLimits {
  /** Of a body, after decompression. */
  readonly maxBytes: number;
  /** Of all headers of one answer together. */
  readonly maxHeaderBytes: number;
  readonly maxRedirects: number;
  /** For a complete response, redirects included; waiting for the throttle is not counted. */
  readonly totalMs: number;
  /** Between two chunks of a response, and before its first. */
  readonly idleMs: number;
  readonly connectMs: number;
  /** Requests at the same time, to all hosts together. */
  readonly concurrency: number;
  /** At the same time, to one host. */
  readonly perHost: number;
  /** Between the starts of two requests to one host. */
  readonly spacingMs: number;
  /** Failures in a row that open the breaker of a host. */
  readonly breakerFailures: number;
  /** How long a breaker stays open at first, and at most. */
  readonly breakerMs: number;
  readonly breakerMaxMs: number;
}

export const defaultLimits: FetchLimits = {
  maxBytes: 10 * 1024 * 1024,
  maxHeaderBytes: 32 * 1024,
  maxRedirects: 5,
  totalMs: 30 * SECOND,
  idleMs: 10 * SECOND,
  connectMs: 10 * SECOND,
  concurrency: 16,
  perHost: 2,
  spacingMs: 500,
  breakerFailures: 5,
  breakerMs: 30 * SECOND,
  breakerMaxMs: 60 * MINUTE,
};

export interface FetcherOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** Addresses, ranges, names, each with an optional port, that may be reached although they are not public (X6). */
  readonly allow?: readonly string[];
  /** A web page or mail address for the operators of other servers; part of the User-Agent. */
  readonly contact?: string | null;
  readonly limits?: Partial<FetchLimits>;
  readonly random?: () => number;
  /** Resolves host names; the system's resolver by default. */
  readonly resolve?: Resolve;
  /** Whether this machine has a network at all; checks its interfaces by default. */
  readonly hasInterface?: () => boolean;
}

/** The one client for all outgoing requests. Throws an `AllowEntryError` for an invalid allow-list. */
export function createFetcher(options: FetcherOptions): Fetcher {
  return new GuardedFetcher({ ...options, limits: { ...defaultLimits, ...options.limits } });
}
