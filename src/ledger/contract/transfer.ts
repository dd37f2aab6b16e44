import { describe, expect, it } from 'vitest';
import { DAY } from '../../time/duration.ts';
import { fingerprint } from '../fingerprint.fixture.ts';
import type { LedgerRecord } from '../ledger.ts';
import { exportLedger, importLedger } from '../transfer.ts';
import { keyOf, LEASE, type MakeMemory, POLICY, present, Subject, sighting, verdict } from './subject.ts';

/** Out of one engine and into another, nothing lost or doubled. */
export function transferContract(make: MakeMemory): void {
  describe('transfer', () => {
    const subject = new Subject(make);

    it('X14 goes into another ledger with everything, checked by count and hash', async () => {
      await fill();
      const before = await fingerprint(subject.ledger);
      expect(before).toMatchObject({ items: 8, deliveries: 3, tombstones: 1 });
      const lines = await gather(exportLedger(subject.ledger));
      const other = await make({ clock: subject.clock, policy: POLICY });
      try {
        const report = await importLedger(() => each(lines), other.ledger);
        expect(report).toMatchObject({ records: 12, loaded: 12, there: 0 });
        expect(await fingerprint(other.ledger)).toEqual(before);
        const { leased: _, ...counts } = await other.ledger.counts();
        expect(await subject.ledger.counts()).toMatchObject(counts);
        expect(await other.outbox.counts()).toEqual(await subject.outbox.counts());
      } finally {
        await other[Symbol.asyncDispose]();
      }
    });

    it('loading twice changes nothing, and what lives here stays as it is', async () => {
      await fill();
      const records: LedgerRecord[] = await gather(subject.ledger.dump());
      const before = await fingerprint(subject.ledger);
      expect(new Set(await subject.ledger.load(records))).toEqual(new Set(['there']));
      expect(await fingerprint(subject.ledger)).toEqual(before);
    });

    it('what was loaded lives on: order, waits, tokens and messages', async () => {
      await fill();
      const records: LedgerRecord[] = await gather(subject.ledger.dump());
      const held = await subject.claim(keyOf('waiting-0'));
      const other = await make({ clock: subject.clock, policy: POLICY });
      try {
        await other.ledger.load(records);
        expect((await other.ledger.claimNext({ owner: 'w', leaseMs: LEASE }))?.item.key).toBe(
          keyOf('accepted'),
        );
        const claim = present(await other.ledger.claim(keyOf('waiting-0'), { owner: 'w', leaseMs: LEASE }));
        expect(claim.token).toBe(held.token);
        expect(await other.ledger.claim(keyOf('deferred'), { owner: 'w', leaseMs: LEASE })).toBeNull();
        expect((await other.outbox.take('discord', 'w', LEASE))?.delivery.key).toBe('open');
        expect(await other.ledger.admit([sighting('gone'), sighting('published')], {})).toEqual([
          'swept',
          'known',
        ]);
      } finally {
        await other[Symbol.asyncDispose]();
      }
    });

    async function fill(): Promise<void> {
      await subject.settled('gone', { type: 'publish' });
      await subject.clock.advance(2 * DAY);
      await subject.ledger.sweep({ keep: { published: DAY }, keepTombstones: 9 * DAY, dryRun: false });
      await subject.settled(
        'accepted',
        { type: 'accept', detail: 'good' },
        { verdict: verdict(), notes: { n: 1 }, intents: [intent('tried', 'accepted', 'mastodon')] },
      );
      const tried = present(await subject.outbox.take('mastodon', 'w', LEASE));
      const dueAt = subject.clock.now() + DAY;
      await subject.outbox.settle(tried, { state: 'unknown', detail: 'time-out', dueAt });
      await subject.settled('deferred', { type: 'defer', reason: 'not_ready' });
      const intents = [intent('open', 'published'), intent('sent', 'published', 'timeline')];
      await subject.settled('published', { type: 'publish' }, { intents });
      const held = present(await subject.outbox.take('timeline', 'w', LEASE));
      await subject.outbox.settle(held, { state: 'sent', remoteId: '1', url: 'https://d.example/1' });
      await subject.ledger.admit([sighting('odd', { title: 'a\0\ud800', publishedAt: 0 })], {
        handOver: true,
      });
      await subject.ledger.admit([sighting('base')], { baseline: () => true });
      await subject.admit('waiting-0', 'waiting-1', 'waiting-2');
      await subject.ledger.admit([sighting('waiting-1', { sourceId: 'feed-2', title: 'Elsewhere' })], {});
    }
  });
}

function intent(key: string, name: string, destination = 'discord') {
  return { key, itemKeys: [keyOf(name)], destination, body: 'b' };
}

async function* each(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines;
}

async function gather<T>(all: AsyncIterable<T>): Promise<T[]> {
  const gathered: T[] = [];
  for await (const one of all) gathered.push(one);
  return gathered;
}
