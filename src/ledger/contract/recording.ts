import { describe, expect, it } from 'vitest';
import type { LifecycleEvent } from '../../item/lifecycle.ts';
import { keyOf, LEASE, type MakeMemory, POLICY, Subject, transition, verdict } from './subject.ts';

/** Steps under a claim, and by hand. */
export function recordingContract(make: MakeMemory): void {
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

    it('B9 B10 what cannot be done now is deferred with its reason, and the attempt counts', async () => {
      const reasons = ['not_valuable', 'not_ready', 'download_failed', 'too_large', 'api_failed'] as const;
      for (const reason of reasons) {
        const key = await subject.settled(reason, { type: 'defer', reason, detail: 'why' });
        expect(await subject.find(key)).toMatchObject({
          state: 'deferred',
          reason,
          detail: 'why',
          attempts: 1,
        });
      }
    });

    it('B11 D9 past the retry limit it has failed, and stays so', async () => {
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
      expect(await subject.ledger.claimNext({ owner: 'w', leaseMs: LEASE })).toBeNull();
    });

    it('A5 a verdict stays with its item whatever happens afterwards', async () => {
      const key = await subject.settled('a', { type: 'accept' }, { verdict: verdict({ score: 91 }) });
      await subject.step(await subject.claim(key), {
        type: 'postpone',
        until: subject.clock.now(),
        reason: 'not_chosen',
      });
      expect((await subject.find(key)).verdict).toEqual(verdict({ score: 91 }));
      expect((await subject.claimNext()).item.verdict).toEqual(verdict({ score: 91 }));
    });

    it('X18 unscored is not zero, and a later verdict takes the place of a provisional one', async () => {
      const key = await subject.settled(
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
      const key = await subject.settled(
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
      expect(await subject.ledger.renew(claim, LEASE)).toBeNull();
      expect((await subject.claimNext('other')).item.state).toBe('accepted');
    });

    it('a claim that is kept goes on through several steps', async () => {
      await subject.admit('a');
      const claim = await subject.claimNext();
      expect(await subject.step(claim, { type: 'accept' }, { keepClaim: true })).toBe('recorded');
      expect(await subject.ledger.claimNext({ owner: 'other', leaseMs: LEASE })).toBeNull();
      await subject.clock.advance(LEASE / 2);
      const renewed = await subject.ledger.renew(claim, LEASE);
      expect(renewed).not.toBeNull();
      const now = { ...claim, item: await subject.find(keyOf('a')) };
      expect(await subject.step(now, { type: 'publish' })).toBe('recorded');
      expect((await subject.find(keyOf('a'))).state).toBe('published');
    });

    it('X21 a worker that lost its lease can neither overwrite nor settle', async () => {
      await subject.admit('a');
      const slept = await subject.claimNext('slept');
      await subject.clock.advance(LEASE);
      const publish: LifecycleEvent = { type: 'publish' };
      const step = {
        intents: [{ key: 'k', itemKeys: [keyOf('a')], destination: 'd', body: 'b' }],
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

    it('D9 a person brings a failed item back with all its attempts', async () => {
      const key = await subject.settled('a', { type: 'giveUp', reason: 'processor_failed' });
      const done = await subject.ledger.intervene(key, { type: 'requeue' }, 'maria');
      expect(done).toMatchObject({ done: true, item: { state: 'waiting', attempts: 0 } });
      expect((await subject.claimNext()).item.key).toBe(key);
      expect(await subject.ledger.history(key)).toContainEqual(
        expect.objectContaining({ event: 'requeue', from: 'failed', to: 'waiting', who: 'maria' }),
      );
    });

    it('a person cannot change what the lifecycle forbids, what is held, or what is not there', async () => {
      const published = await subject.settled('p', { type: 'publish' });
      expect(await subject.ledger.intervene(published, { type: 'requeue' }, 'maria')).toEqual({
        done: false,
        why: 'an item that is published cannot requeue',
      });
      await subject.admit('held');
      await subject.claimNext('bot-7');
      const held = await subject.ledger.intervene(
        keyOf('held'),
        { type: 'park', reason: 'by_person' },
        'maria',
      );
      expect(held).toEqual({ done: false, why: 'bot-7 is working on it' });
      const none = await subject.ledger.intervene(keyOf('none'), { type: 'requeue' }, 'maria');
      expect(none.done).toBe(false);
    });

    it('a person may decide on an item whose worker died', async () => {
      await subject.admit('a');
      const dead = await subject.claimNext('dead');
      await subject.clock.advance(LEASE);
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
