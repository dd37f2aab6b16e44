import { ENGLISH_SYNONYMS, oneSpelling } from './synonyms.ts';

/**
 * A title taken apart for comparison (X3): what in it carries the story. Japanese and English alike: words where there
 * are blanks, runs of one script where there are none.
 */
export interface Headline {
  /** The title without what publishers add to it. */
  readonly text: string;
  /** Words and runs that carry the story: names, things, what happened; without numbers. */
  readonly words: readonly string[];
  readonly numbers: readonly string[];
  /** Pairs of neighbouring characters in the Japanese parts. */
  readonly pairs: ReadonlySet<string>;
}

const LONGEST = 300;

export function readHeadline(title: string): Headline {
  const plain = withoutTrimmings(title.slice(0, LONGEST).normalize('NFKC')).toLowerCase();
  const text = JAPANESE.test(plain) ? oneSpelling(plain) : plain;
  const words: string[] = [];
  const numbers: string[] = [];
  for (const [token] of text.matchAll(TOKEN)) {
    if (/^\d/.test(token)) numbers.push(token.replace(/[,']/g, '').replace(/(?<=\.\d*)0+$|\.0*$/, ''));
    else if (COUNTED.has(token)) numbers.push(COUNTED.get(token) ?? token);
    else if (isCjk(token)) {
      if (!/^[\p{Script=Hiragana}ー]+$/u.test(token) && !SOFT_CJK.has(token)) words.push(token);
    } else {
      const word = meaningOf(token);
      if (word !== '' && !SOFT.has(word)) words.push(word);
    }
  }
  return { text, words: [...new Set(words)], numbers: [...new Set(numbers)], pairs: pairsOf(text) };
}

/** The form in which a word of letters, in lower case, is compared. */
export function meaningOf(token: string): string {
  return meaning(token.replace(/[’'].*$/, ''));
}

const JAPANESE = /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u;

/** A number, a word of letters, or a run of one Japanese script. */
const TOKEN =
  /\d+(?:[.,:]\d+)*|\p{Script=Han}+|[\p{Script=Katakana}ー]+|\p{Script=Hiragana}+|(?:(?!\p{Script=Han}|\p{Script=Katakana}|\p{Script=Hiragana})\p{L}[\p{M}’']?)+/gu;

function isCjk(token: string): boolean {
  return /^[\p{Script=Han}\p{Script=Katakana}\p{Script=Hiragana}ー]/u.test(token);
}

/** Marks like 【速報】, a prefix like "Breaking:", the name of the paper at the end. */
function withoutTrimmings(title: string): string {
  let text = title
    .replace(/^(?:\s*[[【〔(][^\])】〕]{1,12}[\])】〕])+/u, '')
    .replace(
      /^\s*(?:breaking(?: news)?|update(?: \d+)?|exclusive|just in|watch|live|live updates|video|速報|独自|動画)\s*[-:：|]\s*/iu,
      '',
    )
    .replace(/^\s*(?:show|ask|tell) hn:\s*/iu, '');
  for (let round = 0; round < 2; round++) {
    const shorter = text
      .replace(/\s*[([（【<〈][^)\]）】>〉]{1,24}[)\]）】>〉]\s*$/u, '')
      .replace(/(?:\s+[-–—|·:]+\s+|\s*[|｜]\s*|\s+[-–—])[^-–—|｜]{1,32}$/u, '');
    if ([...shorter].length >= 12 || shorter.length * 2 > text.length) text = shorter;
  }
  return text;
}

/** Words come again and again; most that are kept, since not all that comes is a word. */
const MEANINGS = new Map<string, string>();
const MOST_MEANINGS = 20_000;

function meaning(word: string): string {
  const known = MEANINGS.get(word);
  if (known !== undefined) return known;
  const root = stem(word);
  const found = SYNONYM_STEMS.get(root) ?? root;
  if (MEANINGS.size < MOST_MEANINGS && word.length < 30) MEANINGS.set(word, found);
  return found;
}

/** Close enough to a stem to see that "raises" and "raised" are one word. */
function stem(word: string): string {
  const irregular = IRREGULAR.get(word);
  if (irregular !== undefined) return irregular;
  if (word.length < 4) return word;
  const bare = word
    .replace(/(?:sses|shes|ches|xes)$/, (end) => end.slice(0, -2))
    .replace(/ies$/, 'y')
    .replace(/([^su])s$/, '$1')
    .replace(/(.{3,})(?:ing|ed)$/, '$1')
    .replace(/(.{3,})e$/, '$1');
  return bare.replace(/([bdgklmnprt])\1$/, '$1');
}

const IRREGULAR: ReadonlyMap<string, string> = new Map(
  (
    'found:find won:win lost:lose sold:sell bought:buy built:build held:hold led:lead fell:fall fallen:fall rose:rise ' +
    'risen:rise grew:grow grown:grow began:begin begun:begin broke:break broken:break chose:choose chosen:choose ' +
    'sank:sink sunk:sink stole:steal stolen:steal struck:strike taught:teach thought:think left:leav leaves:leav ' +
    'kept:keep paid:pay sent:send spent:spend shot:shoot fought:fight caught:catch brought:bring gave:giv given:giv ' +
    'knew:know known:know wrote:writ written:writ drove:driv driven:driv flew:fly flown:fly dies:die died:die ' +
    'dying:die men:man women:woman'
  )
    .split(' ')
    .map((pair): [string, string] => [pair.split(':')[0] ?? '', pair.split(':')[1] ?? '']),
);

const SYNONYM_STEMS: ReadonlyMap<string, string> = new Map(
  [...ENGLISH_SYNONYMS].map(([word, first]): [string, string] => [stem(word), stem(first)]),
);

const COUNTED: ReadonlyMap<string, string> = new Map(
  'zero one two three four five six seven eight nine ten eleven twelve'
    .split(' ')
    .map((word, n) => [word, String(n)]),
);

/** Words that any story may have: they tell nothing, and papers choose them as they like. */
const SOFT: ReadonlySet<string> = new Set(
  (
    'a an the and or but nor of to in on at by for from with without into onto over under after before amid as is are was were be been ' +
    'being it its this that these those he she they his her their we our you your i my not than then so if when while ' +
    'who what why how which will would can could may might must shall should has have had do does did new now more most ' +
    'just still also again up down out off about against between during through per via says say said told tell tells ' +
    'announces announce announced announcement unveils unveil unveiled launches launch launched releases release released ' +
    'introduces introduce introduced reveals reveal revealed reports report reported reportedly confirms confirm confirmed ' +
    'according here heres today yesterday tomorrow first latest set sets gets get got makes make made takes take took ' +
    'plans plan planned expected could here see sees back us percent pct million billion trillion m bn mln'
  )
    .split(' ')
    .map(stem),
);

const SOFT_CJK: ReadonlySet<string> = new Set(
  '発表 公表 公開 発売 開始 提供 提供開始 実施 判明 検討 方針 新 新型 今年 昨年 今日 昨日 明日 本日 約 人 年 月 日 時 分 円 億円 万円 兆円 億 万 兆 回 件 個 度 号 氏 最大 最高 心配 見通し 計画 予定 リリース ニュース まとめ レポート'.split(
    ' ',
  ),
);

/** Neighbouring characters, where at least one is no hiragana: endings and particles are in every sentence. */
function pairsOf(text: string): Set<string> {
  const pairs = new Set<string>();
  for (const [run] of text.matchAll(/[\p{Script=Han}\p{Script=Katakana}\p{Script=Hiragana}ー]+/gu)) {
    for (let i = 0; i + 1 < run.length; i++) {
      const pair = run.slice(i, i + 2);
      if (!/^[\p{Script=Hiragana}]+$/u.test(pair)) pairs.add(pair);
    }
  }
  return pairs;
}

/**
 * What of a word has no counterpart in the other title: nothing, the word, or in Japanese those of its characters that
 * stand in no pair with a neighbour over there. `東都電機` and `西都電機` share nearly all and differ where it counts.
 */
export function uncoveredIn(word: string, other: Headline): string[] {
  if (other.words.includes(word)) return [];
  if (!isCjk(word))
    return other.words.some((candidate) => alike(word, candidate)) || spelledOut(word, other) ? [] : [word];
  if (word.length === 1) return other.text.includes(word) ? [] : [word];
  const parts: string[] = [];
  let part = '';
  for (let i = 0; i < word.length; i++) {
    const covered =
      other.pairs.has(word.slice(Math.max(0, i - 1), i + 1)) || other.pairs.has(word.slice(i, i + 2));
    if (!covered) part += word.charAt(i);
    if ((covered || i === word.length - 1) && part !== '') {
      parts.push(part);
      part = '';
    }
  }
  return parts.filter((each) => !SOFT_CJK.has(each));
}

const ENDINGS =
  /^(?:ment|ments|tion|ation|er|or|ly|al|ive|ance|ence|ist|ian|iz|is|ization|isation|able|ful|ship|ity|ness)?$/;

/** The same beginning and most of the longer word, or the same word with an ending. */
function alike(one: string, other: string): boolean {
  if (one.charCodeAt(0) !== other.charCodeAt(0)) return false;
  const [shorter, longer] = one.length <= other.length ? [one, other] : [other, one];
  if (shorter.length < 4 || isCjk(other)) return false;
  if (longer.startsWith(shorter) && ENDINGS.test(longer.slice(shorter.length))) return true;
  let same = 0;
  while (same < shorter.length && one.charCodeAt(same) === other.charCodeAt(same)) same++;
  return same >= 4 && same >= longer.length * 0.7;
}

/** `us` and `u.s.`, `eu` and `e.u.`: initials written with points come as single letters. */
function spelledOut(word: string, other: Headline): boolean {
  return word.length <= 4 && other.text.includes('.') && other.text.includes([...word].join('.'));
}
