import type { ItemKey } from '../../item/item.ts';
import { checkCursor } from '../../ledger/filter.ts';
import { withLine } from '../../ledger/item-record.ts';
import type { NewMessage } from '../../ledger/ledger.ts';
import { checkLeaseMs, checkLimit } from '../../ledger/validation.ts';
import {
  claimMessage,
  correctMessage,
  decideMessage,
  finishMessage,
  isOpen,
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
import type { Clock, CorrectedTimes, LeaseWatch } from '../../time/clock.ts';
import { SECOND } from '../../time/duration.ts';
import { addMessage, type MemoryLedgerState, messagesOf, standingIn } from './ledger-state.ts';

/** The outbox of an in-memory ledger. */
export class MemoryOutbox implements Outbox {
  readonly abilities = { pollIntervalMs: 2 * SECOND };
  readonly #store: MemoryLedgerState;
  readonly #clock: Clock;

  constructor(store: MemoryLedgerState, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Enqueues all messages or none. */
  async enqueue(messages: readonly NewMessage[]): Promise<'written' | 'there' | 'taken'> {
    const checks = messages.map((message) => standingIn(this.#store, message));
    if (checks.includes('taken') || repeatItem(messages)) return 'taken';
    const free = messages.filter((_, index) => checks[index] === 'free');
    for (const message of free) addMessage(this.#store, message, this.#clock.now());
    return free.length > 0 ? 'written' : 'there';
  }

  async claimNext(destination: string, owner: string, leaseMs: number): Promise<ClaimedMessage | null> {
    checkLeaseMs(leaseMs);
    return this.#change(this.#head(destination), null, (message, now) =>
      claimMessage(message, { owner, leaseMs }, now),
    );
  }

  async nextDue(destinations: readonly string[]): Promise<number | null> {
    return earliestDue(destinations.map((destination) => lineHead(this.#head(destination) ?? null)));
  }

  #head(destination: string): MessageRecord | undefined {
    return [...this.#store.messages.values()]
      .filter((message) => message.delivery.destination === destination && isOpen(message))
      .sort((a, b) => a.nth - b.nth)[0];
  }

  async markSending(claimed: ClaimedMessage): Promise<'marked' | 'lost'> {
    const message = this.#store.messages.get(claimed.delivery.key);
    return this.#change(message, 'lost', (record, now) => markSending(record, claimed, now));
  }

  async finish(claimed: ClaimedMessage, outcome: DeliveryOutcome): Promise<'finished' | 'lost'> {
    const message = this.#store.messages.get(claimed.delivery.key);
    return this.#change(message, 'lost', (record, now) => finishMessage(record, claimed, outcome, now));
  }

  finishAndClaimNext(
    claimed: ClaimedMessage,
    outcome: DeliveryOutcome,
    leaseMs: number,
  ): Promise<FinishedAndNext> {
    return finishThenClaimNext(this, claimed, outcome, leaseMs);
  }

  async correctFutureTimes(
    destinations: readonly string[],
    leaseMs: number,
    leases: LeaseWatch,
  ): Promise<CorrectedTimes> {
    const done = { corrected: 0, watched: 0 };
    for (const destination of destinations) {
      const value = this.#change(this.#head(destination), null, (message, now) =>
        correctMessage(message, leaseMs, leases, now),
      );
      if (value !== null) done[value]++;
    }
    return done;
  }

  async decide(messageKey: string, decision: MessageDecision, who: string): Promise<boolean> {
    const message = this.#store.messages.get(messageKey);
    return this.#change(message, false, (record, now) => decideMessage(record, decision, who, now));
  }

  async list(filter: DeliveryFilter): Promise<DeliveryPage> {
    checkLimit(filter.limit);
    checkCursor(filter.cursor);
    const before = filter.cursor === undefined ? Number.POSITIVE_INFINITY : Number(filter.cursor);
    const found = [...this.#store.messages.values()]
      .filter(
        ({ delivery, nth }) =>
          nth < before &&
          (filter.states?.includes(delivery.state) ?? true) &&
          (filter.destination === undefined || filter.destination === delivery.destination),
      )
      .sort((a, b) => b.nth - a.nth);
    const page = found.slice(0, filter.limit);
    return {
      deliveries: page.map(({ delivery }) => delivery),
      next: found.length > filter.limit ? String(page.at(-1)?.nth) : null,
    };
  }

  async ofItem(key: ItemKey): Promise<readonly Delivery[]> {
    return messagesOf(this.#store, key).map(({ delivery }) => delivery);
  }

  async counts(): Promise<Readonly<Record<DeliveryState, number>>> {
    const counts = { intended: 0, sending: 0, unknown: 0, sent: 0, refused: 0, parked: 0, dropped: 0 };
    for (const { delivery } of this.#store.messages.values()) counts[delivery.state] += 1;
    return counts;
  }

  #change<T>(
    message: MessageRecord | undefined,
    absent: T,
    step: (message: MessageRecord, now: number) => MessageStep<T>,
  ): T {
    if (message === undefined) return absent;
    const { value, next, line } = step(message, this.#clock.now());
    if (next === undefined) return value;
    const { items, messages } = this.#store;
    messages.set(next.delivery.key, next);
    if (line === undefined) return value;
    for (const key of next.delivery.itemKeys) {
      const record = items.get(key);
      if (record !== undefined) items.set(key, withLine(record, line));
    }
    return value;
  }
}
