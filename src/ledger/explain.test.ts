import { describe, expect, it } from 'vitest';
import { REASONS, STATES } from '../item/lifecycle.ts';
import { openMemoryLedger } from '../storage/memory/ledger.ts';
import { DAY, MINUTE } from '../time/duration.ts';
import { ManualClock } from '../time/manual-clock.ts';
import { keyOf, LEASE_MS, POLICY, present, sighting, transition, verdict } from './contract/subject.ts';
import { explainItem, explainStatus } from './explain.ts';
import type { HistoryEntry } from './ledger.ts';

describe('the explanation of an item', () => {
  it('X4 explains the whole history of an item with times, reasons, scores, the judge and where it was posted', async () => {
    const clock = new ManualClock();
    const { ledger, outbox } = openMemoryLedger({ clock, policy: POLICY });
    await ledger.admit([sighting('a')], {});
    await clock.advance(MINUTE);
    await ledger.admit([sighting('a', { sourceId: 'feed-2', sourceName: 'The second feed' })], {});
    await clock.advance(MINUTE);
    const first = present(await ledger.claimNext({ owner: 'bot-1', leaseMs: LEASE_MS }));
    const put = { type: 'defer', reason: 'download_failed', detail: 'HTTP 503' } as const;
    await ledger.record(first, transition(first.item, put, clock.now()));
    await clock.advance(MINUTE);
    const second = present(await ledger.claimNext({ owner: 'bot-1', leaseMs: LEASE_MS }));
    await ledger.record(second, transition(second.item, { type: 'accept' }, clock.now()), {
      verdict: verdict(),
      messages: [{ key: 'k', itemKeys: [keyOf('a')], destination: 'discord', body: 'b' }],
    });
    const claimed = present(await outbox.claimNext('discord', 'dispatcher', LEASE_MS));
    await outbox.finish(claimed, { state: 'unknown', detail: 'the reply was lost', dueAt: clock.now() });
    await clock.advance(MINUTE);
    const again = present(await outbox.claimNext('discord', 'dispatcher', LEASE_MS));
    await outbox.finish(again, { state: 'sent', remoteId: '123', url: 'https://discord.example/123' });
    const third = present(await ledger.claimNext({ owner: 'bot-1', leaseMs: LEASE_MS }));
    await ledger.record(third, transition(third.item, { type: 'publish', detail: 'discord' }, clock.now()));

    const lines = explainItem({
      item: await ledger.find(keyOf('a')),
      history: await ledger.history(keyOf('a')),
      deliveries: await outbox.ofItem(keyOf('a')),
      sightings: await ledger.sightings(keyOf('a')),
    });
    const start = new ManualClock().now();
    expect(lines.map(({ at, text }) => [at === null ? null : (at - start) / MINUTE, text])).toEqual([
      [0, 'Seen for the first time, at The first feed.'],
      [1, 'The second feed carried it too.'],
      [2, 'Deferred because the download failed: HTTP 503.'],
      [3, 'The judge local (local-1) gave it 82 of 100 for databases: It matches.'],
      [3, 'Accepted.'],
      [3, 'It is not known whether discord got the message: the reply was lost.'],
      [4, 'Sent to discord as 123.'],
      [4, 'Published: discord.'],
      [null, 'It is published, and that is final (1 attempt failed).'],
      [null, 'It can be read at https://discord.example/123'],
    ]);
  });

  it('X4 has words for every event, reason and state', () => {
    const events = ['admit', 'claim', 'deliver', 'sweep', 'accept', 'publish', 'reject', 'defer', 'postpone'];
    const more = ['giveUp', 'park', 'requeue', 'markSent', 'drop', 'something new'];
    for (const event of [...events, ...more])
      for (const reason of REASONS)
        for (const to of STATES) {
          const line: HistoryEntry = {
            at: 0,
            event,
            from: null,
            to,
            reason,
            detail: 'x',
            who: null,
            notes: {},
          };
          const [sentence] = explainItem({ item: null, history: [line], deliveries: [] });
          expect(sentence?.text).toMatch(/^\S.*[.!?]$/);
          expect(sentence?.text).not.toMatch(/undefined|null|_/);
        }
  });

  it('X4 explains swept and unknown items', async () => {
    expect(explainItem({ item: null, history: [], deliveries: [] })).toEqual([
      { at: null, text: 'Nothing is known of it.' },
    ]);
    const clock = new ManualClock();
    const { ledger } = openMemoryLedger({ clock, policy: POLICY });
    await ledger.admit([sighting('a')], { baseline: () => true });
    await clock.advance(DAY + 1);
    await ledger.sweep({ keep: { baseline: DAY }, keepTombstones: DAY, dryRun: false });
    const lines = explainItem({ item: null, history: await ledger.history(keyOf('a')), deliveries: [] });
    expect(lines.map(({ text }) => text)).toEqual([
      'Swept after its keep time; only its key is remembered, so that it is not news again.',
      'It was deleted.',
    ]);
  });
});

describe('why an item is in its state', () => {
  const item = (score: number | null, state: (typeof STATES)[number], reason: (typeof REASONS)[number]) => ({
    state,
    reason,
    detail: null,
    verdict: score === null ? null : verdict({ score }),
  });

  it('X4 names the rule and the threshold that decided', () => {
    const rejected = item(67, 'rejected', 'low_relevance');
    expect(explainStatus(rejected, 70)).toBe('Rejected: score 67 is below the minimum 70');
    expect(explainStatus({ ...rejected, detail: 'Only a mention.' }, 70)).toBe(
      'Rejected: score 67 is below the minimum 70. Only a mention.',
    );
    // The minimum was lowered since.
    expect(explainStatus(rejected, 60)).toBe('Rejected: score 67 was below the minimum at that time');
    expect(explainStatus(item(82, 'published', 'none'), 70)).toBe('Published: score 82, minimum 70');
    expect(explainStatus(item(null, 'waiting', 'none'), 70)).toBe('Waiting for its turn');
    expect(explainStatus(item(82, 'rejected', 'same_story'), 70)).toBe(
      'Rejected: another source published the same story',
    );
  });

  it('has a text for every state and reason', () => {
    for (const state of STATES)
      for (const reason of REASONS)
        expect(explainStatus(item(50, state, reason), null)).toMatch(/^[A-Z][\w ,:]+$/);
  });
});
