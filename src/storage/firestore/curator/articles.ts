import { isDeepStrictEqual } from 'node:util';
import type { DocumentData, DocumentSnapshot } from '@google-cloud/firestore';
import { canonicalUrl } from '../../../item/identity.ts';
import type { Item, ItemKey } from '../../../item/item.ts';
import { REASONS, type Reason } from '../../../item/lifecycle.ts';
import { type ItemRecord, line } from '../../../ledger/item-record.ts';
import {
  type DocumentPath,
  type FirestoreConnection,
  MAX_CONFLICTS,
  type TransactionReads,
  type Write,
} from '../connection.ts';
import { contentionError } from '../errors.ts';
import {
  type ArticleCollection,
  articleFields,
  articleIds,
  collectionOf,
  isArticle,
  recordedUrl,
} from '../ledger/article-layout.ts';
import { documentOf, firestoreTime, hashOf, recordOfDocument } from '../ledger/document.ts';
import type { SequenceNumbers } from '../ledger/ledger-store.ts';
import { allDocuments } from '../ledger/queries.ts';
import { type CuratorCollections, type CuratorQueries, candidatePlace, inChunks } from './documents.ts';

/** Documents of one commit. */
const PER_COMMIT = 400;
const SETTLED = ['notified', 'rejected'] as const;

/** The URLs of articles in their sources, by key. */
export type UrlsOf = ReadonlyMap<ItemKey, readonly string[]>;

/** An article with the path of its document. */
export interface PlacedArticle {
  readonly stored: ItemRecord;
  readonly at: DocumentPath;
}

export interface ArticleWrite {
  /** Discord's ID of the message that has the article. */
  readonly messageId?: string | null;
  /** Decision time of an article that was decided before; Firestore's time at the write where absent. */
  readonly decidedAt?: number;
}

/** The documents of articles: those of the contract's two collections, and the candidates. */
export class CuratorArticles {
  readonly #connection: FirestoreConnection;
  readonly #names: CuratorCollections;
  readonly #queries: CuratorQueries;
  /** Whether some documents have IDs of other forms of the URL than the key, so that a key alone may need a query. */
  readonly #otherForms: { has(): Promise<boolean>; note(): Promise<void> };

  constructor(parts: {
    readonly connection: FirestoreConnection;
    readonly names: CuratorCollections;
    readonly queries: CuratorQueries;
    readonly otherForms: { has(): Promise<boolean>; note(): Promise<void> };
  }) {
    this.#connection = parts.connection;
    this.#names = parts.names;
    this.#queries = parts.queries;
    this.#otherForms = parts.otherForms;
  }

  /**
   * The documents of these articles in the two collections of the contract. An article with one possible ID is read by it,
   * both collections in one call (A11). One that may be recorded under another form of its URL, by an earlier version or
   * from another source, is queried, 30 at a time: that costs one read where nothing is found.
   */
  async settled(keys: readonly ItemKey[], urls: UrlsOf = new Map()): Promise<Map<ItemKey, PlacedArticle>> {
    const found = new Map<ItemKey, PlacedArticle>();
    if (keys.length === 0) return found;
    const otherForms = await this.#otherForms.has();
    const formsOf = (key: ItemKey): string[] => [...new Set([...(urls.get(key) ?? []), key])];
    const hasOneId = (key: ItemKey): boolean => !otherForms && formsOf(key).length === 1;
    await this.#ask(
      keys.filter(hasOneId).map((key) => ({ key, url: key })),
      urls,
      found,
      (places) => this.#connection.getAll(places),
    );
    const searched = keys.filter((key) => !hasOneId(key));
    await this.#ask(
      searched.flatMap((key) => formsOf(key).map((url) => ({ key, url }))),
      urls,
      found,
      (places) => this.#queryById(places),
    );
    if (otherForms) await this.#askByKey(searched, found);
    return found;
  }

  /** Candidates among these, in any state. */
  async candidates(keys: readonly ItemKey[]): Promise<Map<ItemKey, PlacedArticle>> {
    const found = new Map<ItemKey, PlacedArticle>();
    for (const ids of inChunks([...new Set(keys)].map((key) => hashOf(key))))
      for (const snapshot of await this.#connection.query(this.#queries.candidatesById, { where: [ids] })) {
        const placed = this.#placed(snapshot, 'candidates');
        found.set(placed.stored.item.key, placed);
      }
    return found;
  }

  async isCandidate(key: ItemKey): Promise<boolean> {
    return (await this.#connection.get(this.candidateAt(key))).exists;
  }

  async allCandidates(states?: readonly Item['state'][]): Promise<PlacedArticle[]> {
    const { candidates, candidatesOfState } = this.#queries;
    const snapshots =
      states === undefined
        ? await this.#connection.query(candidates, { where: [] })
        : await this.#connection.query(candidatesOfState, { where: [[...states]] });
    return snapshots.flatMap((snapshot) =>
      recordOfDocument(snapshot) === null ? [] : [this.#placed(snapshot, 'candidates')],
    );
  }

  /** A document of one of the collections as an article. */
  read(snapshot: DocumentSnapshot, home: ArticleCollection): PlacedArticle {
    return this.#placed(snapshot, home);
  }

  /**
   * Writes an article that has no document yet. `changed`: it has a document with another content, so another process has
   * decided on it; nothing is written. Idempotent (A12).
   */
  async create(next: ItemRecord, options: ArticleWrite = {}, more: readonly Write[] = []): Promise<Written> {
    const { home, ids, data } = await this.#document(next, options);
    for (const id of ids) {
      const at: DocumentPath = [this.#names[home], id];
      const created = await this.#createAt(at, data, next, more);
      if (created !== 'of another') return created;
    }
    throw new Error(`Every ID of ${next.item.key} belongs to another article.`);
  }

  async #createAt(
    at: DocumentPath,
    data: DocumentData,
    { item }: ItemRecord,
    more: readonly Write[],
  ): Promise<Written | 'of another'> {
    for (let conflicts = 0; conflicts < MAX_CONFLICTS; conflicts++) {
      const done = await this.#connection.commit([{ do: 'create', at, data }, ...more]);
      if (done === 'committed') return 'written';
      const existing = await this.#connection.get(at);
      if (existing.exists) {
        if (!isOf(existing, item.key, recordedUrl(item))) return 'of another';
        return isDeepStrictEqual(recordOfDocument(existing)?.item, item) ? 'written' : 'changed';
      }
      // One of the other writes may be outdated: the caller decides again.
      if (more.length > 0) return 'changed';
    }
    throw contentionError(at[0], MAX_CONFLICTS);
  }

  /** Moves an article to the collection of its state, unless its document differs from `before`. */
  async move(before: PlacedArticle, next: ItemRecord, options: ArticleWrite = {}): Promise<Written> {
    const from = before.at;
    const to = await this.#document(next, options);
    return this.#connection.transact(from[0], async (reads) => {
      const [existing] = await reads.getAll([from]);
      const place = await this.#freePlace(to, next, reads);
      const [target] = isSame(place, from) ? [existing] : await reads.getAll([place]);
      // An earlier attempt succeeded, but its reply was lost.
      if (target !== undefined && isDeepStrictEqual(recordOfDocument(target)?.item, next.item))
        return { value: 'written', writes: [] };
      const home = from[0] === this.#names.notified ? 'notified' : 'rejected';
      const found =
        existing?.exists === true
          ? (recordOfDocument(existing) ?? adopted(existing, next.item.key, home))
          : null;
      if (found === null || !isSameStanding(found.item, before.stored.item))
        return { value: 'changed', writes: [] };
      const away: Write[] = isSame(place, from) ? [] : [{ do: 'delete', at: from }];
      return { value: 'written', writes: [{ do: 'set', at: place, data: to.data }, ...away] };
    });
  }

  /** The write that records an article, for a transaction that writes other documents too. */
  async record(
    next: ItemRecord,
    options: ArticleWrite,
    reads: Pick<TransactionReads, 'getAll'>,
  ): Promise<Write> {
    const to = await this.#document(next, options);
    return { do: 'set', at: await this.#freePlace(to, next, reads), data: to.data };
  }

  /** Where these articles would be recorded as notified: under their own URLs, or under their keys. */
  notifiedPlaces(items: readonly Pick<Item, 'key' | 'url'>[]): NotifiedPlace[] {
    return items.flatMap((item) => {
      const urls = [...new Set([recordedUrl(item), item.key])];
      return urls.map((url) => ({
        key: item.key,
        urls,
        place: [this.#names.notified, articleIds(url)[0] ?? hashOf(url)] as const,
      }));
    });
  }

  /**
   * Adds the fields that lists, counts and the sweep query to the documents of another program; its own fields stay
   * unchanged. Costs four counts where there are none, and a read of the collection and a write for each where there are.
   */
  async adoptOriginals(order: SequenceNumbers): Promise<void> {
    for (const home of SETTLED) {
      const { all, inOrder } = this.#queries[home];
      const [total, ours] = await Promise.all([
        this.#connection.count(all, []),
        this.#connection.count(inOrder, []),
      ]);
      if (total <= ours) continue;
      let writes: Write[] = [];
      for await (const snapshot of allDocuments(this.#connection, all)) {
        if (recordOfDocument(snapshot) !== null) continue;
        const stored = { ...this.#placed(snapshot, home).stored, nth: order.next() };
        const { ledger } = documentOf({ fields: () => ({}) }, stored);
        const at: DocumentPath = [this.#names[home], snapshot.id];
        writes.push({ do: 'patch', at, data: { ledger }, asOf: snapshot.updateTime });
        if (writes.length < PER_COMMIT) continue;
        await this.#connection.commit(writes);
        writes = [];
      }
      // After a conflict, with the other program or another replica, the rest is adopted the next time.
      await this.#connection.commit(writes);
    }
  }

  async #document(next: ItemRecord, { messageId = null, decidedAt }: ArticleWrite): Promise<Target> {
    const { item } = next;
    const home = collectionOf(item, messageId);
    const url = recordedUrl(item);
    if (home !== 'candidates' && url !== item.key) await this.#otherForms.note();
    const time = decidedAt === undefined ? await this.#connection.serverTime() : firestoreTime(decidedAt);
    const fields = articleFields(item, time, messageId);
    const { ledger, ...rest } = documentOf({ fields: () => fields }, { ...next, claim: null });
    const data = { ...rest, ledger: { ...ledger, key: hashOf(item.key) } };
    return { home, ids: home === 'candidates' ? [hashOf(item.key)] : articleIds(url), data };
  }

  /** The first ID that is free or the article's own (A10). */
  async #freePlace(
    { home, ids }: Target,
    { item }: ItemRecord,
    reads: Pick<TransactionReads, 'getAll'>,
  ): Promise<DocumentPath> {
    for (const id of ids) {
      const place: DocumentPath = [this.#names[home], id];
      const [existing] = await reads.getAll([place]);
      if (existing?.exists !== true || isOf(existing, item.key, recordedUrl(item))) return place;
    }
    throw new Error(`Every ID of ${item.key} belongs to another article.`);
  }

  async #ask(
    articles: readonly { readonly key: ItemKey; readonly url: string }[],
    urls: UrlsOf,
    found: Map<ItemKey, PlacedArticle>,
    read: (places: readonly DocumentPath[]) => Promise<readonly (DocumentSnapshot | undefined)[]>,
  ): Promise<void> {
    let asked = articles.flatMap((article) => SETTLED.map((home) => ({ ...article, home, nth: 0 })));
    const placeOf = ({ url, key, home, nth }: (typeof asked)[number]): DocumentPath => [
      this.#names[home],
      articleIds(url)[nth] ?? hashOf(key),
    ];
    while (asked.length > 0) {
      const snapshots = await read(asked.map(placeOf));
      const another: typeof asked = [];
      for (const [index, ask] of asked.entries()) {
        const snapshot = snapshots[index];
        if (snapshot === undefined || !snapshot.exists) continue;
        const isMatch = urls.has(ask.key) ? isOf(snapshot, ask.key, ask.url) : hasKey(snapshot, ask.key);
        if (isMatch) this.#take(snapshot, ask, found);
        else if (ask.nth + 1 < articleIds(ask.url).length) another.push({ ...ask, nth: ask.nth + 1 });
      }
      asked = another;
    }
  }

  #take(
    snapshot: DocumentSnapshot,
    { key, url, home }: { readonly key: ItemKey; readonly url: string; readonly home: ArticleCollection },
    found: Map<ItemKey, PlacedArticle>,
  ): void {
    // Notified wins, also where the article was rejected under another form of its URL.
    if (found.has(key) && home !== 'notified') return;
    const existing = recordOfDocument(snapshot) ?? adopted(snapshot, snapshot.id as ItemKey, home);
    // A document of another program may lack its address; the source has just given it.
    const item = existing.item.key === key ? existing.item : { ...existing.item, key, url };
    found.set(key, { stored: { ...existing, item }, at: [this.#names[home], snapshot.id] });
  }

  async #queryById(places: readonly DocumentPath[]): Promise<(DocumentSnapshot | undefined)[]> {
    const found = new Map<string, DocumentSnapshot>();
    const search = async (home: (typeof SETTLED)[number], ids: readonly string[]): Promise<void> => {
      for (const snapshot of await this.#connection.query(this.#queries[home].byId, { where: [ids] }))
        found.set(`${this.#names[home]}/${snapshot.id}`, snapshot);
    };
    const idsIn = (home: (typeof SETTLED)[number]): string[] => [
      ...new Set(places.filter(([collection]) => collection === this.#names[home]).map(([, id]) => id)),
    ];
    await Promise.all(SETTLED.flatMap((home) => inChunks(idsIn(home)).map((ids) => search(home, ids))));
    return places.map((place) => found.get(place.join('/')));
  }

  async #askByKey(keys: readonly ItemKey[], found: Map<ItemKey, PlacedArticle>): Promise<void> {
    const missing = new Map(keys.filter((key) => !found.has(key)).map((key) => [hashOf(key), key]));
    const search = async (home: (typeof SETTLED)[number], hashes: readonly string[]): Promise<void> => {
      for (const snapshot of await this.#connection.query(this.#queries[home].byKey, { where: [hashes] })) {
        const key = missing.get(String(snapshot.get('ledger.key')));
        if (key !== undefined) this.#take(snapshot, { key, url: key, home }, found);
      }
    };
    await Promise.all(
      SETTLED.flatMap((home) => inChunks([...missing.keys()]).map((hashes) => search(home, hashes))),
    );
  }

  #placed(snapshot: DocumentSnapshot, home: ArticleCollection): PlacedArticle {
    const url: unknown = snapshot.get('article_url');
    const stored =
      recordOfDocument(snapshot) ?? adopted(snapshot, String(url ?? snapshot.id) as ItemKey, home);
    return { stored, at: [this.#names[home], snapshot.id] };
  }

  /** The path of a candidate. */
  candidateAt(key: ItemKey): DocumentPath {
    return candidatePlace(this.#names, key);
  }
}

export type Written = 'written' | 'changed';

export interface NotifiedPlace {
  readonly key: ItemKey;
  readonly urls: readonly string[];
  readonly place: DocumentPath;
}

interface Target {
  readonly home: ArticleCollection;
  readonly ids: readonly string[];
  readonly data: DocumentData;
}

/**
 * An article that another program recorded under the same contract, as far as its fields go. Its age is that of
 * `notified_at` or `evaluated_at` (A14). Without `article_url` its address is unknown, so its ID is its key.
 */
function adopted(snapshot: DocumentSnapshot, key: ItemKey, home: ArticleCollection): ItemRecord {
  const written: unknown = snapshot.get(home === 'notified' ? 'notified_at' : 'evaluated_at');
  const at = millisOf(written) ?? snapshot.createTime?.toMillis() ?? 0;
  const score: unknown = snapshot.get('relevance_score');
  const title: unknown = snapshot.get('article_title');
  const messageId: unknown = snapshot.get('discord_message_id');
  const state = home === 'notified' ? 'published' : 'rejected';
  const reason = home === 'notified' ? 'none' : reasonOf(snapshot.get('reason'));
  return {
    item: {
      key,
      url: key,
      title: typeof title === 'string' && title !== '' ? title : key,
      publishedAt: at,
      sourceId: '',
      sourceName: '',
      state,
      reason,
      detail: null,
      attempts: 0,
      dueAt: null,
      createdAt: at,
      checkedAt: at,
      verdict: null,
    },
    nth: at * 1000,
    token: 0,
    claim: null,
    handedAt: null,
    sightings: [],
    history: [
      {
        ...line({ at, event: 'admit', from: null, to: state }),
        reason,
        detail: 'recorded by another program',
        notes: {
          ...(typeof score === 'number' && { score }),
          ...(typeof messageId === 'string' && { remoteId: messageId }),
        },
      },
    ],
    admission: '',
  };
}

function millisOf(value: unknown): number | null {
  if (typeof value !== 'object' || value === null || !('toMillis' in value)) return null;
  return typeof value.toMillis === 'function' ? Number(value.toMillis()) : null;
}

function reasonOf(value: unknown): Reason {
  return REASONS.find((reason) => reason === value) ?? 'low_relevance';
}

/** Whether a document at one of an article's IDs is the article's own. */
function isOf(snapshot: DocumentSnapshot, key: ItemKey, url: string): boolean {
  return isArticle(snapshot.data() ?? {}, [key, url]) || recordOfDocument(snapshot)?.item.key === key;
}

/**
 * Whether a document is that of the item with this key, where no source has just given the URL. A URL in a form that is no
 * key names no item: it would get a second identity.
 */
function hasKey(snapshot: DocumentSnapshot, key: ItemKey): boolean {
  const stored = recordOfDocument(snapshot);
  const isOriginal = stored === null || stored.item.key === snapshot.id;
  if (!isOriginal) return stored.item.key === key;
  if (key === snapshot.id) return true;
  const canonical = canonicalUrl(key);
  return (
    isArticle(snapshot.data() ?? {}, [key]) && canonical.outcome === 'canonical' && canonical.url === key
  );
}

function isSame(one: DocumentPath, other: DocumentPath): boolean {
  return one[0] === other[0] && one[1] === other[1];
}

/** Whether the article is unchanged in between. */
export function isSameStanding(one: Item, other: Item): boolean {
  return one.state === other.state && one.checkedAt === other.checkedAt && one.attempts === other.attempts;
}
