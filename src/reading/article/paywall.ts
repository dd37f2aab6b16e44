import type { PageSurvey } from './page-survey.ts';
import { substance } from './page-text.ts';

/** Sentences that stand where the rest of an article would be. */
const PHRASES: readonly RegExp[] = [
  /この記事は(有料|会員|購読者)/,
  /(有料|購読者|会員)(会員)?限定(の)?(記事|コンテンツ|です)/,
  /続きを(読む|お読みいただく|ご覧いただく)(に|た)は.{0,20}(登録|購読|ログイン|会員)/,
  /(残り|あと)[:：\s]*[\d,０-９]+\s*文字/,
  /会員登録(する|いただく)と.{0,20}(続き|全文)/,
  /(subscribe|sign in|log in|register|create (a|your) (free )?account) to (continue|keep) reading/i,
  /(this|the) (article|story|content|post) is (only )?(for|available to|reserved for) (paid |paying )?(subscribers|members)/i,
  /already a subscriber\?/i,
  /to (continue|keep) reading,? (please )?(subscribe|sign in|log in|register)/i,
  /(subscribers?|members?)[- ]only (article|content|story|post)/i,
];

const CLASS_NAME =
  /class\s*=\s*["'][^"'<>]{0,200}\b(paywall|subscribers?-only|premium-lock|metered-content|piano-offer|tp-container|regwall)\b/i;

/** From here on a text is an article, not a teaser, whatever the page says about paying. */
const A_WHOLE_ARTICLE = 2500;
/** A teaser with a hint in its class names only. */
const A_SHORT_TEASER = 500;

/** Why this page is behind a paywall, or `null` when what we have of it is enough. */
export function paywallOf(
  page: PageSurvey,
  text: string,
  pageText: () => string,
  html: string,
): string | null {
  const much = substance(text);
  if (much >= A_WHOLE_ARTICLE) return null;
  if (page.linkedData.free === false) return 'the page says that it is not free to read';
  const tier = page.meta.get('article:content_tier') ?? page.meta.get('og:article:content_tier');
  if (tier !== undefined && /^(locked|metered|paid|premium)$/i.test(tier))
    return `the page says that it is ${tier.toLowerCase()}`;
  if (asksToPay(pageText())) return 'the page asks to subscribe or sign in';
  if (much < A_SHORT_TEASER && CLASS_NAME.test(html)) return 'the page hides its text behind a paywall';
  return null;
}

function asksToPay(text: string): boolean {
  return PHRASES.some((phrase) => phrase.test(text));
}
