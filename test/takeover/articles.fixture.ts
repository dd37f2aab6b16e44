import { DAY } from '../../src/time/duration.ts';
import type { FirestoreRest, RestDocument } from './firestore-rest.ts';

/** The ID that the original curator gives an article: its URL with every `/` turned into `-`. */
export function originalId(url: string): string {
  return url.replaceAll('/', '-');
}

export const NOTIFIED = {
  plain: 'https://news.example/plain',
  slash: 'https://news.example/slash/',
  port: 'https://news.example:443/port',
  letters: 'https://News.Example/Letters',
  tracked: 'https://news.example/tracked?utm_source=rss&id=3',
  fragment: 'https://news.example/fragment#top',
  encoded: 'https://news.example/%7euser/caf%c3%a9',
  nested: 'https://news.example/nested/post',
} as const;

export const REJECTED = {
  low: { url: 'https://news.example/low/', reason: 'low_relevance', relevance_score: 35 },
  topic: { url: 'https://news.example/topic?utm_medium=feed', reason: 'no_topic_match', relevance_score: 5 },
  text: { url: 'https://News.example/text', reason: 'content_extraction_failed', relevance_score: null },
} as const;

/** Older than 90 days, and older than 30. */
export const OLD = {
  notified: 'https://news.example/old-notified/?utm_source=rss',
  rejected: 'https://news.example/old-rejected/',
} as const;

/** Writes what the original curator left: only its own fields, as its own code writes them. */
export async function writeOriginalArticles(rest: FirestoreRest, now: number): Promise<void> {
  const notified = (url: string, daysAgo: number): Promise<void> =>
    rest.set('notified_articles', originalId(url), {
      notified_at: new Date(now - daysAgo * DAY),
      discord_message_id: '1234567890123456789',
      article_title: `TypeScript compiler at ${url}`,
      relevance_score: 95,
    });
  const rejected = (
    { url, ...fields }: { url: string; reason: string; relevance_score: number | null },
    daysAgo: number,
  ): Promise<void> =>
    rest.set('rejected_articles', originalId(url), {
      evaluated_at: new Date(now - daysAgo * DAY),
      ...fields,
    });
  for (const url of Object.values(NOTIFIED)) await notified(url, 10);
  for (const one of Object.values(REJECTED)) await rejected(one, 10);
  await notified(OLD.notified, 91);
  await rejected({ url: OLD.rejected, reason: 'low_relevance', relevance_score: 20 }, 31);
}

/** Whether the original curator would admit an article: it reads only the document of its ID. */
export async function originalKnows(
  rest: FirestoreRest,
  url: string,
  prefix = '',
): Promise<'notified' | 'rejected' | null> {
  if ((await rest.get(`${prefix}notified_articles`, originalId(url))) !== null) return 'notified';
  return (await rest.get(`${prefix}rejected_articles`, originalId(url))) === null ? null : 'rejected';
}

/** What a program with only the original's fields would find wrong with a document; empty where nothing is. */
export function problemsOf(collection: 'notified' | 'rejected', { data, types }: RestDocument): string[] {
  const problems: string[] = [];
  const expect = (field: string, ...allowed: string[]): void => {
    const type = types[field] ?? 'absent';
    if (!allowed.includes(type)) problems.push(`${field} is ${type}`);
  };
  if (collection === 'notified') {
    expect('notified_at', 'timestampValue');
    expect('discord_message_id', 'stringValue', 'nullValue');
    expect('article_title', 'stringValue');
    expect('relevance_score', 'integerValue');
    const id = data.discord_message_id;
    if (typeof id === 'string' && !/^\d{17,19}$/.test(id)) problems.push(`discord_message_id is ${id}`);
  } else {
    expect('evaluated_at', 'timestampValue');
    expect('reason', 'stringValue');
    expect('relevance_score', 'integerValue', 'nullValue');
    if (!['low_relevance', 'no_topic_match', 'content_extraction_failed'].includes(String(data.reason)))
      problems.push(`reason is ${data.reason}`);
    if (data.reason === 'content_extraction_failed' && data.relevance_score !== null)
      problems.push(`there was nothing to score, and relevance_score is ${data.relevance_score}`);
  }
  return problems;
}
