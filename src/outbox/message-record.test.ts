import { describe, expect, it } from 'vitest';
import { keyOf, LEASE_MS, present } from '../ledger/contract/subject.ts';
import type { NewMessage } from '../ledger/ledger.ts';
import type { LeaseWatch } from '../time/clock.ts';
import { HOUR } from '../time/duration.ts';
import {
  claimMessage,
  correctMessage,
  decideMessage,
  finishMessage,
  lineHead,
  loadMessage,
  type MessageRecord,
  markSending,
  newMessage,
  repeatItem,
  standingOf,
  withoutItems,
} from './message-record.ts';
import type { ClaimedMessage, DeliveryOutcome, DeliveryState } from './outbox.ts';

const NOW = Date.UTC(2026, 0, 1);
const ALIVE: LeaseWatch = { isOver: () => false };
const DEAD: LeaseWatch = { isOver: () => true };
const MESSAGE: NewMessage = {
  key: 'k',
  itemKeys: [keyOf('a'), keyOf('b')],
  destination: 'discord',
  body: '{}',
};
const REQUEST = { owner: 'w', leaseMs: LEASE_MS, attempt: 'try' };

const fresh = newMessage(MESSAGE, 1, NOW);

function claimed(message: MessageRecord, now = NOW): { message: MessageRecord; held: ClaimedMessage } {
  const { value, next } = claimMessage(message, REQUEST, now);
  return { message: present(next), held: present(value) };
}

function inState(state: DeliveryState): MessageRecord {
  return { ...fresh, delivery: { ...fresh.delivery, state } };
}

describe('the record of a message', () => {
  const other = (more: Partial<NewMessage>): NewMessage => ({ ...MESSAGE, key: 'other', ...more });

  it.each<[string, NewMessage, DeliveryState, 'free' | 'there' | 'taken']>([
    ['its own message', MESSAGE, 'sent', 'there'],
    ['its own message, dropped', MESSAGE, 'dropped', 'free'],
    ['another with one of its items', other({ itemKeys: [keyOf('b')] }), 'refused', 'taken'],
    ['a dropped one with one of its items', other({ itemKeys: [keyOf('b')] }), 'dropped', 'free'],
    ['one for another destination', other({ destination: 'mastodon' }), 'sent', 'free'],
    ['one with other items', other({ itemKeys: [keyOf('c')] }), 'sent', 'free'],
  ])('X2 a message beside %s', (_, intent, state, expected) => {
    const { delivery } = inState(state);
    expect(standingOf(intent, intent.key === delivery.key ? delivery : null, [delivery])).toBe(expected);
  });

  it('X2 two messages of one call may not carry the same item to the same destination', () => {
    expect(repeatItem([MESSAGE, other({ itemKeys: [keyOf('b')] })])).toBe(true);
    expect(repeatItem([MESSAGE, other({ itemKeys: [keyOf('b')], destination: 'mastodon' })])).toBe(false);
    expect(repeatItem([MESSAGE, MESSAGE])).toBe(false);
  });

  it('is claimed when it is due and free, and the fencing token grows', () => {
    const { message, held } = claimed(fresh);
    expect(held).toMatchObject({ owner: 'w', token: 1, until: NOW + LEASE_MS });
    expect(claimMessage(message, REQUEST, NOW)).toEqual({ value: held });
    expect(claimMessage(message, { ...REQUEST, attempt: 'other' }, NOW + LEASE_MS - 1)).toEqual({
      value: null,
    });
    expect(claimMessage(message, { ...REQUEST, attempt: 'other' }, NOW + LEASE_MS).value?.token).toBe(2);
    const later = { ...fresh, delivery: { ...fresh.delivery, dueAt: NOW + 1 } };
    expect(claimMessage(later, REQUEST, NOW)).toEqual({ value: null });
    expect(lineHead(later)).toEqual({ heldUntil: 0, dueAt: NOW + 1 });
    expect(lineHead(message)).toEqual({ heldUntil: NOW + LEASE_MS, dueAt: 0 });
  });

  it('X2 is marked as being sent once for each lease', () => {
    const { message, held } = claimed(fresh);
    const { value, next } = markSending(message, held, NOW);
    expect(value).toBe('marked');
    expect(next?.delivery).toMatchObject({ state: 'sending', attempts: 1, firstTriedAt: NOW });
    expect(markSending(present(next), held, NOW)).toEqual({ value: 'marked' });
    expect(markSending(message, held, NOW + LEASE_MS)).toEqual({ value: 'lost' });
    expect(markSending(message, { ...held, token: 0 }, NOW)).toEqual({ value: 'lost' });
  });

  it.each<[DeliveryOutcome, object]>([
    [
      { state: 'sent', remoteId: '7', url: 'u' },
      { remoteId: '7', remoteUrl: 'u', detail: null, dueAt: null },
    ],
    [
      { state: 'refused', detail: 'no' },
      { remoteId: null, detail: 'no', dueAt: null },
    ],
    [
      { state: 'intended', detail: 'rate limit', dueAt: 5 },
      { detail: 'rate limit', dueAt: 5 },
    ],
    [
      { state: 'unknown', detail: 'timeout', dueAt: 6 },
      { detail: 'timeout', dueAt: 6 },
    ],
    [
      { state: 'parked', detail: 'ask' },
      { detail: 'ask', dueAt: null },
    ],
  ])('X4 the outcome %j is stored, with a line for its items', (outcome, expected) => {
    const { message, held } = claimed(fresh);
    const { value, next, line } = finishMessage(message, held, outcome, NOW + 2 * LEASE_MS);
    expect(value).toBe('finished');
    expect(next).toMatchObject({ held: null, delivery: { state: outcome.state, ...expected } });
    expect(line).toMatchObject({ event: 'deliver', who: 'w', notes: { outcome: outcome.state } });
    expect(finishMessage(present(next), held, outcome, NOW)).toEqual({ value: 'finished' });
  });

  it('X21 an outcome is lost once another worker has claimed the message', () => {
    const { message, held } = claimed(fresh);
    const next = present(claimMessage(message, { ...REQUEST, attempt: 'next' }, NOW + LEASE_MS).next);
    expect(finishMessage(next, held, { state: 'refused', detail: 'late' }, NOW)).toEqual({ value: 'lost' });
  });

  it.each<[DeliveryState, boolean]>([
    ['intended', false],
    ['sending', false],
    ['unknown', false],
    ['sent', false],
    ['refused', true],
    ['parked', true],
    ['dropped', false],
  ])('D9 a person decides on one that is %s: %s', (state, allowed) => {
    for (const [decision, after] of [
      ['sent', 'sent'],
      ['again', 'intended'],
      ['drop', 'dropped'],
    ] as const) {
      const { value, next, line } = decideMessage(inState(state), decision, 'maria', NOW);
      expect(value).toBe(allowed);
      expect(next?.delivery.state).toBe(allowed ? after : undefined);
      expect(line?.who).toBe(allowed ? 'maria' : undefined);
    }
  });

  it('X21 times of a clock that was ahead are corrected', () => {
    const ahead = { ...fresh.delivery, updatedAt: NOW + HOUR, dueAt: NOW + HOUR + 5 };
    const waiting = { ...fresh, delivery: ahead };
    expect(correctMessage(waiting, LEASE_MS, DEAD, NOW).next?.delivery.dueAt).toBe(NOW + 5);
    const { message } = claimed(fresh, NOW + HOUR);
    expect(correctMessage(message, LEASE_MS, ALIVE, NOW)).toEqual({ value: 'watched' });
    expect(correctMessage(message, LEASE_MS, DEAD, NOW).next?.held?.until).toBe(NOW);
    expect(correctMessage(fresh, LEASE_MS, DEAD, NOW)).toEqual({ value: null });
  });

  it('X20 loses its swept items, and is removed with the last of them', () => {
    expect(withoutItems(fresh, new Set([keyOf('c')]))).toBe(fresh);
    expect(withoutItems(fresh, new Set([keyOf('a')]))?.delivery.itemKeys).toEqual([keyOf('b')]);
    expect(withoutItems(fresh, new Set([keyOf('a'), keyOf('b')]))).toBeNull();
  });

  it('is imported without its lease', () => {
    const { message } = claimed(fresh);
    expect(loadMessage(message.delivery, 9)).toEqual({
      delivery: message.delivery,
      nth: 9,
      token: 0,
      marked: null,
      held: null,
    });
  });
});
