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
import type { PublishDependencies } from './publish.ts';

const policy = { retryLimit: 3, backoff: () => MINUTE };

describe('seeing messages through between two runs', () => {
  let clock: ManualClock;
  let wakeUp: WakeUpSignal;
  let outbox: Outbox;
  let publishing: PublishDependencies;
  let answers: SendOutcome[];
  let sentAt: number[];
  let looks: number;
  let stop: AbortController;
  let loop: Promise<void>;
  beforeEach(() => {
    clock = new ManualClock(0);
    wakeUp = new WakeUpSignal(clock);
    const memory = openMemoryLedger({ clock, policy });
    outbox = memory.outbox;
    looks = 0;
    // A store where looking is not free.
    const dear: MessageStore = {
      abilities: { pollIntervalMs: 45 * SECOND },
      claimNext: (...ask) => outbox.claimNext(...ask),
      nextDue: (destinations) => {
        looks++;
        return outbox.nextDue(destinations);
      },
      markSending: (held) => outbox.markSending(held),
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
    const parts = {
      ...memory,
      claims: memory.ledger,
      policy,
      outbox: dear,
      clock,
      owner: 'w',
      wakeUp,
      events: silentEvents,
    };
    publishing = { ...parts, pipeline: 'p', publishers: [publisher] };
    loop = runDispatchLoop(publishing, wakeUp, () => {}, stop.signal);
  });
  afterEach(async () => {
    stop.abort();
    await loop;
  });

  const enqueue = (to: Outbox) =>
    to.enqueue([{ key: `k${sentAt.length}`, itemKeys: [], destination: 'chat', body: '' }]);
  /** Time passes; what is settled beside the sending takes a few real milliseconds. */
  const pass = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += SECOND) {
      await clock.advance(Math.min(SECOND, ms - passed));
      if (sentAt.length > 0) await new Promise((resolve) => setTimeout(resolve, 1));
    }
  };

  it('A19 where nothing is to be said it looks as seldom as the store wants', async () => {
    await clock.advance(HOUR);
    expect(looks).toBeLessThanOrEqual(81);
    expect(sentAt).toEqual([]);
  });

  it('X18 what is to be tried again is tried at its time, without looking for it', async () => {
    answers = [{ outcome: 'held', detail: 'full', until: 100 * SECOND }];
    await enqueue(outbox);
    wakeUp.wake();
    await pass(110 * SECOND);
    expect(sentAt).toEqual([0, 100]);
    expect(looks).toBeLessThan(8);
  });

  it('X21 what another process left is found within a minute', async () => {
    await clock.advance(HOUR);
    await enqueue(outbox);
    await pass(MINUTE);
    expect(sentAt).toHaveLength(1);
    expect((sentAt[0] ?? 0) - HOUR / SECOND).toBeLessThanOrEqual(45);
  });

  it('X21 what a dead process held is taken when its hold ends', async () => {
    await clock.advance(HOUR);
    await enqueue(outbox);
    const held = await outbox.claimNext('chat', 'dead', 50 * SECOND);
    expect(held).not.toBeNull();
    await pass(MINUTE);
    expect(sentAt).toEqual([(HOUR + 50 * SECOND) / SECOND]);
  });

  it('what a person wants again is sent at once', async () => {
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
