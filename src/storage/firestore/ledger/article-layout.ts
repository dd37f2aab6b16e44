import type { DocumentData } from '@google-cloud/firestore';
import { originalUrl } from '../../../item/identity.ts';
import type { Item } from '../../../item/item.ts';
import { curatorView } from '../../../item/views.ts';
import { displayText, hashOf } from './document.ts';

/**
 * The curator's articles (A7–A10). What does not fit into the two collections of the contract is in our own:
 *
 *   notified_articles     published, or on Discord and refused by another destination
 *   rejected_articles     rejected, or without a readable text
 *   articles_candidates   good but not chosen (A5), failed, parked, and what a person or the judge brought back
 *   articles_waiting      admitted and not judged, many to a document
 *   articles_outbox       digests, each with its messages and those of its articles that are not recorded yet
 *   articles_remembered   baselines and tombstones, many to a document, since they only serve to recognise items
 *   articles_sources      sources of what was swept
 *
 * The ID of a document in the first two is derived from the article's own URL, as in the original program. `ledger.key` is the
 * SHA-256 of the item's key, so that the document is found when another source gives the article in another form.
 */
export const ARTICLES = {
  notified: 'notified_articles',
  rejected: 'rejected_articles',
  candidates: 'articles_candidates',
  waiting: 'articles_waiting',
  remembered: 'articles_remembered',
  outbox: 'articles_outbox',
  sources: 'articles_sources',
} as const;

export type ArticleCollection = 'notified' | 'rejected' | 'candidates';

/** An article that Discord has (`messageId`) is notified, also where another destination refused it. */
export function collectionOf(
  item: Pick<Item, 'state' | 'reason'>,
  messageId: string | null = null,
): ArticleCollection {
  if (messageId !== null && isRefused(item)) return 'notified';
  return curatorView(item)?.collection ?? 'candidates';
}

export function isRefused({ state, reason }: Pick<Item, 'state' | 'reason'>): boolean {
  return state === 'failed' && reason === 'delivery_refused';
}

const MAX_URL_LENGTH = 65_536;

/**
 * The URL that an article is recorded under (A9): its own, as in the source. The key where the link alone does not
 * distinguish the items of a feed, or where no document ID could contain the URL.
 */
export function recordedUrl(item: Pick<Item, 'key' | 'url'>): string {
  const url = originalUrl(item);
  return url === null || url.length > MAX_URL_LENGTH || !url.isWellFormed() || url.includes('\0')
    ? item.key
    : url;
}

const MAX_ID_BYTES = 1_500;
const RESERVED_ID = /^(\.|\.\.|__.*__)$/s;

/**
 * Possible IDs of an article; its own is the first one that no other article has: the URL with every `/` replaced by `-`
 * (A9), and where that is another's, too long or reserved, the same followed by `~` and a part of the URL's SHA-256 (A10).
 */
export function articleIds(url: string): readonly string[] {
  const plain = url.replaceAll('/', '-');
  const hash = hashOf(url);
  const suffixed = [`~${hash.slice(0, 16)}`, `~${hash}`].map(
    (end) => cutToBytes(plain, MAX_ID_BYTES - end.length) + end,
  );
  const usable = Buffer.byteLength(plain) <= MAX_ID_BYTES && !RESERVED_ID.test(plain);
  return usable ? [plain, ...suffixed] : suffixed;
}

/** The longest prefix of at most this many bytes of UTF-8. */
function cutToBytes(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return text;
  let end = Math.min(text.length, bytes);
  while (Buffer.byteLength(text.slice(0, end)) > bytes) end -= 1;
  return text.slice(0, end).toWellFormed() === text.slice(0, end)
    ? text.slice(0, end)
    : text.slice(0, end - 1);
}

/** A13. */
export const SNOWFLAKE = /^\d{17,19}$/;

/** A7, A8. `serverTime` is Firestore's own time; `messageId` is Discord's ID of the message, `null` where there is none. */
export function articleFields(item: Item, serverTime: unknown, messageId: string | null): DocumentData {
  const view = curatorView(item);
  const article_url = displayText(recordedUrl(item), MAX_URL_LENGTH);
  const relevance_score = item.verdict?.score ?? null;
  if (collectionOf(item, messageId) === 'notified')
    return {
      article_url,
      notified_at: serverTime,
      discord_message_id: messageId,
      article_title: displayText(item.title),
      relevance_score,
    };
  if (view?.collection === 'rejected')
    return { article_url, evaluated_at: serverTime, reason: view.reason, relevance_score };
  return { article_url, article_title: displayText(item.title), relevance_score };
}

/**
 * Whether a document at one of an article's IDs is the article's own (A10): it has one of the article's URLs, or none, as
 * the original program writes it.
 */
export function isArticle(data: DocumentData, urls: readonly string[]): boolean {
  return data.article_url === undefined || urls.includes(data.article_url);
}
