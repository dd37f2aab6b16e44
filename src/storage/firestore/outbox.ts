import { isDeepStrictEqual } from 'node:util';
import type { DocumentSnapshot } from '@google-cloud/firestore';
import type { ItemKey } from '../../item/item.ts';
import { withLine } from '../../ledger/item-record.ts';
import type { HistoryEntry, NewMessage } from '../../ledger/ledger.ts';
import { checkLeaseMs, checkLimit } from '../../ledger/validation.ts';
import {
  claimMessage,
  correctMessage,
  decideMessage,
  finishMessage,
  lineHead,
  type MessageDecision,
  type MessageRecord,
  type MessageStep,
  markSending,
  repeatItem,
} from '../../outbox/message-record.ts';
import {
  type ClaimedMessage,
  type Delivery,
  type DeliveryFilter,
  type DeliveryOutcome,
  type DeliveryPage,
  type DeliveryState,
  earliestDue,
  type FinishedAndNext,
  finishThenClaimNext,
  type Outbox,
} from '../../outbox/outbox.ts';
import type { CorrectedTimes, LeaseWatch } from '../../time/clock.ts';
import { MAX_CONFLICTS, type Mutation, type Write } from './connection.ts';
import { contentionError } from './errors.ts';
import type { LedgerStore } from './ledger/ledger-store.ts';
import {
  deliveryQuery,
  type MessageDocument,
  messageCursor,
  messageDocument,
  messagePath,
  messagesOf,
  POLL_INTERVAL_MS,
  planEnqueue,
  readMessage,
} from './outbox-messages.ts';
import { createOrReplace } from './query.ts';

/** The outbox beside a Firestore ledger. */
export class FirestoreOutbox implements Outbox {
  readonly abilities = { pollIntervalMs: POLL_INTERVAL_MS };
  readonly #store: LedgerStore;

  constructor(store: LedgerStore) {
    this.#store = store;
  }

  async enqueue(messages: readonly NewMessage[]): Promise<'written' | 'there' | 'taken'> {
    if (repeatItem(messages)) return 'taken';
    return this.#store.connection.transact(this.#store.layout.outbox, async (reads) => {
      const { checks, writes } = await planEnqueue(this.#store, messages, reads);
      if (checks.includes('taken')) return { value: 'taken', writes: [] };
      return { value: writes.length > 0 ? 'written' : 'there', writes };
    });
  }

  async claimNext(destination: string, owner: string, leaseMs: number): Promise<ClaimedMessage | null> {
    checkLeaseMs(leaseMs);
    const { clock, connection } = this.#store;
    const ask = { owner, leaseMs, attempt: this.#store.newId() };
    for (let tries = 0; tries < MAX_CONFLICTS; tries++) {
      const head = await this.#head(destination);
      if (head === null) return null;
      const { value, next } = claimMessage(head.message, ask, clock.now());
      if (next === undefined) return value;
      if ((await connection.commit([this.#write(head.snapshot, next)])) === 'committed') return value;
    }
    throw contentionError(this.#store.layout.outbox, MAX_CONFLICTS);
  }

  async nextDue(destinations: readonly string[]): Promise<number | null> {
    const { connection, queries } = this.#store;
    const any = await connection.query(queries.anyOpen, { where: [true], limit: 1 });
    if (any.length === 0) return null;
    const heads = await Promise.all(destinations.map((destination) => this.#head(destination)));
    return earliestDue(heads.map((head) => lineHead(head?.message ?? null)));
  }

  /** The oldest open message of a destination. */
  async #head(destination: string): Promise<MessageDocument | null> {
    const { connection, queries } = this.#store;
    const [snapshot] = await connection.query(queries.head, { where: [destination, true], limit: 1 });
    const message = snapshot === undefined ? null : readMessage(snapshot);
    return snapshot === undefined || message === null ? null : { snapshot, message };
  }

  markSending(claim: ClaimedMessage): Promise<'marked' | 'lost'> {
    return this.#change(claim.delivery.key, 'lost', (message, now) => markSending(message, claim, now));
  }

  finish(claim: ClaimedMessage, outcome: DeliveryOutcome): Promise<'finished' | 'lost'> {
    return this.#change(claim.delivery.key, 'lost', (message, now) =>
      finishMessage(message, claim, outcome, now),
    );
  }

  finishAndClaimNext(
    claim: ClaimedMessage,
    outcome: DeliveryOutcome,
    leaseMs: number,
  ): Promise<FinishedAndNext> {
    return finishThenClaimNext(this, claim, outcome, leaseMs);
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

  decide(messageKey: string, decision: MessageDecision, who: string): Promise<boolean> {
    let tried: MessageRecord | undefined;
    return this.#change(messageKey, false, (message, now) => {
      // An earlier attempt of this call succeeded, but its reply was lost.
      if (tried !== undefined && isDeepStrictEqual(message.delivery, tried.delivery)) return { value: true };
      const result = decideMessage(message, decision, who, now);
      tried = result.next;
      return result;
    });
  }

  async list(filter: DeliveryFilter): Promise<DeliveryPage> {
    checkLimit(filter.limit);
    if (filter.states?.length === 0) return { deliveries: [], next: null };
    const { form, values } = deliveryQuery(this.#store.queries, filter);
    const found = await this.#store.connection.query(form, values);
    const page = found.slice(0, filter.limit).flatMap((snapshot) => readMessage(snapshot) ?? []);
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

  /** Applies a step to a message and adds it to the history of its items; `absent` where there is no such message. */
  #change<T>(
    key: string,
    absent: T,
    step: (message: MessageRecord, now: number) => MessageStep<T>,
  ): Promise<T> {
    return this.#store.connection.mutate(
      messagePath(this.#store, key),
      async (snapshot): Promise<Mutation<T>> => {
        const message = readMessage(snapshot);
        if (message === null) return { value: absent, writes: [] };
        const { value, next, line } = step(message, this.#store.clock.now());
        if (next === undefined) return { value, writes: [] };
        const lines = line === undefined ? [] : await this.#historyWrites(next.delivery, line);
        return { value, writes: [this.#write(snapshot, next), ...lines] };
      },
    );
  }

  async #historyWrites(delivery: Delivery, line: HistoryEntry): Promise<Write[]> {
    const snapshots = await this.#store.connection.getAll(
      delivery.itemKeys.map((key) => this.#store.itemPath(key)),
    );
    const writes: Write[] = [];
    for (const snapshot of snapshots) {
      const record = this.#store.recordOf(snapshot);
      if (record !== null)
        writes.push(...(await this.#store.writesFor(snapshot, withLine(record, line))).writes);
    }
    return writes;
  }

  #write(snapshot: DocumentSnapshot, next: MessageRecord): Write {
    const at = messagePath(this.#store, next.delivery.key);
    const data = messageDocument(next, this.#store.layout.idOf);
    return createOrReplace(snapshot, at, data);
  }
}
