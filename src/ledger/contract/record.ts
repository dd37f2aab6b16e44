import { describe, expect, it } from 'vitest';
import type { LifecycleEvent } from '../../item/lifecycle.ts';
import {
  keyOf,
  LEASE_MS,
  type MakePipelineStores,
  POLICY,
  Subject,
  sighting,
  transition,
  verdict,
} from './subject.ts';

/** Steps under a claim, and manual decisions. */
export function recordContract(make: MakePipelineStores): void {
  describe('recording', () => {
    const subject = new Subject(make);

    it('B7 B8 worth it → pending; posted → processed; each change sets the time of the check', async () => {
      await subject.admit('a');
      await subject.clock.advance(1000);
      expect(await subject.step(await subject.claimNext(), { type: 'accept', detail: 'worth it' })).toBe(
        'recorded',
      );
      expect(await subject.find(keyOf('a'))).toMatchObject({
        state: 'accepted',
        detail: 'worth it',
        checkedAt: subject.clock.now(),
        createdAt: subject.clock.now() - 1000,
      });
      await subject.clock.advance(1000);
      expect(await subject.step(await subject.claimNext(), { type: 'publish' })).toBe('recorded');
      expect(await subject.find(keyOf('a'))).toMatchObject({
        state: 'published',
        reason: 'none',
        detail: null,
        checkedAt: subject.clock.now(),
      });
    });

    it('B9 B10 deferring stores the reason, and counts the attempt', async () => {
      const reasons = ['not_valuable', 'not_ready', 'download_failed', 'too_large', 'api_failed'] as const;
      for (const reason of reasons) {
        const key = await subject.afterStep(reason, { type: 'defer', reason, detail: 'why' });
        expect(await subject.find(key)).toMatchObject({
          state: 'deferred',
          reason,
          detail: 'why',
          attempts: 1,
        });
      }
    });

    it('B11 D9 past the retry limit it has failed, and stays failed', async () => {
      await subject.admit('a');
      for (let attempt = 0; attempt <= POLICY.retryLimit; attempt++) {
        await subject.step(await subject.claimNext(), { type: 'defer', reason: 'api_failed' });
        await subject.clock.advance(1e9);
      }
      expect(await subject.find(keyOf('a'))).toMatchObject({
        state: 'failed',
        reason: 'retry_limit',
        attempts: 4,
      });
      expect(await subject.ledger.claimNext({ owner: 'w', leaseMs: LEASE_MS })).toBeNull();
    });

    it('A5 a verdict stays with its item whatever happens afterwards', async () => {
      const key = await subject.afterStep('a', { type: 'accept' }, { verdict: verdict({ score: 91 }) });
      await subject.step(await subject.claim(key), {
        type: 'postpone',
        until: subject.clock.now(),
        reason: 'not_chosen',
      });
      expect((await subject.find(key)).verdict).toEqual(verdict({ score: 91 }));
      expect((await subject.claimNext()).item.verdict).toEqual(verdict({ score: 91 }));
    });

    it('X18 unscored is not zero, and a later verdict replaces a provisional one', async () => {
      const key = await subject.afterStep(
        'a',
        { type: 'accept' },
        { verdict: verdict({ score: null, provisional: true }) },
      );
      expect((await subject.find(key)).verdict?.score).toBeNull();
      await subject.step(
        await subject.claim(key),
        { type: 'postpone', until: 0, reason: 'not_chosen' },
        { verdict: verdict({ score: 0 }) },
      );
      expect((await subject.find(key)).verdict).toMatchObject({ score: 0, provisional: false });
    });

    it('X4 every step leaves a line with its time, reason, worker, notes and verdict', async () => {
      const key = await subject.afterStep(
        'a',
        { type: 'accept', detail: 'good' },
        { verdict: verdict(), notes: { words: 120, cached: false, model: null } },
      );
      await subject.clock.advance(1000);
      await subject.step(await subject.claim(key, 'second'), {
        type: 'reject',
        reason: 'low_relevance',
        detail: 'no',
      });
      expect(await subject.ledger.history(key)).toEqual([
        {
          at: subject.clock.now() - 1000,
          event: 'admit',
          from: null,
          to: 'waiting',
          reason: 'none',
          detail: null,
          who: 'feed-1',
          notes: { source: 'The first feed' },
        },
        {
          at: subject.clock.now() - 1000,
          event: 'accept',
          from: 'waiting',
          to: 'accepted',
          reason: 'none',
          detail: 'good',
          who: 'worker',
          notes: { words: 120, cached: false, model: null },
          verdict: verdict(),
        },
        {
          at: subject.clock.now(),
          event: 'reject',
          from: 'accepted',
          to: 'rejected',
          reason: 'low_relevance',
          detail: 'no',
          who: 'second',
          notes: {},
        },
      ]);
    });

    it('the claim ends with the step', async () => {
      await subject.admit('a');
      const claim = await subject.claimNext();
      await subject.step(claim, { type: 'accept' });
      expect(await subject.ledger.renew(claim, LEASE_MS)).toBeNull();
      expect((await subject.claimNext('other')).item.state).toBe('accepted');
    });

    it('a kept claim stays valid for several steps', async () => {
      await subject.admit('a');
      const claim = await subject.claimNext();
      expect(await subject.step(claim, { type: 'accept' }, { keepClaim: true })).toBe('recorded');
      expect(await subject.ledger.claimNext({ owner: 'other', leaseMs: LEASE_MS })).toBeNull();
      await subject.clock.advance(LEASE_MS / 2);
      const renewed = await subject.ledger.renew(claim, LEASE_MS);
      expect(renewed).not.toBeNull();
      const now = { ...claim, item: await subject.find(keyOf('a')) };
      expect(await subject.step(now, { type: 'publish' })).toBe('recorded');
      expect((await subject.find(keyOf('a'))).state).toBe('published');
    });

    it('X21 a worker that lost its lease can neither overwrite nor finish', async () => {
      await subject.admit('a');
      const slept = await subject.claimNext('slept');
      await subject.clock.advance(LEASE_MS);
      const publish: LifecycleEvent = { type: 'publish' };
      const step = {
        messages: [{ key: 'k', itemKeys: [keyOf('a')], destination: 'd', body: 'b' }],
        verdict: verdict(),
      };
      expect(await subject.step(slept, publish, step)).toBe('lost');
      const next = await subject.claimNext('next');
      expect(await subject.step(slept, publish, step)).toBe('lost');
      await subject.step(next, { type: 'reject', reason: 'low_relevance' });
      expect(await subject.step(slept, publish, step)).toBe('lost');
      expect(await subject.find(keyOf('a'))).toMatchObject({ state: 'rejected', verdict: null });
      expect(await subject.outbox.ofItem(keyOf('a'))).toEqual([]);
      expect((await subject.ledger.history(keyOf('a'))).map(({ event }) => event)).toEqual([
        'admit',
        'claim',
        'reject',
      ]);
    });

    it('a step from a state that the item is not in is lost', async () => {
      await subject.admit('a');
      const claim = await subject.claimNext();
      const wrong = transition(
        { ...claim.item, state: 'accepted' },
        { type: 'publish' },
        subject.clock.now(),
      );
      expect(await subject.ledger.record(claim, wrong)).toBe('lost');
      expect((await subject.find(keyOf('a'))).state).toBe('waiting');
    });

    it('D9 a person retries a failed item with all its attempts', async () => {
      const key = await subject.afterStep('a', { type: 'giveUp', reason: 'processor_failed' });
      const done = await subject.ledger.intervene(key, { type: 'requeue' }, 'maria');
      expect(done).toMatchObject({ done: true, item: { state: 'waiting', attempts: 0 } });
      expect((await subject.claimNext()).item.key).toBe(key);
      expect(await subject.ledger.history(key)).toContainEqual(
        expect.objectContaining({ event: 'requeue', from: 'failed', to: 'waiting', who: 'maria' }),
      );
    });

    it('a person cannot change what the lifecycle forbids, a claimed item, or an unknown one', async () => {
      const published = await subject.afterStep('p', { type: 'publish' });
      expect(await subject.ledger.intervene(published, { type: 'requeue' }, 'maria')).toEqual({
        done: false,
        why: 'an item that is published cannot requeue',
      });
      await subject.admit('held');
      await subject.claimNext('bot-7');
      const answer = await subject.ledger.intervene(
        keyOf('held'),
        { type: 'park', reason: 'by_person' },
        'maria',
      );
      expect(answer).toEqual({ done: false, why: 'bot-7 is working on it' });
      const none = await subject.ledger.intervene(keyOf('none'), { type: 'requeue' }, 'maria');
      expect(none.done).toBe(false);
    });

    it('a person may decide on an item whose worker died', async () => {
      await subject.admit('a');
      const dead = await subject.claimNext('dead');
      await subject.clock.advance(LEASE_MS);
      const parked = await subject.ledger.intervene(
        keyOf('a'),
        { type: 'park', reason: 'by_person' },
        'maria',
      );
      expect(parked).toMatchObject({ done: true, item: { state: 'parked' } });
      expect(await subject.step(dead, { type: 'publish' })).toBe('lost');
    });
  });
}

/** Idempotency: a call was applied, its reply was lost, and the call is repeated. */
export function lostReplyContract(make: MakePipelineStores): void {
  describe('repeating after a lost reply', () => {
    const subject = new Subject(make);

    it('A12 admitting again', async () => {
      await subject.ledger.admit([sighting('a')], {});
      expect(await subject.ledger.admit([sighting('a')], {})).toEqual(['known']);
      expect((await subject.ledger.counts()).byState.waiting).toBe(1);
    });

    it('claiming again with the same attempt returns the same claim, and another attempt does not', async () => {
      await subject.admit('a', 'b');
      const ask = { owner: 'w', leaseMs: LEASE_MS, attempt: 'try-1' };
      const first = await subject.ledger.claimNext(ask);
      expect(await subject.ledger.claimNext(ask)).toEqual(first);
      expect(await subject.ledger.claim(keyOf('a'), ask)).toEqual(first);
      expect(await subject.ledger.claim(keyOf('a'), { ...ask, attempt: 'try-2' })).toBeNull();
      expect(await subject.ledger.claim(keyOf('a'), { ...ask, owner: 'other' })).toBeNull();
      const next = await subject.ledger.claimNext({ ...ask, attempt: 'try-2' });
      expect(next?.item.key).toBe(keyOf('b'));
    });

    it('an attempt ends with its claim', async () => {
      await subject.admit('a');
      const ask = { owner: 'w', leaseMs: LEASE_MS, attempt: 'try-1' };
      const first = await subject.ledger.claimNext(ask);
      await subject.clock.advance(LEASE_MS);
      const second = await subject.ledger.claimNext(ask);
      expect(second?.token).toBeGreaterThan(first?.token ?? 0);
    });

    it('A12 recording a step again, however late, is recorded again and stored once', async () => {
      await subject.admit('a');
      const claim = await subject.claimNext();
      const step = {
        verdict: verdict(),
        messages: [{ key: 'k', itemKeys: [keyOf('a')], destination: 'd', body: 'b' }],
      };
      const accept = transition(claim.item, { type: 'accept' }, subject.clock.now());
      expect(await subject.ledger.record(claim, accept, step)).toBe('recorded');
      expect(await subject.ledger.record(claim, accept, step)).toBe('recorded');
      await subject.step(await subject.claimNext('other'), { type: 'publish' });
      await subject.clock.advance(LEASE_MS * 2);
      expect(await subject.ledger.record(claim, accept, step)).toBe('recorded');
      expect((await subject.find(keyOf('a'))).state).toBe('published');
      expect(await subject.ledger.history(keyOf('a'))).toHaveLength(3);
      expect(await subject.outbox.ofItem(keyOf('a'))).toHaveLength(1);
      expect((await subject.ledger.counts()).byState).toMatchObject({
        waiting: 0,
        accepted: 0,
        published: 1,
      });
    });

    it('recording again under a claim that is kept', async () => {
      await subject.admit('a');
      const claim = await subject.claimNext();
      const postpone = transition(
        claim.item,
        { type: 'postpone', until: subject.clock.now() + 5, reason: 'over_limit' },
        subject.clock.now(),
      );
      for (let round = 0; round < 3; round++)
        expect(await subject.ledger.record(claim, postpone, { keepClaim: true })).toBe('recorded');
      expect(await subject.ledger.history(keyOf('a'))).toHaveLength(2);
      expect(await subject.ledger.renew(claim, LEASE_MS)).not.toBeNull();
    });

    it('renewing and releasing again', async () => {
      await subject.admit('a');
      const claim = await subject.claimNext();
      const renewed = await subject.ledger.renew(claim, LEASE_MS);
      expect(await subject.ledger.renew(claim, LEASE_MS)).toEqual(renewed);
      await subject.ledger.release(claim);
      await subject.ledger.release(claim);
      const next = await subject.claimNext('next');
      await subject.ledger.release(claim);
      expect(await subject.ledger.renew(next, LEASE_MS)).not.toBeNull();
    });
  });
}
