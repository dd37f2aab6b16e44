import type { Fetcher, FetchRequest } from '../reading/fetcher.ts';

const MOST_BYTES = 20 * 1024 * 1024;

/** The guarded way out in the shape of `fetch`, for packages that want one. Redirects of a POST are not followed. */
export function guardedFetch(fetcher: Fetcher): typeof globalThis.fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const body = request.body === null ? undefined : new Uint8Array(await request.arrayBuffer());
    const outcome = await fetcher.fetch(
      {
        url: request.url,
        method: request.method as NonNullable<FetchRequest['method']>,
        headers: Object.fromEntries(request.headers),
        maxBytes: MOST_BYTES,
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
      headers: readable(outcome.headers),
    });
  };
}

/** The body is decompressed already, so the headers must not say otherwise. */
function readable(headers: Readonly<Record<string, string>>): Record<string, string> {
  const {
    'content-encoding': _encoding,
    'content-length': _length,
    'transfer-encoding': _transfer,
    ...rest
  } = headers;
  return rest;
}
