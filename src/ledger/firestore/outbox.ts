import { isDeepStrictEqual } from 'node:util';
import type { DocumentSnapshot } from '@google-cloud/firestore';
import { MOST_CONFLICTS, type Mutation, type Write } from '../../firestore/connection.ts';
import { contention } from '../../firestore/errors.ts';
import { put } from '../../firestore/put.ts';
import type { ItemKey } from '../../item/item.ts';
import {
  type Delivery,
  type DeliveryFilter,
  type DeliveryOutcome,
  type DeliveryPage,
  type DeliveryState,
  earliest,
  type HeldIntent,
  type OutboxStore,
  type SettledAndTaken,
  settleThenTake,
} from '../../press/outbox.ts';
import type { CorrectedTimes, LeaseWatch } from '../../time/future.ts';
import { checkLease, checkLimit } from '../bad-input.ts';
import { beingSent, decided, deliveryLine, sayTwice, settled, withoutFuture } from '../delivery-steps.ts';
import type { NewIntent } from '../ledger.ts';
import {
  corrected,
  isHeld,
  isOurs,
  LOOK_EVERY,
  lineHead,
  messageCursor,
  messageDocument,
  messageOf,
  messagesOf,
  pageQuery,
  placeOfMessage,
  type StoredMessage,
  weigh,
} from './messages.ts';
import type { LedgerStore } from './store.ts';
import { withLine } from './stored-item.ts';

/** The outbox beside a Firestore ledger. */
export class FirestoreOutbox implements OutboxStore {
  readonly abilities = { looksEveryMs: LOOK_EVERY };
  readonly #store: LedgerStore;

  constructor(store: LedgerStore) {
    this.#store = store;
  }

  async intend(intents: readonly NewIntent[]): Promise<'written' | 'there' | 'taken'> {
    if (sayTwice(intents)) return 'taken';
    return this.#store.connection.transact(this.#store.layout.outbox, async (reads) => {
      const { standings, writes } = await weigh(this.#store, intents, reads);
      if (standings.includes('taken')) return { value: 'taken', writes: [] };
      return { value: writes.length > 0 ? 'written' : 'there', writes };
    });
  }

  async take(destination: string, owner: string, leaseMs: number): Promise<HeldIntent | null> {
    checkLease(leaseMs);
    const attempt = this.#store.newName();
    for (let tries = 0; tries < MOST_CONFLICTS; tries++) {
      const [head] = await this.#store.connection.query(this.#store.queries.head, {
        where: [destination, true],
        limit: 1,
      });
      const message = head === undefined ? null : messageOf(head);
      if (head === undefined || message === null) return null;
      const now = this.#store.clock.now();
      if (message.held?.attempt === attempt) return heldOf(message);
      if (isHeld(message, now) || (message.delivery.dueAt ?? 0) > now) return null;
      const next = {
        ...message,
        token: message.token + 1,
        held: { owner, until: now + leaseMs, attempt },
      };
      if ((await this.#store.connection.commit([this.#write(head, next)])) === 'committed')
        return heldOf(next);
    }
    throw contention(this.#store.layout.outbox, MOST_CONFLICTS);
  }

  async nextDue(destinations: readonly string[]): Promise<number | null> {
    const { connection, queries } = this.#store;
    const any = await connection.query(queries.anyOpen, { where: [true], limit: 1 });
    if (any.length === 0) return null;
    const heads = await Promise.all(
      destinations.map((destination) =>
        connection.query(queries.head, { where: [destination, true], limit: 1 }),
      ),
    );
    return earliest(heads.map(([head]) => (head === undefined ? null : lineHead(messageOf(head)))));
  }

  markSending(held: HeldIntent): Promise<'marked' | 'lost'> {
    return this.#change(held.delivery.key, (message) => {
      const now = this.#store.clock.now();
      if (!isOurs(message, held) || !isHeld(message, now)) return { value: 'lost' };
      if (message.marked === held.token) return { value: 'marked' };
      const delivery = beingSent(message.delivery, now);
      return { value: 'marked', next: { ...message, marked: held.token, delivery } };
    });
  }

  settle(held: HeldIntent, outcome: DeliveryOutcome): Promise<'settled' | 'lost'> {
    return this.#change(held.delivery.key, (message) => {
      if (message.token !== held.token) return { value: 'lost' };
      if (message.held === null)
        return { value: message.delivery.state === outcome.state ? 'settled' : 'lost' };
      if (!isOurs(message, held)) return { value: 'lost' };
      const delivery = settled(message.delivery, outcome, this.#store.clock.now());
      return { value: 'settled', who: held.owner, next: { ...message, held: null, delivery } };
    });
  }

  settleAndTake(held: HeldIntent, outcome: DeliveryOutcome, leaseMs: number): Promise<SettledAndTaken> {
    return settleThenTake(this, held, outcome, leaseMs);
  }

  async correctFutureTimes(
    destinations: readonly string[],
    leaseMs: number,
    leases: LeaseWatch,
  ): Promise<CorrectedTimes> {
    const { connection, queries, clock } = this.#store;
    const done = { corrected: 0, watched: 0 };
    for (const destination of destinations) {
      const [head] = await connection.query(queries.head, { where: [destination, true], limit: 1 });
      const seen = head === undefined ? null : messageOf(head);
      if (seen === null) continue;
      const changed = await this.#change<'corrected' | 'watched'>(seen.delivery.key, (message) => {
        const { delivery, held } = message;
        const heldUntil = held?.until ?? 0;
        const next = withoutFuture({ delivery, heldUntil }, leaseMs, leases, clock.now());
        if (next === null || next === 'watched') return { value: next ?? 'lost' };
        return { value: 'corrected', next: corrected(message, next) };
      });
      if (changed !== 'lost') done[changed]++;
    }
    return done;
  }

  async decide(intentKey: string, decision: 'sent' | 'again' | 'drop', who: string): Promise<boolean> {
    let tried: Delivery | null = null;
    const done = await this.#change<'done' | 'lost'>(intentKey, (message) => {
      // An earlier try of ours whose reply was lost went through.
      if (tried !== null && isDeepStrictEqual(message.delivery, tried)) return { value: 'done' };
      const delivery = decided(message.delivery, decision, who, this.#store.clock.now());
      if (delivery === null) return { value: 'lost' };
      tried = delivery;
      return { value: 'done', who, next: { ...message, held: null, delivery } };
    });
    return done === 'done';
  }

  async list(filter: DeliveryFilter): Promise<DeliveryPage> {
    checkLimit(filter.limit);
    if (filter.states?.length === 0) return { deliveries: [], next: null };
    const { form, values } = pageQuery(this.#store.queries, filter);
    const found = await this.#store.connection.query(form, values);
    const page = found.slice(0, filter.limit).flatMap((snapshot) => messageOf(snapshot) ?? []);
    const last = page.at(-1);
    return {
      deliveries: page.map(({ delivery }) => delivery),
      next: last !== undefined && found.length > filter.limit ? messageCursor(last) : null,
    };
  }

  async ofItem(key: ItemKey): Promise<readonly Delivery[]> {
    const found = await messagesOf(this.#store, [this.#store.layout.idOf(key)]);
    return found.map(({ message }) => message.delivery).filter(({ itemKeys }) => itemKeys.includes(key));
  }

  async counts(): Promise<Readonly<Record<DeliveryState, number>>> {
    const counted = { intended: 0, sending: 0, unknown: 0, sent: 0, refused: 0, parked: 0, dropped: 0 };
    await Promise.all(
      (Object.keys(counted) as DeliveryState[]).map(async (state) => {
        counted[state] = await this.#store.connection.count(this.#store.queries.messagesOfState, [state]);
      }),
    );
    return counted;
  }

  /** Changes a message. With `who`, each of its items gets a line in its history, in the same commit. */
  #change<T extends string>(
    key: string,
    decide: (message: StoredMessage) => {
      readonly value: T | 'lost';
      readonly next?: StoredMessage;
      readonly who?: string;
    },
  ): Promise<T | 'lost'> {
    return this.#store.connection.mutate(
      placeOfMessage(this.#store, key),
      async (snapshot): Promise<Mutation<T | 'lost'>> => {
        const message = messageOf(snapshot);
        if (message === null) return { value: 'lost', writes: [] };
        const { value, next, who } = decide(message);
        if (next === undefined) return { value, writes: [] };
        const lines = who === undefined ? [] : await this.#lines(next.delivery, who);
        return { value, writes: [this.#write(snapshot, next), ...lines] };
      },
    );
  }

  async #lines(delivery: Delivery, who: string): Promise<Write[]> {
    const snapshots = await this.#store.connection.getAll(
      delivery.itemKeys.map((key) => this.#store.placeOf(key)),
    );
    const writes: Write[] = [];
    for (const snapshot of snapshots) {
      const stored = this.#store.storedOf(snapshot);
      if (stored === null) continue;
      const told = deliveryLine(delivery, who, this.#store.clock.now());
      writes.push(...(await this.#store.writesFor(snapshot, withLine(stored, told))).writes);
    }
    return writes;
  }

  #write(snapshot: DocumentSnapshot, next: StoredMessage): Write {
    const at = placeOfMessage(this.#store, next.delivery.key);
    const data = messageDocument(next, this.#store.layout.idOf);
    return put(snapshot, at, data);
  }
}

function heldOf({ delivery, token, held }: StoredMessage): HeldIntent {
  return { delivery, token, owner: held?.owner ?? '', until: held?.until ?? 0 };
}
