import type { Dispatcher } from 'undici';
import type { Running } from './time-budget.ts';

export interface ExchangeRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | null;
  /** As sent over the wire; what is compressed may be refused later, after it is inflated. */
  readonly maxBytes: number;
  readonly idleMs: number;
}

export type Exchanged =
  | {
      readonly ok: true;
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: Uint8Array;
    }
  | { readonly ok: false; readonly error: unknown; readonly sent: boolean; readonly tooLarge: boolean };

const NOTHING = new Uint8Array(0);

/** Begins one request on one connection; its answer is awaited with `done`. */
export function exchange(dispatcher: Dispatcher, request: ExchangeRequest): Running<Exchanged> {
  const { promise, resolve } = Promise.withResolvers<Exchanged>();
  let controller: Dispatcher.DispatchController | null = null;
  let settled = false;
  let sent = false;
  let status = 0;
  let headers: Readonly<Record<string, string>> = {};
  let size = 0;
  const pieces: Buffer[] = [];

  const finish = (result: Exchanged): void => {
    settled = true;
    resolve(result);
  };
  const giveUp = (error: unknown, tooLarge = false): void => {
    if (settled) return;
    finish({ ok: false, error, sent, tooLarge });
    controller?.abort(error instanceof Error ? error : new Error('given up'));
  };

  dispatcher.dispatch(
    {
      origin: request.url.origin,
      path: `${request.url.pathname}${request.url.search}`,
      method: request.method,
      headers: request.headers,
      body: request.body,
      headersTimeout: request.idleMs,
      bodyTimeout: request.idleMs,
    },
    {
      onRequestStart(started) {
        controller = started;
        // Given up while the connection was being made: nothing has been written yet, and nothing will be.
        if (settled) started.abort(new Error('given up'));
        else sent = true;
      },
      onResponseStart(_controller, statusCode, received) {
        if (statusCode < 200) return;
        status = statusCode;
        headers = joined(received);
        if (Number(headers['content-length']) > request.maxBytes && request.method !== 'HEAD')
          giveUp(new Error('too large'), true);
      },
      onResponseData(_controller, chunk) {
        if (settled) return;
        size += chunk.byteLength;
        if (size > request.maxBytes) giveUp(new Error('too large'), true);
        else pieces.push(chunk);
      },
      onResponseEnd() {
        const body = pieces.length === 0 ? NOTHING : pieces.length === 1 ? pieces[0] : Buffer.concat(pieces);
        finish({ ok: true, status, headers, body: body ?? NOTHING });
      },
      onResponseError(_controller, error) {
        if (!settled) finish({ ok: false, error, sent, tooLarge: false });
      },
    },
  );
  return { done: promise, giveUp: (reason) => giveUp(reason) };
}

function joined(received: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const name of Object.keys(received)) {
    const value = received[name];
    if (typeof value === 'string') headers[name] = value;
    else if (value !== undefined) headers[name] = value.join(', ');
  }
  return headers;
}
