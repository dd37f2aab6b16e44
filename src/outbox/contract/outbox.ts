import { describe, expect, it } from 'vitest';
import { keyOf, LEASE_MS, type MakePipelineStores, present, Subject } from '../../ledger/contract/subject.ts';
import type { NewMessage } from '../../ledger/ledger.ts';
import type { ClaimedMessage, DeliveryFilter, DeliveryPage } from '../outbox.ts';

/** The outbox beside the ledger. */
export function outboxContract(make: MakePipelineStores): void {
  describe('outbox', () => {
    const subject = new Subject(make);
    const intent = (name: string, more: Partial<NewMessage> = {}): NewMessage => ({
      key: `key-${name}`,
      itemKeys: [keyOf(name)],
      destination: 'discord',
      body: `{"content":"${name}"}`,
      ...more,
    });
    const take = async (owner = 'w', destination = 'discord'): Promise<ClaimedMessage> =>
      present(await subject.outbox.claimNext(destination, owner, LEASE_MS));

    it('X2 an intent is written with the step that causes it', async () => {
      await subject.afterStep('a', { type: 'accept' }, { messages: [intent('a')] });
      expect(await subject.outbox.ofItem(keyOf('a'))).toEqual([
        {
          ...intent('a'),
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

    it('X2 an item is said at most once per destination, all of a call or nothing', async () => {
      expect(await subject.outbox.enqueue([intent('a'), intent('b')])).toBe('written');
      expect(await subject.outbox.enqueue([intent('a'), intent('b')])).toBe('there');
      const digest = intent('digest', { itemKeys: [keyOf('c'), keyOf('b')] });
      expect(await subject.outbox.enqueue([intent('d'), digest])).toBe('taken');
      expect(await subject.outbox.ofItem(keyOf('d'))).toEqual([]);
      expect(await subject.outbox.enqueue([{ ...digest, destination: 'mastodon' }])).toBe('written');
      expect(await subject.outbox.enqueue([intent('e'), intent('f', { itemKeys: [keyOf('e')] })])).toBe(
        'taken',
      );
    });

    it('X2 a step repeats no message, and goes through all the same', async () => {
      await subject.admit('a');
      await subject.outbox.enqueue([intent('a')]);
      await subject.afterStep(
        'a',
        { type: 'accept' },
        { messages: [intent('a2', { itemKeys: [keyOf('a')] })] },
      );
      expect(await subject.outbox.ofItem(keyOf('a'))).toHaveLength(1);
      expect((await subject.find(keyOf('a'))).state).toBe('accepted');
    });

    it('keeps the order of each destination, and the head of the line holds up what is behind it', async () => {
      await subject.outbox.enqueue([intent('a'), intent('b'), intent('m', { destination: 'mastodon' })]);
      const first = await take();
      expect(first.delivery.key).toBe('key-a');
      expect(await subject.outbox.claimNext('discord', 'other', LEASE_MS)).toBeNull();
      expect((await take('w', 'mastodon')).delivery.key).toBe('key-m');
      const dueAt = subject.clock.now() + 5000;
      await subject.outbox.finish(first, { state: 'intended', detail: 'rate limit', dueAt });
      await subject.clock.advance(4999);
      expect(await subject.outbox.claimNext('discord', 'w', LEASE_MS)).toBeNull();
      await subject.clock.advance(1);
      const again = await take();
      expect(again.delivery).toMatchObject({ key: 'key-a', detail: 'rate limit' });
      await subject.outbox.finish(again, { state: 'refused', detail: 'no' });
      expect((await take()).delivery.key).toBe('key-b');
    });

    it('A19 X21 says when the next message may be taken, so that nobody has to try', async () => {
      const both = ['discord', 'mastodon'];
      expect(subject.outbox.abilities.pollIntervalMs).toBeLessThanOrEqual(60_000);
      expect(await subject.outbox.nextDue(both)).toBeNull();
      await subject.outbox.enqueue([intent('a'), intent('b'), intent('m', { destination: 'mastodon' })]);
      expect(await subject.outbox.nextDue(both)).toBeLessThanOrEqual(subject.clock.now());
      const [first, other] = [await take(), await take('w', 'mastodon')];
      // Both heads are held: not before the first hold ends.
      expect(await subject.outbox.nextDue(both)).toBe(first.until);
      const dueAt = subject.clock.now() + 5000;
      await subject.outbox.finish(first, { state: 'intended', detail: 'rate limit', dueAt });
      expect(await subject.outbox.nextDue(both)).toBe(dueAt);
      expect(await subject.outbox.nextDue(['mastodon'])).toBe(other.until);
      expect(await subject.outbox.nextDue(['nobody'])).toBeNull();
      expect(await subject.outbox.nextDue([])).toBeNull();
      await subject.clock.advance(5000);
      const again = await take();
      await subject.outbox.finish(again, { state: 'sent', remoteId: '1' });
      // What was behind it is next.
      expect(await subject.outbox.nextDue(['discord'])).toBeLessThanOrEqual(subject.clock.now());
      await subject.outbox.finish(await take(), { state: 'refused', detail: 'no' });
      expect(await subject.outbox.nextDue(['discord'])).toBeNull();
    });

    it('X2 what was being sent when its worker died is found as such, with its first time and its attempts', async () => {
      await subject.outbox.enqueue([intent('a')]);
      expect(await subject.outbox.markSending(await take())).toBe('marked');
      const triedAt = subject.clock.now();
      await subject.clock.advance(LEASE_MS);
      const found = await take('next');
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

    it('X2 settling one and taking the next keeps the order, and what is next is marked or can be', async () => {
      await subject.outbox.enqueue([intent('a'), intent('b'), intent('m', { destination: 'mastodon' })]);
      const first = await take();
      await subject.outbox.markSending(first);
      const { finished: settled, next } = await subject.outbox.finishAndClaimNext(
        first,
        { state: 'sent', remoteId: '1' },
        LEASE_MS,
      );
      expect(settled).toBe('settled');
      const held = present(next);
      expect(held).toMatchObject({ owner: 'w', delivery: { key: 'key-b', state: 'intended', attempts: 0 } });
      expect(held.marked === true ? 'marked' : await subject.outbox.markSending(held)).toBe('marked');
      expect(await subject.outbox.ofItem(keyOf('b'))).toMatchObject([{ state: 'sending', attempts: 1 }]);
      expect(
        await subject.outbox.finishAndClaimNext(held, { state: 'sent', remoteId: '2' }, LEASE_MS),
      ).toEqual({
        finished: 'settled',
        next: null,
      });
      expect((await take('w', 'mastodon')).delivery.key).toBe('key-m');
    });

    it('X21 settling what another holds changes nothing, and takes nothing out of turn', async () => {
      await subject.outbox.enqueue([intent('a'), intent('b')]);
      const slept = await take('slept');
      await subject.clock.advance(LEASE_MS);
      await take('next');
      expect(
        await subject.outbox.finishAndClaimNext(slept, { state: 'refused', detail: 'late' }, LEASE_MS),
      ).toEqual({
        finished: 'lost',
        next: null,
      });
    });

    it('X21 who lost the lease cannot publish, nor settle what another holds', async () => {
      await subject.outbox.enqueue([intent('a')]);
      const slept = await take('slept');
      await subject.clock.advance(LEASE_MS);
      expect(await subject.outbox.markSending(slept)).toBe('lost');
      const next = await take('next');
      expect(await subject.outbox.markSending(slept)).toBe('lost');
      expect(await subject.outbox.finish(slept, { state: 'refused', detail: 'late' })).toBe('lost');
      expect(await subject.outbox.markSending(next)).toBe('marked');
    });

    it('X2 what became of a message is taken down late as long as nobody else holds it', async () => {
      await subject.outbox.enqueue([intent('a')]);
      const held = await take();
      await subject.outbox.markSending(held);
      await subject.clock.advance(LEASE_MS * 3);
      expect(await subject.outbox.finish(held, { state: 'sent', remoteId: '9' })).toBe('settled');
      expect(await subject.outbox.claimNext('discord', 'w', LEASE_MS)).toBeNull();
    });

    it('repeating after a lost reply changes nothing', async () => {
      await subject.outbox.enqueue([intent('a')]);
      const held = await take();
      for (let round = 0; round < 2; round++) expect(await subject.outbox.markSending(held)).toBe('marked');
      for (let round = 0; round < 2; round++)
        expect(await subject.outbox.finish(held, { state: 'sent', remoteId: '5' })).toBe('settled');
      expect(await subject.outbox.finish(held, { state: 'refused', detail: 'x' })).toBe('lost');
      expect(await subject.outbox.ofItem(keyOf('a'))).toMatchObject([
        { attempts: 1, state: 'sent', remoteId: '5' },
      ]);
    });

    it('a person decides on what is parked or refused, and on nothing else', async () => {
      for (const name of ['sent', 'again', 'drop']) {
        await subject.outbox.enqueue([intent(name)]);
        await subject.outbox.finish(await take(), { state: 'parked', detail: 'the answer was lost' });
      }
      expect(await subject.outbox.decide('key-sent', 'sent', 'maria')).toBe(true);
      expect(await subject.outbox.decide('key-again', 'again', 'maria')).toBe(true);
      expect(await subject.outbox.decide('key-drop', 'drop', 'maria')).toBe(true);
      expect(await subject.outbox.decide('key-sent', 'again', 'maria')).toBe(false);
      expect(await subject.outbox.decide('key-none', 'sent', 'maria')).toBe(false);
      expect((await take()).delivery).toMatchObject({ key: 'key-again', detail: 'decided by maria' });
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

    it('what was dropped may be said after all, at the end of the line', async () => {
      await subject.outbox.enqueue([intent('a')]);
      await subject.outbox.finish(await take(), { state: 'refused', detail: 'no' });
      await subject.outbox.decide('key-a', 'drop', 'maria');
      await subject.outbox.enqueue([intent('b')]);
      expect(await subject.outbox.enqueue([intent('a')])).toBe('written');
      expect((await take()).delivery.key).toBe('key-b');
      expect(await subject.outbox.ofItem(keyOf('a'))).toMatchObject([{ state: 'intended', attempts: 0 }]);
    });

    it('X4 each outcome is a line in the history of the items', async () => {
      await subject.afterStep('a', { type: 'accept' }, { messages: [intent('a')] });
      const dueAt = subject.clock.now();
      await subject.outbox.finish(await take(), { state: 'unknown', detail: 'time-out', dueAt });
      await subject.outbox.finish(await take(), { state: 'sent', remoteId: '77' });
      expect(
        (await subject.ledger.history(keyOf('a'))).filter(({ event }) => event === 'deliver'),
      ).toMatchObject([
        { detail: 'time-out', who: 'w', notes: { destination: 'discord', outcome: 'unknown' } },
        { detail: null, notes: { destination: 'discord', outcome: 'sent', remoteId: '77' } },
      ]);
    });

    it('lists the newest first, by state, in pages', async () => {
      const names = Array.from({ length: 7 }, (_, index) => `n${index}`);
      await subject.outbox.enqueue(names.map((name) => intent(name)));
      await subject.outbox.finish(await take(), { state: 'parked', detail: 'x' });
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

    it('lists what one destination was told, in pages, and nothing of the others', async () => {
      for (const name of ['a', 'b', 'c', 'd', 'e'])
        await subject.outbox.enqueue([intent(name), intent(`m-${name}`, { destination: 'mastodon' })]);
      for (let n = 0; n < 3; n++)
        await subject.outbox.finish(await take('w', 'mastodon'), { state: 'sent', remoteId: `${n}` });
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
