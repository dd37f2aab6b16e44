import type { Fetcher, FetchRequest } from '../reading/fetcher.ts';

export interface GuardedFetchOptions {
  /** Of an answer, after decompression. */
  readonly maxBytes: number;
  readonly timeoutMs: number;
}

/** The guarded way out could not get an answer. Carries no address: it may hold a key. */
export class ModelUnreachableError extends Error {
  override readonly name = 'ModelUnreachableError';
  readonly why: string;
  constructor(why: string, detail: string) {
    super(`${why}: ${detail.replace(/https?:\/\/\S+/g, '…')}`);
    this.why = why;
  }
}

const METHODS = ['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE'] as const;

/**
 * The guarded way out in the shape of `fetch`, for SDKs that want one. Only what they use: a URL, a method, headers, a text or bytes,
 * and a signal.
 */
export function fetchThrough(fetcher: Fetcher, options: GuardedFetchOptions): typeof globalThis.fetch {
  return async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    const method = METHODS.find((known) => known === (init?.method ?? 'GET').toUpperCase());
    if (method === undefined) throw new ModelUnreachableError('bad_request', `method ${init?.method}`);
    const body = bodyOf(init?.body);
    const request: FetchRequest = {
      url,
      method,
      headers: Object.fromEntries(new Headers(init?.headers).entries()),
      maxBytes: options.maxBytes,
      timeoutMs: options.timeoutMs,
      maxRedirects: 0,
      polite: false,
      ...(body === undefined ? {} : { body }),
    };
    const outcome = await fetcher.fetch(request, init?.signal ?? undefined);
    init?.signal?.throwIfAborted();
    if (outcome.outcome === 'failed') throw new ModelUnreachableError(outcome.why, outcome.detail);
    const empty = outcome.status === 204 || outcome.status === 304;
    return new Response(empty ? null : Buffer.from(outcome.body), {
      status: outcome.status,
      headers: outcome.headers,
    });
  };
}

function bodyOf(body: unknown): string | Uint8Array | undefined {
  if (body === undefined || body === null) return undefined;
  if (typeof body === 'string' || body instanceof Uint8Array) return body;
  throw new ModelUnreachableError('bad_request', 'only text and bytes can be sent');
}
