import { randomUUID } from 'node:crypto';
import type { Item, ItemKey } from '../item/item.ts';
import { intentKey } from '../press/intent-key.ts';
import type { SendOutcome } from '../press/publisher.ts';
import { type PublisherParts, publisherOf } from './publishers.ts';

export interface PressTest {
  readonly destination: string;
  /** In whose name. */
  readonly pipeline: string;
  /** The message as it was sent. */
  readonly body: string;
  readonly answer: SendOutcome;
}

const NOBODY = 'kawaraban';

/**
 * Sends one message that says it is a test, the way a digest would go, and answers what came back. It is no item: no ledger and no
 * outbox hears of it.
 */
export async function testPress(
  destination: string,
  parts: PublisherParts,
  signal: AbortSignal,
): Promise<PressTest> {
  const { config, clock } = parts;
  const speaker = Object.values(config.pipelines).find(({ publish }) => publish.includes(destination));
  const pipeline = speaker?.id ?? NOBODY;
  const publisher = await publisherOf(destination, pipeline, parts);
  await publisher.prepare?.(signal);
  const item = testItem(destination, clock.now());
  const { body, templateVersion } = publisher.render({
    pipeline,
    items: [{ item, summary: SUMMARY, alsoSeenIn: [] }],
  });
  const itemKeys = [item.key];
  const key = intentKey(pipeline, itemKeys, destination, templateVersion);
  const answer = await publisher.send({ key, itemKeys, body, firstTriedAt: null }, signal);
  return { destination, pipeline, body, answer };
}

const SUMMARY =
  'This is a test message from Kawaraban. Whoever reads it knows that this destination works. It is no news, and nothing else was sent.';

function testItem(destination: string, now: number): Item {
  // Another one each time, so that no destination takes it for a repetition.
  const url = `https://example.com/kawaraban-test/${randomUUID()}`;
  return {
    key: url as ItemKey,
    url,
    title: `TEST: Kawaraban to ${destination}`,
    publishedAt: now,
    sourceId: NOBODY,
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
