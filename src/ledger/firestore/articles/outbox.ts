import { isDeepStrictEqual } from 'node:util';
import type { Place, Write } from '../../../firestore/connection.ts';
import type { ItemKey } from '../../../item/item.ts';
import {
  beingSent,
  corrected,
  decided,
  deliveryLine,
  isHeld,
  isOurs,
  isUnderWay,
  lineHead,
  newMessage,
  saysTheSame,
  sayTwice,
  settled,
  withoutFuture,
} from '../../../outbox/message-record.ts';
import {
  DELIVERY_STATES,
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
} from '../../../press/outbox.ts';
import type { CorrectedTimes, LeaseWatch } from '../../../time/future.ts';
import { checkLease, checkLimit } from '../../bad-input.ts';
import { withLine } from '../../item-record.ts';
import type { NewIntent } from '../../ledger.ts';
import { storedOf } from '../document.ts';
import { articleIds, isArticle, recordedUrl, SNOWFLAKE } from '../layouts/articles.ts';
import { hashOf } from '../layouts/items.ts';
import {
  byOrder,
  isBehindCursor,
  LOOK_EVERY,
  messageCursor,
  messageDocument,
  pageQuery,
} from '../messages.ts';
import { giveWay, putAside } from './giving-way.ts';
import { type ArticleMessage, isSameTry, lean, messageOf, placeOf, withoutArticles } from './message.ts';
import type { ArticleShelf } from './shelf.ts';

/**
 * The curator's outbox: two writes for each message (A19). An intent is kept in this process until just before the first
 * byte leaves; then it is written with its articles, and once more when it is known what became of it. Before that nothing
 * was said, so nothing has to be remembered.
 */
export class ArticlesOutbox implements OutboxStore {
  readonly abilities = { looksEveryMs: LOOK_EVERY };
  readonly #shelf: ArticleShelf;
  /** Destinations on Discord, whose messages have the IDs of A13. */
  readonly discord: ReadonlySet<string>;

  constructor(shelf: ArticleShelf, discord: ReadonlySet<string> = new Set()) {
    this.#shelf = shelf;
    this.discord = discord;
  }

  async intend(intents: readonly NewIntent[]): Promise<'written' | 'there' | 'taken'> {
    await this.#shelf.refresh();
    const found = intents.map((intent) => this.#look(intent));
    if (found.includes('taken') || sayTwice(intents)) return 'taken';
    const free = intents.filter((_, index) => found[index] === 'free');
    for (const intent of free) this.#add(intent);
    return free.length > 0 ? 'written' : 'there';
  }

  async intendWhatIsFree(intents: readonly NewIntent[]): Promise<void> {
    for (const intent of intents) if (this.#look(intent) === 'free') this.#add(intent);
  }

  async take(destination: string, owner: string, leaseMs: number): Promise<HeldIntent | null> {
    checkLease(leaseMs);
    await this.#shelf.refresh();
    // Sending begins, so the choice is made: what is good and waits for the next run is written now.
    await this.#shelf.writeUnwritten();
    const head = await this.#headAsWritten(destination);
    const now = this.#shelf.clock.now();
    if (head === undefined || isHeld(head, now) || (head.delivery.dueAt ?? 0) > now) return null;
    const held = { owner, until: now + leaseMs, attempt: '' };
    const next = { ...head, token: head.token + 1, held };
    this.#shelf.putMessage(next);
    return { delivery: next.delivery, owner, token: next.token, until: held.until };
  }

  /** What this process knows, and one look for what another left behind. */
  async nextDue(destinations: readonly string[]): Promise<number | null> {
    const { connection, queries, messages, clock } = this.#shelf;
    await this.#shelf.refresh();
    const open = await connection.query(queries.openMessages, {
      where: [[...OPEN_DELIVERIES]],
      limit: OPEN_LOOKED_AT,
    });
    const foreign = open.some((snapshot) => {
      const there = messageOf(snapshot);
      const here = there === null ? undefined : messages.get(there.delivery.key);
      return there !== null && (here === undefined || !isOpen(here.delivery.state));
    });
    // While something of ours is being sent, what we know is newer than what is written.
    const busy = [...messages.values()].some((message) => isHeld(message, clock.now()));
    if (foreign && !busy) await this.#shelf.refresh('aged');
    return earliest(destinations.map((destination) => lineHead(this.#head(destination) ?? null)));
  }

  /** What was tried before is read again: another process may have seen it through meanwhile (X21). */
  async #headAsWritten(destination: string): Promise<ArticleMessage | undefined> {
    const { messages, written, connection, clock } = this.#shelf;
    for (;;) {
      const head = this.#head(destination);
      const key = head?.delivery.key;
      if (head === undefined || key === undefined || !written.has(key) || isHeld(head, clock.now()))
        return head;
      if ((head.delivery.dueAt ?? 0) > clock.now()) return head;
      const there = messageOf(await connection.get(this.#placeOf(key)));
      if (there === null || !isNewer(there, head)) return head;
      messages.set(key, there);
      if (isOpen(there.delivery.state)) return there;
    }
  }

  #head(destination: string): ArticleMessage | undefined {
    return [...this.#shelf.messages.values()]
      .filter(({ delivery }) => delivery.destination === destination && isOpen(delivery.state))
      .sort(byOrder)[0];
  }

  async markSending(held: HeldIntent): Promise<'marked' | 'lost'> {
    const now = this.#shelf.clock.now();
    const message = this.#shelf.messages.get(held.delivery.key);
    if (message === undefined || !isOurs(message, held) || !isHeld(message, now)) return 'lost';
    if (message.marked === held.token) return 'marked';
    const { delivery } = message;
    const next: ArticleMessage = {
      ...this.#withArticles(message),
      marked: held.token,
      delivery: beingSent(delivery, now),
      carried: this.#unwrittenBeside(delivery.key),
    };
    const isWritten = await this.#writeBeforeSending(next, message);
    if (isWritten && !(await this.#isSaidElsewhere(next))) {
      this.#shelf.putMessage(next);
      this.#shelf.written.add(delivery.key);
      return 'marked';
    }
    // Nothing of it has left, so it never will.
    if (delivery.attempts === 0) await putAside({ ...next, delivery }, this.#shelf);
    await giveWay(delivery, this.#shelf);
    return 'lost';
  }

  /**
   * Whether another message says one of its articles to the same destination (X2). Asked after it was written: of two that come at
   * the same moment at least one sees the other. No lock is held for it, so that destinations do not wait for each other.
   */
  async #isSaidElsewhere({ delivery }: ArticleMessage): Promise<boolean> {
    const beside = await this.#shelf.messagesOf(delivery.itemKeys);
    return beside.some(
      (other) => other.delivery.key !== delivery.key && saysTheSame(other.delivery, delivery),
    );
  }

  #withArticles(message: ArticleMessage): ArticleMessage {
    const articles = message.delivery.itemKeys.flatMap((key) => this.#shelf.items.get(key) ?? []);
    return { ...message, articles: articles.map((stored) => ({ ...stored, claim: null })) };
  }

  /** What would be lost with this process: it goes along with whatever is written. */
  #unwrittenBeside(key: string): readonly ArticleMessage[] {
    return [...this.#shelf.messages.values()]
      .filter(({ delivery }) => delivery.key !== key && !this.#shelf.written.has(delivery.key))
      .sort(byOrder)
      .slice(0, MOST_CARRIED)
      .map((message) => ({ ...this.#withArticles(message), held: null }));
  }

  /**
   * The last look before anything is said (X21): a run that lost its lease finds the message, or one of the articles, in
   * another's hands and says nothing.
   */
  #writeBeforeSending(next: ArticleMessage, before: ArticleMessage): Promise<boolean> {
    const recorded = this.#recordedAt(next);
    const at = this.#placeOf(next.delivery.key);
    return this.#shelf.connection.transact(this.#shelf.names.outbox, async (reads) => {
      const [there, ...notified] = await reads.getAll([at, ...recorded.map(({ place }) => place)]);
      const found = there === undefined ? null : messageOf(there);
      // What was dropped may be said anew, by a message that was made since.
      const anew = found?.delivery.state === 'dropped' && found.nth < before.nth;
      const written = anew ? null : found;
      const foreign = written !== null && written.nth !== before.nth;
      const moved = written !== null && written.delivery.attempts !== before.delivery.attempts;
      // A try of ours whose reply was lost is there already.
      const again = written !== null && isSameTry(written, next);
      // A message that is sent again after a refusal may have articles that count as published because of other destinations.
      const isResent = written !== null && written.delivery.attempts > 0;
      const said = notified.some((snapshot, index) => {
        const data = snapshot.data();
        if (data === undefined || !isArticle(data, recorded[index]?.urls ?? [])) return false;
        return !isResent || storedOf(snapshot) === null;
      });
      const over = written !== null && !isOpen(written.delivery.state);
      if (said || foreign || over || (moved && !again)) return { value: false, writes: [] };
      return { value: true, writes: [{ do: 'set', at, data: messageDocument(next) }] };
    });
  }

  async settle(held: HeldIntent, outcome: DeliveryOutcome): Promise<'settled' | 'lost'> {
    const message = this.#shelf.messages.get(held.delivery.key);
    if (message === undefined || message.token !== held.token) return 'lost';
    if (message.held === null) return message.delivery.state === outcome.state ? 'settled' : 'lost';
    if (!isOurs(message, held)) return 'lost';
    const delivery = settled(message.delivery, outcome, this.#shelf.clock.now());
    const carried = this.#unwrittenBeside(delivery.key);
    const next = lean({ ...message, held: null, delivery, carried });
    if (!(await this.#writeUnlessTaken(next))) return 'lost';
    this.#keep(next, held.owner);
    if (delivery.attempts > 1) await this.#correctMessageId(next);
    return 'settled';
  }

  settleAndTake(held: HeldIntent, outcome: DeliveryOutcome, leaseMs: number): Promise<SettledAndTaken> {
    return settleThenTake(this, held, outcome, leaseMs);
  }

  /** What somebody else has taken up meanwhile is no longer ours to settle (X21). */
  #writeUnlessTaken(next: ArticleMessage): Promise<boolean> {
    const at = this.#placeOf(next.delivery.key);
    return this.#shelf.connection.transact(this.#shelf.names.outbox, async (reads) => {
      const [there] = await reads.getAll([at]);
      const written = there === undefined ? null : messageOf(there);
      const taken =
        written !== null &&
        (written.nth !== next.nth ||
          // Somebody else found out what became of it.
          (written.token !== next.token && !isOpen(written.delivery.state)) ||
          written.token > next.token ||
          (written.token === next.token && written.marked !== next.marked));
      if (taken) return { value: false, writes: [] };
      return { value: true, writes: [{ do: 'set', at, data: messageDocument(next) }] };
    });
  }

  async correctFutureTimes(
    destinations: readonly string[],
    leaseMs: number,
    leases: LeaseWatch,
  ): Promise<CorrectedTimes> {
    await this.#shelf.refresh();
    const done = { corrected: 0, watched: 0 };
    for (const destination of destinations) {
      const head = this.#head(destination);
      if (head === undefined) continue;
      const { delivery, held } = head;
      const now = this.#shelf.clock.now();
      const next = withoutFuture({ delivery, heldUntil: held?.until ?? 0 }, leaseMs, leases, now);
      if (next === 'watched') done.watched++;
      if (next === 'watched' || next === null) continue;
      this.#shelf.putMessage(await this.#writeCorrected(head, corrected(head, next)));
      done.corrected++;
    }
    return done;
  }

  /** Answers what is known now: what another process changed meanwhile is newer. */
  async #writeCorrected(head: ArticleMessage, next: ArticleMessage): Promise<ArticleMessage> {
    const { key } = head.delivery;
    if (!this.#shelf.written.has(key)) return next;
    const at = this.#placeOf(key);
    return this.#shelf.connection.transact(this.#shelf.names.outbox, async (reads) => {
      const [snapshot] = await reads.getAll([at]);
      const there = snapshot === undefined ? null : messageOf(snapshot);
      // A hold that was not written yet is corrected in this process alone.
      if (there === null || there.token < head.token) return { value: next, writes: [] };
      const isSame = there.held?.until === head.held?.until && there.delivery.dueAt === head.delivery.dueAt;
      if (isNewer(there, head) || !isSame) return { value: there, writes: [] };
      return { value: next, writes: [{ do: 'set', at, data: messageDocument(next) }] };
    });
  }

  async decide(intentKey: string, decision: 'sent' | 'again' | 'drop', who: string): Promise<boolean> {
    const at = this.#placeOf(intentKey);
    let tried: ArticleMessage | null = null;
    const next = await this.#shelf.connection.transact(this.#shelf.names.outbox, async (reads) => {
      const [there] = await reads.getAll([at]);
      const message = there === undefined ? null : messageOf(there);
      // An earlier try of ours whose reply was lost went through.
      if (tried !== null && isDeepStrictEqual(message?.delivery, tried.delivery))
        return { value: tried, writes: [] };
      const delivery = message && decided(message.delivery, decision, who, this.#shelf.clock.now());
      if (message === null || delivery === null) return { value: null, writes: [] };
      tried = lean({ ...message, held: null, delivery });
      return { value: tried, writes: [{ do: 'set', at, data: messageDocument(tried) }] };
    });
    if (next === null) return false;
    this.#keep(next, who);
    return true;
  }

  async list(filter: DeliveryFilter): Promise<DeliveryPage> {
    checkLimit(filter.limit);
    if (filter.states?.length === 0) return { deliveries: [], next: null };
    const { states = DELIVERY_STATES, destination } = filter;
    const { queries } = this.#shelf;
    const { form, values } = pageQuery({ ...queries, messages: queries.newestMessages }, filter);
    const written = await this.#shelf.connection.query(form, values);
    const found = new Map<string, ArticleMessage>();
    for (const snapshot of written) {
      const message = messageOf(snapshot);
      if (message !== null) found.set(message.delivery.key, message);
    }
    for (const [key, message] of this.#shelf.messages)
      if (
        !this.#shelf.written.has(key) &&
        isBehindCursor(message, filter.cursor) &&
        states.includes(message.delivery.state) &&
        (destination ?? message.delivery.destination) === message.delivery.destination
      )
        found.set(key, message);
    const all = [...found.values()].sort((a, b) => byOrder(b, a));
    const page = all.slice(0, filter.limit);
    const last = page.at(-1);
    return {
      deliveries: page.map(({ delivery }) => delivery),
      next: last !== undefined && all.length > filter.limit ? messageCursor(last) : null,
    };
  }

  /** Of an article under way everything is known here; of others Firestore is asked. */
  async ofItem(key: ItemKey): Promise<readonly Delivery[]> {
    await this.#shelf.refresh();
    const here = [...this.#shelf.messages.values()].filter(({ delivery }) => delivery.itemKeys.includes(key));
    const known = this.#shelf.isCurrent() && (here.length > 0 || this.#shelf.items.has(key));
    const away = known ? [] : await this.#shelf.messagesOf([key]);
    const all = new Map([...here, ...away].map((message) => [message.delivery.key, message]));
    return [...all.values()]
      .filter((message) => message.gaveWay !== true)
      .sort(byOrder)
      .map(({ delivery }) => delivery);
  }

  async counts(): Promise<Readonly<Record<DeliveryState, number>>> {
    await this.#shelf.refresh();
    const counted = { intended: 0, sending: 0, unknown: 0, sent: 0, refused: 0, parked: 0, dropped: 0 };
    await Promise.all(
      (Object.keys(counted) as DeliveryState[]).map(async (state) => {
        const here = [...this.#shelf.messages.values()].filter(
          ({ delivery }) => delivery.state === state && !this.#shelf.written.has(delivery.key),
        );
        counted[state] =
          here.length + (await this.#shelf.connection.count(this.#shelf.queries.messagesOfState, [state]));
      }),
    );
    return counted;
  }

  /** Discord's own ID of the message that has this article; `null` where Discord has none (A13). */
  async discordId(key: ItemKey): Promise<string | null> {
    if (this.discord.size === 0) return null;
    const here = [...this.#shelf.messages.values()].filter(({ delivery }) => delivery.itemKeys.includes(key));
    return this.#discordIdIn(here) ?? this.#discordIdIn(await this.#shelf.messagesOf([key]));
  }

  /** Earlier versions recorded articles as notified whose message Discord had refused: a retry gives them their ID. */
  async #correctMessageId(message: ArticleMessage): Promise<void> {
    const discord_message_id = this.#discordIdIn([message]);
    const settled = message.delivery.itemKeys.filter((key) => !this.#shelf.items.has(key));
    if (discord_message_id === null || settled.length === 0) return;
    const { names, places, connection } = this.#shelf;
    const writes = [...(await this.#shelf.lookUp(settled)).keys()].flatMap((key): Write[] => {
      const at = places.get(key);
      return at?.[0] === names.notified ? [{ do: 'patch', at, data: { discord_message_id } }] : [];
    });
    await connection.commit(writes);
  }

  #discordIdIn(messages: readonly ArticleMessage[]): string | null {
    const sent = messages
      .map(({ delivery }) => delivery)
      .filter(({ state, destination }) => state === 'sent' && this.discord.has(destination));
    return sent.map(({ remoteId }) => remoteId).find((id) => id !== null && SNOWFLAKE.test(id)) ?? null;
  }

  /** For the sweep: which of these articles have a message under way, and the writes that end the others' messages. */
  async endOf(
    keys: readonly ItemKey[],
    dryRun: boolean,
  ): Promise<{ readonly busy: ReadonlySet<ItemKey>; readonly writes: readonly Write[] }> {
    const messages = new Map<string, ArticleMessage>();
    for (const message of await this.#shelf.messagesOf(keys)) messages.set(message.delivery.key, message);
    const ending = new Set(keys);
    const isEnding = ({ delivery }: ArticleMessage): boolean =>
      delivery.itemKeys.some((key) => ending.has(key));
    for (const message of this.#shelf.messages.values())
      if (!messages.has(message.delivery.key) && (isEnding(message) || message.carried?.some(isEnding)))
        messages.set(message.delivery.key, message);
    const busy = new Set(
      [...messages.values()]
        .filter(({ delivery }) => isUnderWay(delivery.state))
        .flatMap(({ delivery }) => delivery.itemKeys),
    );
    const ended = new Set(keys.filter((key) => !busy.has(key)));
    const writes: Write[] = [];
    for (const message of messages.values()) {
      const next = withoutArticles(message, ended);
      if (dryRun || next === message || isUnderWay(message.delivery.state)) continue;
      const at = this.#placeOf(message.delivery.key);
      if (next.delivery.itemKeys.length === 0) {
        this.#shelf.messages.delete(message.delivery.key);
        writes.push({ do: 'delete', at });
      } else {
        this.#shelf.messages.set(message.delivery.key, next);
        writes.push({ do: 'set', at, data: messageDocument(next) });
      }
    }
    return { busy, writes };
  }

  /** Into the memory of this process, as it now stands in Firestore. */
  #keep(message: ArticleMessage, who: string): void {
    this.#shelf.putMessage(message);
    this.#shelf.written.add(message.delivery.key);
    this.#tell(message.delivery, who);
  }

  /** A line in the history of each article, written with its next step. */
  #tell(delivery: Delivery, who: string): void {
    for (const key of delivery.itemKeys) {
      const stored = this.#shelf.items.get(key);
      if (stored === undefined) continue;
      const told = deliveryLine(delivery, who, this.#shelf.clock.now());
      this.#shelf.items.set(key, withLine(stored, told));
    }
  }

  #look(intent: NewIntent): 'free' | 'there' | 'taken' {
    const same = this.#shelf.messages.get(intent.key);
    if (same !== undefined && same.delivery.state !== 'dropped') return 'there';
    const said = [...this.#shelf.messages.values()].some(({ delivery }) => saysTheSame(delivery, intent));
    return said ? 'taken' : 'free';
  }

  #add(intent: NewIntent): void {
    const { clock, order, messages, written } = this.#shelf;
    // Behind one of the same key that was dropped.
    order.follow(messages.get(intent.key)?.nth ?? 0);
    written.delete(intent.key);
    this.#shelf.putMessage(newMessage(intent, order.next(), clock.now()));
  }

  #placeOf(key: string): Place {
    return placeOf(key, this.#shelf.names);
  }

  /** Where the articles of a message would be recorded as notified: under their own URLs, or under their keys. */
  #recordedAt({ delivery, articles = [] }: ArticleMessage): { urls: readonly string[]; place: Place }[] {
    return delivery.itemKeys.flatMap((key) => {
      const item = articles.find((stored) => stored.item.key === key)?.item;
      const urls = [...new Set([item === undefined ? key : recordedUrl(item), key])];
      return urls.map((url) => ({
        urls,
        place: [this.#shelf.names.notified, articleIds(url)[0] ?? hashOf(url)] as const,
      }));
    });
  }
}

/** Open messages that are looked at for those of other processes. */
const OPEN_LOOKED_AT = 20;

/** A run's messages, and some that wait behind a destination that is away. */
const MOST_CARRIED = 60;

/** Whether the document tells of more than this process knows; what only this process knows stays. */
function isNewer(there: ArticleMessage, here: ArticleMessage): boolean {
  const { state, attempts } = here.delivery;
  return there.token > here.token || there.delivery.state !== state || there.delivery.attempts !== attempts;
}

function isOpen(state: DeliveryState): boolean {
  return OPEN_DELIVERIES.includes(state);
}
