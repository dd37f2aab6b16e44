/** Length in code points, not UTF-16 units, as in the contracts. */
export function countCharacters(text: string): number {
  let count = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0xdc00 || unit > 0xdfff) count++;
  }
  return count;
}

/** The first `most` characters; never half of a surrogate pair. */
export function firstCharacters(text: string, most: number): string {
  if (text.length <= most) return text;
  let count = 0;
  let end = 0;
  for (const character of text) {
    if (count === most) break;
    count++;
    end += character.length;
  }
  return text.slice(0, end);
}

/** A longer piece without an end mark (a table, a list of names) is cut here. */
const MAX_SENTENCE = 600;

/** Full stops that end no sentence. */
const ABBREVIATION =
  /(?:\b(?:mr|mrs|ms|dr|prof|st|no|vs|etc|inc|ltd|co|corp|jr|sr|fig|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|approx)|\b(?:e\.g|i\.e|u\.s|u\.k|a\.m|p\.m)|\b[a-z])\.$/i;

/** "… on Monday.The …": a text whose paragraphs were joined without a space. Only before words that begin sentences: "json.Marshal" is one word. */
const LOST_SPACE =
  /^[a-z\d]{3}\.(?:A|After|All|An|And|As|At|But|By|For|From|He|Her|His|However|I|If|In|It|Its|Last|Meanwhile|On|One|She|Since|The|Their|There|These|They|This|Those|To|We|When|While|With|You)[ ,]/;

/** Characters after an end mark that still belong to the sentence. */
const CLOSING_MARKS = '」』）)】"”’。!?！？';

/** Splits a text into sentences, Japanese and English alike. A line end separates only after an end mark or before a blank line. */
export function sentencesOf(text: string, most = Number.POSITIVE_INFINITY): string[] {
  const sentences: string[] = [];
  for (const paragraph of text.split(/\r?\n\s*\n/)) {
    for (const line of joinLines(paragraph)) splitLine(line, sentences);
    if (sentences.length >= most) return sentences.slice(0, most);
  }
  return sentences;
}

/** Lines broken for width are joined; a line that stands for itself (a list, a heading) stays alone. */
function joinLines(paragraph: string): string[] {
  const lines = paragraph
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const joined: string[] = [];
  let current = '';
  for (const line of lines) {
    const continues = current !== '' && /[^\s.!?。!?…:：]$/.test(current) && /^[a-z]/.test(line);
    if (continues) current += ` ${line}`;
    else {
      if (current !== '') joined.push(current);
      current = line;
    }
  }
  if (current !== '') joined.push(current);
  return joined;
}

const END_OR_QUOTE = /[。！？.!?「『（」』）]/g;

function splitLine(line: string, into: string[]): void {
  let start = 0;
  let depth = 0;
  let from = 0;
  while (from < line.length) {
    END_OR_QUOTE.lastIndex = from;
    const at = END_OR_QUOTE.exec(line)?.index ?? line.length;
    if (at - start >= MAX_SENTENCE) {
      from = start + MAX_SENTENCE;
      pushSentence(line.slice(start, from), into);
      start = from;
      depth = 0;
      continue;
    }
    const mark = line[at] ?? '';
    from = at + 1;
    if (mark === '「' || mark === '『' || mark === '（') depth++;
    else if (mark === '」' || mark === '』' || mark === '）') depth = Math.max(0, depth - 1);
    else if (endsSentence(line, at, mark, depth, start)) {
      while (from < line.length && CLOSING_MARKS.includes(line[from] ?? '')) from++;
      pushSentence(line.slice(start, from), into);
      start = from;
      depth = 0;
    }
  }
  pushSentence(line.slice(start), into);
}

function endsSentence(line: string, at: number, mark: string, depth: number, start: number): boolean {
  if (mark === '。' || mark === '！' || mark === '？') return depth === 0;
  if (mark !== '.' && mark !== '!' && mark !== '?') return false;
  const next = line[at + 1];
  if (next === undefined) return true;
  if (!/[\s"”’)]/.test(next))
    return mark === '.'
      ? LOST_SPACE.test(line.slice(Math.max(start, at - 3), at + 16))
      : /[\u3040-\u30ff\u4e00-\u9fff]/.test(next);
  if (mark === '.' && ABBREVIATION.test(line.slice(Math.max(start, at - 8), at + 1))) return false;
  return !/^[\s"”’)]+[a-z]/.test(line.slice(at + 1, at + 6));
}

function pushSentence(piece: string, into: string[]): void {
  const sentence = piece.replace(/\s+/g, ' ').trim();
  if (sentence !== '') into.push(sentence);
}

/**
 * Estimated number of tokens of a text. A Japanese character is about one, four Latin ones make one. Deliberately a little
 * too high: it decides what fits and what is reserved.
 */
export function estimateTokens(text: string): number {
  let tokens = 0;
  for (let i = 0; i < text.length; i++) tokens += text.charCodeAt(i) >= 0x2e80 ? 1 : 0.27;
  return Math.ceil(tokens);
}

/** The beginning of a text up to a number of tokens, ending at the end of a sentence. */
export function cutToTokens(text: string, most: number): { readonly text: string; readonly cut: boolean } {
  if (estimateTokens(text) <= most) return { text, cut: false };
  return { text: partsByTokens(text, most, 1)[0] ?? '', cut: true };
}

/**
 * Splits a text into parts of at most so many tokens each, between sentences; a sentence that is longer alone is cut.
 * What is over `mostParts` is left out.
 */
export function partsByTokens(text: string, most: number, mostParts: number): string[] {
  const parts: string[] = [];
  let part = '';
  let tokens = 0;
  for (const sentence of sentencesOf(text)) {
    for (const piece of cutSentence(sentence, most)) {
      const size = estimateTokens(piece) + 1;
      if (tokens + size > most && part !== '') {
        parts.push(part);
        if (parts.length === mostParts) return parts;
        part = '';
        tokens = 0;
      }
      part += (part === '' ? '' : '\n') + piece;
      tokens += size;
    }
  }
  if (part !== '') parts.push(part);
  return parts;
}

/** A sentence that exceeds the limit alone, cut to fit. */
function cutSentence(sentence: string, most: number): string[] {
  if (estimateTokens(sentence) < most) return [sentence];
  const pieces: string[] = [];
  let piece = '';
  for (const character of sentence) {
    if (piece !== '' && estimateTokens(piece + character) >= most) {
      pieces.push(piece);
      piece = '';
    }
    piece += character;
  }
  return piece === '' ? pieces : [...pieces, piece];
}
