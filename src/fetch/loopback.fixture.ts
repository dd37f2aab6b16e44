import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Fetcher, FetchOutcome, FetchRequest } from './fetcher.ts';

/** For tests: a server on a free loopback port, and a fetcher without a guard that may reach it. */
export interface Loopback extends AsyncDisposable {
  readonly url: string;
  /** Every request so far, as `METHOD path`. */
  readonly requests: string[];
}

export type Answer = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

export async function loopback(answer: Answer): Promise<Loopback> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    void (async () => {
      await answer(request, response);
      if (!response.writableEnded) response.end();
    })().catch((error: unknown) => response.destroy(error as Error));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export const plainFetcher: Fetcher = {
  async fetch(request, signal) {
    return await follow(request, signal, 0, null);
  },
  async [Symbol.asyncDispose]() {},
};

async function follow(
  request: FetchRequest,
  signal: AbortSignal | undefined,
  hops: number,
  moved: string | null,
): Promise<FetchOutcome> {
  try {
    const response = await fetch(request.url, {
      method: request.method ?? 'GET',
      redirect: 'manual',
      ...(request.headers === undefined ? {} : { headers: request.headers }),
      ...(signal === undefined ? {} : { signal }),
    });
    const location = response.headers.get('location');
    if (location !== null && response.status >= 300 && response.status < 400 && response.status !== 304) {
      await response.arrayBuffer();
      if (hops > 5) return { outcome: 'failed', why: 'too_many_redirects', detail: 'too many', sent: true };
      const url = new URL(location, request.url).href;
      const permanent =
        (response.status === 301 || response.status === 308) && (hops === 0 || moved !== null);
      return await follow({ ...request, url }, signal, hops + 1, permanent ? url : null);
    }
    const body = new Uint8Array(await response.arrayBuffer());
    if (body.length > (request.maxBytes ?? Number.POSITIVE_INFINITY)) {
      return { outcome: 'failed', why: 'too_large', detail: `${body.length} bytes`, sent: true };
    }
    const after = response.headers.get('retry-after');
    return {
      outcome: 'response',
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body,
      url: request.url,
      movedTo: moved,
      retryAt: after === null ? null : Number(after) * 1000,
    };
  } catch (error) {
    if (signal?.aborted) return { outcome: 'failed', why: 'aborted', detail: 'stopped', sent: true };
    return { outcome: 'failed', why: 'refused', detail: String(error), sent: false };
  }
}
