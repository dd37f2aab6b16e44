import { describe, expect, it } from 'vitest';
import type { ItemKey } from '../item/item.ts';
import type { Publisher } from '../publishers/publisher.ts';
import { openMemoryLedger } from '../storage/memory/ledger.ts';
import { silentEvents } from '../telemetry/events.ts';
import { HOUR } from '../time/duration.ts';
import { ManualClock } from '../time/manual-clock.ts';
import { recordStep } from './item-step.ts';
import { LedgerCuratorStore } from './ledger-curator-store.ts';
import { noEntries } from './no-entries.fixture.ts';
import { addMissing, dispatchDue } from './publish.ts';
import { rulesAlone } from './story-deciders.fixture.ts';

const policy = { retryLimit: 5, backoff: () => HOUR };
const never = new AbortController().signal;

/** A curator with two destinations, and what was published at each. */
function setup({ sameStory = true } = {}) {
  const clock = new ManualClock(Date.UTC(2026, 10, 16));
  const memory = openMemoryLedger({ clock, policy });
  const published: Record<string, string[]> = { discord: [], timeline: [] };
  const publishers = Object.keys(published).map(
    (id): Publisher => ({
      id,
      abilities: { nativeIdempotencyMs: 0, canReadBack: false, itemsPerMessage: 10 },
      render: ({ items }) => ({
        body: items.map(({ item, others = [] }) => [item.key, ...others].join('+')).join(' '),
        templateVersion: '1',
      }),
      send: async ({ body }) => {
        published[id]?.push(body);
        return { outcome: 'sent', remoteId: body };
      },
      readBack: async () => ({ outcome: 'absent' }),
    }),
  );
  const deps = {
    ...memory,
    claims: memory.ledger,
    store: new LedgerCuratorStore({ ...memory, owner: 'test' }),
    pipeline: 'morning',
    policy,
    clock,
    owner: 'test',
    events: silentEvents,
    publishers,
    entries: noEntries,
    requiredDestinations: ['discord', 'timeline'],
    settings: { sameStory },
    stories: rulesAlone(),
  };
  return { deps, published, ...memory };
}

async function accept(
  { deps, ledger }: ReturnType<typeof setup>,
  name: string,
  title: string,
): Promise<ItemKey> {
  const key = `https://${name}.example/` as ItemKey;
  const [sourceId, publishedAt] = [name, deps.clock.now()];
  await ledger.admit([{ key, url: key, title, publishedAt, sourceId, sourceName: name }], {});
  const claim = await ledger.claim(key, { owner: 'test', leaseMs: HOUR });
  if (claim === null) throw new Error(`${name} cannot be claimed`);
  await recordStep(claim, { type: 'accept' }, deps);
  return key;
}

async function nextRun({ deps }: ReturnType<typeof setup>): Promise<void> {
  expect(await deps.store.candidates()).toEqual([]);
  await addMissing(await deps.store.openDigests(), deps, never);
  await dispatchDue(deps, never);
}

describe('articles in open digests', () => {
  it('X2 an article without a message for a destination is not published; the next run sends it there', async () => {
    const subject = setup();
    const key = await accept(subject, 'a', 'The bridge was opened');
    await subject.outbox.enqueue([{ key: 'm', itemKeys: [key], destination: 'timeline', body: 'a' }]);
    await dispatchDue(subject.deps, never);
    expect(subject.published).toEqual({ discord: [], timeline: ['a'] });
    expect(await subject.ledger.find(key)).toMatchObject({ state: 'accepted' });
    await nextRun(subject);
    expect(subject.published).toEqual({ discord: [key], timeline: ['a'] });
    expect(await subject.ledger.find(key)).toMatchObject({ state: 'published', detail: 'timeline, discord' });
    await nextRun(subject);
    expect(subject.published).toEqual({ discord: [key], timeline: ['a'] });
  });

  it('X2 a message dropped by a person is not sent again', async () => {
    const subject = setup();
    const key = await accept(subject, 'a', 'The bridge was opened');
    for (const destination of ['discord', 'timeline'])
      await subject.outbox.enqueue([{ key: destination, itemKeys: [key], destination, body: 'a' }]);
    const claimed = await subject.outbox.claimNext('discord', 'test', HOUR);
    if (claimed === null) throw new Error('nothing to send');
    await subject.outbox.markSending(claimed);
    await subject.outbox.finish(claimed, { state: 'refused', detail: 'too rude' });
    expect(await subject.outbox.decide('discord', 'drop', 'someone')).toBe(true);
    await nextRun(subject);
    expect(subject.published).toEqual({ discord: [], timeline: ['a'] });
    expect(await subject.ledger.find(key)).toMatchObject({ state: 'published', detail: 'timeline' });
  });

  it.each([
    [true, 1],
    [false, 2],
  ])('X3 a missing story is published once if same-story detection is on (%s)', async (sameStory, n) => {
    const subject = setup({ sameStory });
    const title = 'Parliament votes for the new railway across the northern mountains';
    const keys = [await accept(subject, 'a', title), await accept(subject, 'b', title)];
    await subject.outbox.enqueue([{ key: 'm', itemKeys: keys, destination: 'timeline', body: 'ab' }]);
    await nextRun(subject);
    expect(subject.published.discord?.join(' ').split(' ')).toHaveLength(n);
    for (const key of keys) expect(await subject.ledger.find(key)).toMatchObject({ state: 'published' });
  });
});
