import { describe, expect, it } from 'vitest';
import { MINUTE } from '../time/duration.ts';
import { afterReadBack, afterSending, retryDelay } from './dispatch.ts';
import type { Delivery } from './outbox.ts';
import type { PublisherAbilities } from './publisher.ts';

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

describe('what an answer means', () => {
  it('X2 a webhook whose answer was lost is parked for a person, not sent again', () => {
    expect(afterSending(delivery, webhook, { outcome: 'unknown', detail: 'reset' }, 0)).toMatchObject({
      state: 'parked',
    });
    expect(afterReadBack(delivery, { outcome: 'cannot_tell', detail: 'no' }, 0)).toMatchObject({
      state: 'parked',
    });
  });

  it('X2 where reading back is possible an unknown outcome waits to be found out', () => {
    expect(afterSending(delivery, bot, { outcome: 'unknown', detail: 'reset' }, 1000)).toMatchObject({
      state: 'unknown',
      dueAt: 21_000,
    });
    expect(afterReadBack(delivery, { outcome: 'found', remoteId: '1' }, 0)).toEqual({
      state: 'sent',
      remoteId: '1',
    });
    expect(afterReadBack(delivery, { outcome: 'absent' }, 0)).toBeNull();
  });

  it('X2 a read-back that fails for now is tried again, but not for ever', () => {
    const answer = { outcome: 'cannot_tell', detail: '503', passing: true } as const;
    expect(afterReadBack(delivery, answer, 0)).toMatchObject({ state: 'unknown' });
    expect(afterReadBack({ ...delivery, attempts: 8 }, answer, 0)).toMatchObject({ state: 'parked' });
  });

  it('X18 a destination that asks for rest loses nothing', () => {
    expect(afterSending(delivery, bot, { outcome: 'held', detail: '429', until: 77 }, 0)).toEqual({
      state: 'intended',
      detail: '429',
      dueAt: 77,
    });
  });

  it('waits longer each time, and never longer than an hour', () => {
    expect([0, 1, 2, 50].map(retryDelay)).toEqual([5000, 10_000, 20_000, 60 * MINUTE]);
  });
});
