import { MOST_CONFLICTS } from '../../firestore/connection.ts';
import { contention } from '../../firestore/errors.ts';
import type { Transition } from '../../item/lifecycle.ts';
import type { Claim, NewIntent, Step } from '../ledger.ts';
import { weigh } from './messages.ts';
import type { Decision, LedgerStore } from './store.ts';
import { holds, isRecorded, type StoredItem, stepped } from './stored-item.ts';

type Recorded = 'recorded' | 'lost';

export function record(
  store: LedgerStore,
  held: Claim,
  transition: Transition,
  step: Step,
): Promise<Recorded> {
  const intents = step.intents ?? [];
  const decide = (stored: StoredItem | null): Decision<Recorded> => {
    if (stored === null) return { value: 'lost' };
    if (isRecorded(stored, held, transition)) return { value: 'recorded' };
    if (!holds(stored, held, store.clock.now()) || stored.item.state !== transition.from)
      return { value: 'lost' };
    return { value: 'recorded', next: stepped(stored, held, transition, step) };
  };
  if (intents.length === 0) return store.change(held.item.key, decide);
  return recordWithIntents(store, held, decide, intents);
}

/**
 * The step and its messages, all or nothing. What may not be said twice is looked up between reading the item and writing it:
 * whoever else says something of the item under a claim changes the item, and then nothing is written and all is read again.
 * No lock is held meanwhile, so that workers on different items never wait for each other.
 */
async function recordWithIntents(
  store: LedgerStore,
  held: Claim,
  decide: (stored: StoredItem | null) => Decision<Recorded>,
  intents: readonly NewIntent[],
): Promise<Recorded> {
  for (let tries = 0; tries < MOST_CONFLICTS; tries++) {
    const done = await store.connection.mutate(store.placeOf(held.item.key), async (snapshot) => {
      const { value, next } = decide(store.storedOf(snapshot));
      if (next === undefined) return { value: { value, isLast: true }, writes: [] };
      const step = await store.writesFor(snapshot, next);
      const messages = step.isLast ? (await weigh(store, intents)).writes : [];
      return { value: { value, isLast: step.isLast }, writes: [...step.writes, ...messages] };
    });
    if (done.isLast) return done.value;
  }
  throw contention(store.layout.items, MOST_CONFLICTS);
}
