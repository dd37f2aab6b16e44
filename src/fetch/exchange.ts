import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { promisify } from 'node:util';
import {
  brotliDecompress,
  constants,
  gunzip,
  type InputType,
  inflate,
  inflateRaw,
  type ZlibOptions,
  zstdDecompress,
} from 'node:zlib';
import type { buildConnector, Dispatcher } from 'undici';
import type { AddressPolicy } from './address-policy.ts';
import type { Cancellable } from './time-budget.ts';

/** Every address behind a name. Rejects with the system's error code (`ENOTFOUND`, `EAI_AGAIN`, …). */
export type Resolve = (host: string) => Promise<readonly string[]>;

/** The address of a host is blocked. Nothing was sent. */
export class BlockedAddressError extends Error {
  override readonly name = 'BlockedAddressError';
  readonly code = 'BLOCKED_ADDRESS';
}

export const systemResolve: Resolve = async (host) => {
  const found = await lookup(host, { all: true, order: 'verbatim' });
  return found.map(({ address }) => address);
};

/** Maximum addresses tried for a host; a name with a hundred addresses is an attack. */
const MAX_ADDRESSES_TRIED = 4;
/** Timeout while there is another address to try. */
const ATTEMPT_TIMEOUT_MS = 2000;

/**
 * Opens connections to checked addresses only. The name is resolved here, once; each address is checked; and the
 * connection goes to the very address that was checked, so DNS rebinding has no
 * effect. Literals pass the same check, because they are never resolved.
 */
export function guardedConnector(
  build: typeof buildConnector,
  policy: AddressPolicy,
  resolve: Resolve,
  connectMs: number,
): buildConnector.connector {
  const patient = build({ timeout: connectMs, allowH2: false });
  const impatient = build({ timeout: Math.min(connectMs, ATTEMPT_TIMEOUT_MS), allowH2: false });

  return (options, callback) => {
    const host = options.hostname.startsWith('[') ? options.hostname.slice(1, -1) : options.hostname;
    const port = options.port === '' ? (options.protocol === 'https:' ? 443 : 80) : Number(options.port);
    const named = isIP(host) === 0;

    const attempt = ([address, ...others]: readonly string[]): void => {
      if (address === undefined) return;
      const last = others.length === 0;
      const connect = last ? patient : impatient;
      // The name stays for the certificate; the address is where the packets go.
      const servername =
        options.protocol === 'https:' && named ? { servername: host.replace(/\.$/, '') } : {};
      connect({ ...options, ...servername, hostname: address }, (error, socket) => {
        if (error) return last ? callback(error, null) : attempt(others);
        // No address means that the server has already closed the connection; the request fails then.
        const reached = socket.remoteAddress;
        const objection = reached === undefined ? null : policy.objection(reached, host, port);
        if (objection === null) return callback(null, socket);
        socket.destroy();
        callback(new BlockedAddressError(objection), null);
      });
    };

    addressesOf(host, resolve).then(
      (addresses) => {
        const permitted = addresses.filter((address) => policy.objection(address, host, port) === null);
        if (permitted.length > 0) return attempt(permitted.slice(0, MAX_ADDRESSES_TRIED));
        const objection = addresses[0] === undefined ? null : policy.objection(addresses[0], host, port);
        callback(new BlockedAddressError(objection ?? `${host} has no address`), null);
      },
      (error: unknown) =>
        callback(error instanceof Error ? error : new Error('name resolution failed'), null),
    );
  };
}

async function addressesOf(host: string, resolve: Resolve): Promise<readonly string[]> {
  if (isIP(host) !== 0) return [host];
  // By definition this name never leaves the machine, whatever a resolver answers.
  if (/(^|\.)localhost\.?$/i.test(host)) return ['127.0.0.1', '::1'];
  return resolve(host);
}

export type Decompressed =
  | { readonly ok: true; readonly body: Uint8Array }
  | { readonly ok: false; readonly why: 'too_large' | 'bad_encoding'; readonly detail: string };

export const acceptEncoding = 'gzip, deflate, br, zstd';

/** Only an attacker uses more layers. */
const MAX_ENCODING_LAYERS = 2;

type Inflate = (body: InputType, options: ZlibOptions) => Promise<Buffer>;
// A truncated response is decompressed as far as possible.
const lenient: ZlibOptions = { finishFlush: constants.Z_SYNC_FLUSH };
const codings: Readonly<Record<string, (body: Uint8Array, maxBytes: number) => Promise<Buffer>>> = {
  gzip: (body, max) => (promisify(gunzip) as Inflate)(body, { ...lenient, maxOutputLength: max }),
  deflate: (body, max) =>
    (promisify(hasZlibHeader(body) ? inflate : inflateRaw) as Inflate)(body, {
      ...lenient,
      maxOutputLength: max,
    }),
  br: (body, max) => promisify(brotliDecompress)(body, { maxOutputLength: max }),
  zstd: (body, max) => promisify(zstdDecompress)(body, { maxOutputLength: max }),
};

/**
 * Undoes `Content-Encoding`. Decompression ends at the limit, so a bomb costs no more memory than a
 * valid body of the maximum size.
 */
export async function decompress(
  body: Uint8Array,
  encoding: string,
  maxBytes: number,
): Promise<Decompressed> {
  const layers = encoding
    .toLowerCase()
    .split(',')
    .map((layer) => layer.trim().replace(/^x-/, ''))
    .filter((layer) => layer !== '' && layer !== 'identity');
  if (layers.length > MAX_ENCODING_LAYERS) return badEncoding('compressed too many times');
  let plain = body;
  for (const layer of layers.reverse()) {
    if (plain.byteLength === 0) break;
    const undo = Object.hasOwn(codings, layer) ? codings[layer] : undefined;
    if (undo === undefined) return badEncoding('compressed in an unknown way');
    try {
      plain = await undo(plain, maxBytes);
    } catch (error) {
      if (codeOf(error) === 'ERR_BUFFER_TOO_LARGE')
        return { ok: false, why: 'too_large', detail: `more than ${maxBytes} bytes after decompression` };
      return badEncoding(`is not valid ${layer}`);
    }
  }
  return { ok: true, body: plain };
}

/** `deflate` means zlib by the standard and raw deflate on many servers. */
function hasZlibHeader(body: Uint8Array): boolean {
  const [first = 0, second = 0] = body;
  return (first & 0x0f) === 8 && ((first << 8) | second) % 31 === 0;
}

function badEncoding(detail: string): Decompressed {
  return { ok: false, why: 'bad_encoding', detail };
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

export interface ExchangeRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | null;
  /** As sent over the wire; a compressed body may be refused later, after decompression. */
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

const EMPTY_BODY = new Uint8Array(0);

/** Begins one request on one connection; its answer is awaited with `done`. */
export function exchange(dispatcher: Dispatcher, request: ExchangeRequest): Cancellable<Exchanged> {
  const { promise, resolve } = Promise.withResolvers<Exchanged>();
  let controller: Dispatcher.DispatchController | null = null;
  let finished = false;
  let sent = false;
  let status = 0;
  let headers: Readonly<Record<string, string>> = {};
  let size = 0;
  const pieces: Buffer[] = [];

  const finish = (result: Exchanged): void => {
    finished = true;
    resolve(result);
  };
  const giveUp = (error: unknown, tooLarge = false): void => {
    if (finished) return;
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
        // Cancelled while connecting: nothing has been written.
        if (finished) started.abort(new Error('given up'));
        else sent = true;
      },
      onResponseStart(_controller, statusCode, received) {
        if (statusCode < 200) return;
        status = statusCode;
        headers = joinHeaderValues(received);
        if (Number(headers['content-length']) > request.maxBytes && request.method !== 'HEAD')
          giveUp(new Error('too large'), true);
      },
      onResponseData(_controller, chunk) {
        if (finished) return;
        size += chunk.byteLength;
        if (size > request.maxBytes) giveUp(new Error('too large'), true);
        else pieces.push(chunk);
      },
      onResponseEnd() {
        const body =
          pieces.length === 0 ? EMPTY_BODY : pieces.length === 1 ? pieces[0] : Buffer.concat(pieces);
        finish({ ok: true, status, headers, body: body ?? EMPTY_BODY });
      },
      onResponseError(_controller, error) {
        if (!finished) finish({ ok: false, error, sent, tooLarge: false });
      },
    },
  );
  return { done: promise, cancel: (reason) => giveUp(reason) };
}

function joinHeaderValues(
  received: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const name of Object.keys(received)) {
    const value = received[name];
    if (typeof value === 'string') headers[name] = value;
    else if (value !== undefined) headers[name] = value.join(', ');
  }
  return headers;
}
