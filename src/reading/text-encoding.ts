/** A body as text, and the encoding it was in. */
export interface DecodedText {
  readonly text: string;
  readonly encoding: string;
  /** Bytes that made no sense in that encoding stand as U+FFFD. */
  readonly damaged: boolean;
}

/**
 * Decodes a feed or page. A byte-order mark knows best, then the header, then what the document says of itself, each
 * only if the bytes agree; without any of them UTF-8, then the Japanese encodings, then Windows-1252.
 */
export function decodeText(body: Uint8Array, contentType?: string): DecodedText {
  const mark = byteOrderMark(body);
  if (mark !== null) return loose(body, mark);
  const candidates = [charsetOf(contentType), declared(body), 'utf-8', looksJapanese(body)];
  for (const label of candidates) {
    const text = label === null ? null : strict(body, label);
    if (text !== null) return text;
  }
  const said = candidates.find((label) => label !== null && supported(label)) ?? 'utf-8';
  // Mostly valid in what it says of itself, with a few bad bytes: better than another encoding throughout.
  const broken = loose(body, said);
  const bad = broken.text.split('\ufffd').length - 1;
  return bad * 50 < broken.text.length ? broken : loose(body, 'windows-1252');
}

function byteOrderMark(body: Uint8Array): string | null {
  const [a, b, c] = body;
  if (a === 0xef && b === 0xbb && c === 0xbf) return 'utf-8';
  if (a === 0xff && b === 0xfe) return 'utf-16le';
  if (a === 0xfe && b === 0xff) return 'utf-16be';
  // UTF-16 without a mark still begins with `<` and a zero.
  if (a === 0x3c && b === 0) return 'utf-16le';
  if (a === 0 && b === 0x3c) return 'utf-16be';
  return null;
}

function charsetOf(contentType: string | undefined): string | null {
  return /charset\s*=\s*["']?([\w.:-]{2,40})/i.exec(contentType ?? '')?.[1] ?? null;
}

/** The XML declaration or a `<meta>` near the beginning; both are ASCII in every encoding that gets here. */
function declared(body: Uint8Array): string | null {
  const head = Buffer.from(body.subarray(0, 2_048)).toString('latin1');
  return (
    /<\?xml[^>]{0,200}?encoding\s{0,9}=\s{0,9}["']([\w.:-]{2,40})["']/i.exec(head)?.[1] ??
    /<meta[^>]{0,200}?charset\s{0,9}=\s{0,9}["']?([\w.:-]{2,40})/i.exec(head)?.[1] ??
    null
  );
}

/** Which Japanese encoding decodes without error and gives Japanese letters, if any. */
function looksJapanese(body: Uint8Array): string | null {
  const sample = body.subarray(0, 65_536);
  if (Buffer.from(sample).includes('\u001b$')) return 'iso-2022-jp';
  let best: string | null = null;
  let most = 0;
  for (const label of ['euc-jp', 'shift_jis']) {
    const text = new TextDecoder(label).decode(sample, { stream: true });
    if (text.includes('\ufffd')) continue;
    const letters = text.match(/[\u3040-\u30ff\u4e00-\u9fff]/g)?.length ?? 0;
    if (letters > most) [best, most] = [label, letters];
  }
  return best;
}

function supported(label: string): boolean {
  try {
    new TextDecoder(label);
    return true;
  } catch {
    return false;
  }
}

function strict(body: Uint8Array, label: string): DecodedText | null {
  try {
    const decoder = new TextDecoder(label, { fatal: true });
    return { text: decoder.decode(body), encoding: decoder.encoding, damaged: false };
  } catch {
    return null;
  }
}

function loose(body: Uint8Array, label: string): DecodedText {
  const decoder = new TextDecoder(label);
  const text = decoder.decode(body);
  return { text, encoding: decoder.encoding, damaged: text.includes('\ufffd') };
}
