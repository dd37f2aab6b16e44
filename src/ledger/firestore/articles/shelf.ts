import { isDeepStrictEqual } from 'node:util';
import type { DocumentData, DocumentSnapshot } from '@google-cloud/firestore';
import type { FirestoreConnection, Place, Write } from '../../../firestore/connection.ts';
import { canonicalUrl } from '../../../item/identity.ts';
import type { Item, ItemKey } from '../../../item/item.ts';
import type { State } from '../../../item/lifecycle.ts';
import { isHeld } from '../../../outbox/message-record.ts';
import type { Clock } from '../../../time/clock.ts';
import { MINUTE, SECOND } from '../../../time/duration.ts';
import type { ItemRecord as StoredItem } from '../../item-record.ts';
import { documentOf, storedOf } from '../document.ts';
import {
  ARTICLES,
  type ArticleHome,
  articleFields,
  articleIds,
  homeOf,
  isArticle,
  recordedUrl,
} from '../layouts/articles.ts';
import { hashOf } from '../layouts/items.ts';
import { MetSources } from '../met-sources.ts';
import type { Order } from '../order.ts';
import { pack, unpack } from '../packing.ts';
import { timeOf } from '../times.ts';
import { adopted, adoptOriginals } from './adopted.ts';
import { type ArticleMessage, messageOf, placeOf } from './message.ts';
import { type ArticleQueries, articleQueries } from './queries.ts';

/** What this process knows is looked at anew when it is older than this and a new reading comes in. */
const FRESH_FOR = MINUTE;
/** For people who look at the page of another process: what was written since is shown after this time at the latest. */
const SHOWN_FOR = 5 * SECOND;
/** How often documents of another program are looked for while people look at lists. */
const ADOPT_EVERY = 10 * MINUTE;
/** Of settled articles so many are kept at hand. */
const AT_HAND = 2_000;
/** Newest messages that are looked at for articles whose publication was not recorded any more: those of a run or two. */
const NEWEST_MESSAGES = 60;
/** `in` and `array-contains-any` take no more. */
const MOST_IDS = 30;
/** Names the page that says that some documents have IDs of other forms than the canonical one. */
const OTHER_FORMS = 'other-forms';
const PER_PAGE = 200;
const SETTLED_HOMES = ['notified', 'rejected'] as const;

export interface Grave {
  readonly state: State;
  readonly sweptAt: number;
}

interface Page {
  readonly items: readonly StoredItem[];
  readonly graves: readonly (readonly [ItemKey, Grave])[];
  /** Some articles are recorded under another form of their URL than the key, so a key alone may have to be searched for. */
  readonly otherForms?: true;
}

/** The URLs under which sources give articles, by their keys. */
export type UrlsOf = ReadonlyMap<ItemKey, readonly string[]>;

/**
 * What the articles' ledger and outbox share: the articles that this process works on, and the way to their documents. One
 * run of a pipeline lives at a time, so claims need not leave the process.
 */
export class ArticleShelf {
  readonly connection: FirestoreConnection;
  readonly clock: Clock;
  readonly order: Order;
  readonly names: Readonly<Record<keyof typeof ARTICLES, string>>;
  readonly queries: ArticleQueries;
  readonly metSources: MetSources;
  /** Under way, or remembered by us alone. */
  readonly items = new Map<ItemKey, StoredItem>();
  readonly graves = new Map<ItemKey, Grave>();
  readonly messages = new Map<string, ArticleMessage>();
  /** Keys of the messages that Firestore has. */
  readonly written = new Set<string>();
  /** Where the document of an article lies, as far as we have seen it. */
  readonly places = new Map<ItemKey, Place>();
  /** Good, but not written yet: it may be published before the run ends, and then that is its one document. */
  readonly unwritten = new Set<ItemKey>();
  readonly #settled = new Map<ItemKey, StoredItem>();
  readonly #pages = new Map<string, Page>();
  /** Restored from a message that another process wrote. */
  readonly #restored = new Set<ItemKey>();
  /** Changed by this process since the reading began that is under way: what that reading says of them is older. */
  readonly #changed = new Set<string>();
  #otherForms = false;
  #refreshing: Promise<void> | null = null;
  #refreshedAt: number | null = null;
  #candidatesReadAt: number | null = null;
  #adoptedAt: number | null = null;

  constructor(parts: {
    readonly connection: FirestoreConnection;
    readonly clock: Clock;
    readonly order: Order;
    readonly prefix: string;
  }) {
    this.connection = parts.connection;
    this.clock = parts.clock;
    this.order = parts.order;
    this.names = {
      notified: parts.prefix + ARTICLES.notified,
      rejected: parts.prefix + ARTICLES.rejected,
      candidates: parts.prefix + ARTICLES.candidates,
      remembered: parts.prefix + ARTICLES.remembered,
      outbox: parts.prefix + ARTICLES.outbox,
      sources: parts.prefix + ARTICLES.sources,
    };
    this.queries = articleQueries(this.names);
    this.metSources = new MetSources(this.connection, this.names.sources);
  }

  /** Takes in what other processes wrote: at the first use, or `when` what is known is older than a minute, or at once. */
  async refresh(when: 'first' | 'aged' | 'now' = 'first'): Promise<void> {
    const wanted = { first: Number.POSITIVE_INFINITY, aged: FRESH_FOR, now: 0 }[when];
    await this.#readIf(
      () => this.#ageOf(this.#refreshedAt) >= wanted,
      () => this.#readAll(),
    );
  }

  /**
   * For readers: takes in what other processes wrote. While this process works on articles, what it knows is newer than what
   * is written. `candidates` alone are one query.
   */
  async look(what: 'all' | 'candidates' = 'all'): Promise<void> {
    await (what === 'all' ? this.current() : this.refresh('first'));
    if (this.#isAtWork()) return;
    await this.#readIf(
      () => this.#ageOf(this.#candidatesReadAt) >= SHOWN_FOR,
      async () => {
        const readAt = this.clock.monotonic();
        this.#takeCandidates(await this.connection.query(this.queries.candidates, { where: [] }));
        this.#candidatesReadAt = readAt;
      },
    );
  }

  #ageOf(readAt: number | null): number {
    return readAt === null ? Number.POSITIVE_INFINITY : this.clock.monotonic() - readAt;
  }

  /** What another program recorded gets the fields that lists, counts and the sweep ask for. */
  async adopt(when: 'aged' | 'now' = 'aged'): Promise<void> {
    if (when === 'aged' && this.#ageOf(this.#adoptedAt) < ADOPT_EVERY) return;
    this.#adoptedAt = this.clock.monotonic();
    await adoptOriginals(this);
  }

  /** The next use takes in what other processes wrote, however short ago the last look was. */
  outdate(): void {
    this.#refreshedAt = null;
  }

  /** For work that begins: what other processes decided in the last minute may be missing. */
  async current(): Promise<void> {
    await this.refresh('first');
    if (!this.#isAtWork()) await this.refresh('aged');
  }

  /** Whether what is known here needs no second look. */
  isCurrent(): boolean {
    return this.#isAtWork() || this.#ageOf(this.#refreshedAt) < FRESH_FOR;
  }

  #isAtWork(): boolean {
    const now = this.clock.now();
    return (
      [...this.items.keys()].some((key) => this.#isHeldHere(key)) ||
      [...this.messages.values()].some((message) => isHeld(message, now))
    );
  }

  /** One reading at a time; whether another is needed is asked again when the one before has ended. */
  async #readIf(isNeeded: () => boolean, read: () => Promise<void>): Promise<void> {
    while (isNeeded() && this.#refreshing !== null) await this.#refreshing;
    if (!isNeeded()) return;
    this.#changed.clear();
    const reading = read();
    this.#refreshing = reading.catch(() => {});
    try {
      await reading;
    } finally {
      this.#refreshing = null;
    }
  }

  async #readAll(): Promise<void> {
    const readAt = this.clock.monotonic();
    const [candidates, pages, open, newest] = await Promise.all([
      this.connection.query(this.queries.candidates, { where: [] }),
      this.connection.query(this.queries.remembered, { where: [] }),
      this.connection.query(this.queries.openMessages, {
        where: [['intended', 'sending', 'unknown', 'parked', 'refused']],
      }),
      this.connection.query(this.queries.newestMessages, { where: [], limit: NEWEST_MESSAGES }),
    ]);
    this.#takeCandidates(candidates);
    for (const snapshot of pages) this.#takePage(snapshot.id, unpack(snapshot.get('content')) as Page);
    // A written message that is neither open nor among the newest was brought to its end by another process.
    for (const key of this.written) {
      const message = this.messages.get(key);
      if (message !== undefined && !isHeld(message, this.clock.now()) && !this.#changed.has(key))
        this.messages.delete(key);
    }
    const read = [...newest, ...open].flatMap((snapshot) => present(messageOf(snapshot)));
    for (const message of read) if (!this.#changed.has(message.delivery.key)) this.takeMessage(message);
    await this.#takeCarried();
    // A candidate may have been said by a process that died before it could write that down.
    const waiting = candidates.flatMap((snapshot) => present(storedOf(snapshot))).map(({ item }) => item.key);
    for (const message of await this.messagesOf(waiting)) this.takeMessage(message);
    for (const message of this.messages.values())
      if (message.delivery.state !== 'sent') this.#restore(message.articles ?? []);
    await this.#settleRestored();
    this.#refreshedAt = this.#candidatesReadAt = readAt;
  }

  #takeCandidates(candidates: readonly DocumentSnapshot[]): void {
    // What was written and is gone now was taken on by another process. What is ours alone stays, claims included.
    for (const [key, place] of this.places)
      if (place[0] === this.names.candidates && !this.unwritten.has(key) && !this.#isNewerHere(key))
        this.#forget(key);
    this.#settled.clear();
    for (const snapshot of candidates) {
      const stored = storedOf(snapshot);
      if (stored === null || this.#isNewerHere(stored.item.key)) continue;
      this.items.set(stored.item.key, stored);
      this.places.set(stored.item.key, [this.names.candidates, snapshot.id]);
    }
  }

  #isNewerHere(key: ItemKey): boolean {
    return this.#changed.has(key) || this.#isHeldHere(key);
  }

  /** Of articles that came with the message of another process, that process may have recorded what became of them. */
  async #settleRestored(): Promise<void> {
    const keys = [...this.#restored].filter((key) => this.unwritten.has(key) && !this.#isNewerHere(key));
    this.#takeSettled(await this.lookUpItems(keys.flatMap((key) => present(this.items.get(key)?.item))));
  }

  #takeSettled(settled: ReadonlyMap<ItemKey, StoredItem>): void {
    for (const [key, stored] of settled) {
      this.keep(stored);
      this.unwritten.delete(key);
      this.#restored.delete(key);
    }
  }

  /**
   * Somebody else may have worked meanwhile: what was only going to be said is forgotten, and what waits is kept only as far
   * as nobody has settled it.
   */
  async catchUp(): Promise<void> {
    const now = this.clock.now();
    for (const [key, message] of this.messages)
      if (!this.written.has(key) && !isHeld(message, now)) this.messages.delete(key);
    await this.refresh('now');
    const ours = [...this.items.values()]
      .map(({ item }) => item)
      .filter(({ key, state }) => state !== 'baseline' && !this.places.has(key) && !this.#isHeldHere(key));
    this.#takeSettled(await this.lookUpItems(ours));
  }

  /** Every message in Firestore that carries one of these articles. */
  async messagesOf(keys: readonly ItemKey[]): Promise<readonly ArticleMessage[]> {
    const ids = [...new Set(keys)].map((key) => hashOf(key));
    const found: ArticleMessage[] = [];
    for (const some of inParts(ids))
      for (const snapshot of await this.connection.query(this.queries.ofItems, { where: [some] }))
        found.push(...present(messageOf(snapshot)));
    return found;
  }

  /** As Firestore has it. While it is being sent here, or was made here after the one there was dropped, ours is newer. */
  takeMessage(message: ArticleMessage): void {
    const { key, state } = message.delivery;
    const here = this.messages.get(key);
    this.order.follow(message.nth);
    if (here !== undefined && state === 'dropped' && message.nth < here.nth) return;
    this.written.add(key);
    if (here !== undefined && isHeld(here, this.clock.now()) && here.token >= message.token) return;
    this.messages.set(key, message);
  }

  /** As this process has just changed it. */
  putMessage(message: ArticleMessage): void {
    this.#changed.add(message.delivery.key);
    this.messages.set(message.delivery.key, message);
  }

  /** What a process was going to send, and died before it could: unless another has sent it since. */
  async #takeCarried(): Promise<void> {
    const carried = new Map<string, ArticleMessage>();
    // An article is swept when its messages are through.
    for (const { carried: more = [] } of this.messages.values())
      for (const one of more)
        if (
          !this.messages.has(one.delivery.key) &&
          !one.delivery.itemKeys.some((key) => this.graves.has(key))
        )
          carried.set(one.delivery.key, one);
    const keys = [...carried.keys()];
    const snapshots = await this.connection.getAll(keys.map((key) => placeOf(key, this.names)));
    for (const [index, key] of keys.entries()) {
      const snapshot = snapshots[index];
      const there = snapshot === undefined ? null : messageOf(snapshot);
      const left = carried.get(key);
      if (there !== null) this.takeMessage(there);
      else if (left !== undefined) {
        this.order.follow(left.nth);
        this.messages.set(key, { ...left, held: null });
      }
    }
  }

  #isHeldHere(key: ItemKey): boolean {
    const claim = this.items.get(key)?.claim ?? null;
    return claim !== null && claim.until > this.clock.now();
  }

  #forget(key: ItemKey): void {
    this.items.delete(key);
    this.places.delete(key);
  }

  #restore(articles: readonly StoredItem[]): void {
    for (const stored of articles) {
      if (this.items.has(stored.item.key) || this.#settled.has(stored.item.key)) continue;
      if (this.graves.has(stored.item.key)) continue;
      this.items.set(stored.item.key, stored);
      this.unwritten.add(stored.item.key);
      this.#restored.add(stored.item.key);
    }
  }

  #takePage(id: string, page: Page): void {
    this.#pages.set(id, page);
    this.#otherForms ||= page.otherForms === true;
    for (const stored of page.items)
      if (!this.items.has(stored.item.key)) this.items.set(stored.item.key, stored);
    for (const [key, grave] of page.graves) this.graves.set(key, grave);
  }

  /** An article whose message was sent and whose publication nobody wrote down: its process died in between. */
  fromMessage(key: ItemKey): StoredItem | null {
    for (const { articles } of this.messages.values()) {
      const stored = articles?.find(({ item }) => item.key === key);
      if (stored === undefined) continue;
      this.#restore([stored]);
      return stored;
    }
    return null;
  }

  async find(key: ItemKey): Promise<StoredItem | null> {
    await this.look();
    const here = this.items.get(key) ?? this.#settled.get(key);
    return here ?? (await this.lookUp([key])).get(key) ?? null;
  }

  isAtHand(key: ItemKey): boolean {
    return this.items.has(key) || this.#settled.has(key);
  }

  /**
   * What the two collections of the contract hold of these. An article with one possible ID is asked for by that, both
   * collections in one call (A11). One that may be recorded under another form of its URL, by an earlier version or because
   * another source gave it so, is searched for, 30 at a time: that costs one read where nothing is there.
   */
  async lookUp(keys: readonly ItemKey[], urls: UrlsOf = new Map()): Promise<Map<ItemKey, StoredItem>> {
    const found = new Map<ItemKey, StoredItem>();
    const formsOf = (key: ItemKey): string[] => [...new Set([...(urls.get(key) ?? []), key])];
    const hasOneId = (key: ItemKey): boolean => !this.#otherForms && formsOf(key).length === 1;
    await this.#lookUp(
      keys.filter(hasOneId).map((key) => ({ key, url: key })),
      urls,
      found,
      (places) => this.connection.getAll(places),
    );
    const searched = keys.filter((key) => !hasOneId(key));
    await this.#lookUp(
      searched.flatMap((key) => formsOf(key).map((url) => ({ key, url }))),
      urls,
      found,
      (places) => this.#queryById(places),
    );
    if (this.#otherForms) await this.#lookUpByKey(searched, found);
    return found;
  }

  lookUpItems(items: readonly Pick<Item, 'key' | 'url'>[]): Promise<Map<ItemKey, StoredItem>> {
    const urls = new Map(items.map((item) => [item.key, [recordedUrl(item)]]));
    return this.lookUp([...urls.keys()], urls);
  }

  async #lookUp(
    articles: readonly { readonly key: ItemKey; readonly url: string }[],
    urls: UrlsOf,
    found: Map<ItemKey, StoredItem>,
    read: (places: readonly Place[]) => Promise<readonly (DocumentSnapshot | undefined)[]>,
  ): Promise<void> {
    let asked = articles.flatMap(({ key, url }) => [
      this.#ask(key, url, 'notified', 0),
      this.#ask(key, url, 'rejected', 0),
    ]);
    while (asked.length > 0) {
      const snapshots = await read(asked.map(({ place }) => place));
      const another: typeof asked = [];
      for (const [index, ask] of asked.entries()) {
        const snapshot = snapshots[index];
        if (snapshot === undefined || !snapshot.exists) continue;
        const isMatch = urls.has(ask.key)
          ? isOf(snapshot, ask.key, [ask.key, ask.url])
          : hasKey(snapshot, ask.key);
        if (isMatch) this.#takeFound(snapshot, ask, found);
        else if (ask.nth + 1 < articleIds(ask.url).length)
          another.push(this.#ask(ask.key, ask.url, ask.home, ask.nth + 1));
      }
      asked = another;
    }
  }

  #takeFound(
    snapshot: DocumentSnapshot,
    ask: { readonly key: ItemKey; readonly url: string; readonly home: ArticleHome; readonly place: Place },
    found: Map<ItemKey, StoredItem>,
  ): void {
    // What was notified stays notified, also where it was rejected under another form of its URL.
    if (found.has(ask.key) && ask.home !== 'notified') return;
    const there = storedOf(snapshot) ?? adopted(snapshot, snapshot.id as ItemKey, ask.home);
    // A document of another program does not tell its address; the source has just told it.
    const item = there.item.key === ask.key ? there.item : { ...there.item, key: ask.key, url: ask.url };
    const stored = { ...there, item };
    found.set(ask.key, stored);
    this.places.set(ask.key, ask.place);
    this.#keepAtHand(stored);
  }

  async #queryById(places: readonly Place[]): Promise<(DocumentSnapshot | undefined)[]> {
    const found = new Map<string, DocumentSnapshot>();
    const search = async (home: 'notified' | 'rejected', ids: readonly string[]): Promise<void> => {
      for (const snapshot of await this.connection.query(this.queries[home].byId, { where: [ids] }))
        found.set(`${this.names[home]}/${snapshot.id}`, snapshot);
    };
    const idsIn = (home: 'notified' | 'rejected'): string[] => [
      ...new Set(places.filter(([collection]) => collection === this.names[home]).map(([, id]) => id)),
    ];
    await Promise.all(SETTLED_HOMES.flatMap((home) => inParts(idsIn(home)).map((ids) => search(home, ids))));
    return places.map((place) => found.get(place.join('/')));
  }

  async #lookUpByKey(keys: readonly ItemKey[], found: Map<ItemKey, StoredItem>): Promise<void> {
    const missing = new Map(keys.filter((key) => !found.has(key)).map((key) => [hashOf(key), key]));
    const search = async (home: 'notified' | 'rejected', hashes: readonly string[]): Promise<void> => {
      for (const snapshot of await this.connection.query(this.queries[home].byKey, { where: [hashes] })) {
        const key = missing.get(String(snapshot.get('ledger.key')));
        const place: Place = [this.names[home], snapshot.id];
        if (key !== undefined) this.#takeFound(snapshot, { key, url: key, home, place }, found);
      }
    };
    await Promise.all(
      SETTLED_HOMES.flatMap((home) => inParts([...missing.keys()]).map((hashes) => search(home, hashes))),
    );
  }

  #ask(key: ItemKey, url: string, home: ArticleHome, nth: number) {
    const ids = articleIds(url);
    const place: Place = [this.names[home], ids[Math.min(nth, ids.length - 1)] ?? hashOf(key)];
    return { key, url, home, nth, place };
  }

  /** The tombstone of an article; that of another program's document has the ID of the document for a key. */
  graveOf(key: ItemKey, urls: readonly string[] = []): Grave | undefined {
    if (this.graves.size === 0) return undefined;
    const forms = [key, ...urls];
    for (const form of [...forms, ...forms.flatMap((one) => articleIds(one).slice(0, 1))]) {
      const grave = this.graves.get(form as ItemKey);
      if (grave !== undefined) return grave;
    }
    return undefined;
  }

  /**
   * Writes an article to where its state belongs, and away from where it was, in one commit. The ID is taken only if no
   * other article has it; one that is there already under our own URL is written again, which changes nothing (A12).
   * `changed`: its document is no longer as `before` says, so another process has decided on it; nothing is written.
   */
  async write(
    stored: StoredItem,
    { messageId = null, before, at }: WriteOptions = {},
  ): Promise<'written' | 'changed'> {
    const { key } = stored.item;
    const home = homeOf(stored.item, messageId);
    const url = recordedUrl(stored.item);
    const time = at === undefined ? await this.connection.serverTime() : timeOf(at);
    const data = articleDocument(stored, articleFields(stored.item, time, messageId));
    const from = this.places.get(key);
    const ids = home === 'candidates' ? [hashOf(key)] : articleIds(url);
    if (home !== 'candidates' && url !== key) await this.#rememberOtherForms();
    if (from !== undefined && before !== undefined) {
      const place = await this.#move(from, before, stored, { home, ids, data });
      if (place === null) return 'changed';
      this.places.set(key, place);
      this.unwritten.delete(key);
      return 'written';
    }
    for (const id of ids) {
      const place: Place = [this.names[home], id];
      const same = from !== undefined && from[0] === place[0] && from[1] === id;
      const away: Write[] = from === undefined || same ? [] : [{ do: 'delete', at: from }];
      const first = await this.connection.commit([{ do: same ? 'set' : 'create', at: place, data }, ...away]);
      if (first === 'conflict') {
        const there = await this.connection.get(place);
        if (there.exists && !isOf(there, key, [key, url])) continue;
        await this.connection.commit([{ do: 'set', at: place, data }, ...away]);
      }
      this.places.set(key, place);
      this.unwritten.delete(key);
      return 'written';
    }
    throw new Error(`Every ID of ${key} belongs to another article.`);
  }

  /** Answers where the article lies now; `null` where its document was changed by another process. */
  #move(
    from: Place,
    before: StoredItem,
    next: StoredItem,
    to: { readonly home: ArticleHome; readonly ids: readonly string[]; readonly data: DocumentData },
  ): Promise<Place | null> {
    const { key } = next.item;
    return this.connection.transact(from[0], async (reads) => {
      const [there] = await reads.getAll([from]);
      for (const id of to.ids) {
        const place: Place = [this.names[to.home], id];
        const isSame = from[0] === place[0] && from[1] === id;
        const [target] = isSame ? [there] : await reads.getAll([place]);
        if (target?.exists === true && !isOf(target, key, [key, recordedUrl(next.item)])) continue;
        // An earlier try of ours whose reply was lost went through.
        const done = target === undefined ? null : storedOf(target);
        if (done !== null && isDeepStrictEqual(done.item, next.item)) return { value: place, writes: [] };
        const found = there === undefined || !there.exists ? null : this.#read(there, key, from);
        if (found === null || !isSameStanding(found.item, before.item)) return { value: null, writes: [] };
        const away: Write[] = isSame ? [] : [{ do: 'delete', at: from }];
        return { value: place, writes: [{ do: 'set', at: place, data: to.data }, ...away] };
      }
      throw new Error(`Every ID of ${key} belongs to another article.`);
    });
  }

  /** Written once in the life of a pipeline, before the first document that its key alone does not find. */
  async #rememberOtherForms(): Promise<void> {
    if (this.#otherForms) return;
    const page: Page = { items: [], graves: [], otherForms: true };
    const at: Place = [this.names.remembered, OTHER_FORMS];
    await this.connection.commit([{ do: 'set', at, data: { content: pack(page), count: 0 } }]);
    this.#takePage(OTHER_FORMS, page);
  }

  #read(snapshot: DocumentSnapshot, key: ItemKey, [collection]: Place): StoredItem {
    return (
      storedOf(snapshot) ??
      adopted(snapshot, key, collection === this.names.notified ? 'notified' : 'rejected')
    );
  }

  /** Into the memory of this process, as it stands in Firestore or soon will. */
  keep(stored: StoredItem): void {
    this.#changed.add(stored.item.key);
    const isNotified = this.places.get(stored.item.key)?.[0] === this.names.notified;
    if (homeOf(stored.item) === 'candidates' && !isNotified) {
      this.items.set(stored.item.key, stored);
      this.#settled.delete(stored.item.key);
    } else {
      this.items.delete(stored.item.key);
      this.#keepAtHand(stored);
    }
  }

  #keepAtHand(stored: StoredItem): void {
    this.#settled.set(stored.item.key, stored);
    const oldest = this.#settled.keys().next();
    if (this.#settled.size > AT_HAND && oldest.done === false) this.#settled.delete(oldest.value);
  }

  /** Writes what is good and was not chosen, so that it competes in the next run (A5). */
  async writeUnwritten(): Promise<void> {
    const inMessages = new Set([...this.messages.values()].flatMap(({ delivery }) => delivery.itemKeys));
    for (const key of [...this.unwritten]) {
      const stored = this.items.get(key);
      if (stored === undefined || stored.item.state !== 'accepted') this.unwritten.delete(key);
      else if (!inMessages.has(key)) await this.write(stored);
    }
  }

  /** Remembers baselines and tombstones, many in one document. */
  async remember(
    items: readonly StoredItem[],
    graves: Page['graves'],
    more: readonly Write[] = [],
  ): Promise<void> {
    const pages = Math.max(Math.ceil(items.length / PER_PAGE), graves.length > 0 ? 1 : 0);
    for (let nth = 0; nth < pages; nth++) {
      const page: Page = {
        items: items.slice(nth * PER_PAGE, (nth + 1) * PER_PAGE),
        graves: nth === 0 ? graves : [],
      };
      const id = String(this.order.next());
      const data = { content: pack(page), count: page.items.length + page.graves.length };
      await this.connection.commit([
        { do: 'set', at: [this.names.remembered, id], data },
        ...(nth === 0 ? more : []),
      ]);
      this.#takePage(id, page);
    }
  }

  /** Leaves out what is not to be remembered any more. */
  async forgetRemembered(isOver: (key: ItemKey) => boolean): Promise<void> {
    for (const [id, page] of this.#pages) {
      const next: Page = {
        items: page.items.filter(({ item }) => !isOver(item.key)),
        graves: page.graves.filter(([key]) => !isOver(key)),
      };
      const count = next.items.length + next.graves.length;
      if (count === page.items.length + page.graves.length) continue;
      const at: Place = [this.names.remembered, id];
      await this.connection.commit([
        count === 0 ? { do: 'delete', at } : { do: 'set', at, data: { content: pack(next), count } },
      ]);
      if (count === 0) this.#pages.delete(id);
      else this.#pages.set(id, next);
    }
    for (const key of [...this.graves.keys()]) if (isOver(key)) this.graves.delete(key);
    for (const [key, { item }] of this.items)
      if (item.state === 'baseline' && isOver(key)) this.items.delete(key);
  }

  drop(key: ItemKey): void {
    this.#changed.add(key);
    this.items.delete(key);
    this.#settled.delete(key);
    this.places.delete(key);
    this.unwritten.delete(key);
  }

  storedOf(snapshot: DocumentSnapshot, home: ArticleHome): StoredItem {
    const url: unknown = snapshot.get('article_url');
    const stored = storedOf(snapshot) ?? adopted(snapshot, String(url ?? snapshot.id) as ItemKey, home);
    this.places.set(stored.item.key, [this.names[home], snapshot.id]);
    return stored;
  }
}

export interface WriteOptions {
  /** Discord's ID of the message that has the article. */
  readonly messageId?: string | null;
  /** As this process last saw the article. */
  readonly before?: StoredItem;
  /** When it was decided, of an article that was decided before; Firestore's time at the write where absent. */
  readonly at?: number;
}

function articleDocument(stored: StoredItem, fields: DocumentData): DocumentData {
  const { ledger, ...rest } = documentOf({ fields: () => fields }, stored);
  return { ...rest, ledger: { ...ledger, key: hashOf(stored.item.key) } };
}

/** Whether a document at one of an article's IDs is the article's own. */
function isOf(snapshot: DocumentSnapshot, key: ItemKey, urls: readonly string[]): boolean {
  return isArticle(snapshot.data() ?? {}, urls) || storedOf(snapshot)?.item.key === key;
}

/**
 * Whether a document is that of the item with this key, of which no source has just told the URL. A URL in a form that is no key
 * names no item: it would get a second identity.
 */
function hasKey(snapshot: DocumentSnapshot, key: ItemKey): boolean {
  const stored = storedOf(snapshot);
  const isOriginal = stored === null || stored.item.key === snapshot.id;
  if (!isOriginal) return stored.item.key === key;
  if (key === snapshot.id) return true;
  const canonical = canonicalUrl(key);
  return (
    isArticle(snapshot.data() ?? {}, [key]) && canonical.outcome === 'canonical' && canonical.url === key
  );
}

function inParts<T>(all: readonly T[]): T[][] {
  const parts: T[][] = [];
  for (let from = 0; from < all.length; from += MOST_IDS) parts.push(all.slice(from, from + MOST_IDS));
  return parts;
}

/** Whether nothing has happened to the article in between. */
function isSameStanding(one: Item, other: Item): boolean {
  return one.state === other.state && one.checkedAt === other.checkedAt && one.attempts === other.attempts;
}

function present<T>(value: T | null | undefined): readonly T[] {
  return value === null || value === undefined ? [] : [value];
}
