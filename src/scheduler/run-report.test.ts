import { describe, expect, it } from 'vitest';
import type { Item } from '../item/item.ts';
import type { Reason, State } from '../item/lifecycle.ts';
import { sighting } from '../ledger/contract/subject.ts';
import type { Delivery, DeliveryState } from '../outbox/outbox.ts';
import { currentOutcome, failureLines, type ItemOutcome, outcomeOf, RunRecorder } from './run-report.ts';

function item(state: State, over: Partial<Item> = {}): Item {
  const nothing = { reason: 'none', detail: null, attempts: 0, dueAt: null, verdict: null } as const;
  return { ...sighting('one'), ...nothing, state, createdAt: 0, checkedAt: 0, ...over };
}

function message(destination: string, state: DeliveryState, detail: string | null = null): Delivery {
  const { key } = sighting('one');
  const times = { createdAt: 0, firstTriedAt: null, updatedAt: 0, dueAt: null };
  const sent = { remoteId: null, remoteUrl: null, attempts: 1 };
  return { key: destination, itemKeys: [key], destination, body: '', state, detail, ...sent, ...times };
}

const LOW_VERDICT = { score: 67, topics: ['x'], minScore: 70 } as unknown as Item['verdict'];

describe('how an item is reported', () => {
  const REFUSED = message('hook', 'refused', '400: Invalid Form Body');
  it.each<[string, Item, Delivery[], Partial<ItemOutcome>]>([
    [
      'published where all is sent',
      item('published', { detail: 'hook' }),
      [message('hook', 'sent')],
      { outcome: 'published', why: 'hook' },
    ],
    [
      'rejected with the score and the minimum that decided',
      item('rejected', { reason: 'low_relevance', detail: 'Only a mention.', verdict: LOW_VERDICT }),
      [],
      { outcome: 'rejected', why: 'score 67 is below the minimum 70: Only a mention.' },
    ],
    [
      'refused where one destination refused, though the item counts as published',
      item('published', { detail: 'timeline' }),
      [REFUSED, message('timeline', 'sent')],
      { outcome: 'refused', why: 'hook: refused: 400: Invalid Form Body; sent to timeline' },
    ],
    ['refused where the item waits for a person', item('accepted'), [REFUSED], { outcome: 'refused' }],
    [
      'refused where the item was given up because of it',
      item('failed', { reason: 'delivery_refused', detail: 'hook: 400' }),
      [REFUSED],
      { outcome: 'refused', why: 'hook: 400' },
    ],
    [
      'deferred where it is tried again after a refusal',
      item('deferred', { reason: 'api_failed', detail: 'mastodon: 422' }),
      [REFUSED],
      { outcome: 'deferred', reason: 'api_failed', why: 'mastodon: 422' },
    ],
    [
      'parked where one message is',
      item('accepted'),
      [message('hook', 'parked', 'the reply was lost'), message('timeline', 'intended')],
      { outcome: 'parked', why: 'hook: parked: the reply was lost; timeline: not sent yet' },
    ],
    [
      'parked where the message of a processed video is',
      item('published'),
      [message('hook', 'parked', 'the reply was lost')],
      { outcome: 'parked', why: 'hook: parked: the reply was lost' },
    ],
    [
      'postponed while a message is being sent',
      item('accepted'),
      [message('hook', 'unknown', 'the reply was lost')],
      { outcome: 'postponed', why: 'hook: not sent yet: the reply was lost' },
    ],
    [
      'failed with the number of attempts',
      item('failed', { reason: 'retry_limit', attempts: 4, detail: 'last: download_failed: 404' }),
      [],
      { outcome: 'failed', why: 'given up after 4 attempts, last: download_failed: 404' },
    ],
  ])('X12 %s', (_name, one, deliveries, expected) => {
    expect(currentOutcome(one, deliveries)).toMatchObject(expected);
  });

  it('X7 X12 in one line, without secrets, not too long', () => {
    const why = `the request\n  to https://discord.com/api/webhooks/123456789012345678/${'s'.repeat(60)} failed ${'x'.repeat(900)}`;
    const outcome = outcomeOf(item('deferred'), 'deferred', why);
    expect(outcome.why).toMatch(
      /^the request to https:\/\/discord\.com\/api\/webhooks\/123456789012345678\//,
    );
    expect(outcome.why).not.toContain('sssss');
    expect(outcome.why.length).toBeLessThanOrEqual(300);
  });
});

describe('a report', () => {
  it('X12 has each item once, with its last outcome', () => {
    const steps: string[] = [];
    const run = new RunRecorder('p', 0, false, ({ item }) => void (item && steps.push(item.outcome)));
    run.item(outcomeOf(item('accepted'), 'accepted', 'good'));
    run.item(outcomeOf(item('parked'), 'parked', 'hook: lost'));
    expect(run.finish(1)).toMatchObject({ items: [{ outcome: 'parked' }], counts: { parked: 1 } });
    expect(steps).toEqual(['accepted', 'parked']);
  });

  it('X12 merges equal failures, and leaves out items that are merely not worth it', () => {
    const of = (outcome: ItemOutcome['outcome'], why: string, reason: Reason = 'none'): ItemOutcome => ({
      ...outcomeOf(item('deferred', { reason }), outcome, why),
    });
    const items = [
      of('parked', 'hook: lost'),
      of('parked', 'hook: lost'),
      of('deferred', 'too short', 'not_valuable'),
      of('deferred', '500', 'api_failed'),
      of('published', 'hook'),
    ];
    expect(failureLines(items)).toEqual(['parked: hook: lost (2 items)', 'deferred: 500']);
    const many = Array.from({ length: 6 }, (_, n) => of('failed', `reason ${n}`));
    expect(failureLines(many)).toEqual([
      'failed: reason 0',
      'failed: reason 1',
      'failed: reason 2',
      'and 3 more',
    ]);
  });
});
