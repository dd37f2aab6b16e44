import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  admittedStatus,
  advance,
  type EventType,
  type ItemStatus,
  type LifecycleEvent,
  type LifecyclePolicy,
  OPEN_STATES,
  REASONS,
  STATES,
  TERMINAL_STATES,
  TRANSITIONS,
} from './lifecycle.ts';

const policy: LifecyclePolicy = { retryLimit: 3, backoff: (attempts) => attempts * 60_000 };
const NOW = Date.UTC(2026, 6, 1);

const EVENTS = {
  accept: { type: 'accept' },
  publish: { type: 'publish' },
  reject: { type: 'reject', reason: 'low_relevance' },
  defer: { type: 'defer', reason: 'not_ready' },
  postpone: { type: 'postpone', until: NOW + 1, reason: 'over_limit' },
  giveUp: { type: 'giveUp', reason: 'processor_failed' },
  park: { type: 'park', reason: 'delivery_unknown' },
  requeue: { type: 'requeue' },
  markSent: { type: 'markSent' },
  drop: { type: 'drop' },
} as const satisfies Record<EventType, LifecycleEvent>;
const EVENT_TYPES = Object.keys(EVENTS) as EventType[];

function standing(change: Partial<ItemStatus>): ItemStatus {
  return { ...admittedStatus(NOW, false), ...change };
}

function become(from: ItemStatus, event: LifecycleEvent, now = NOW): ItemStatus {
  const result = advance(from, event, now, policy);
  if (!result.allowed) throw new Error(result.why);
  return result.transition.to;
}

const reason = fc.constantFrom(...REASONS);
const detail = fc.option(fc.string(), { nil: undefined });
const event: fc.Arbitrary<LifecycleEvent> = fc
  .record({
    type: fc.constantFrom(...EVENT_TYPES),
    reason,
    detail,
    until: fc.integer({ min: NOW, max: NOW + 86_400_000 }),
  })
  .map(({ type, reason, detail, until }) => {
    const withDetail = detail === undefined ? {} : { detail };
    if (type === 'postpone') return { type, until, reason, ...withDetail };
    if (type === 'reject' || type === 'defer' || type === 'giveUp' || type === 'park')
      return { type, reason, ...withDetail };
    return { type, ...withDetail };
  });

describe('X1 the one transition table', () => {
  for (const state of STATES) {
    for (const type of EVENT_TYPES) {
      const target = TRANSITIONS[state][type];
      it(`X1 ${state} + ${type} → ${target ?? 'refused'}`, () => {
        const result = advance(standing({ state }), EVENTS[type], NOW, policy);
        if (target === undefined) {
          expect(result).toEqual({ allowed: false, why: `an item that is ${state} cannot ${type}` });
        } else {
          expect(result).toMatchObject({
            allowed: true,
            transition: { from: state, event: type, to: { state: target } },
          });
        }
      });
    }
  }

  it('X1 nothing leaves published or baseline', () => {
    expect(TRANSITIONS.published).toEqual({});
    expect(TRANSITIONS.baseline).toEqual({});
  });

  it('X1 every state is open or terminal, never both', () => {
    expect([...OPEN_STATES, ...TERMINAL_STATES].toSorted()).toEqual([...STATES].toSorted());
  });

  it('X1 from every state that is not final an item can still be published', () => {
    const reachable = (from: (typeof STATES)[number]): Set<string> => {
      const seen = new Set<string>([from]);
      for (const state of seen)
        for (const next of Object.values(TRANSITIONS[state as keyof typeof TRANSITIONS])) seen.add(next);
      return seen;
    };
    for (const state of STATES.filter((s) => s !== 'published' && s !== 'baseline'))
      expect(reachable(state)).toContain('published');
  });
});

describe('one step', () => {
  it('B5 a new item waits, has no attempts and was checked when it was created', () => {
    expect(admittedStatus(NOW, false)).toEqual({
      state: 'waiting',
      reason: 'none',
      detail: null,
      attempts: 0,
      dueAt: null,
      checkedAt: NOW,
    });
  });

  it('B19 on first contact an item is recorded and never worked on', () => {
    expect(admittedStatus(NOW, true)).toMatchObject({ state: 'baseline', reason: 'first_contact' });
  });

  it('B9 B10 deferring counts an attempt and keeps the reason', () => {
    for (const reason of ['not_valuable', 'not_ready', 'download_failed', 'too_large', 'api_failed'] as const)
      expect(become(standing({}), { type: 'defer', reason })).toMatchObject({
        state: 'deferred',
        reason,
        attempts: 1,
      });
  });

  it('B11 D9 deferring past the limit is failure with reason retry_limit and the last cause in words', () => {
    let item = standing({});
    for (let attempt = 1; attempt <= policy.retryLimit; attempt++) {
      item = become(item, { type: 'defer', reason: 'api_failed' });
      expect(item).toMatchObject({ state: 'deferred', attempts: attempt });
    }
    item = become(item, { type: 'defer', reason: 'api_failed', detail: 'HTTP 503' });
    expect(item).toMatchObject({
      state: 'failed',
      reason: 'retry_limit',
      attempts: policy.retryLimit + 1,
      dueAt: null,
      detail: 'last: api_failed: HTTP 503',
    });
  });

  it('B13 a deferred item waits longer each time, and at least as long as the other side asked', () => {
    const first = become(standing({}), { type: 'defer', reason: 'not_ready' });
    const second = become(first, { type: 'defer', reason: 'not_ready' });
    expect([first.dueAt, second.dueAt]).toEqual([NOW + 60_000, NOW + 120_000]);
    const asked = become(first, { type: 'defer', reason: 'api_failed', notBefore: NOW + 900_000 });
    expect(asked.dueAt).toBe(NOW + 900_000);
  });

  it('X18 postponing counts no attempt and changes no state', () => {
    for (const state of OPEN_STATES) {
      const item = become(standing({ state, attempts: 2 }), EVENTS.postpone);
      expect(item).toMatchObject({ state, attempts: 2, dueAt: NOW + 1, reason: 'over_limit' });
    }
  });

  it('D9 a person who brings a dead letter back gives it all its attempts again', () => {
    expect(become(standing({ state: 'failed', attempts: 4 }), EVENTS.requeue)).toMatchObject({
      state: 'waiting',
      attempts: 0,
    });
    expect(become(standing({ state: 'deferred', attempts: 2 }), EVENTS.requeue).attempts).toBe(2);
  });
});

describe('X1 any life, whatever happens', () => {
  it('X1 keeps its invariants', () => {
    fc.assert(
      fc.property(fc.boolean(), fc.array(event, { maxLength: 40 }), (firstContact, events) => {
        let item = admittedStatus(NOW, firstContact);
        let now = NOW;
        for (const happening of events) {
          now += 1000;
          const result = advance(item, happening, now, policy);
          if (!result.allowed) {
            expect(TRANSITIONS[item.state][happening.type]).toBeUndefined();
            continue;
          }
          const { to } = result.transition;
          const target = TRANSITIONS[item.state][happening.type];
          const overLimit = happening.type === 'defer' && item.attempts >= policy.retryLimit;
          expect(to.state).toBe(overLimit ? 'failed' : target);
          // B7: every change sets the time of the last check.
          expect(to.checkedAt).toBe(now);
          expect(Number.isInteger(to.attempts) && to.attempts >= 0).toBe(true);
          expect(to.attempts).toBeLessThanOrEqual(policy.retryLimit + 1);
          // Only what is open has a due time, and what is deferred always has one.
          expect(to.dueAt === null || OPEN_STATES.includes(to.state)).toBe(true);
          expect(to.state !== 'deferred' || (to.dueAt ?? 0) >= NOW).toBe(true);
          item = to;
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('X1 nothing that happens moves a published item', () => {
    fc.assert(
      fc.property(event, (happening) => {
        expect(advance(standing({ state: 'published' }), happening, NOW, policy).allowed).toBe(false);
      }),
    );
  });
});
