import type { ItemKey } from '../../item/item.ts';
import { withoutFuture } from '../../outbox/message-record.ts';
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
} from '../../press/outbox.ts';
import type { Connection, Row } from '../../sqlite/connection.ts';
import type { Clock } from '../../time/clock.ts';
import { SECOND } from '../../time/duration.ts';
import type { CorrectedTimes, LeaseWatch } from '../../time/future.ts';
import { checkLease, checkLimit } from '../bad-input.ts';
import { checkCursor } from '../filter.ts';
import type { NewIntent } from '../ledger.ts';
import { deliveryOf, listDeliveries, readDelivery } from './deliveries.ts';
import { writeLine } from './history.ts';
import { intend, tallyDelivery } from './intents.ts';

/** The outbox in the file of the items. */
export class SqliteOutbox implements OutboxStore {
  readonly abilities = { looksEveryMs: 2 * SECOND };
  readonly #db: Connection;
  readonly #clock: Clock;

  constructor(db: Connection, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  intend(intents: readonly NewIntent[]): Promise<'written' | 'there' | 'taken'> {
    return this.#db.write(() => intend(this.#db, intents, this.#clock.now()));
  }

  async take(destination: string, owner: string, leaseMs: number): Promise<HeldIntent | null> {
    checkLease(leaseMs);
    return this.#db.write(() => this.#take(destination, owner, leaseMs));
  }

  async nextDue(destinations: readonly string[]): Promise<number | null> {
    return earliest(
      destinations.map((destination) => {
        const head = this.#head(destination);
        return head && { heldUntil: Number(head.held_until ?? 0), dueAt: Number(head.due_at ?? 0) };
      }),
    );
  }

  markSending(held: HeldIntent): Promise<'marked' | 'lost'> {
    return this.#db.writeDurably(() => this.#markSending(held));
  }

  settle(held: HeldIntent, outcome: DeliveryOutcome): Promise<'settled' | 'lost'> {
    return this.#db.writeDurably(() => this.#settle(held, outcome));
  }

  async settleAndTake(held: HeldIntent, outcome: DeliveryOutcome, leaseMs: number): Promise<SettledAndTaken> {
    checkLease(leaseMs);
    return this.#db.writeDurably(() => {
      const settled = this.#settle(held, outcome);
      const next = this.#take(held.delivery.destination, held.owner, leaseMs);
      if (next?.delivery.state !== 'intended') return { settled, next };
      this.#markSending(next);
      return { settled, next: { ...next, marked: true } };
    });
  }

  #head(destination: string): Row | undefined {
    return this.#db.get(
      'SELECT * FROM deliveries WHERE destination = ? AND is_open = 1 ORDER BY id LIMIT 1',
      destination,
    );
  }

  #take(destination: string, owner: string, leaseMs: number): HeldIntent | null {
    const now = this.#clock.now();
    const row = this.#head(destination);
    if (row === undefined || isHeld(row, now) || (row.due_at !== null && Number(row.due_at) > now))
      return null;
    const token = Number(row.token) + 1;
    const until = now + leaseMs;
    this.#db.run(
      'UPDATE deliveries SET owner = ?, token = ?, held_until = ? WHERE id = ?',
      owner,
      token,
      until,
      Number(row.id),
    );
    return { delivery: deliveryOf(this.#db, row), owner, token, until };
  }

  #markSending(held: HeldIntent): 'marked' | 'lost' {
    const now = this.#clock.now();
    const row = this.#row(held.delivery.key);
    if (row === undefined || row.is_open === 0 || !isOurs(row, held) || !isHeld(row, now)) return 'lost';
    if (Number(row.marked_token) === held.token) return 'marked';
    this.#db.run(
      `UPDATE deliveries SET state = 'sending', attempts = attempts + 1, marked_token = ?,
         first_tried_at = coalesce(first_tried_at, ?), updated_at = ?, due_at = NULL WHERE id = ?`,
      held.token,
      now,
      now,
      Number(row.id),
    );
    this.#move(row, 'sending');
    return 'marked';
  }

  #settle(held: HeldIntent, outcome: DeliveryOutcome): 'settled' | 'lost' {
    const row = this.#row(held.delivery.key);
    if (row === undefined || Number(row.token) !== held.token) return 'lost';
    if (row.owner === null) return row.state === outcome.state ? 'settled' : 'lost';
    if (row.owner !== held.owner) return 'lost';
    this.#store(row, outcome);
    this.#tellItems(held.delivery, outcome, held.owner);
    return 'settled';
  }

  correctFutureTimes(
    destinations: readonly string[],
    leaseMs: number,
    leases: LeaseWatch,
  ): Promise<CorrectedTimes> {
    return this.#db.write(() => {
      const now = this.#clock.now();
      const done = { corrected: 0, watched: 0 };
      for (const destination of destinations) {
        const row = this.#head(destination);
        if (row === undefined) continue;
        const head = { delivery: deliveryOf(this.#db, row), heldUntil: Number(row.held_until ?? 0) };
        const next = withoutFuture(head, leaseMs, leases, now);
        if (next === 'watched') done.watched++;
        if (next === 'watched' || next === null) continue;
        this.#db.run(
          'UPDATE deliveries SET due_at = ?, updated_at = ?, held_until = ? WHERE id = ?',
          next.delivery.dueAt,
          next.delivery.updatedAt,
          row.held_until === null ? null : next.heldUntil,
          Number(row.id),
        );
        done.corrected++;
      }
      return done;
    });
  }

  decide(intentKey: string, decision: 'sent' | 'again' | 'drop', who: string): Promise<boolean> {
    return this.#db.writeDurably(() => {
      const row = this.#row(intentKey);
      if (row === undefined || (row.state !== 'parked' && row.state !== 'refused')) return false;
      const state = ({ sent: 'sent', again: 'intended', drop: 'dropped' } as const)[decision];
      this.#db.run(
        `UPDATE deliveries SET state = ?, is_open = ?, detail = ?, due_at = NULL, owner = NULL, held_until = NULL,
           updated_at = ? WHERE id = ?`,
        state,
        isOpen(state) ? 1 : 0,
        `decided by ${who}`,
        this.#clock.now(),
        Number(row.id),
      );
      this.#move(row, state);
      this.#tell(deliveryOf(this.#db, row), state, `decided by ${who}`, who, null);
      return true;
    });
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
      // One row per state: nothing is counted here.
      const rows = this.#db.all('SELECT state, n FROM delivery_tallies');
      return { ...counts, ...Object.fromEntries(rows.map((row) => [String(row.state), Number(row.n)])) };
    });
  }

  #row(key: string): Row | undefined {
    return this.#db.get('SELECT * FROM deliveries WHERE key = ?', key);
  }

  #store(row: Row, outcome: DeliveryOutcome): void {
    this.#db.run(
      `UPDATE deliveries SET state = ?, is_open = ?, remote_id = ?, remote_url = ?, detail = ?, due_at = ?,
         updated_at = ?, owner = NULL, held_until = NULL WHERE id = ?`,
      outcome.state,
      isOpen(outcome.state) ? 1 : 0,
      outcome.state === 'sent' ? outcome.remoteId : null,
      outcome.state === 'sent' ? (outcome.url ?? null) : null,
      'detail' in outcome ? outcome.detail : null,
      'dueAt' in outcome ? outcome.dueAt : null,
      this.#clock.now(),
      Number(row.id),
    );
    this.#move(row, outcome.state);
  }

  #move(row: Row, to: DeliveryState): void {
    if (row.state === to) return;
    tallyDelivery(this.#db, String(row.state), -1);
    tallyDelivery(this.#db, to, 1);
  }

  #tellItems(delivery: Delivery, outcome: DeliveryOutcome, who: string): void {
    const detail = 'detail' in outcome ? outcome.detail : null;
    this.#tell(delivery, outcome.state, detail, who, outcome.state === 'sent' ? outcome.remoteId : null);
  }

  /** Each item of the message gets a line in its history. */
  #tell(
    delivery: Delivery,
    state: DeliveryState,
    detail: string | null,
    who: string,
    remoteId: string | null,
  ): void {
    for (const key of delivery.itemKeys) {
      const item = this.#db.get('SELECT item_id FROM standings WHERE key = ?', key);
      if (item === undefined) continue;
      writeLine(this.#db, Number(item.item_id), {
        at: this.#clock.now(),
        event: 'deliver',
        from: null,
        to: null,
        reason: 'none',
        detail,
        who,
        notes: { destination: delivery.destination, outcome: state, ...(remoteId !== null && { remoteId }) },
      });
    }
  }
}

function isOpen(state: DeliveryState): boolean {
  return OPEN_DELIVERIES.includes(state);
}

function isHeld(row: Row, now: number): boolean {
  return row.owner !== null && Number(row.held_until) > now;
}

function isOurs(row: Row, held: HeldIntent): boolean {
  return row.owner === held.owner && Number(row.token) === held.token;
}
