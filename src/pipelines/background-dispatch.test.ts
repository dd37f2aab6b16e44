import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { MessageStore, Outbox } from '../outbox/outbox.ts';
import { WakeUpSignal } from '../outbox/wake-up.ts';
import type { Publisher, SendOutcome } from '../publishers/publisher.ts';
import { openMemoryLedger } from '../storage/memory/ledger.ts';
import { silentEvents } from '../telemetry/events.ts';
import { HOUR, MINUTE, SECOND } from '../time/duration.ts';
import { ManualClock } from '../time/manual-clock.ts';
import { runDispatchLoop } from './background-dispatch.ts';
import { decideMessage } from './decide-message.ts';
import { noEntries } from './no-entries.fixture.ts';
import type { PublishDependencies } from './publish.ts';

const policy = { retryLimit: 3, backoff: () => MINUTE };

describe('dispatching between two runs', () => {
  let clock: ManualClock;
  let wakeUp: WakeUpSignal;
  let outbox: Outbox;
  let publishing: PublishDependencies;
  let answers: SendOutcome[];
  let sentAt: number[];
  let polls: number;
  let stop: AbortController;
  let loop: Promise<void>;
  beforeEach(() => {
    clock = new ManualClock(0);
    wakeUp = new WakeUpSignal(clock);
    const memory = openMemoryLedger({ clock, policy });
    outbox = memory.outbox;
    polls = 0;
    // A store where polling costs money.
    const metered: MessageStore = {
      abilities: { pollIntervalMs: 45 * SECOND },
      claimNext: (...ask) => outbox.claimNext(...ask),
      nextDue: (destinations) => {
        polls++;
        return outbox.nextDue(destinations);
      },
      markSending: (claimed) => outbox.markSending(claimed),
      finish: (...ask) => outbox.finish(...ask),
      finishAndClaimNext: (...ask) => outbox.finishAndClaimNext(...ask),
      decide: (...ask) => outbox.decide(...ask),
      correctFutureTimes: (...ask) => outbox.correctFutureTimes(...ask),
      list: (filter) => outbox.list(filter),
      ofItem: (key) => outbox.ofItem(key),
      counts: () => outbox.counts(),
    };
    answers = [];
    sentAt = [];
    const publisher: Publisher = {
      id: 'chat',
      abilities: { nativeIdempotencyMs: 0, canReadBack: false, itemsPerMessage: 1 },
      render: () => ({ body: '', templateVersion: '1' }),
      async send() {
        sentAt.push(clock.now() / SECOND);
        return answers.shift() ?? { outcome: 'sent', remoteId: '1' };
      },
      readBack: async () => ({ outcome: 'cannot_tell', detail: '' }),
    };
    stop = new AbortController();
    const collaborators = {
      ...memory,
      claims: memory.ledger,
      policy,
      outbox: metered,
      clock,
      owner: 'w',
      wakeUp,
      events: silentEvents,
    };
    publishing = { ...collaborators, pipeline: 'p', publishers: [publisher], entries: noEntries };
    loop = runDispatchLoop(publishing, wakeUp, () => {}, stop.signal);
  });
  afterEach(async () => {
    stop.abort();
    await loop;
  });

  const enqueue = (to: Outbox) =>
    to.enqueue([{ key: `k${sentAt.length}`, itemKeys: [], destination: 'chat', body: '' }]);
  /** Advances the clock; finishing items beside the sending takes a few real milliseconds. */
  const pass = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += SECOND) {
      await clock.advance(Math.min(SECOND, ms - passed));
      if (sentAt.length > 0) await new Promise((resolve) => setTimeout(resolve, 1));
    }
  };

  it('A19 an idle outbox is polled at the interval of the store', async () => {
    await clock.advance(HOUR);
    expect(polls).toBeLessThanOrEqual(81);
    expect(sentAt).toEqual([]);
  });

  it('X18 a retry is sent at its due time, without extra polls', async () => {
    answers = [{ outcome: 'held', detail: 'full', until: 100 * SECOND }];
    await enqueue(outbox);
    wakeUp.wake();
    await pass(110 * SECOND);
    expect(sentAt).toEqual([0, 100]);
    expect(polls).toBeLessThan(8);
  });

  it('X21 a message enqueued by another process is found within a minute', async () => {
    await clock.advance(HOUR);
    await enqueue(outbox);
    await pass(MINUTE);
    expect(sentAt).toHaveLength(1);
    expect((sentAt[0] ?? 0) - HOUR / SECOND).toBeLessThanOrEqual(45);
  });

  it('X21 a message claimed by a dead process is sent when its lease expires', async () => {
    await clock.advance(HOUR);
    await enqueue(outbox);
    const claimed = await outbox.claimNext('chat', 'dead', 50 * SECOND);
    expect(claimed).not.toBeNull();
    await pass(MINUTE);
    expect(sentAt).toEqual([(HOUR + 50 * SECOND) / SECOND]);
  });

  it('a message that a person retries is sent at once', async () => {
    answers = [{ outcome: 'refused', detail: 'no' }];
    await enqueue(outbox);
    wakeUp.wake();
    await pass(5 * SECOND);
    expect(sentAt).toEqual([0]);
    await decideMessage('k0', 'again', 'me', publishing);
    await pass(SECOND);
    expect(sentAt).toEqual([0, 5]);
  });
});
