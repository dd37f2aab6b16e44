import { isAscii, isUtf8 } from 'node:buffer';

/** What a document is: markup of each kind declares its encoding in its own way. */
export interface MarkupKind {
  readonly xml?: boolean;
  readonly html?: boolean;
}

export interface DecodedText {
  readonly text: string;
  /** The WHATWG name of the encoding that was used. */
  readonly encoding: string;
  readonly from: 'bom' | 'header' | 'declaration' | 'sniffed';
}

/** A declaration stands at the beginning, or it does not count. */
const XML_HEAD = 256;
const HTML_HEAD = 4096;
/** Enough to tell encodings apart; more bytes do not change the result. */
const SAMPLE = 64 * 1024;

/** Labels that servers send and the standard does not know. */
const FURTHER_LABELS: Readonly<Record<string, string>> = {
  cp932: 'shift_jis',
  'sjis-win': 'shift_jis',
  sjis: 'shift_jis',
  euc_jp: 'euc-jp',
  'eucjp-win': 'euc-jp',
  eucjp: 'euc-jp',
  utf_8: 'utf-8',
  'utf-8n': 'utf-8',
};

/**
 * Decodes the bytes of a document by byte-order mark, then the header, then the document's own declaration, then
 * detection. A label that the bytes contradict is ignored: many pages labelled as UTF-8 are Shift_JIS, and the other way
 * round. Never throws; invalid bytes become U+FFFD.
 */
export function decodeText(
  bytes: Uint8Array,
  contentType: string | undefined,
  kind: MarkupKind = {},
): DecodedText {
  const bom = bomOf(bytes);
  if (bom !== null) return { text: decode(bytes, bom), encoding: bom, from: 'bom' };
  const sample = sampleOf(bytes);
  const header = encodingFor(/charset\s*=\s*["']?([^\s;"',]+)/i.exec(contentType ?? '')?.[1]);
  if (header !== null && fits(sample, header))
    return { text: decode(bytes, header), encoding: header, from: 'header' };
  const declared = declaredIn(bytes, kind);
  if (declared !== null && fits(sample, declared))
    return { text: decode(bytes, declared), encoding: declared, from: 'declaration' };
  const sniffed = sniff(sample, header ?? declared);
  return { text: decode(bytes, sniffed), encoding: sniffed, from: 'sniffed' };
}

function bomOf([a, b, c]: Uint8Array): string | null {
  if (a === 0xef && b === 0xbb && c === 0xbf) return 'utf-8';
  if (a === 0xfe && b === 0xff) return 'utf-16be';
  if (a === 0xff && b === 0xfe) return 'utf-16le';
  return null;
}

/** The WHATWG encoding for a label, or `null` when there is none. */
function encodingFor(label: string | undefined): string | null {
  const name = label?.trim().toLowerCase();
  if (name === undefined) return null;
  try {
    return new TextDecoder(Object.hasOwn(FURTHER_LABELS, name) ? FURTHER_LABELS[name] : name).encoding;
  } catch {
    return null;
  }
}

function declaredIn(bytes: Uint8Array, kind: MarkupKind): string | null {
  const head = Buffer.from(bytes.subarray(0, kind.html ? HTML_HEAD : XML_HEAD)).toString('latin1');
  const xml = /^\s*<\?xml[^>]*?\sencoding\s*=\s*["']([\w.:-]+)["']/i.exec(head)?.[1];
  const found = encodingFor(
    (kind.html ? metaCharset(head) : undefined) ?? (kind.xml || kind.html ? xml : undefined),
  );
  // A document whose declaration could be read as ASCII is not in UTF-16, whatever it declares.
  return found?.startsWith('utf-16') ? 'utf-8' : found;
}

function metaCharset(head: string): string | undefined {
  for (const [tag] of head.replace(/<!--.*?-->/gs, '').matchAll(/<meta\s[^>]*>/gi)) {
    const charset = /charset\s*=\s*["']?\s*([\w.:-]+)/i.exec(tag)?.[1];
    if (charset !== undefined) return charset;
  }
  return undefined;
}

/** The beginning, not cut inside a character of UTF-8. */
function sampleOf(bytes: Uint8Array): Uint8Array {
  if (bytes.byteLength <= SAMPLE) return bytes;
  let end = SAMPLE;
  while (end > SAMPLE - 4 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.subarray(0, end);
}

/** Whether the bytes can be this encoding, but for a stray mistake. */
function fits(sample: Uint8Array, encoding: string): boolean {
  if (encoding.startsWith('utf-16')) return wideOf(sample) === encoding;
  if (encoding === 'iso-2022-jp') return hasEscapes(sample) || isAscii(sample);
  if (isAscii(sample)) return !hasEscapes(sample) && wideOf(sample) === null;
  if (isSingleByte(encoding))
    return !isUtf8(sample) && score(sample, 'shift_jis', 'euc-jp') < JAPANESE_THRESHOLD;
  if (encoding === 'utf-8' && isUtf8(sample)) return true;
  const read = tally(sample, encoding);
  return (
    read.wrong <= read.other * 0.01 + 1 && !(encoding === 'shift_jis' && read.narrowKana > read.other * 0.6)
  );
}

/** Single-byte text never looks this Japanese by accident. */
const JAPANESE_THRESHOLD = 0.5;

function sniff(sample: Uint8Array, hint: string | null): string {
  const wide = wideOf(sample);
  if (wide !== null) return wide;
  if (hasEscapes(sample)) return 'iso-2022-jp';
  if (isAscii(sample) || isUtf8(sample)) return 'utf-8';
  const shiftJis = score(sample, 'shift_jis');
  const eucJp = score(sample, 'euc-jp');
  if (Math.max(shiftJis, eucJp) > 0.3) return shiftJis > eucJp ? 'shift_jis' : 'euc-jp';
  if (hint !== null && isSingleByte(hint)) return hint;
  const utf8 = tally(sample, 'utf-8');
  return utf8.other > 0 && utf8.wrong / utf8.other < 0.2 ? 'utf-8' : 'windows-1252';
}

/** How Japanese the bytes are when read in one of these encodings: kana and kanji, minus what looks misread. */
function score(sample: Uint8Array, ...encodings: readonly string[]): number {
  return Math.max(
    ...encodings.map((encoding) => {
      const read = tally(sample, encoding);
      if (read.other === 0) return 0;
      return (read.kana + read.kanji * 0.2 - read.narrowKana - read.wrong * 5) / read.other;
    }),
  );
}

interface Tally {
  /** Characters beyond ASCII, wrong ones included. */
  other: number;
  kana: number;
  kanji: number;
  narrowKana: number;
  wrong: number;
}

function tally(sample: Uint8Array, encoding: string): Tally {
  const count: Tally = { other: 0, kana: 0, kanji: 0, narrowKana: 0, wrong: 0 };
  const text = new TextDecoder(encoding).decode(sample, { stream: true });
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code < 0x80) continue;
    count.other++;
    if (code === 0xfffd || (code >= 0xe000 && code <= 0xf8ff)) count.wrong++;
    else if (code >= 0x3000 && code <= 0x30ff) count.kana++;
    else if (code >= 0x4e00 && code <= 0x9fff) count.kanji++;
    else if (code >= 0xff61 && code <= 0xff9f) count.narrowKana++;
  }
  return count;
}

function isSingleByte(encoding: string): boolean {
  return /^(windows-|iso-8859|koi8|ibm866|macintosh|x-mac)/.test(encoding);
}

/** Detects UTF-16 without a byte-order mark by the zero bytes of the first markup characters. */
function wideOf([a, b, c, d]: Uint8Array): string | null {
  if (d === undefined) return null;
  if (a === 0 && b !== 0 && c === 0 && d !== 0) return 'utf-16be';
  if (a !== 0 && b === 0 && c !== 0 && d === 0) return 'utf-16le';
  return null;
}

/** The escapes of ISO-2022-JP into its Japanese sets. */
function hasEscapes(sample: Uint8Array): boolean {
  for (let at = sample.indexOf(0x1b); at >= 0; at = sample.indexOf(0x1b, at + 1)) {
    const [, set, which] = sample.subarray(at, at + 3);
    if (set === 0x24 && (which === 0x42 || which === 0x40)) return true;
  }
  return false;
}

function decode(bytes: Uint8Array, encoding: string): string {
  return new TextDecoder(encoding).decode(bytes);
}
