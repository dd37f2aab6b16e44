import { MOST_CONFLICTS } from '../../firestore/connection.ts';
import { contention } from '../../firestore/errors.ts';
import type { Transition } from '../../item/lifecycle.ts';
import { type ItemRecord, recordStep } from '../item-record.ts';
import type { Claim, Step } from '../ledger.ts';
import { weigh } from './messages.ts';
import type { LedgerStore } from './store.ts';

/**
 * A step and its messages, all or nothing. Which of the messages may be written is looked up between reading the item and
 * writing it: another worker that writes a message of the item under a claim changes the item, and then nothing is written and
 * everything is read again. No lock is held, so workers on different items never wait for each other.
 */
export async function record(
  store: LedgerStore,
  held: Claim,
  transition: Transition,
  step: Step,
): Promise<'recorded' | 'lost'> {
  const { key } = held.item;
  const apply = (before: ItemRecord, now: number) => recordStep(before, held, transition, step, now);
  const { intents = [] } = step;
  if (intents.length === 0) return store.change(key, 'lost', apply);
  for (let tries = 0; tries < MOST_CONFLICTS; tries++) {
    const done = await store.connection.mutate(store.placeOf(key), async (snapshot) => {
      const before = store.storedOf(snapshot);
      const { value, next } = before === null ? { value: 'lost' as const } : apply(before, store.clock.now());
      if (next === undefined) return { value: { value, isLast: true }, writes: [] };
      const { writes, isLast } = await store.writesFor(snapshot, next);
      const messages = isLast ? (await weigh(store, intents)).writes : [];
      return { value: { value, isLast }, writes: [...writes, ...messages] };
    });
    if (done.isLast) return done.value;
  }
  throw contention(store.layout.items, MOST_CONFLICTS);
}
