import type { LearnedFeature } from '../item/learned.ts';
import { conceptsIn } from '../judge/local/known-concepts.ts';
import { STOP_WORDS } from '../judge/local/summary.ts';
import { stemOf } from '../judge/local/term-index.ts';
import { hasJapanese, isHiragana, segmentWords } from '../judge/local/text.ts';
import type { ReactedFacts } from './reaction-store.ts';

/** What articles have in common. */
export interface Feature {
  readonly key: string;
  readonly kind: LearnedFeature;
  readonly label: string;
  readonly labelJa?: string;
  /** 0–1: how much an article is about it. A title of very many words is about none of them. */
  readonly strength: number;
}

const MAX_TITLE = 200;
/** Titles with more words than this are diluted: a title stuffed with words gains nothing. */
const USUAL_WORDS = 12;
const MAX_WORDS = 30;
const MAX_CONCEPTS = 3;
const MAX_CACHED = 5_000;

const cache = new Map<string, readonly Feature[]>();

/** Concepts, names and words of an article's title, and the concepts of its excerpt. */
export function textFeatures({
  title,
  excerpt,
}: Pick<ReactedFacts, 'title' | 'excerpt'>): readonly Feature[] {
  const key = `${title}\n${excerpt ?? ''}`;
  const known = cache.get(key);
  if (known !== undefined) return known;
  const tokens = tokensOf((title || (excerpt ?? '')).normalize('NFKC').slice(0, MAX_TITLE));
  const words = new Set(tokens.map((token) => token.key)).size;
  const dilution = Math.min(1, USUAL_WORDS / Math.max(1, words)) ** 2;
  const made = [...conceptsOf(title, excerpt ?? '', dilution), ...wordsAndNames(tokens, dilution)];
  if (cache.size >= MAX_CACHED) cache.clear();
  cache.set(key, made);
  return made;
}

export function sourceKey(sourceId: string): string {
  return `source ${sourceId}`;
}

export function authorKey(author: string): string {
  return `author ${author.normalize('NFKC').trim().toLowerCase()}`;
}

function conceptsOf(title: string, excerpt: string, dilution: number): readonly Feature[] {
  return conceptsIn(title.slice(0, MAX_TITLE), `${title}\n${excerpt}`.slice(0, 2 * MAX_TITLE))
    .slice(0, MAX_CONCEPTS)
    .map(({ name, nameJa, strength }) => ({
      key: `concept ${name}`,
      kind: 'concept',
      label: name,
      ...(nameJa !== null && { labelJa: nameJa }),
      strength: strength * dilution,
    }));
}

interface Token {
  readonly word: string;
  readonly key: string;
  readonly isJapanese: boolean;
  /** Written like a part of a name. */
  readonly isNamed: boolean;
  readonly at: number;
}

const RUNS =
  /[\p{sc=Latin}\p{sc=Cyrillic}\p{sc=Greek}][\p{sc=Latin}\p{sc=Cyrillic}\p{sc=Greek}\p{N}'’+#-]*|[\p{sc=Hangul}]+|[\p{sc=Han}\p{sc=Katakana}\p{sc=Hiragana}ー々]+/gu;
/** Words of any news, besides the stop words of the judge. */
const NEWS_WORDS: ReadonlySet<string> = new Set(
  (
    'announce announced announces update updates updated report reports reported release releases released launch launches ' +
    'first best top guide review how news video live watch day days month months time people world thing things need ' +
    '発表 公開 開始 発売 提供 実施 判明 今年 昨年 今日 昨日 明日 本日 最新 新型 話題 記事 動画 写真 速報 情報 可能 対応 ' +
    '一部 以上 以下 場合 理由 方法 問題 関係 必要 自分 世界 ニュース まとめ レポート'
  ).split(' '),
);

function wordsAndNames(tokens: readonly Token[], strength: number): readonly Feature[] {
  const features = new Map<string, Feature>();
  for (const [n, token] of tokens.entries()) {
    add(features, { key: `word ${token.key}`, kind: 'word', label: token.word, strength });
    const next = tokens[n + 1];
    if (next === undefined || !isOneName(token, next)) continue;
    const label = `${token.word}${token.isJapanese ? '' : ' '}${next.word}`;
    add(features, { key: `name ${token.key} ${next.key}`, kind: 'name', label, strength });
  }
  return [...features.values()].slice(0, 2 * MAX_WORDS);
}

function add(features: Map<string, Feature>, feature: Feature): void {
  if (!features.has(feature.key)) features.set(feature.key, feature);
}

/** Two words side by side that are written like a name. */
function isOneName(one: Token, other: Token): boolean {
  if (one.isJapanese !== other.isJapanese || !one.isNamed || !other.isNamed) return false;
  // A space between words of letters.
  return other.at - (one.at + one.word.length) === (one.isJapanese ? 0 : 1);
}

function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  for (const { 0: run, index } of text.matchAll(RUNS)) {
    if (tokens.length >= MAX_WORDS) break;
    if (!hasJapanese(run)) {
      const word = run.replace(/['’]s$|['’-]+$/u, '');
      const key = stemOf(word.toLowerCase());
      if (word.length >= 2 && !isCommon(word.toLowerCase(), key))
        tokens.push({ word, key, isJapanese: false, isNamed: /^\p{Lu}/u.test(word), at: index });
      continue;
    }
    for (const { segment, index: at } of segmentWords(run)) {
      if (segment.length < 2 || isKanaWord(segment) || isCommon(segment, segment)) continue;
      tokens.push({
        word: segment,
        key: segment.toLowerCase(),
        isJapanese: true,
        isNamed: true,
        at: index + at,
      });
    }
  }
  return tokens;
}

function isCommon(word: string, key: string): boolean {
  return STOP_WORDS.has(word) || NEWS_WORDS.has(word) || NEWS_WORDS.has(key);
}

/** Endings and particles. */
function isKanaWord(word: string): boolean {
  for (let n = 0; n < word.length; n++) if (!isHiragana(word.charCodeAt(n))) return false;
  return true;
}
