import { describe, expect, it } from 'vitest';
import { DAY } from '../../time/duration.ts';
import { fingerprint } from '../fingerprint.fixture.ts';
import type { LedgerRecord } from '../ledger.ts';
import { exportLedger, importLedger } from '../transfer.ts';
import {
  keyOf,
  LEASE_MS,
  type MakePipelineStores,
  POLICY,
  present,
  Subject,
  sighting,
  verdict,
} from './subject.ts';

/** Transfer from one engine to another without loss or duplicates. */
export function transferContract(make: MakePipelineStores): void {
  describe('transfer', () => {
    const subject = new Subject(make);

    it('X14 goes into another ledger with everything, checked by count and hash', async () => {
      await fill();
      const before = await fingerprint(subject.ledger);
      expect(before).toMatchObject({ items: 8, deliveries: 3, tombstones: 1 });
      const lines = await collect(exportLedger(subject.ledger));
      const other = await make({ clock: subject.clock, policy: POLICY });
      try {
        const report = await importLedger(() => asLines(lines), other.ledger);
        expect(report).toMatchObject({ records: 12, loaded: 12, there: 0 });
        expect(await fingerprint(other.ledger)).toEqual(before);
        const { leased: _, ...counts } = await other.ledger.counts();
        expect(await subject.ledger.counts()).toMatchObject(counts);
        expect(await other.outbox.counts()).toEqual(await subject.outbox.counts());
      } finally {
        await other[Symbol.asyncDispose]();
      }
    });

    it('loading twice changes nothing, and existing records stay unchanged', async () => {
      await fill();
      const records: LedgerRecord[] = await collect(subject.ledger.dump());
      const before = await fingerprint(subject.ledger);
      expect(new Set(await subject.ledger.load(records))).toEqual(new Set(['there']));
      expect(await fingerprint(subject.ledger)).toEqual(before);
    });

    it('loaded records keep order, waits, tokens and messages', async () => {
      await fill();
      const records: LedgerRecord[] = await collect(subject.ledger.dump());
      const claimed = await subject.claim(keyOf('waiting-0'));
      const other = await make({ clock: subject.clock, policy: POLICY });
      try {
        await other.ledger.load(records);
        expect((await other.ledger.claimNext({ owner: 'w', leaseMs: LEASE_MS }))?.item.key).toBe(
          keyOf('accepted'),
        );
        const claim = present(
          await other.ledger.claim(keyOf('waiting-0'), { owner: 'w', leaseMs: LEASE_MS }),
        );
        expect(claim.token).toBe(claimed.token);
        expect(await other.ledger.claim(keyOf('deferred'), { owner: 'w', leaseMs: LEASE_MS })).toBeNull();
        expect((await other.outbox.claimNext('discord', 'w', LEASE_MS))?.delivery.key).toBe('open');
        expect(await other.ledger.admit([sighting('gone'), sighting('published')], {})).toEqual([
          'swept',
          'known',
        ]);
      } finally {
        await other[Symbol.asyncDispose]();
      }
    });

    async function fill(): Promise<void> {
      await subject.afterStep('gone', { type: 'publish' });
      await subject.clock.advance(2 * DAY);
      await subject.ledger.sweep({ keep: { published: DAY }, keepTombstones: 9 * DAY, dryRun: false });
      await subject.afterStep(
        'accepted',
        { type: 'accept', detail: 'good' },
        { verdict: verdict(), notes: { n: 1 }, messages: [newMessage('tried', 'accepted', 'mastodon')] },
      );
      const tried = present(await subject.outbox.claimNext('mastodon', 'w', LEASE_MS));
      const dueAt = subject.clock.now() + DAY;
      await subject.outbox.finish(tried, { state: 'unknown', detail: 'time-out', dueAt });
      await subject.afterStep('deferred', { type: 'defer', reason: 'not_ready' });
      const intents = [newMessage('open', 'published'), newMessage('sent', 'published', 'timeline')];
      await subject.afterStep('published', { type: 'publish' }, { messages: intents });
      const claimed = present(await subject.outbox.claimNext('timeline', 'w', LEASE_MS));
      await subject.outbox.finish(claimed, { state: 'sent', remoteId: '1', url: 'https://d.example/1' });
      await subject.ledger.admit([sighting('odd', { title: 'a\0\ud800', publishedAt: 0 })], {
        handOver: true,
      });
      await subject.ledger.admit([sighting('base')], { baseline: () => true });
      await subject.admit('waiting-0', 'waiting-1', 'waiting-2');
      await subject.ledger.admit([sighting('waiting-1', { sourceId: 'feed-2', title: 'Elsewhere' })], {});
    }
  });
}

function newMessage(key: string, name: string, destination = 'discord') {
  return { key, itemKeys: [keyOf(name)], destination, body: 'b' };
}

async function* asLines(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines;
}

async function collect<T>(all: AsyncIterable<T>): Promise<T[]> {
  const gathered: T[] = [];
  for await (const one of all) gathered.push(one);
  return gathered;
}
