import { isDeepStrictEqual } from 'node:util';
import type { DocumentSnapshot } from '@google-cloud/firestore';
import { MOST_CONFLICTS, type Mutation, type Write } from '../../firestore/connection.ts';
import { contention } from '../../firestore/errors.ts';
import { put } from '../../firestore/put.ts';
import type { ItemKey } from '../../item/item.ts';
import {
  correctMessage,
  decideMessage,
  lineHead,
  type MessageDecision,
  type MessageRecord,
  type MessageStep,
  markSending,
  sayTwice,
  settleMessage,
  takeMessage,
} from '../../outbox/message-record.ts';
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
import { withLine } from '../item-record.ts';
import type { HistoryEntry, NewIntent } from '../ledger.ts';
import {
  LOOK_EVERY,
  type MessageDocument,
  messageCursor,
  messageDocument,
  messageOf,
  messagesOf,
  pageQuery,
  placeOfMessage,
  weigh,
} from './messages.ts';
import type { LedgerStore } from './store.ts';

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
    const { clock, connection } = this.#store;
    const ask = { owner, leaseMs, attempt: this.#store.newName() };
    for (let tries = 0; tries < MOST_CONFLICTS; tries++) {
      const head = await this.#head(destination);
      if (head === null) return null;
      const { value, next } = takeMessage(head.message, ask, clock.now());
      if (next === undefined) return value;
      if ((await connection.commit([this.#write(head.snapshot, next)])) === 'committed') return value;
    }
    throw contention(this.#store.layout.outbox, MOST_CONFLICTS);
  }

  async nextDue(destinations: readonly string[]): Promise<number | null> {
    const { connection, queries } = this.#store;
    const any = await connection.query(queries.anyOpen, { where: [true], limit: 1 });
    if (any.length === 0) return null;
    const heads = await Promise.all(destinations.map((destination) => this.#head(destination)));
    return earliest(heads.map((head) => lineHead(head?.message ?? null)));
  }

  /** The oldest open message of a destination. */
  async #head(destination: string): Promise<MessageDocument | null> {
    const { connection, queries } = this.#store;
    const [snapshot] = await connection.query(queries.head, { where: [destination, true], limit: 1 });
    const message = snapshot === undefined ? null : messageOf(snapshot);
    return snapshot === undefined || message === null ? null : { snapshot, message };
  }

  markSending(held: HeldIntent): Promise<'marked' | 'lost'> {
    return this.#change(held.delivery.key, 'lost', (message, now) => markSending(message, held, now));
  }

  settle(held: HeldIntent, outcome: DeliveryOutcome): Promise<'settled' | 'lost'> {
    return this.#change(held.delivery.key, 'lost', (message, now) =>
      settleMessage(message, held, outcome, now),
    );
  }

  settleAndTake(held: HeldIntent, outcome: DeliveryOutcome, leaseMs: number): Promise<SettledAndTaken> {
    return settleThenTake(this, held, outcome, leaseMs);
  }

  async correctFutureTimes(
    destinations: readonly string[],
    leaseMs: number,
    leases: LeaseWatch,
  ): Promise<CorrectedTimes> {
    const done = { corrected: 0, watched: 0 };
    for (const destination of destinations) {
      const head = await this.#head(destination);
      if (head === null) continue;
      const changed = await this.#change(head.message.delivery.key, null, (message, now) =>
        correctMessage(message, leaseMs, leases, now),
      );
      if (changed !== null) done[changed]++;
    }
    return done;
  }

  decide(intentKey: string, decision: MessageDecision, who: string): Promise<boolean> {
    let tried: MessageRecord | undefined;
    return this.#change(intentKey, false, (message, now) => {
      // An earlier try of this call whose reply was lost went through.
      if (tried !== undefined && isDeepStrictEqual(message.delivery, tried.delivery)) return { value: true };
      const result = decideMessage(message, decision, who, now);
      tried = result.next;
      return result;
    });
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

  /** Applies a step to a message, with the lines in the history of its items; `absent` where there is no such message. */
  #change<T>(
    key: string,
    absent: T,
    step: (message: MessageRecord, now: number) => MessageStep<T>,
  ): Promise<T> {
    return this.#store.connection.mutate(
      placeOfMessage(this.#store, key),
      async (snapshot): Promise<Mutation<T>> => {
        const message = messageOf(snapshot);
        if (message === null) return { value: absent, writes: [] };
        const { value, next, line } = step(message, this.#store.clock.now());
        if (next === undefined) return { value, writes: [] };
        const lines = line === undefined ? [] : await this.#lines(next.delivery, line);
        return { value, writes: [this.#write(snapshot, next), ...lines] };
      },
    );
  }

  async #lines(delivery: Delivery, line: HistoryEntry): Promise<Write[]> {
    const snapshots = await this.#store.connection.getAll(
      delivery.itemKeys.map((key) => this.#store.placeOf(key)),
    );
    const writes: Write[] = [];
    for (const snapshot of snapshots) {
      const record = this.#store.storedOf(snapshot);
      if (record !== null)
        writes.push(...(await this.#store.writesFor(snapshot, withLine(record, line))).writes);
    }
    return writes;
  }

  #write(snapshot: DocumentSnapshot, next: MessageRecord): Write {
    const at = placeOfMessage(this.#store, next.delivery.key);
    const data = messageDocument(next, this.#store.layout.idOf);
    return put(snapshot, at, data);
  }
}
