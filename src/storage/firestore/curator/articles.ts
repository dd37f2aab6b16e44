import { isDeepStrictEqual } from 'node:util';
import type { DocumentData, DocumentSnapshot } from '@google-cloud/firestore';
import { canonicalUrl } from '../../../item/identity.ts';
import type { Item, ItemKey } from '../../../item/item.ts';
import { REASONS, type Reason } from '../../../item/lifecycle.ts';
import { type ItemRecord, line } from '../../../ledger/item-record.ts';
import { type DocumentPath, MAX_CONFLICTS, type TransactionReads, type Write } from '../connection.ts';
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
import { allDocuments } from '../ledger/queries.ts';
import { type CuratorBase, inChunks } from './documents.ts';
import type { RememberedArticles } from './remembered.ts';

/** Documents of one commit. */
const PER_COMMIT = 400;
/** The collections of the contract. */
const RECORDED = ['notified', 'rejected'] as const;
type RecordedCollection = (typeof RECORDED)[number];

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
  readonly #deps: CuratorBase & { readonly remembered: RememberedArticles };

  constructor(deps: CuratorBase & { readonly remembered: RememberedArticles }) {
    this.#deps = deps;
  }

  /**
   * The documents of these articles in the two collections of the contract. An article with one possible ID is read by it,
   * both collections in one call (A11). One that may be recorded under another form of its URL, by an earlier version or
   * from another source, is queried, 30 at a time: that costs one read where nothing is found.
   */
  async recorded(keys: readonly ItemKey[], urls: UrlsOf = new Map()): Promise<Map<ItemKey, PlacedArticle>> {
    const found = new Map<ItemKey, PlacedArticle>();
    if (keys.length === 0) return found;
    const otherForms = await this.#deps.remembered.hasOtherForms();
    const formsOf = (key: ItemKey): string[] => [...new Set([...(urls.get(key) ?? []), key])];
    const hasOneId = (key: ItemKey): boolean => !otherForms && formsOf(key).length === 1;
    await this.#findById(
      keys.filter(hasOneId).map((key) => ({ key, url: key })),
      urls,
      found,
      (paths) => this.#deps.connection.getAll(paths),
    );
    const searched = keys.filter((key) => !hasOneId(key));
    await this.#findById(
      searched.flatMap((key) => formsOf(key).map((url) => ({ key, url }))),
      urls,
      found,
      (paths) => this.#queryById(paths),
    );
    if (otherForms) await this.#findByKey(searched, found);
    return found;
  }

  /** Candidates among these, in any state. */
  async candidates(keys: readonly ItemKey[]): Promise<Map<ItemKey, PlacedArticle>> {
    const found = new Map<ItemKey, PlacedArticle>();
    for (const ids of inChunks([...new Set(keys)].map((key) => hashOf(key))))
      for (const snapshot of await this.#deps.connection.query(this.#deps.queries.candidatesById, {
        where: [ids],
      })) {
        const placed = this.read(snapshot, 'candidates');
        found.set(placed.stored.item.key, placed);
      }
    return found;
  }

  async isCandidate(key: ItemKey): Promise<boolean> {
    return (await this.#deps.connection.get(this.candidatePath(key))).exists;
  }

  async allCandidates(states?: readonly Item['state'][]): Promise<PlacedArticle[]> {
    const { candidates, candidatesOfState } = this.#deps.queries;
    const snapshots =
      states === undefined
        ? await this.#deps.connection.query(candidates, { where: [] })
        : await this.#deps.connection.query(candidatesOfState, { where: [[...states]] });
    return snapshots.flatMap((snapshot) =>
      recordOfDocument(snapshot) === null ? [] : [this.read(snapshot, 'candidates')],
    );
  }

  /** A document of one of the collections as an article. */
  read(snapshot: DocumentSnapshot, home: ArticleCollection): PlacedArticle {
    const url: unknown = snapshot.get('article_url');
    const stored =
      recordOfDocument(snapshot) ?? adopted(snapshot, String(url ?? snapshot.id) as ItemKey, home);
    return { stored, at: [this.#deps.names[home], snapshot.id] };
  }

  /**
   * Writes an article that has no document yet. `changed`: it has a document with another content, so another process has
   * decided on it; nothing is written. Idempotent (A12).
   */
  async create(next: ItemRecord, options: ArticleWrite = {}, more: readonly Write[] = []): Promise<Written> {
    const { home, ids, data } = await this.#document(next, options);
    for (const id of ids) {
      const at: DocumentPath = [this.#deps.names[home], id];
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
      const done = await this.#deps.connection.commit([{ do: 'create', at, data }, ...more]);
      if (done === 'committed') return 'written';
      const existing = await this.#deps.connection.get(at);
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
    return this.#deps.connection.transact(from[0], async (reads) => {
      const [existing] = await reads.getAll([from]);
      const path = await this.#freePath(to, next, reads);
      const [target] = isSame(path, from) ? [existing] : await reads.getAll([path]);
      // An earlier attempt succeeded, but its reply was lost.
      if (target !== undefined && isDeepStrictEqual(recordOfDocument(target)?.item, next.item))
        return { value: 'written', writes: [] };
      const home = from[0] === this.#deps.names.notified ? 'notified' : 'rejected';
      const found =
        existing?.exists === true
          ? (recordOfDocument(existing) ?? adopted(existing, next.item.key, home))
          : null;
      if (found === null || !hasSameStatus(found.item, before.stored.item))
        return { value: 'changed', writes: [] };
      const deletes: Write[] = isSame(path, from) ? [] : [{ do: 'delete', at: from }];
      return { value: 'written', writes: [{ do: 'set', at: path, data: to.data }, ...deletes] };
    });
  }

  /**
   * The write that records an article, for a transaction that writes other documents too. `others`: its writes so far, whose
   * documents the reads of the transaction do not show.
   */
  async record(
    next: ItemRecord,
    options: ArticleWrite,
    reads: Pick<TransactionReads, 'getAll'>,
    others: readonly Write[] = [],
  ): Promise<Write> {
    const to = await this.#document(next, options);
    return { do: 'set', at: await this.#freePath(to, next, reads, others), data: to.data };
  }

  /** Where these articles would be recorded as notified: under their own URLs, or under their keys. */
  notifiedPaths(items: readonly Pick<Item, 'key' | 'url'>[]): NotifiedPath[] {
    return items.flatMap((item) => {
      const urls = [...new Set([recordedUrl(item), item.key])];
      return urls.map((url) => ({
        key: item.key,
        urls,
        path: [this.#deps.names.notified, articleIds(url)[0] ?? hashOf(url)] as const,
      }));
    });
  }

  /**
   * Adds the fields that lists, counts and the sweep query to the documents of another program; its own fields stay
   * unchanged. Costs four counts where there are none, and a read of the collection and a write for each where there are.
   */
  async adoptOriginals(): Promise<void> {
    for (const home of RECORDED) {
      const { all, inOrder } = this.#deps.queries[home];
      const [total, ours] = await Promise.all([
        this.#deps.connection.count(all, []),
        this.#deps.connection.count(inOrder, []),
      ]);
      if (total <= ours) continue;
      let writes: Write[] = [];
      for await (const snapshot of allDocuments(this.#deps.connection, all)) {
        if (recordOfDocument(snapshot) !== null) continue;
        const stored = { ...this.read(snapshot, home).stored, nth: this.#deps.order.next() };
        const { ledger } = documentOf({ fields: () => ({}) }, stored);
        const at: DocumentPath = [this.#deps.names[home], snapshot.id];
        writes.push({ do: 'patch', at, data: { ledger }, asOf: snapshot.updateTime });
        if (writes.length < PER_COMMIT) continue;
        await this.#deps.connection.commit(writes);
        writes = [];
      }
      // After a conflict, with the other program or another replica, the rest is adopted the next time.
      await this.#deps.connection.commit(writes);
    }
  }

  async #document(next: ItemRecord, { messageId = null, decidedAt }: ArticleWrite): Promise<Target> {
    const { item } = next;
    const home = collectionOf(item, messageId);
    const url = recordedUrl(item);
    if (home !== 'candidates' && url !== item.key) await this.#deps.remembered.noteOtherForms();
    const time =
      decidedAt === undefined ? await this.#deps.connection.serverTime() : firestoreTime(decidedAt);
    const fields = articleFields(item, time, messageId);
    const { ledger, ...rest } = documentOf({ fields: () => fields }, { ...next, claim: null });
    const data = { ...rest, ledger: { ...ledger, key: hashOf(item.key) } };
    return { home, ids: home === 'candidates' ? [hashOf(item.key)] : articleIds(url), data };
  }

  /** The first ID that is free or the article's own (A10). */
  async #freePath(
    { home, ids }: Target,
    { item }: ItemRecord,
    reads: Pick<TransactionReads, 'getAll'>,
    others: readonly Write[] = [],
  ): Promise<DocumentPath> {
    for (const id of ids) {
      const path: DocumentPath = [this.#deps.names[home], id];
      if (others.some(({ at }) => isSame(at, path))) continue;
      const [existing] = await reads.getAll([path]);
      if (existing?.exists !== true || isOf(existing, item.key, recordedUrl(item))) return path;
    }
    throw new Error(`Every ID of ${item.key} belongs to another article.`);
  }

  async #findById(
    articles: readonly { readonly key: ItemKey; readonly url: string }[],
    urls: UrlsOf,
    found: Map<ItemKey, PlacedArticle>,
    read: (paths: readonly DocumentPath[]) => Promise<readonly (DocumentSnapshot | undefined)[]>,
  ): Promise<void> {
    let lookups = articles.flatMap((article) => RECORDED.map((home) => ({ ...article, home, nth: 0 })));
    const pathOf = ({ url, key, home, nth }: (typeof lookups)[number]): DocumentPath => [
      this.#deps.names[home],
      articleIds(url)[nth] ?? hashOf(key),
    ];
    while (lookups.length > 0) {
      const snapshots = await read(lookups.map(pathOf));
      const further: typeof lookups = [];
      for (const [index, lookup] of lookups.entries()) {
        const snapshot = snapshots[index];
        if (snapshot === undefined || !snapshot.exists) continue;
        const { key, url, nth } = lookup;
        const isMatch = urls.has(key) ? isOf(snapshot, key, url) : hasKey(snapshot, key);
        if (isMatch) this.#addFound(snapshot, lookup, found);
        else if (nth + 1 < articleIds(url).length) further.push({ ...lookup, nth: nth + 1 });
      }
      lookups = further;
    }
  }

  #addFound(
    snapshot: DocumentSnapshot,
    { key, url, home }: { readonly key: ItemKey; readonly url: string; readonly home: ArticleCollection },
    found: Map<ItemKey, PlacedArticle>,
  ): void {
    // Notified wins, also where the article was rejected under another form of its URL.
    if (found.has(key) && home !== 'notified') return;
    const existing = recordOfDocument(snapshot) ?? adopted(snapshot, snapshot.id as ItemKey, home);
    // A document of another program may lack its address; the source has just given it.
    const item = existing.item.key === key ? existing.item : { ...existing.item, key, url };
    found.set(key, { stored: { ...existing, item }, at: [this.#deps.names[home], snapshot.id] });
  }

  async #queryById(paths: readonly DocumentPath[]): Promise<(DocumentSnapshot | undefined)[]> {
    const found = new Map<string, DocumentSnapshot>();
    const search = async (home: RecordedCollection, ids: readonly string[]): Promise<void> => {
      for (const snapshot of await this.#deps.connection.query(this.#deps.queries[home].byId, {
        where: [ids],
      }))
        found.set(`${this.#deps.names[home]}/${snapshot.id}`, snapshot);
    };
    const idsIn = (home: RecordedCollection): string[] => [
      ...new Set(paths.filter(([collection]) => collection === this.#deps.names[home]).map(([, id]) => id)),
    ];
    await Promise.all(RECORDED.flatMap((home) => inChunks(idsIn(home)).map((ids) => search(home, ids))));
    return paths.map((path) => found.get(path.join('/')));
  }

  async #findByKey(keys: readonly ItemKey[], found: Map<ItemKey, PlacedArticle>): Promise<void> {
    const missing = new Map(keys.filter((key) => !found.has(key)).map((key) => [hashOf(key), key]));
    const search = async (home: RecordedCollection, hashes: readonly string[]): Promise<void> => {
      for (const snapshot of await this.#deps.connection.query(this.#deps.queries[home].byKey, {
        where: [hashes],
      })) {
        const key = missing.get(String(snapshot.get('ledger.key')));
        if (key !== undefined) this.#addFound(snapshot, { key, url: key, home }, found);
      }
    };
    await Promise.all(
      RECORDED.flatMap((home) => inChunks([...missing.keys()]).map((hashes) => search(home, hashes))),
    );
  }

  candidatePath(key: ItemKey): DocumentPath {
    return [this.#deps.names.candidates, hashOf(key)];
  }
}

export type Written = 'written' | 'changed';

interface NotifiedPath {
  readonly key: ItemKey;
  readonly urls: readonly string[];
  readonly path: DocumentPath;
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

/** Whether no step was recorded between the two reads of the article. */
export function hasSameStatus(one: Item, other: Item): boolean {
  return one.state === other.state && one.checkedAt === other.checkedAt && one.attempts === other.attempts;
}
