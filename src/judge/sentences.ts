/** A longer piece without an end mark (a table, a list of names) is cut here. */
const LONGEST = 600;

/** Full stops that end no sentence. */
const ABBREVIATION =
  /(?:\b(?:mr|mrs|ms|dr|prof|st|no|vs|etc|inc|ltd|co|corp|jr|sr|fig|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|approx)|\b(?:e\.g|i\.e|u\.s|u\.k|a\.m|p\.m)|\b[a-z])\.$/i;

/** What may follow an end mark and still belongs to the sentence. */
const ENDERS = '」』）)】"”’。!?！？';

/** Splits a text into sentences, Japanese and English alike. Line ends separate only where a blank line or an end mark says so. */
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

const MARK = /[。！？.!?「『（」』）]/g;

function splitLine(line: string, into: string[]): void {
  let start = 0;
  let depth = 0;
  let from = 0;
  while (from < line.length) {
    MARK.lastIndex = from;
    const at = MARK.exec(line)?.index ?? line.length;
    if (at - start >= LONGEST) {
      from = start + LONGEST;
      push(line.slice(start, from), into);
      start = from;
      depth = 0;
      continue;
    }
    const mark = line[at] ?? '';
    from = at + 1;
    if (mark === '「' || mark === '『' || mark === '（') depth++;
    else if (mark === '」' || mark === '』' || mark === '）') depth = Math.max(0, depth - 1);
    else if (endsSentence(line, at, mark, depth, start)) {
      while (from < line.length && ENDERS.includes(line[from] ?? '')) from++;
      push(line.slice(start, from), into);
      start = from;
      depth = 0;
    }
  }
  push(line.slice(start), into);
}

function endsSentence(line: string, at: number, mark: string, depth: number, start: number): boolean {
  if (mark === '。' || mark === '！' || mark === '？') return depth === 0;
  if (mark !== '.' && mark !== '!' && mark !== '?') return false;
  const next = line[at + 1];
  if (next === undefined) return true;
  if (!/[\s"”’)]/.test(next)) return /[\u3040-\u30ff\u4e00-\u9fff]/.test(next) && mark !== '.';
  if (mark === '.' && ABBREVIATION.test(line.slice(Math.max(start, at - 8), at + 1))) return false;
  return !/^[\s"”’)]+[a-z]/.test(line.slice(at + 1, at + 6));
}

function push(piece: string, into: string[]): void {
  const sentence = piece.replace(/\s+/g, ' ').trim();
  if (sentence !== '') into.push(sentence);
}
