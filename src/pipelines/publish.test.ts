import { describe, expect, it } from 'vitest';
import type { ItemKey } from '../item/item.ts';
import type { Publisher } from '../publishers/publisher.ts';
import { openMemoryLedger } from '../storage/memory/ledger.ts';
import { silentEvents } from '../telemetry/events.ts';
import { HOUR } from '../time/duration.ts';
import { ManualClock } from '../time/manual-clock.ts';
import { recordStep } from './item-step.ts';
import { LedgerCuratorStore } from './ledger-curator-store.ts';
import { addMissing, dispatchDue } from './publish.ts';

const policy = { retryLimit: 5, backoff: () => HOUR };
const never = new AbortController().signal;

/** A curator's press with two destinations, and what was said at each. */
function press({ sameStory = true } = {}) {
  const clock = new ManualClock(Date.UTC(2026, 10, 16));
  const memory = openMemoryLedger({ clock, policy });
  const said: Record<string, string[]> = { discord: [], timeline: [] };
  const publishers = Object.keys(said).map(
    (id): Publisher => ({
      id,
      abilities: { nativeIdempotencyMs: 0, canReadBack: false, itemsPerMessage: 10 },
      render: ({ items }) => ({
        body: items.map(({ item, others = [] }) => [item.key, ...others].join('+')).join(' '),
        templateVersion: '1',
      }),
      send: async ({ body }) => {
        said[id]?.push(body);
        return { outcome: 'sent', remoteId: body };
      },
      readBack: async () => ({ outcome: 'absent' }),
    }),
  );
  const parts = {
    ...memory,
    claims: memory.ledger,
    store: new LedgerCuratorStore({ ...memory, owner: 'test' }),
    pipeline: 'morning',
    policy,
    clock,
    owner: 'test',
    events: silentEvents,
    publishers,
    requiredDestinations: ['discord', 'timeline'],
    settings: { sameStory },
  };
  return { parts, said, ...memory };
}

async function accept(
  { parts, ledger }: ReturnType<typeof press>,
  name: string,
  title: string,
): Promise<ItemKey> {
  const key = `https://${name}.example/` as ItemKey;
  const [sourceId, publishedAt] = [name, parts.clock.now()];
  await ledger.admit([{ key, url: key, title, publishedAt, sourceId, sourceName: name }], {});
  const claim = await ledger.claim(key, { owner: 'test', leaseMs: HOUR });
  if (claim === null) throw new Error(`${name} cannot be claimed`);
  await recordStep(claim, { type: 'accept' }, parts);
  return key;
}

async function nextRun({ parts }: ReturnType<typeof press>): Promise<void> {
  expect(await parts.store.candidates()).toEqual([]);
  await addMissing(await parts.store.openDigests(), parts, never);
  await dispatchDue(parts, never);
}

describe('articles on their way', () => {
  it('X2 an article that has no message for a destination is not said yet; the next run says it there', async () => {
    const desk = press();
    const key = await accept(desk, 'a', 'The bridge was opened');
    await desk.outbox.enqueue([{ key: 'm', itemKeys: [key], destination: 'timeline', body: 'a' }]);
    await dispatchDue(desk.parts, never);
    expect(desk.said).toEqual({ discord: [], timeline: ['a'] });
    expect(await desk.ledger.find(key)).toMatchObject({ state: 'accepted' });
    await nextRun(desk);
    expect(desk.said).toEqual({ discord: [key], timeline: ['a'] });
    expect(await desk.ledger.find(key)).toMatchObject({ state: 'published', detail: 'timeline, discord' });
    await nextRun(desk);
    expect(desk.said).toEqual({ discord: [key], timeline: ['a'] });
  });

  it('X2 where a person dropped its message it is not said again', async () => {
    const desk = press();
    const key = await accept(desk, 'a', 'The bridge was opened');
    for (const destination of ['discord', 'timeline'])
      await desk.outbox.enqueue([{ key: destination, itemKeys: [key], destination, body: 'a' }]);
    const held = await desk.outbox.claimNext('discord', 'test', HOUR);
    if (held === null) throw new Error('nothing to send');
    await desk.outbox.markSending(held);
    await desk.outbox.finish(held, { state: 'refused', detail: 'too rude' });
    expect(await desk.outbox.decide('discord', 'drop', 'someone')).toBe(true);
    await nextRun(desk);
    expect(desk.said).toEqual({ discord: [], timeline: ['a'] });
    expect(await desk.ledger.find(key)).toMatchObject({ state: 'published', detail: 'timeline' });
  });

  it.each([
    [true, 1],
    [false, 2],
  ])('X3 one story is told once where it is missing, if stories are gathered (%s)', async (sameStory, n) => {
    const desk = press({ sameStory });
    const title = 'Parliament votes for the new railway across the northern mountains';
    const keys = [await accept(desk, 'a', title), await accept(desk, 'b', title)];
    await desk.outbox.enqueue([{ key: 'm', itemKeys: keys, destination: 'timeline', body: 'ab' }]);
    await nextRun(desk);
    expect(desk.said.discord?.join(' ').split(' ')).toHaveLength(n);
    for (const key of keys) expect(await desk.ledger.find(key)).toMatchObject({ state: 'published' });
  });
});
