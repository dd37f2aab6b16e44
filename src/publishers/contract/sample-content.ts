import type { Item, ItemKey, Verdict } from '../../item/item.ts';
import type { Content, OutgoingMessage, Publisher } from '../publisher.ts';

const verdict: Verdict = {
  score: 88,
  topics: ['databases'],
  summary: 'A summary of the article in one sentence.',
  reason: 'about databases',
  judge: 'local',
  model: 'local',
  promptVersion: '1',
  interestsVersion: '1',
  textHash: '0',
  madeAt: 0,
  provisional: false,
};

/** An item for tests; every field can be changed. */
export function sampleItem(change: Partial<Item> = {}): Item {
  const url = change.url ?? 'https://example.org/articles/1';
  return {
    key: url as ItemKey,
    url,
    title: 'An article about databases',
    publishedAt: Date.UTC(2026, 4, 1),
    sourceId: 'source',
    sourceName: 'A Source',
    state: 'accepted',
    reason: 'none',
    detail: null,
    attempts: 0,
    dueAt: null,
    createdAt: 0,
    checkedAt: 0,
    verdict,
    ...change,
  };
}

export function sampleContent(change: Partial<Item> = {}): Content {
  const item = sampleItem(change);
  return { pipeline: 'morning', items: [{ item, summary: item.verdict?.summary ?? null, alsoSeenIn: [] }] };
}

/** A message as the outbox passes it to a publisher. */
export function messageOf(publisher: Publisher, key: string, content = sampleContent()): OutgoingMessage {
  const itemKeys = content.items.map(({ item }) => item.key);
  return { key, itemKeys, body: publisher.render(content).body, firstTriedAt: Date.now() };
}
