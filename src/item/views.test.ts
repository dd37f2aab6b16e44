import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  admittedStatus,
  advance,
  type ItemStatus,
  type LifecycleEvent,
  OPEN_STATES,
  REASONS,
  STATES,
} from './lifecycle.ts';
import {
  curatorView,
  summaryView,
  VIDEO_TRANSITIONS,
  type VideoStatus,
  videoPath,
  videoStatus,
} from './views.ts';

const VIDEO = Object.keys(VIDEO_TRANSITIONS) as VideoStatus[];
const standing = fc.record({ state: fc.constantFrom(...STATES), reason: fc.constantFrom(...REASONS) });

describe('the curator’s view', () => {
  it('A8 X1 a rejected item has one of the three reasons, whatever ours is', () => {
    for (const reason of REASONS)
      expect(['low_relevance', 'no_topic_match', 'content_extraction_failed']).toContain(
        (curatorView({ state: 'rejected', reason }) as { reason: string }).reason,
      );
  });

  it('A8 the three reasons stand for themselves', () => {
    for (const reason of ['low_relevance', 'no_topic_match', 'content_extraction_failed'] as const)
      expect(curatorView({ state: 'rejected', reason })).toEqual({ collection: 'rejected', reason });
  });

  it('A8 a page that could never be read is rejected, an unreachable judge rejects nothing', () => {
    expect(curatorView({ state: 'failed', reason: 'download_failed' })).toEqual({
      collection: 'rejected',
      reason: 'content_extraction_failed',
    });
    expect(curatorView({ state: 'failed', reason: 'api_failed' })).toBeNull();
    expect(curatorView({ state: 'failed', reason: 'retry_limit' })).toBeNull();
  });

  it('A7 X1 only what was published is notified, and only what is settled is recorded', () => {
    fc.assert(
      fc.property(standing, (item) => {
        const view = curatorView(item);
        expect(view?.collection === 'notified').toBe(item.state === 'published');
        expect(view === null || !OPEN_STATES.includes(item.state)).toBe(true);
      }),
    );
  });
});

describe('the summary bot’s view', () => {
  it.each([
    ['waiting', 'none', 0, null],
    ['waiting', 'over_limit', 0, null],
    ['deferred', 'not_valuable', 1, 1],
    ['deferred', 'not_ready', 1, 2],
    ['deferred', 'download_failed', 1, 3],
    ['deferred', 'content_extraction_failed', 1, 3],
    ['deferred', 'too_large', 1, 4],
    ['deferred', 'api_failed', 1, 5],
    ['deferred', 'over_limit', 1, 5],
    ['accepted', 'none', 2, null],
    ['published', 'none', 3, 0],
    ['rejected', 'not_valuable', 3, 1],
    ['rejected', 'low_relevance', 3, 1],
    ['rejected', 'no_topic_match', 3, 1],
    ['rejected', 'not_chosen', 3, 1],
    ['failed', 'retry_limit', 3, 6],
    ['failed', 'too_large', 3, 4],
    ['failed', 'none', 3, 5],
    ['parked', 'delivery_unknown', 3, 5],
    ['baseline', 'first_contact', 3, null],
  ] as const)('B3 B4 X1 %s with %s is status %i, reason %s', (state, reason, status, code) => {
    expect(summaryView({ state, reason })).toEqual({ status, reason: code });
  });

  it('B3 B4 X1 every standing has a status and a reason; reason 0 is only that of an item that was posted', () => {
    fc.assert(
      fc.property(standing, (item) => {
        const view = summaryView(item);
        expect([0, 1, 2, 3]).toContain(view.status);
        expect([null, 0, 1, 2, 3, 4, 5, 6]).toContain(view.reason);
        expect(view.status === 3).toBe(!OPEN_STATES.includes(item.state));
        expect(view.reason === 0).toBe(item.state === 'published');
        expect(view.reason === null).toBe(['waiting', 'accepted', 'baseline'].includes(item.state));
      }),
    );
  });
});

describe('the video tracker’s view', () => {
  it.each([
    ['waiting', false, 'queued'],
    ['waiting', true, 'processing'],
    ['accepted', false, 'queued'],
    ['accepted', true, 'processing'],
    ['deferred', false, 'failed'],
    ['deferred', true, 'processing'],
    ['published', false, 'completed'],
    ['published', true, 'completed'],
    ['failed', false, 'failed'],
    ['parked', true, 'failed'],
    ['rejected', false, 'failed'],
    ['baseline', false, 'completed'],
  ] as const)('D2 X1 %s (held: %s) is %s', (state, held, status) => {
    expect(videoStatus({ state }, held)).toBe(status);
  });

  it('D2 the moves are exactly those of the contract', () => {
    const moves = VIDEO.flatMap((from) => VIDEO_TRANSITIONS[from].map((to) => `${from} → ${to}`));
    expect(moves.toSorted()).toEqual([
      'failed → queued',
      'processing → completed',
      'processing → failed',
      'queued → processing',
    ]);
  });

  it('D2 a path makes only allowed moves, and nothing leaves completed', () => {
    for (const from of VIDEO)
      for (const to of VIDEO) {
        const path = videoPath(from, to);
        if (from === 'completed' && to !== 'completed') {
          expect(path).toBeNull();
          continue;
        }
        let at = from;
        for (const next of path ?? []) {
          expect(VIDEO_TRANSITIONS[at]).toContain(next);
          at = next;
        }
        expect(at).toBe(to);
      }
    expect(videoPath('failed', 'processing')).toEqual(['queued', 'processing']);
  });

  const policy = { retryLimit: 3, backoff: () => 1000 };
  const outcome: fc.Arbitrary<LifecycleEvent> = fc.constantFrom<LifecycleEvent>(
    { type: 'publish' },
    { type: 'defer', reason: 'processor_failed' },
    { type: 'giveUp', reason: 'processor_failed' },
    { type: 'park', reason: 'delivery_unknown' },
    { type: 'reject', reason: 'not_valuable' },
  );

  it('D2 X1 every step of a worker that requeues, takes and settles is one allowed move', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(outcome, fc.boolean()), { maxLength: 12 }), (rounds) => {
        let item: ItemStatus = admittedStatus(0, false);
        let status = videoStatus(item, false);
        const see = (next: VideoStatus): void => {
          expect([status, ...VIDEO_TRANSITIONS[status]]).toContain(next);
          status = next;
        };
        const step = (event: LifecycleEvent, held: boolean): void => {
          const result = advance(item, event, 0, policy);
          if (result.allowed) item = result.transition.to;
          see(videoStatus(item, held));
        };
        for (const [event, workerDies] of rounds) {
          if (!OPEN_STATES.includes(item.state) || item.state === 'deferred')
            step({ type: 'requeue' }, false);
          if (!OPEN_STATES.includes(item.state)) break;
          see(videoStatus(item, true));
          // A dead worker leaves its claim behind: the video stays in processing until the next one takes it.
          if (workerDies) see(videoStatus(item, true));
          step(event, false);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('D2 X1 whatever else a person or a worker does, there is a way of allowed moves', () => {
    const any: fc.Arbitrary<LifecycleEvent> = fc.oneof(
      outcome,
      fc.constantFrom<LifecycleEvent>(
        { type: 'accept' },
        { type: 'requeue' },
        { type: 'markSent' },
        { type: 'drop' },
        { type: 'postpone', until: 5, reason: 'over_limit' },
      ),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(any, fc.boolean()), { maxLength: 20 }), (happenings) => {
        let item: ItemStatus = admittedStatus(0, false);
        let status = videoStatus(item, false);
        for (const [event, held] of happenings) {
          const result = advance(item, event, 0, policy);
          if (!result.allowed) continue;
          item = result.transition.to;
          const next = videoStatus(item, held);
          expect(videoPath(status, next)).not.toBeNull();
          status = next;
        }
      }),
      { numRuns: 1000 },
    );
  });
});
