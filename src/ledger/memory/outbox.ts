import type { ItemKey } from '../../item/item.ts';
import {
  type Delivery,
  type DeliveryFilter,
  type DeliveryOutcome,
  type DeliveryPage,
  type DeliveryState,
  earliest,
  type HeldIntent,
  OPEN_DELIVERIES,
  type OutboxStore,
  type SettledAndTaken,
  settleThenTake,
} from '../../press/outbox.ts';
import type { Clock } from '../../time/clock.ts';
import { SECOND } from '../../time/duration.ts';
import type { CorrectedTimes, LeaseWatch } from '../../time/future.ts';
import { checkLease, checkLimit } from '../bad-input.ts';
import { beingSent, decided, deliveryLine, settled, withoutFuture } from '../delivery-steps.ts';
import { checkCursor } from '../filter.ts';
import type { NewIntent } from '../ledger.ts';
import { intend } from './intents.ts';
import { type MemoryStore, type Message, messagesOf } from './store.ts';

/** The outbox beside a memory ledger. */
export class MemoryOutbox implements OutboxStore {
  readonly abilities = { looksEveryMs: 2 * SECOND };
  readonly #store: MemoryStore;
  readonly #clock: Clock;

  constructor(store: MemoryStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  async intend(intents: readonly NewIntent[]): Promise<'written' | 'there' | 'taken'> {
    return intend(this.#store, intents, this.#clock.now());
  }

  async take(destination: string, owner: string, leaseMs: number): Promise<HeldIntent | null> {
    checkLease(leaseMs);
    const now = this.#clock.now();
    const head = this.#head(destination);
    if (head === undefined || this.#isHeld(head) || (head.delivery.dueAt ?? 0) > now) return null;
    head.token += 1;
    head.held = { owner, until: now + leaseMs };
    return { delivery: head.delivery, owner, token: head.token, until: now + leaseMs };
  }

  async nextDue(destinations: readonly string[]): Promise<number | null> {
    return earliest(
      destinations.map((destination) => {
        const head = this.#head(destination);
        return head && { heldUntil: head.held?.until ?? 0, dueAt: head.delivery.dueAt ?? 0 };
      }),
    );
  }

  #head(destination: string): Message | undefined {
    return [...this.#store.messages.values()]
      .filter(({ delivery }) => delivery.destination === destination && isOpen(delivery.state))
      .sort((a, b) => a.nth - b.nth)[0];
  }

  async markSending(held: HeldIntent): Promise<'marked' | 'lost'> {
    const message = this.#store.messages.get(held.delivery.key);
    if (message === undefined || !isOurs(message, held) || !this.#isHeld(message)) return 'lost';
    if (message.marked === held.token) return 'marked';
    message.marked = held.token;
    message.delivery = beingSent(message.delivery, this.#clock.now());
    return 'marked';
  }

  async settle(held: HeldIntent, outcome: DeliveryOutcome): Promise<'settled' | 'lost'> {
    const message = this.#store.messages.get(held.delivery.key);
    if (message === undefined || message.token !== held.token) return 'lost';
    if (message.held === null) return message.delivery.state === outcome.state ? 'settled' : 'lost';
    if (!isOurs(message, held)) return 'lost';
    message.held = null;
    message.delivery = settled(message.delivery, outcome, this.#clock.now());
    this.#tell(message.delivery, held.owner);
    return 'settled';
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
      const head = this.#head(destination);
      if (head === undefined) continue;
      const { delivery, held } = head;
      const next = withoutFuture(
        { delivery, heldUntil: held?.until ?? 0 },
        leaseMs,
        leases,
        this.#clock.now(),
      );
      if (next === 'watched') done.watched++;
      if (next === 'watched' || next === null) continue;
      head.delivery = next.delivery;
      if (held !== null) head.held = { ...held, until: next.heldUntil };
      done.corrected++;
    }
    return done;
  }

  async decide(intentKey: string, decision: 'sent' | 'again' | 'drop', who: string): Promise<boolean> {
    const message = this.#store.messages.get(intentKey);
    const next = message === undefined ? null : decided(message.delivery, decision, who, this.#clock.now());
    if (message === undefined || next === null) return false;
    message.held = null;
    message.delivery = next;
    this.#tell(message.delivery, who);
    return true;
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

  #isHeld(message: Message): boolean {
    return message.held !== null && message.held.until > this.#clock.now();
  }

  /** Each item of the message gets a line in its history. */
  #tell(delivery: Delivery, who: string): void {
    for (const key of delivery.itemKeys)
      this.#store.items.get(key)?.history.push(deliveryLine(delivery, who, this.#clock.now()));
  }
}

function isOpen(state: DeliveryState): boolean {
  return OPEN_DELIVERIES.includes(state);
}

function isOurs(message: Message, held: HeldIntent): boolean {
  return message.token === held.token && message.held?.owner === held.owner;
}
