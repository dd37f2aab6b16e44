import type { ItemKey } from '../../item/item.ts';
import { checkCursor } from '../../ledger/filter.ts';
import type { NewMessage } from '../../ledger/ledger.ts';
import { checkLeaseMs, checkLimit } from '../../ledger/validation.ts';
import {
  claimMessage,
  correctMessage,
  decideMessage,
  finishMessage,
  type MessageDecision,
  type MessageRecord,
  type MessageStep,
  markSending,
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
  type Outbox,
} from '../../outbox/outbox.ts';
import type { Clock, CorrectedTimes, LeaseWatch } from '../../time/clock.ts';
import { SECOND } from '../../time/duration.ts';
import type { Connection, Row } from './connection.ts';
import { appendHistory } from './ledger/record.ts';
import {
  enqueue,
  listDeliveries,
  messageOf,
  readDelivery,
  tallyDelivery,
  updateMessage,
} from './outbox-messages.ts';

/** The outbox, in the same file as the ledger. */
export class SqliteOutbox implements Outbox {
  readonly abilities = { pollIntervalMs: 2 * SECOND };
  readonly #db: Connection;
  readonly #clock: Clock;

  constructor(db: Connection, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  enqueue(messages: readonly NewMessage[]): Promise<'written' | 'there' | 'taken'> {
    return this.#db.write(() => enqueue(this.#db, messages, this.#clock.now()));
  }

  async claimNext(destination: string, owner: string, leaseMs: number): Promise<ClaimedMessage | null> {
    checkLeaseMs(leaseMs);
    return this.#db.write(() => this.#claimNext(destination, owner, leaseMs));
  }

  async nextDue(destinations: readonly string[]): Promise<number | null> {
    return earliestDue(
      destinations.map((destination) => {
        const head = this.#head(destination);
        return head && { heldUntil: Number(head.held_until ?? 0), dueAt: Number(head.due_at ?? 0) };
      }),
    );
  }

  markSending(claimed: ClaimedMessage): Promise<'marked' | 'lost'> {
    return this.#db.writeDurably(() => this.#markSending(claimed));
  }

  finish(claimed: ClaimedMessage, outcome: DeliveryOutcome): Promise<'finished' | 'lost'> {
    return this.#db.writeDurably(() => this.#finish(claimed, outcome));
  }

  async finishAndClaimNext(
    claimed: ClaimedMessage,
    outcome: DeliveryOutcome,
    leaseMs: number,
  ): Promise<FinishedAndNext> {
    checkLeaseMs(leaseMs);
    return this.#db.writeDurably(() => {
      const finished = this.#finish(claimed, outcome);
      const next = this.#claimNext(claimed.delivery.destination, claimed.owner, leaseMs);
      if (next?.delivery.state !== 'intended') return { finished, next };
      this.#markSending(next);
      return { finished, next: { ...next, marked: true } };
    });
  }

  #head(destination: string): Row | undefined {
    return this.#db.get(
      'SELECT * FROM deliveries WHERE destination = ? AND is_open = 1 ORDER BY id LIMIT 1',
      destination,
    );
  }

  #claimNext(destination: string, owner: string, leaseMs: number): ClaimedMessage | null {
    return this.#change(this.#head(destination), null, (message, now) =>
      claimMessage(message, { owner, leaseMs }, now),
    );
  }

  #markSending(claimed: ClaimedMessage): 'marked' | 'lost' {
    const { key, itemKeys } = claimed.delivery;
    return this.#change(
      this.#row(key),
      'lost',
      (message, now) => markSending(message, claimed, now),
      itemKeys,
    );
  }

  #finish(claimed: ClaimedMessage, outcome: DeliveryOutcome): 'finished' | 'lost' {
    const { key, itemKeys } = claimed.delivery;
    return this.#change(
      this.#row(key),
      'lost',
      (message, now) => finishMessage(message, claimed, outcome, now),
      itemKeys,
    );
  }

  correctFutureTimes(
    destinations: readonly string[],
    leaseMs: number,
    leases: LeaseWatch,
  ): Promise<CorrectedTimes> {
    return this.#db.write(() => {
      const done = { corrected: 0, watched: 0 };
      for (const destination of destinations) {
        const value = this.#change(this.#head(destination), null, (message, now) =>
          correctMessage(message, leaseMs, leases, now),
        );
        if (value !== null) done[value]++;
      }
      return done;
    });
  }

  decide(messageKey: string, decision: MessageDecision, who: string): Promise<boolean> {
    return this.#db.writeDurably(() =>
      this.#change(this.#row(messageKey), false, (message, now) =>
        decideMessage(message, decision, who, now),
      ),
    );
  }

  async list(filter: DeliveryFilter): Promise<DeliveryPage> {
    checkLimit(filter.limit);
    checkCursor(filter.cursor);
    return this.#db.read(() => listDeliveries(this.#db, filter));
  }

  ofItem(key: ItemKey): Promise<readonly Delivery[]> {
    return this.#db.read(() =>
      this.#db
        .all('SELECT delivery_id FROM delivery_items WHERE item_key = ? ORDER BY delivery_id', key)
        .flatMap((link) => readDelivery(this.#db, Number(link.delivery_id)) ?? []),
    );
  }

  counts(): Promise<Readonly<Record<DeliveryState, number>>> {
    return this.#db.read(() => {
      const counts = { intended: 0, sending: 0, unknown: 0, sent: 0, refused: 0, parked: 0, dropped: 0 };
      // One row per state, maintained by every step.
      const rows = this.#db.all('SELECT state, n FROM delivery_tallies');
      return { ...counts, ...Object.fromEntries(rows.map((row) => [String(row.state), Number(row.n)])) };
    });
  }

  #row(key: string): Row | undefined {
    return this.#db.get('SELECT * FROM deliveries WHERE key = ?', key);
  }

  /** Applies a step to a message and to the history of its items. Inside a transaction. */
  #change<T>(
    row: Row | undefined,
    absent: T,
    step: (message: MessageRecord, now: number) => MessageStep<T>,
    knownItemKeys?: readonly ItemKey[],
  ): T {
    if (row === undefined) return absent;
    const { value, next, line } = step(messageOf(this.#db, row, knownItemKeys), this.#clock.now());
    if (next === undefined) return value;
    updateMessage(this.#db, next);
    const { state, itemKeys } = next.delivery;
    if (row.state !== state) {
      tallyDelivery(this.#db, String(row.state), -1);
      tallyDelivery(this.#db, state, 1);
    }
    if (line === undefined) return value;
    for (const key of itemKeys) {
      const item = this.#db.get('SELECT item_id FROM standings WHERE key = ?', key);
      if (item !== undefined) appendHistory(this.#db, Number(item.item_id), line);
    }
    return value;
  }
}
