import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Publisher, PublisherAbilities, SendOutcome } from '../publishers/publisher.ts';
import { openMemoryLedger } from '../storage/memory/ledger.ts';
import { openSqliteLedger } from '../storage/sqlite/ledger/ledger.ts';
import { DAY, HOUR, MINUTE } from '../time/duration.ts';
import { ManualClock } from '../time/manual-clock.ts';
import { dispatchAll } from './contract/test-outbox.ts';
import { afterReadBack, afterSending, dispatch, retryDelay } from './dispatch.ts';
import type { Delivery, Outbox } from './outbox.ts';

const delivery: Delivery = {
  key: 'k',
  itemKeys: [],
  destination: 'discord',
  body: '{}',
  state: 'sending',
  remoteId: null,
  remoteUrl: null,
  detail: null,
  attempts: 0,
  createdAt: 0,
  firstTriedAt: 0,
  updatedAt: 0,
  dueAt: null,
};
const webhook: PublisherAbilities = {
  nativeIdempotencyMs: 0,
  canReadBack: false,
  itemsPerMessage: 10,
};
const bot: PublisherAbilities = { ...webhook, canReadBack: true };

describe('outcomes of answers', () => {
  it('X2 a webhook whose answer was lost is parked for a person, not sent again', () => {
    expect(afterSending(delivery, webhook, { outcome: 'unknown', detail: 'reset' }, 0)).toMatchObject({
      state: 'parked',
    });
    expect(afterReadBack(delivery, webhook, { outcome: 'cannot_tell', detail: 'no' }, 0)).toMatchObject({
      state: 'parked',
    });
  });

  it('X2 an unknown outcome waits for the read-back where that is supported', () => {
    expect(afterSending(delivery, bot, { outcome: 'unknown', detail: 'reset' }, 1000)).toMatchObject({
      state: 'unknown',
      dueAt: 21_000,
    });
    expect(afterReadBack(delivery, bot, { outcome: 'found', remoteId: '1' }, 0)).toEqual({
      state: 'sent',
      remoteId: '1',
    });
    expect(afterReadBack(delivery, bot, { outcome: 'absent' }, 0)).toBeNull();
  });

  it('X2 after a sleep of days one failed read-back parks nothing', () => {
    const answer = { outcome: 'cannot_tell', detail: 'offline', passing: true } as const;
    const slept = { ...delivery, updatedAt: HOUR };
    expect(afterReadBack(slept, bot, answer, 3 * DAY)).toMatchObject({ state: 'unknown' });
  });

  it('X2 a read-back that fails temporarily is retried, but not for ever', () => {
    const answer = { outcome: 'cannot_tell', detail: '503', passing: true } as const;
    expect(afterReadBack(delivery, bot, answer, 0)).toMatchObject({ state: 'unknown', dueAt: 10_000 });
    expect(afterReadBack(delivery, bot, answer, HOUR)).toMatchObject({ dueAt: 1.5 * HOUR });
    expect(afterReadBack(delivery, bot, answer, 20 * HOUR)).toMatchObject({ dueAt: 21 * HOUR });
    const watched = { ...delivery, updatedAt: DAY - HOUR };
    expect(afterReadBack(watched, bot, answer, DAY)).toMatchObject({ state: 'parked' });
  });

  it('X2 without a read-back a message is retried only while the service knows its key', () => {
    const answer = { outcome: 'cannot_tell', detail: 'too many messages since' } as const;
    const keyed = { ...bot, nativeIdempotencyMs: HOUR };
    expect(afterReadBack(delivery, keyed, answer, 58 * MINUTE)).toBeNull();
    expect(afterReadBack(delivery, keyed, answer, 59 * MINUTE)).toMatchObject({ state: 'parked' });
    // The clock was set back since: the age of the attempt is unknown.
    expect(afterReadBack(delivery, keyed, answer, -MINUTE)).toMatchObject({ state: 'parked' });
    const forever = { ...bot, nativeIdempotencyMs: Number.POSITIVE_INFINITY };
    expect(afterReadBack(delivery, forever, answer, -MINUTE)).toBeNull();
  });

  it('X2 a retry that is held or refused stays unknown, since an earlier attempt may have arrived', () => {
    const held = { outcome: 'held', detail: '429', until: 77 } as const;
    expect(afterSending(delivery, bot, held, 0, true)).toEqual({
      state: 'unknown',
      detail: '429',
      dueAt: 77,
    });
    const refused = { outcome: 'refused', detail: '422' } as const;
    expect(afterSending(delivery, bot, refused, 0, true)).toMatchObject({ state: 'parked' });
    expect(afterSending(delivery, bot, refused, 0)).toEqual({ state: 'refused', detail: '422' });
  });

  it('X18 a rate-limited destination loses no message', () => {
    expect(afterSending(delivery, bot, { outcome: 'held', detail: '429', until: 77 }, 0)).toEqual({
      state: 'intended',
      detail: '429',
      dueAt: 77,
    });
  });

  it('backs off exponentially, at most an hour', () => {
    expect([0, 1, 2, 50].map(retryDelay)).toEqual([5000, 10_000, 20_000, 60 * MINUTE]);
  });
});

describe('dispatching to one destination', () => {
  const clock = new ManualClock();
  const sent: string[] = [];
  const readBacks: string[] = [];
  const publisher: Publisher = {
    id: 'd',
    abilities: { ...bot, nativeIdempotencyMs: HOUR },
    render: () => ({ body: '', templateVersion: '1' }),
    async send({ key }) {
      sent.push(key);
      return { outcome: 'sent', remoteId: key };
    },
    async readBack({ key }) {
      readBacks.push(key);
      return { outcome: 'found', remoteId: key };
    },
  };
  const { outbox } = openMemoryLedger({ clock, policy: { retryLimit: 3, backoff: () => MINUTE } });
  const enqueue = (key: string) => outbox.enqueue([{ key, itemKeys: [], destination: 'd', body: '' }]);

  it('X21 a machine that slept between marking and sending does not send: its lease expired', async () => {
    await enqueue('slept');
    const sleepy: Outbox = {
      ...bound(outbox),
      async markSending(held) {
        const marked = await outbox.markSending(held);
        clock.jump(HOUR);
        return marked;
      },
    };
    expect(await dispatchAll(publisher, { outbox: sleepy, clock, owner: 'a' })).toEqual([]);
    expect(sent).toEqual([]);
  });

  it('X2 stopping the program does not cut off a message that is being sent', async () => {
    const stop = new AbortController();
    const memory = openMemoryLedger({ clock, policy: { retryLimit: 3, backoff: () => MINUTE } });
    await memory.outbox.enqueue([{ key: 'under way', itemKeys: [], destination: 'd', body: '' }]);
    const slow: Publisher = {
      ...publisher,
      abilities: webhook,
      async send({ key }, signal) {
        stop.abort();
        return signal?.aborted
          ? { outcome: 'unknown', detail: 'aborted by the caller' }
          : { outcome: 'sent', remoteId: key };
      },
    };
    const parts = { outbox: memory.outbox, clock, owner: 'a' };
    expect(await dispatchAll(slow, parts, stop.signal)).toMatchObject([{ outcome: { state: 'sent' } }]);
  });

  it('X2 a consumer that stops leaves no message marked that was not sent', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'kawaraban-dispatch-'));
    const policy = { retryLimit: 3, backoff: () => MINUTE };
    const memory = openSqliteLedger(join(folder, 'ledger.db'), { clock, policy });
    try {
      const messages = ['1', '2', '3'].map((key) => ({ key, itemKeys: [], destination: 'd', body: '' }));
      await memory.outbox.enqueue(messages);
      for await (const { delivery } of dispatch(publisher, { outbox: memory.outbox, clock, owner: 'a' }))
        if (delivery.key === '2') break;
      expect((await memory.outbox.list({ limit: 9 })).deliveries).toMatchObject([
        { key: '3', state: 'intended' },
        { key: '2', state: 'sent', attempts: 1 },
        { key: '1', state: 'sent', attempts: 1 },
      ]);
      const rest = await dispatchAll(publisher, { outbox: memory.outbox, clock, owner: 'b' });
      expect(rest).toMatchObject([{ delivery: { key: '3' }, outcome: { state: 'sent' } }]);
    } finally {
      await memory[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
      sent.length = 0;
    }
  });

  it('X2 a message in state sending after a crash is read back first, even while its key is valid', async () => {
    clock.jump(-58 * MINUTE);
    const done = await dispatchAll(publisher, { outbox, clock, owner: 'b' });
    expect(done).toMatchObject([{ outcome: { state: 'sent', remoteId: 'slept' } }]);
    expect(readBacks).toEqual(['slept']);
    expect(sent).toEqual([]);
  });

  const stores = {
    memory: () => openMemoryLedger({ clock, policy: { retryLimit: 3, backoff: () => MINUTE } }),
    sqlite: () => {
      const folder = mkdtempSync(join(tmpdir(), 'kawaraban-dispatch-'));
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
      return openSqliteLedger(join(folder, 'ledger.db'), {
        clock,
        policy: { retryLimit: 3, backoff: () => MINUTE },
      });
    },
  };

  it.each(['memory', 'sqlite'] as const)(
    'X2 a consumer that fails leaves the next message unknown, and it is not sent again (%s)',
    async (store) => {
      const { outbox, ledger } = stores[store]();
      onTestFinished(() => ledger[Symbol.asyncDispose]());
      const parts = { outbox, clock, owner: 'a' };
      await outbox.enqueue(['1', '2'].map((key) => ({ key, itemKeys: [], destination: 'd', body: '' })));
      const lost: Publisher = { ...publisher, send: async () => ({ outcome: 'unknown', detail: 'reset' }) };
      for await (const { delivery } of dispatch({ ...lost, abilities: webhook }, parts))
        if (delivery.key === '1') break;
      await dispatchAll(lost, parts);
      expect(await outbox.decide('1', 'again', 'a person')).toBe(true);
      clock.jump(MINUTE);
      const listen = async (): Promise<void> => {
        for await (const _ of dispatch(publisher, parts)) throw new Error('a listener failed');
      };
      await expect(listen()).rejects.toThrow('a listener failed');
      expect((await outbox.list({ limit: 1 })).deliveries).toMatchObject([
        { key: '2', state: 'unknown', detail: 'reset' },
      ]);
      sent.length = 0;
      expect(await dispatchAll(publisher, parts)).toMatchObject([{ outcome: { state: 'sent' } }]);
      expect(sent).toEqual([]);
      readBacks.length = 0;
    },
  );

  it.each(['memory', 'sqlite'] as const)(
    'X2 a rate-limited retry is read back before it is sent again (%s)',
    async (store) => {
      const { outbox, ledger } = stores[store]();
      onTestFinished(() => ledger[Symbol.asyncDispose]());
      const parts = { outbox, clock, owner: 'a' };
      await outbox.enqueue([{ key: 'r', itemKeys: [], destination: 'd', body: '' }]);
      const answers: SendOutcome[] = [
        { outcome: 'unknown', detail: 'reset' },
        { outcome: 'held', detail: '429', until: clock.now() + 2 * HOUR },
      ];
      const limited: Publisher = {
        ...publisher,
        send: async () => answers.shift() ?? expect.unreachable(),
        readBack: async () => ({ outcome: 'cannot_tell', detail: 'too much was posted since' }),
      };
      await dispatchAll(limited, parts);
      clock.jump(MINUTE);
      expect(await dispatchAll(limited, parts)).toMatchObject([{ outcome: { state: 'unknown' } }]);
      // By now the key has expired, and it was the first attempt that arrived.
      clock.jump(3 * HOUR);
      sent.length = 0;
      expect(await dispatchAll(publisher, parts)).toMatchObject([{ outcome: { state: 'sent' } }]);
      expect(sent).toEqual([]);
      readBacks.length = 0;
    },
  );
});

/** The outbox as a plain object, so that a test can override a method. */
function bound(outbox: Outbox): Outbox {
  return {
    abilities: outbox.abilities,
    nextDue: (destinations) => outbox.nextDue(destinations),
    enqueue: (messages) => outbox.enqueue(messages),
    claimNext: (...ask) => outbox.claimNext(...ask),
    markSending: (held) => outbox.markSending(held),
    finish: (...outcome) => outbox.finish(...outcome),
    finishAndClaimNext: (...outcome) => outbox.finishAndClaimNext(...outcome),
    decide: (...decision) => outbox.decide(...decision),
    correctFutureTimes: (...ask) => outbox.correctFutureTimes(...ask),
    list: (filter) => outbox.list(filter),
    ofItem: (key) => outbox.ofItem(key),
    counts: () => outbox.counts(),
  };
}
