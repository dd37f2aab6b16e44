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

/** Labels that servers send and the standard does not know; others are tried with hyphens. */
const FURTHER_LABELS: Readonly<Record<string, string>> = {
  cp932: 'shift_jis',
  'sjis-win': 'shift_jis',
  sjis: 'shift_jis',
  'eucjp-win': 'euc-jp',
  eucjp: 'euc-jp',
  euckr: 'euc-kr',
  cp949: 'euc-kr',
  uhc: 'euc-kr',
  euccn: 'gbk',
  'euc-cn': 'gbk',
  cp936: 'gbk',
  cp950: 'big5',
  'utf-8n': 'utf-8',
  koi8r: 'koi8-r',
  'ms-cyrl': 'windows-1251',
  maccyrillic: 'x-mac-cyrillic',
  'mac-cyrillic': 'x-mac-cyrillic',
  macroman: 'macintosh',
  'mac-roman': 'macintosh',
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
  for (const spelling of [name, name.replaceAll('_', '-')]) {
    try {
      return new TextDecoder(FURTHER_LABELS[spelling] ?? spelling).encoding;
    } catch {
      // Not a label of the standard.
    }
  }
  return null;
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
  // Servers label as Latin what they do not know.
  if (encoding === 'windows-1252') return !isUtf8(sample) && guess(sample, CONTRADICTION) === null;
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
  const utf8 = tally(sample, 'utf-8');
  if (utf8.other > 0 && utf8.wrong / utf8.other < 0.2) return 'utf-8';
  return guess(sample, LIKELIHOOD) ?? (hint !== null && isSingleByte(hint) ? hint : 'windows-1252');
}

/** Share of expected characters that makes a guess, and that overrules a label. */
const LIKELIHOOD = 0.3;
const CONTRADICTION = 0.5;

/** Frequent letters in lower case: a wrong encoding of the same alphabet mixes up cases or letters. */
const CYRILLIC = /[оеаинтсрвлкмдпуяыьгзбчйі](?![А-ЯЁ])/g;

/** Encodings that are told apart by the characters that texts of their languages consist of. */
const CANDIDATES: readonly {
  readonly encoding: string;
  readonly expected: RegExp;
  readonly weight: number;
}[] = [
  // The most frequent syllables and characters make up about half of any text; misread bytes are spread evenly.
  {
    encoding: 'euc-kr',
    weight: 1.1,
    expected:
      /[이다는의에을가고를한은로하지기사대도서자리인시정전제해일수들부지어아나라으과있면장상보주원동구국공성선조용신경스미여만그중관년것되할적화]/g,
  },
  {
    encoding: 'gb18030',
    weight: 1,
    expected:
      /[的一是不了在有人我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心本前开但因只从想实日军者意无力它与长把机十民第公此已工使情明性知全三又关点正业外将两高间由问很最重并物手应向头文体政美相见被利什二等产新己制身果加西斯月话合回特代内信表化老给世位次度门任常先海通教儿原东声提立及比员解水名真论处走义各入几口认条平系气题活尔更别打女变四神总何电数安少报才结反受目太量再感建务做接必场件计管期市直德资命山金指克许统区保至队形社便空决治展马科司五基眼书非则听白却界达光放强即像难且权思王象完设式色路记南品住告类求据程北边死张该交规万取拉格望觉术领共确传师观清今切院让识候带导争运、，。]/g,
  },
  {
    encoding: 'big5',
    weight: 1,
    expected:
      /[的一是不了在有人我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著下自之年過發後作裡用道行所然家種事成方多經麼去法學如都同現當沒動面起看定天分還進好小部其些主樣理心本前開但因只從想實日軍者意無力它與長把機十民第公此已工使情明性知全三又關點正業外將兩高間由問很最重並物手應向頭文體政美相見被利什二等產新己制身果加西斯月話合回特代內信表化老給世位次度門任常先海通教兒原東聲提立及比員解水名真論處走義各入幾口認條平系氣題活爾更別打女變四神總何電數安少報才結反受目太量再感建務做接必場件計管期市直德資命山金指克許統區保至隊形社便空決治展馬科司五基眼書非則聽白卻界達光放強即像難且權思王象完設式色路記南品住告類求據程北邊死張該交規萬取拉格望覺術領共確傳師觀清今切院讓識候帶導爭運、，。]/g,
  },
  { encoding: 'windows-1251', weight: 1, expected: CYRILLIC },
  { encoding: 'koi8-u', weight: 1, expected: CYRILLIC },
  { encoding: 'iso-8859-5', weight: 1, expected: CYRILLIC },
  { encoding: 'ibm866', weight: 1, expected: CYRILLIC },
];

/** The encoding in which the text is the most probable, if any of them is likely: Japanese, Korean, Chinese or Cyrillic. */
function guess(sample: Uint8Array, threshold: number): string | null {
  // Words of Latin scripts have single letters beyond ASCII; all of these scripts consist of them.
  if (runsOf(sample) < MIN_RUNS) return null;
  let best: string | null = null;
  let bestScore = threshold;
  for (const encoding of ['shift_jis', 'euc-jp']) {
    const found = score(sample, encoding);
    if (found > bestScore) [best, bestScore] = [encoding, found];
  }
  if (best !== null) return best;
  for (const { encoding, expected, weight } of CANDIDATES) {
    const text = new TextDecoder(encoding).decode(sample, { stream: true }).replace(/[\0-\x7f]+/g, ' ');
    const others = text.length - (text.match(/ /g)?.length ?? 0);
    const wrong = text.match(/[\ufffd\ue000-\uf8ff\u2500-\u259f]/g)?.length ?? 0;
    const found = (((text.match(expected)?.length ?? 0) - wrong * 5) / Math.max(1, others)) * weight;
    if (found > bestScore) [best, bestScore] = [encoding, found];
  }
  return best;
}

const MIN_RUNS = 0.6;

/** Share of the bytes beyond ASCII that have another one beside them. */
function runsOf(sample: Uint8Array): number {
  let all = 0;
  let inRuns = 0;
  for (let at = 0; at < sample.length; at++) {
    if ((sample[at] ?? 0) < 0x80) continue;
    all++;
    if ((sample[at - 1] ?? 0) >= 0x80 || (sample[at + 1] ?? 0) >= 0x80) inRuns++;
  }
  return all === 0 ? 0 : inRuns / all;
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
  const text = new TextDecoder(encoding).decode(bytes);
  return encoding === 'utf-8' && hasControls(bytes) ? text.replace(CONTROLS, windowsCharacter) : text;
}

/**
 * Control characters from U+0080 on, which no text means: bytes of Windows that were taken for Unicode. Sought among the
 * bytes, where that takes no time.
 */
function hasControls(bytes: Uint8Array): boolean {
  for (let at = bytes.indexOf(0xc2); at >= 0; at = bytes.indexOf(0xc2, at + 1))
    if ((bytes[at + 1] ?? 0xff) <= 0x9f) return true;
  return false;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is to be replaced
const CONTROLS = /[\u0080-\u009f]/g;
const WINDOWS = new TextDecoder('windows-1252');

function windowsCharacter(control: string): string {
  return WINDOWS.decode(Uint8Array.of(control.charCodeAt(0)));
}
