import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import type { Fetcher } from '../../reading/fetcher.ts';
import type { Clock } from '../../time/clock.ts';
import { MINUTE, SECOND } from '../../time/duration.ts';

export interface KeySetOptions {
  readonly url: string;
  /** The guarded way out. */
  readonly fetcher: Pick<Fetcher, 'fetch'>;
  readonly clock: Clock;
}

const FRESH_FOR = 10 * MINUTE;
/** A token with an unknown key makes us ask again, and anybody can send one. */
const ASK_AT_MOST_EVERY = 30 * SECOND;
const LARGEST = 256 * 1024;

/** The provider's keys cannot be had, and none are known from before. */
export class KeySetError extends Error {
  override readonly name = 'KeySetError';
}

/**
 * The public keys of an outside identity provider. They are kept for a while; a key that is not among them is looked
 * for again, so that a provider can change its keys; when the provider is away the known ones go on counting.
 */
export function remoteKeySet({ url, fetcher, clock }: KeySetOptions): JWTVerifyGetKey {
  let known: { readonly keys: JWTVerifyGetKey; readonly readAt: number } | null = null;
  let askedAt = Number.NEGATIVE_INFINITY;
  let asking: Promise<void> | null = null;

  const ask = async (): Promise<void> => {
    askedAt = clock.monotonic();
    const outcome = await fetcher.fetch({
      url,
      headers: { accept: 'application/jwk-set+json, application/json' },
      maxBytes: LARGEST,
      timeoutMs: 5 * SECOND,
      polite: false,
    });
    if (outcome.outcome === 'failed')
      throw new KeySetError(`the key set could not be read: ${outcome.detail}`);
    if (outcome.status !== 200)
      throw new KeySetError(`the key set could not be read: answer ${outcome.status}`);
    known = { keys: createLocalJWKSet(readKeySet(outcome.body)), readAt: clock.monotonic() };
  };
  const refresh = (): Promise<void> => {
    asking ??= ask().finally(() => {
      asking = null;
    });
    return asking;
  };
  const mayAsk = (): boolean => asking !== null || clock.monotonic() - askedAt >= ASK_AT_MOST_EVERY;

  return async (header, token) => {
    const stale = known === null || clock.monotonic() - known.readAt > FRESH_FOR;
    if (stale && mayAsk())
      await refresh().catch((error: unknown) => {
        if (known === null) throw error;
      });
    if (known === null) throw new KeySetError('the key set could not be read a moment ago');
    try {
      return await known.keys(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey) || !mayAsk()) throw error;
      await refresh();
      return known.keys(header, token);
    }
  };
}

function readKeySet(body: Uint8Array): JSONWebKeySet {
  try {
    const read: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
    if (typeof read === 'object' && read !== null && 'keys' in read && Array.isArray(read.keys))
      return read as JSONWebKeySet;
  } catch (cause) {
    throw new KeySetError('the key set is no JSON', { cause });
  }
  throw new KeySetError('the key set has no list of keys');
}
