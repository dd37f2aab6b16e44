import type { Item, ItemKey } from '../item/item.ts';
import { OPEN_STATES, type Transition } from '../item/lifecycle.ts';
import { allItems } from '../ledger/filter.ts';
import type { Ledger, NewMessage, Step } from '../ledger/ledger.ts';
import type { Delivery, Outbox } from '../outbox/outbox.ts';
import { MINUTE } from '../time/duration.ts';
import type {
  Article,
  CreatedDigest,
  CuratorStore,
  NewDigest,
  OpenDigest,
  SavedVerdict,
} from './curator-store.ts';

/** The curator's store on a ledger with claims and its outbox: every step is written at once, under a claim of its own. */
export class LedgerCuratorStore implements CuratorStore {
  readonly #ledger: Ledger;
  readonly #outbox: Outbox;
  readonly #owner: string;

  constructor({ ledger, outbox, owner }: { ledger: Ledger; outbox: Outbox; owner: string }) {
    this.#ledger = ledger;
    this.#outbox = outbox;
    this.#owner = owner;
  }

  async pending(limit: number): Promise<readonly Article[]> {
    if (limit <= 0) return [];
    // Accepted items come first in the ledger's order.
    const { accepted } = (await this.#ledger.counts()).byState;
    const found: Article[] = [];
    for (const key of await this.#ledger.upcoming(accepted + limit)) {
      const item = await this.#ledger.find(key);
      if (item !== null && (item.state === 'waiting' || item.state === 'deferred')) found.push(read(item));
      if (found.length === limit) break;
    }
    return found;
  }

  async article(key: ItemKey): Promise<Article | null> {
    const item = await this.#ledger.find(key);
    return item !== null && OPEN_STATES.includes(item.state) ? read(item) : null;
  }

  async candidates(): Promise<readonly Article[]> {
    return (await this.#accepted())
      .filter(({ deliveries }) => isFree(deliveries))
      .map(({ item }) => read(item));
  }

  /** The ledger has no digests: all accepted items with messages form one. */
  async openDigests(): Promise<readonly OpenDigest[]> {
    const inDigest = (await this.#accepted()).filter(({ deliveries }) => !isFree(deliveries));
    if (inDigest.length === 0) return [];
    const messages = new Map(inDigest.flatMap(({ deliveries }) => deliveries.map((one) => [one.key, one])));
    return [{ id: '', articles: inDigest.map(({ item }) => item), messages: [...messages.values()] }];
  }

  async saveVerdict({ item }: Article, transition: Transition, step?: Step): Promise<SavedVerdict> {
    const request = { owner: this.#owner, leaseMs: MINUTE, states: [item.state], early: true };
    const claim = await this.#ledger.claim(item.key, request);
    if (claim === null) return { outcome: 'lost' };
    if (claim.item.checkedAt !== item.checkedAt || claim.item.attempts !== item.attempts) {
      await this.#ledger.release(claim);
      return { outcome: 'lost' };
    }
    const recorded = await this.#ledger.record(claim, transition, step);
    return { outcome: recorded === 'recorded' ? 'saved' : 'lost' };
  }

  async saveCandidates(): Promise<void> {}

  async updatePending(): Promise<void> {}

  async createDigest({ messages }: NewDigest): Promise<CreatedDigest> {
    const outcome = await this.#outbox.enqueue(messages);
    return { outcome: outcome === 'written' ? 'created' : outcome, held: [] };
  }

  async updateDigest(_id: string, messages: readonly NewMessage[]): Promise<void> {
    await this.#outbox.enqueue(messages);
  }

  async #accepted(): Promise<{ readonly item: Item; readonly deliveries: readonly Delivery[] }[]> {
    const found: { item: Item; deliveries: readonly Delivery[] }[] = [];
    for (const item of await allItems(this.#ledger, 'accepted'))
      found.push({ item, deliveries: await this.#outbox.ofItem(item.key) });
    return found;
  }
}

function isFree(deliveries: readonly Delivery[]): boolean {
  return deliveries.every(({ state }) => state === 'dropped');
}

function read(item: Item): Article {
  return { item, record: null };
}
