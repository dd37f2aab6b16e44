import { beforeEach, describe, expect, it } from 'vitest';
import type { ItemKey } from '../item/item.ts';
import type { Publisher, SendOutcome } from '../publishers/publisher.ts';
import { openMemoryLedger } from '../storage/memory/ledger.ts';
import { DAY, HOUR } from '../time/duration.ts';
import { ManualClock } from '../time/manual-clock.ts';
import { dispatchAll, memoryDayCounter } from './contract/test-outbox.ts';
import { DailyCap } from './daily-cap.ts';
import type { Dispatched } from './dispatch.ts';
import type { Outbox } from './outbox.ts';
import type { DayCounter } from './publishing-stores.ts';

const OUTCOME: SendOutcome = { outcome: 'sent', remoteId: '1' };

describe('a daily cap', () => {
  let clock: ManualClock;
  let outbox: Outbox;
  let counter: DayCounter;
  let answer: SendOutcome;
  let sent: string[];
  const publisher: Publisher = {
    id: 'd',
    abilities: { nativeIdempotencyMs: HOUR, canReadBack: false, itemsPerMessage: 1 },
    render: () => ({ body: '', templateVersion: '1' }),
    async send({ key }) {
      if (answer.outcome === 'sent') sent.push(key);
      return answer;
    },
    readBack: async () => ({ outcome: 'cannot_tell', detail: '' }),
  };
  const open = (): Outbox => openMemoryLedger({ clock, policy: { retryLimit: 1, backoff: () => 1 } }).outbox;

  beforeEach(async () => {
    // Ten in the evening in Tokyo.
    clock = new ManualClock(Date.UTC(2026, 0, 1, 13));
    outbox = open();
    counter = memoryDayCounter();
    answer = OUTCOME;
    sent = [];
    await fill(outbox, 7, '');
  });

  async function fill(into: Outbox, count: number, prefix: string): Promise<void> {
    for (let n = 0; n < count; n++) {
      const key = `${prefix}${n}`;
      await into.enqueue([{ key, itemKeys: [key as ItemKey], destination: 'd', body: key }]);
    }
  }

  function capOf(max: number): ReadonlyMap<string, DailyCap> {
    return new Map([
      ['d', new DailyCap({ destination: 'd', max: max, timeZone: 'Asia/Tokyo', clock, counter })],
    ]);
  }

  /** The last dispatched message; `undefined` if nothing was due. */
  async function drain(caps: ReadonlyMap<string, DailyCap>, from = outbox): Promise<Dispatched | undefined> {
    const parts = { outbox: from, clock, owner: 'w', caps };
    return (await dispatchAll(publisher, parts)).at(-1);
  }

  it('X18 messages over the cap wait for the next day with due time and reason, in order, and none is lost', async () => {
    const caps = capOf(3);
    expect(await drain(caps)).toMatchObject({
      outcome: {
        state: 'intended',
        detail: 'today’s 3 messages are sent; the rest waits for the next day',
        dueAt: Date.UTC(2026, 0, 1, 15),
      },
    });
    expect(sent).toEqual(['0', '1', '2']);
    expect(await drain(caps)).toBeUndefined();
    await clock.advance(2 * HOUR);
    await drain(caps);
    expect(sent).toHaveLength(6);
    await clock.advance(DAY);
    await drain(caps);
    expect(sent).toEqual(['0', '1', '2', '3', '4', '5', '6']);
  });

  it('X18 a restart in the middle of the day keeps the count', async () => {
    await drain(capOf(3));
    await clock.advance(HOUR);
    await fill(outbox, 1, 'late-');
    await drain(capOf(4));
    // The head of the queue has its due time already; the day's last slot stays free until then.
    expect(sent).toEqual(['0', '1', '2']);
    const fresh = capOf(3).get('d');
    expect(await fresh?.reserve()).toEqual({ got: false, until: Date.UTC(2026, 0, 1, 15) });
  });

  it('X18 two pipelines, and two replicas, share the cap of a destination', async () => {
    const other = open();
    await fill(other, 4, 'other-');
    await Promise.all([drain(capOf(5)), drain(capOf(5), other)]);
    expect(sent).toHaveLength(5);
  });

  it('a refused or held message uses no slot', async () => {
    const caps = capOf(2);
    answer = { outcome: 'refused', detail: 'no' };
    await drain(caps);
    await fill(outbox, 3, 'more-');
    answer = { outcome: 'held', detail: 'later', until: clock.now() };
    await drain(caps);
    answer = OUTCOME;
    await drain(caps);
    expect(sent).toEqual(['more-0', 'more-1']);
  });
});
