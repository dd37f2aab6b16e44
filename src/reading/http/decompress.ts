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

export type Decompressed =
  | { readonly ok: true; readonly body: Uint8Array }
  | { readonly ok: false; readonly why: 'too_large' | 'bad_encoding'; readonly detail: string };

export const acceptEncoding = 'gzip, deflate, br, zstd';

/** More layers than this serve nobody but an attacker. */
const MOST_LAYERS = 2;

type Inflate = (body: InputType, options: ZlibOptions) => Promise<Buffer>;
// An answer that was cut off is read as far as it goes.
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
 * Undoes `Content-Encoding`. Inflating ends as soon as the limit is passed, so a bomb costs no more memory than an
 * honest body of the largest size.
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
  if (layers.length > MOST_LAYERS) return badEncoding('compressed too many times');
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
      return badEncoding(`is not the ${layer} that it says it is`);
    }
  }
  return { ok: true, body: plain };
}

/** `deflate` means zlib by the book and raw deflate on many servers. */
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
