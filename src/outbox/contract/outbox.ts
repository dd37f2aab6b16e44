import { describe, expect, it } from 'vitest';
import { keyOf, LEASE_MS, type MakePipelineStores, present, Subject } from '../../ledger/contract/subject.ts';
import type { NewMessage } from '../../ledger/ledger.ts';
import type { ClaimedMessage, DeliveryFilter, DeliveryPage } from '../outbox.ts';

/** The outbox beside the ledger. */
export function outboxContract(make: MakePipelineStores): void {
  describe('outbox', () => {
    const subject = new Subject(make);
    const message = (name: string, more: Partial<NewMessage> = {}): NewMessage => ({
      key: `key-${name}`,
      itemKeys: [keyOf(name)],
      destination: 'discord',
      body: `{"content":"${name}"}`,
      ...more,
    });
    const claim = async (owner = 'w', destination = 'discord'): Promise<ClaimedMessage> =>
      present(await subject.outbox.claimNext(destination, owner, LEASE_MS));

    it('X2 a message is enqueued with the step that causes it', async () => {
      await subject.afterStep('a', { type: 'accept' }, { messages: [message('a')] });
      expect(await subject.outbox.ofItem(keyOf('a'))).toEqual([
        {
          ...message('a'),
          state: 'intended',
          remoteId: null,
          remoteUrl: null,
          detail: null,
          attempts: 0,
          createdAt: subject.clock.now(),
          firstTriedAt: null,
          updatedAt: subject.clock.now(),
          dueAt: null,
        },
      ]);
    });

    it('X2 an item is published at most once per destination; a call is atomic', async () => {
      expect(await subject.outbox.enqueue([message('a'), message('b')])).toBe('written');
      expect(await subject.outbox.enqueue([message('a'), message('b')])).toBe('there');
      const digest = message('digest', { itemKeys: [keyOf('c'), keyOf('b')] });
      expect(await subject.outbox.enqueue([message('d'), digest])).toBe('taken');
      expect(await subject.outbox.ofItem(keyOf('d'))).toEqual([]);
      expect(await subject.outbox.enqueue([{ ...digest, destination: 'mastodon' }])).toBe('written');
      expect(await subject.outbox.enqueue([message('e'), message('f', { itemKeys: [keyOf('e')] })])).toBe(
        'taken',
      );
    });

    it('X2 a step with a repeated message succeeds without enqueueing it', async () => {
      await subject.admit('a');
      await subject.outbox.enqueue([message('a')]);
      await subject.afterStep(
        'a',
        { type: 'accept' },
        { messages: [message('a2', { itemKeys: [keyOf('a')] })] },
      );
      expect(await subject.outbox.ofItem(keyOf('a'))).toHaveLength(1);
      expect((await subject.find(keyOf('a'))).state).toBe('accepted');
    });

    it('keeps the order of each destination, and the head of the queue blocks what is behind it', async () => {
      await subject.outbox.enqueue([message('a'), message('b'), message('m', { destination: 'mastodon' })]);
      const first = await claim();
      expect(first.delivery.key).toBe('key-a');
      expect(await subject.outbox.claimNext('discord', 'other', LEASE_MS)).toBeNull();
      expect((await claim('w', 'mastodon')).delivery.key).toBe('key-m');
      const dueAt = subject.clock.now() + 5000;
      await subject.outbox.finish(first, { state: 'intended', detail: 'rate limit', dueAt });
      await subject.clock.advance(4999);
      expect(await subject.outbox.claimNext('discord', 'w', LEASE_MS)).toBeNull();
      await subject.clock.advance(1);
      const again = await claim();
      expect(again.delivery).toMatchObject({ key: 'key-a', detail: 'rate limit' });
      await subject.outbox.finish(again, { state: 'refused', detail: 'no' });
      expect((await claim()).delivery.key).toBe('key-b');
    });

    it('A19 X21 returns when the next message can be claimed', async () => {
      const both = ['discord', 'mastodon'];
      expect(subject.outbox.abilities.pollIntervalMs).toBeLessThanOrEqual(60_000);
      expect(await subject.outbox.nextDue(both)).toBeNull();
      await subject.outbox.enqueue([message('a'), message('b'), message('m', { destination: 'mastodon' })]);
      expect(await subject.outbox.nextDue(both)).toBeLessThanOrEqual(subject.clock.now());
      const [first, other] = [await claim(), await claim('w', 'mastodon')];
      // Both heads are claimed: not before the first lease expires.
      expect(await subject.outbox.nextDue(both)).toBe(first.until);
      const dueAt = subject.clock.now() + 5000;
      await subject.outbox.finish(first, { state: 'intended', detail: 'rate limit', dueAt });
      expect(await subject.outbox.nextDue(both)).toBe(dueAt);
      expect(await subject.outbox.nextDue(['mastodon'])).toBe(other.until);
      expect(await subject.outbox.nextDue(['unknown'])).toBeNull();
      expect(await subject.outbox.nextDue([])).toBeNull();
      await subject.clock.advance(5000);
      const again = await claim();
      await subject.outbox.finish(again, { state: 'sent', remoteId: '1' });
      // What was behind it is next.
      expect(await subject.outbox.nextDue(['discord'])).toBeLessThanOrEqual(subject.clock.now());
      await subject.outbox.finish(await claim(), { state: 'refused', detail: 'no' });
      expect(await subject.outbox.nextDue(['discord'])).toBeNull();
    });

    it('X2 a message whose worker died is claimed in state sending, with its first attempt time and attempts', async () => {
      await subject.outbox.enqueue([message('a')]);
      expect(await subject.outbox.markSending(await claim())).toBe('marked');
      const triedAt = subject.clock.now();
      await subject.clock.advance(LEASE_MS);
      const found = await claim('next');
      expect(found.delivery).toMatchObject({ state: 'sending', firstTriedAt: triedAt, attempts: 1 });
      expect(await subject.outbox.markSending(found)).toBe('marked');
      await subject.outbox.finish(found, { state: 'sent', remoteId: '17', url: 'https://d.example/17' });
      expect(await subject.outbox.ofItem(keyOf('a'))).toMatchObject([
        {
          state: 'sent',
          remoteId: '17',
          remoteUrl: 'https://d.example/17',
          firstTriedAt: triedAt,
          attempts: 2,
        },
      ]);
    });

    it('X2 finishing one and claiming the next keeps the order, and the next is marked or can be', async () => {
      await subject.outbox.enqueue([message('a'), message('b'), message('m', { destination: 'mastodon' })]);
      const first = await claim();
      await subject.outbox.markSending(first);
      const { finished, next } = await subject.outbox.finishAndClaimNext(
        first,
        { state: 'sent', remoteId: '1' },
        LEASE_MS,
      );
      expect(finished).toBe('finished');
      const claimed = present(next);
      expect(claimed).toMatchObject({
        owner: 'w',
        delivery: { key: 'key-b', state: 'intended', attempts: 0 },
      });
      expect(claimed.marked === true ? 'marked' : await subject.outbox.markSending(claimed)).toBe('marked');
      expect(await subject.outbox.ofItem(keyOf('b'))).toMatchObject([{ state: 'sending', attempts: 1 }]);
      expect(
        await subject.outbox.finishAndClaimNext(claimed, { state: 'sent', remoteId: '2' }, LEASE_MS),
      ).toEqual({
        finished: 'finished',
        next: null,
      });
      expect((await claim('w', 'mastodon')).delivery.key).toBe('key-m');
    });

    it('X21 finishing a message of another worker changes nothing, and claims nothing out of order', async () => {
      await subject.outbox.enqueue([message('a'), message('b')]);
      const slept = await claim('slept');
      await subject.clock.advance(LEASE_MS);
      await claim('next');
      expect(
        await subject.outbox.finishAndClaimNext(slept, { state: 'refused', detail: 'late' }, LEASE_MS),
      ).toEqual({
        finished: 'lost',
        next: null,
      });
    });

    it('X21 a worker that lost its lease can neither send nor finish the message', async () => {
      await subject.outbox.enqueue([message('a')]);
      const slept = await claim('slept');
      await subject.clock.advance(LEASE_MS);
      expect(await subject.outbox.markSending(slept)).toBe('lost');
      const next = await claim('next');
      expect(await subject.outbox.markSending(slept)).toBe('lost');
      expect(await subject.outbox.finish(slept, { state: 'refused', detail: 'late' })).toBe('lost');
      expect(await subject.outbox.markSending(next)).toBe('marked');
    });

    it('X2 a late outcome is recorded as long as no other worker has claimed the message', async () => {
      await subject.outbox.enqueue([message('a')]);
      const claimed = await claim();
      await subject.outbox.markSending(claimed);
      await subject.clock.advance(LEASE_MS * 3);
      expect(await subject.outbox.finish(claimed, { state: 'sent', remoteId: '9' })).toBe('finished');
      expect(await subject.outbox.claimNext('discord', 'w', LEASE_MS)).toBeNull();
    });

    it('a retry after a lost reply changes nothing', async () => {
      await subject.outbox.enqueue([message('a')]);
      const claimed = await claim();
      for (let round = 0; round < 2; round++)
        expect(await subject.outbox.markSending(claimed)).toBe('marked');
      for (let round = 0; round < 2; round++)
        expect(await subject.outbox.finish(claimed, { state: 'sent', remoteId: '5' })).toBe('finished');
      expect(await subject.outbox.finish(claimed, { state: 'refused', detail: 'x' })).toBe('lost');
      expect(await subject.outbox.ofItem(keyOf('a'))).toMatchObject([
        { attempts: 1, state: 'sent', remoteId: '5' },
      ]);
    });

    it('a person can decide only parked and refused messages', async () => {
      for (const name of ['sent', 'again', 'drop']) {
        await subject.outbox.enqueue([message(name)]);
        await subject.outbox.finish(await claim(), { state: 'parked', detail: 'the answer was lost' });
      }
      expect(await subject.outbox.decide('key-sent', 'sent', 'maria')).toBe(true);
      expect(await subject.outbox.decide('key-again', 'again', 'maria')).toBe(true);
      expect(await subject.outbox.decide('key-drop', 'drop', 'maria')).toBe(true);
      expect(await subject.outbox.decide('key-sent', 'again', 'maria')).toBe(false);
      expect(await subject.outbox.decide('key-none', 'sent', 'maria')).toBe(false);
      expect((await claim()).delivery).toMatchObject({ key: 'key-again', detail: 'decided by maria' });
      expect(await subject.outbox.counts()).toEqual({
        intended: 1,
        sending: 0,
        unknown: 0,
        sent: 1,
        refused: 0,
        parked: 0,
        dropped: 1,
      });
    });

    it('a dropped message can be enqueued again, at the end of the queue', async () => {
      await subject.outbox.enqueue([message('a')]);
      await subject.outbox.finish(await claim(), { state: 'refused', detail: 'no' });
      await subject.outbox.decide('key-a', 'drop', 'maria');
      await subject.outbox.enqueue([message('b')]);
      expect(await subject.outbox.enqueue([message('a')])).toBe('written');
      expect((await claim()).delivery.key).toBe('key-b');
      expect(await subject.outbox.ofItem(keyOf('a'))).toMatchObject([{ state: 'intended', attempts: 0 }]);
    });

    it('X4 each outcome is a line in the history of the items', async () => {
      await subject.afterStep('a', { type: 'accept' }, { messages: [message('a')] });
      const dueAt = subject.clock.now();
      await subject.outbox.finish(await claim(), { state: 'unknown', detail: 'time-out', dueAt });
      await subject.outbox.finish(await claim(), { state: 'sent', remoteId: '77' });
      expect(
        (await subject.ledger.history(keyOf('a'))).filter(({ event }) => event === 'deliver'),
      ).toMatchObject([
        { detail: 'time-out', who: 'w', notes: { destination: 'discord', outcome: 'unknown' } },
        { detail: null, notes: { destination: 'discord', outcome: 'sent', remoteId: '77' } },
      ]);
    });

    it('lists the newest first, by state, in pages', async () => {
      const names = Array.from({ length: 7 }, (_, index) => `n${index}`);
      await subject.outbox.enqueue(names.map((name) => message(name)));
      await subject.outbox.finish(await claim(), { state: 'parked', detail: 'x' });
      const keys: string[] = [];
      let cursor: string | null = null;
      do {
        const page = await subject.outbox.list({ limit: 3, ...(cursor !== null && { cursor }) });
        keys.push(...page.deliveries.map(({ key }) => key));
        cursor = page.next;
      } while (cursor !== null);
      expect(keys).toEqual(names.map((name) => `key-${name}`).toReversed());
      const some = await subject.outbox.list({ states: ['parked', 'intended'], limit: 6 });
      expect(some.deliveries).toHaveLength(6);
      expect(some.next).not.toBeNull();
      const parked = await subject.outbox.list({ states: ['parked'], limit: 6 });
      expect(parked).toMatchObject({ deliveries: [{ key: 'key-n0' }], next: null });
    });

    it('lists the messages of one destination, in pages', async () => {
      for (const name of ['a', 'b', 'c', 'd', 'e'])
        await subject.outbox.enqueue([message(name), message(`m-${name}`, { destination: 'mastodon' })]);
      for (let n = 0; n < 3; n++)
        await subject.outbox.finish(await claim('w', 'mastodon'), { state: 'sent', remoteId: `${n}` });
      const keysOf = async (filter: Partial<DeliveryFilter>): Promise<string[]> => {
        const keys: string[] = [];
        let cursor: string | null = null;
        do {
          const page: DeliveryPage = await subject.outbox.list({
            limit: 2,
            ...filter,
            ...(cursor !== null && { cursor }),
          });
          keys.push(...page.deliveries.map(({ key }) => key));
          cursor = page.next;
        } while (cursor !== null);
        return keys;
      };
      expect(await keysOf({ destination: 'mastodon', states: ['sent'] })).toEqual(
        ['c', 'b', 'a'].map((name) => `key-m-${name}`),
      );
      expect(await keysOf({ destination: 'mastodon' })).toEqual(
        ['e', 'd', 'c', 'b', 'a'].map((name) => `key-m-${name}`),
      );
      expect(await keysOf({ destination: 'discord', states: ['sent'] })).toEqual([]);
      expect(await keysOf({ destination: 'nowhere' })).toEqual([]);
    });
  });
}
