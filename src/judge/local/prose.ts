import { sentencesOf } from '../text-length.ts';

/** The sentences of a text without what agencies and layouts put around and into them. */
export function proseOf(text: string, most: number): string[] {
  const sentences = sentencesOf(text, most);
  const whole = withQuotations(sentences).map(bareSentence).filter(isProse);
  const prose = whole.length > 0 ? whole : sentences.map(bareSentence).filter(isProse);
  const ended = prose.filter((sentence) => ENDED.test(sentence));
  return ended.length >= MIN_ENDED ? ended : prose;
}

/** A quotation of several sentences ends after so many, even if the mark is missing. */
const MAX_QUOTED = 4;

/** Keeps a quotation of several sentences together: without its marks and its speaker, a claim would be stated as a fact. */
function withQuotations(sentences: readonly string[]): string[] {
  const whole: string[] = [];
  let quoted: string[] = [];
  for (const sentence of sentences) {
    const isUnbalanced = hasOddMarks(sentence) || /“[^”]*$|^[^“]*”/.test(sentence);
    const isOpening = isUnbalanced && /^["“]|“[^”]*$/.test(sentence);
    if (isOpening) quoted = [sentence];
    else if (isUnbalanced) {
      if (quoted.length > 0) whole.push([...quoted, sentence].join(' '));
      quoted = [];
    } else if (quoted.length === 0 || quoted.length >= MAX_QUOTED) {
      quoted = [];
      whole.push(sentence);
    } else quoted.push(sentence);
  }
  return whole;
}

function hasOddMarks(sentence: string): boolean {
  const isOdd = (text: string): boolean => text.split('"').length % 2 === 0;
  // A mark after a figure can be inches.
  return isOdd(sentence) && isOdd(sentence.replace(/\d"/g, ''));
}

const ENDED = /[。.!?！？」』）)"”…]$/;
/** A text with so many sentences is written in sentences: a line without an end mark is a heading, a caption or an author. */
const MIN_ENDED = 3;

/** A dateline is at the beginning, perhaps after a line or two of the layout. */
const MAX_DATELINES = 3;
const AGENCY = 'AP|AFP|ANI|CNN|DPA|IANS|PTI|TASS|UPI|Bloomberg|Kyodo|Reuters|Xinhua';
/** Place, date and agency: "LONDON, May 3 (Reuters) - ", "(CNN)", "Lyon, France (CNN)", "NEW YORK--", "PUNE: ". */
const DATELINE = new RegExp(
  `^(?:By [A-Z][\\p{L}.'’-]+(?: [A-Z][\\p{L}.'’-]+){1,3}\\s+(?=[A-Z]{3}))?` +
    `(?:(?:[A-Z0-9][\\p{L}0-9.'’/-]*,? ){0,7}\\((?:[A-Z]{2,6}|${AGENCY})[^)]{0,20}\\)\\s*(?:--?|[–—])\\s*` +
    `|(?:[A-Z]{3}[A-Z .,'’-]{0,40}|(?:\\p{Lu}[\\p{L}.'’-]*,? ){1,6})?\\((?:${AGENCY})\\)\\s*(?=["“‘]?[\\p{Lu}\\d])` +
    `|[A-Z]{3}[A-Z .,'’]{0,40}(?:, [A-Z][a-z]+\\.?)?(?: \\d{1,2})?(?:\\s*(?:--|[–—])\\s*|\\s-\\s|:\\s)(?=["“‘]?[\\p{Lu}\\d]))`,
  'u',
);
const JAPANESE_DATELINE = /^(?:【[^】]{1,30}】|［[^］]{1,30}］)\s*[-–—－]*\s*/;
const REMARK = / ?\((?![A-Z][A-Z]{1,5}\))[^()]{1,80}\)|（[^（）]{1,40}）|＝(?:写真|[^＝、。]{2,15}＝)＝?/g;

/** A word before a colon that the sanitiser would take for the scheme of a link. */
const SCHEME_WORD = /\b(data|tel|discord):(?=\s)/gi;

function bareSentence(sentence: string, place: number): string {
  let bare = sentence;
  if (place < MAX_DATELINES && /[(【［–—:]|--| - /.test(bare.slice(0, 80)) && !CAPTION.test(bare))
    bare = bare.replace(DATELINE, '').replace(JAPANESE_DATELINE, '');
  if (/[(（＝]/.test(bare)) bare = bare.replace(REMARK, '');
  if (bare.includes(': ')) bare = bare.replace(SCHEME_WORD, '$1 –');
  return bare === sentence ? sentence : bare.trim();
}

/** Lines of a page that are not its text. */
const CAPTION =
  /^(?:(?:file )?(?:image|photo|picture|video|credit|source|caption|related|watch|listen|more|correction|editor['’]s note|写真|画像|動画|図|資料)(?: credit| by| on)?\s*[:：=＝|]|【(?:写真|画像|動画|図|表|グラフ|関連))/i;
const LAYOUT =
  /^(?:©|copyright\b|click here|read (?:more|also|all)\b|also read|subscribe (?:to|now|here)|sign (?:up|in)\b|log in\b|follow us|advertis(?:ement|ing)\b|share this|(?:last )?updated (?:at|on|\d)|published (?:at|on|\d)|all rights reserved|related (?:news|stories|articles)|good (?:morning|afternoon|evening)\b|welcome to (?:our|the)\b.{0,40}\b(?:live|blog|coverage|newsletter)|(?:additional )?reporting by|edit(?:ed|ing) by|this (?:article|story|post|page) (?:was|has been|is) (?:first |originally )?(?:updated|corrected|published|amended|part of)|we use cookies|this (?:web)?site uses cookies|please (?:wait|enable)|get the latest|関連記事|続きを読む|あわせて読みたい|会員限定|無断転載|この記事は)/i;
/** A word that is no name: what only has names and figures is a byline or a date. */
const HAS_WORD = /(?<!\p{L})\p{Ll}{2}|\p{Lo}/u;

/** A line of prose: long enough, ends like a sentence or is long, and is no address, caption or list of names. */
function isProse(sentence: string): boolean {
  if (sentence.length < 8 || /^https?:\S+$/.test(sentence) || !HAS_WORD.test(sentence)) return false;
  if (sentence.length < 140 && (CAPTION.test(sentence) || LAYOUT.test(sentence))) return false;
  return sentence.length >= 40 || (ENDED.test(sentence) && !/(?:…|\.\.\.)$/.test(sentence));
}
