import { type ArticleRange, isBeside, rangeOf } from './article-range.ts';
import type { PageAnalysis } from './page-analysis.ts';
import type { PageSurvey } from './page-survey.ts';
import { substance } from './substance.ts';

/** Sentences that replace the remainder of an article behind a paywall. */
const REMAINDER: readonly RegExp[] = [
  /この(記事|コンテンツ|続き|先)は、?(有料|会員|購読者|プレミアム)/,
  /続きを(読む|お読みいただく|ご覧いただく)(に|た)は.{0,20}(登録|購読|ログイン|会員)/,
  /(残り|あと)[:：\s]*[\d,０-９]+\s*(文字|字)/,
  /会員登録(する|いただく)と.{0,20}(続き|全文)/,
  /(subscribe|sign in|log in|register|create (a|your) (free )?account) to (continue|keep) reading/i,
  /(this|the) (article|story|content|post) is (only )?(for|available to|reserved for|exclusive to) (paid |paying |our )?(subscribers|members)/i,
  /to (continue|keep) reading,? (please )?(subscribe|sign in|log in|register)/i,
  /(read|unlock) the (full|rest of the|whole|entire) (article|story|post).{0,40}(subscri|sign|register|member)/i,
];
/** Also said beside articles that are free. */
const OFFER: readonly RegExp[] = [
  /(有料|購読者|会員)(会員)?限定(の)?(記事|コンテンツ|です)/,
  /already a (subscriber|member)\?/i,
  /(subscribers?|members?)[- ]only (article|content|story|post)/i,
];

/** A longer text is an article, not a teaser, whatever stands below it. */
const MIN_FULL_ARTICLE = 2500;
/** A text of this size that ends with a sentence is an article if nothing below it says that there is more. */
const MIN_WHOLE_ARTICLE = 900;
/** A teaser above an offer. */
const MAX_OFFERED_TEASER = 1000;
/** A teaser with a hint in its class names only. */
const MAX_TEASER = 500;
/** As many blocks below the text may say that there is more of it. */
const BLOCKS_BELOW = 6;

/** Why this page is behind a paywall, or `null` when what we have of it is enough. */
export function paywallOf(page: PageSurvey, text: string, analysis: PageAnalysis | null): string | null {
  const much = substance(text);
  if (much >= MIN_FULL_ARTICLE || analysis === null) return null;
  const range = rangeOf(analysis.blocks, text);
  const near = blocksNear(analysis, range);
  if (says(REMAINDER, near) || (much < MAX_OFFERED_TEASER && says(OFFER, near)))
    return 'the page asks to subscribe or sign in';
  if (much < MAX_TEASER && analysis.locks.some(({ from, to }) => from <= range.to + 2 && to > range.from))
    return 'the page hides its text behind a paywall';
  if (isWhole(page, text, much)) return null;
  if (page.linkedData.free === false) return 'the page is marked as not free to read';
  const tier = page.meta.get('article:content_tier') ?? page.meta.get('og:article:content_tier');
  if (tier !== undefined && /^(locked|metered|paid|premium)$/i.test(tier))
    return `the page is marked as ${tier.toLowerCase()}`;
  return null;
}

/** The text is there, although the page is marked as not free. */
function isWhole({ linkedData }: PageSurvey, text: string, much: number): boolean {
  if (linkedData.words !== null) {
    const words = text.match(/[\p{L}\p{N}'’]+/gu)?.length ?? 0;
    if (words >= linkedData.words * 0.8) return true;
    if (words < linkedData.words * 0.4) return false;
  }
  if (linkedData.body !== null && much >= substance(linkedData.body) * 0.8 && much >= MAX_TEASER) return true;
  return much >= MIN_WHOLE_ARTICLE && /[.!?。！？」』）)"”’*]\s*$/.test(text) && !/(\.\.\.|…)\s*$/.test(text);
}

/** What stands in the article or right below it: neither beside it nor in a list of links. */
function blocksNear(analysis: PageAnalysis, { from, to }: ArticleRange): readonly string[] {
  const { blocks, locks } = analysis;
  const isLocked = (index: number): boolean => locks.some((lock) => lock.from <= index && lock.to > index);
  const allBeside = isBeside(analysis, from) && isBeside(analysis, to);
  const near: string[] = [];
  let below = 0;
  for (let index = from; index < blocks.length && below < BLOCKS_BELOW; index++) {
    const block = blocks[index];
    if (block === undefined) break;
    if (!allBeside && isBeside(analysis, index) && !isLocked(index)) continue;
    if (index > to) below++;
    if (block.linked > block.size * 0.6 && block.links > 0 && block.size > 80) continue;
    near.push(block.text);
  }
  return near;
}

function says(phrases: readonly RegExp[], texts: readonly string[]): boolean {
  return texts.some((text) => phrases.some((phrase) => phrase.test(text)));
}
