import { randomUUID } from 'node:crypto';
import type { Item, ItemKey } from '../item/item.ts';
import { messageKey } from '../outbox/outbox.ts';
import type { Clock } from '../time/clock.ts';
import type { Publisher, SendOutcome } from './publisher.ts';

export interface TestMessageResult {
  readonly destination: string;
  /** The pipeline that sends it. */
  readonly pipeline: string;
  /** The message as it was sent. */
  readonly body: string;
  readonly answer: SendOutcome;
}

/** Sender if no pipeline uses the destination. */
export const TEST_SENDER = 'kawaraban';

/**
 * Sends one message marked as a test, like a digest, and returns the outcome. It is not an item: neither a ledger nor an outbox
 * records it.
 */
export async function sendTestMessage(
  publisher: Publisher,
  pipeline: string,
  clock: Pick<Clock, 'now'>,
  signal: AbortSignal,
): Promise<TestMessageResult> {
  const destination = publisher.id;
  await publisher.prepare?.(signal);
  const item = testItem(destination, clock.now());
  const { body, templateVersion } = publisher.render({
    pipeline,
    items: [{ item, summary: TEST_SUMMARY, alsoSeenIn: [] }],
  });
  const itemKeys = [item.key];
  const key = messageKey(pipeline, itemKeys, destination, templateVersion);
  const answer = await publisher.send({ key, itemKeys, body, firstTriedAt: null }, signal);
  return { destination, pipeline, body, answer };
}

const TEST_SUMMARY = 'This is a test message from Kawaraban. This destination works. Nothing else was sent.';

function testItem(destination: string, now: number): Item {
  // Unique, so that no destination deduplicates it.
  const url = `https://example.com/kawaraban-test/${randomUUID()}`;
  return {
    key: url as ItemKey,
    url,
    title: `TEST: Kawaraban to ${destination}`,
    publishedAt: now,
    sourceId: TEST_SENDER,
    sourceName: 'Kawaraban',
    state: 'accepted',
    reason: 'none',
    detail: null,
    attempts: 0,
    dueAt: null,
    createdAt: now,
    checkedAt: now,
    verdict: null,
  };
}
