import type { Item, ItemKey, Sighting } from '../../../item/item.ts';
import {
  type LifecycleEvent,
  type LifecyclePolicy,
  OPEN_STATES,
  REASONS,
  STATES,
  type State,
  type Transition,
} from '../../../item/lifecycle.ts';
import {
  type ItemRecord,
  intervene,
  newItem,
  publicHistory,
  seenAgain,
  stepped,
  sweepLine,
} from '../../../ledger/item-record.ts';
import type {
  AdmitOptions,
  AdmitOutcome,
  HistoryEntry,
  Intervention,
  ItemFilter,
  ItemPage,
  ItemStore,
  LedgerCounts,
  LedgerRecord,
  LoadOutcome,
  NewMessage,
  RecordedSighting,
  Step,
  SweepPlan,
  SweepReport,
  UnusableRecord,
} from '../../../ledger/ledger.ts';
import { checkLimit, checkTransition, sightingProblem } from '../../../ledger/validation.ts';
import type {
  Article,
  CreatedDigest,
  CuratorStore,
  NewDigest,
  OpenDigest,
  PendingChanges,
  SavedVerdict,
} from '../../../pipelines/curator-store.ts';
import type { Clock } from '../../../time/clock.ts';
import { HOUR, MINUTE } from '../../../time/duration.ts';
import type { FirestoreConnection } from '../connection.ts';
import { recordedUrl } from '../ledger/article-layout.ts';
import { SeenSources, SequenceNumbers } from '../ledger/ledger-store.ts';
import { CountsCache, type CountsTtl } from '../ledger/list.ts';
import { CuratorArticles, type PlacedArticle, type UrlsOf } from './articles.ts';
import { deliveriesOf } from './digest-messages.ts';
import { CuratorDigests, type DigestArticle } from './digests.ts';
import { type CuratorBase, curatorCollections, curatorQueries, type Digest, keysOf } from './documents.ts';
import { listArticles } from './list.ts';
import { CuratorOutbox } from './outbox.ts';
import { type Remembered, RememberedArticles } from './remembered.ts';
import { sweepArticles } from './retention.ts';
import { takeOverFormerMessages } from './takeover.ts';
import { dumpArticles, loadArticles } from './transfer.ts';
import { WaitingArticles } from './waiting.ts';

/** How often lists search for documents of another program. */
const ADOPT_INTERVAL_MS = 10 * MINUTE;
/** Retries of a person's decision when others decide at the same time. */
const MAX_TRIES = 5;
/** Recorded articles that are not looked up again when their feed shows them again. */
const MAX_CACHED = 20_000;
const CACHE_TTL_MS = HOUR;

export interface FirestoreCuratorOptions {
  /** Shared by all parts; the caller closes it. */
  readonly connection: FirestoreConnection;
  readonly clock: Clock;
  readonly policy: LifecyclePolicy;
  /** Prefix of the collections, for the second curator of a database. */
  readonly prefix?: string;
  /** Destinations on Discord: their message IDs are recorded with articles (A13). */
  readonly discord?: ReadonlySet<string>;
  /** How long a count may be cached; not cached where absent. */
  readonly countsFor?: CountsTtl;
  /** Called when the outcome of a message also advanced an article. */
  readonly onStep?: (item: ItemKey, transition: Transition) => void;
}

/** Ledger and outbox of a curator on Firestore. */
export interface FirestoreCurator extends AsyncDisposable {
  readonly ledger: FirestoreCuratorStore;
  readonly outbox: CuratorOutbox;
  readonly curator: FirestoreCuratorStore;
  /** Takes over messages of the previous version. Returns their number. */
  adopt(signal?: AbortSignal): Promise<number>;
}

export function openFirestoreCurator(options: FirestoreCuratorOptions): FirestoreCurator {
  const { connection, clock, policy, prefix = '', discord = new Set(), onStep = () => {} } = options;
  const names = curatorCollections(prefix);
  const order = new SequenceNumbers(() => clock.now());
  const base = { connection, clock, order, names, queries: curatorQueries(names) };
  const remembered = new RememberedArticles(base);
  const articles = new CuratorArticles({ ...base, remembered });
  const digests = new CuratorDigests({ ...base, articles, policy, discord });
  const outbox = new CuratorOutbox({ ...base, articles, digests, discord, onStep });
  const waiting = new WaitingArticles(base);
  const seenSources = new SeenSources(connection, names.sources);
  const deps = { ...base, policy, discord, articles, digests, waiting, remembered, seenSources };
  const store = new FirestoreCuratorStore(deps, options.countsFor);
  return {
    ledger: store,
    outbox,
    curator: store,
    adopt: (signal) => takeOverFormerMessages(deps, signal),
    [Symbol.asyncDispose]: async () => {},
  };
}

/** Shared by the parts of the curator's store. */
export interface CuratorDependencies extends CuratorBase {
  readonly policy: LifecyclePolicy;
  readonly discord: ReadonlySet<string>;
  readonly articles: CuratorArticles;
  readonly digests: CuratorDigests;
  readonly waiting: WaitingArticles;
  readonly remembered: RememberedArticles;
  readonly seenSources: SeenSources;
}

/** The current place of an article. */
type Found =
  | ({ readonly in: 'document' } & PlacedArticle)
  | { readonly in: 'digest'; readonly digest: Digest; readonly stored: ItemRecord }
  | { readonly in: 'waiting' | 'remembered'; readonly stored: ItemRecord };

/**
 * The curator's store on Firestore. A verdict is one document (A7, A8), waiting articles are in batches, a digest is one
 * document with its articles and messages. The process caches only which articles are recorded, which saves reads.
 */
export class FirestoreCuratorStore implements CuratorStore, ItemStore {
  readonly #deps: CuratorDependencies;
  readonly #counts: CountsCache;
  /** Recorded articles by the time until which they need not be looked up again. */
  readonly #recorded = new Map<ItemKey, number>();
  #adoptedAt: number | null = null;

  constructor(deps: CuratorDependencies, countsFor?: CountsTtl) {
    this.#deps = deps;
    this.#counts = new CountsCache(deps.clock, countsFor);
  }

  admit(sightings: readonly Sighting[], options: AdmitOptions = {}): Promise<readonly AdmitOutcome[]> {
    return this.#counts.invalidateAfter(this.#admitNow(sightings, options));
  }

  async #admitNow(sightings: readonly Sighting[], options: AdmitOptions): Promise<readonly AdmitOutcome[]> {
    const { waiting, remembered, clock, order } = this.#deps;
    const fit = sightings.filter((sighting) => sightingProblem(sighting) === null);
    const unknown = fit.filter(({ key }) => !this.#isRecorded(key));
    const outcomes = new Map<ItemKey, AdmitOutcome>();
    if (unknown.length > 0) {
      const urls = urlsOf(unknown);
      const old = await remembered.read();
      const waits = new Set((await waiting.all()).map(({ item }) => item.key));
      const asked = [...urls.keys()].filter((key) => {
        const isSwept = old.tombstoneOf(key, urls.get(key)) !== undefined;
        if (old.baselines.has(key)) outcomes.set(key, 'known');
        else if (isSwept) outcomes.set(key, 'swept');
        return !outcomes.has(key) && !waits.has(key);
      });
      const known = await this.#knownAmong(asked, urls);
      for (const key of known) outcomes.set(key, 'known');
      const baselines = new Map<ItemKey, ItemRecord>();
      for (const sighting of unknown) {
        const { key } = sighting;
        if (outcomes.has(key) || waits.has(key) || options.baseline?.(sighting) !== true) continue;
        const facts = { now: clock.now(), nth: order.next(), baseline: true, handOver: false, admission: '' };
        baselines.set(key, newItem(sighting, facts));
        outcomes.set(key, 'baseline');
      }
      if (baselines.size > 0) await remembered.add([...baselines.values()], []);
      const rest = unknown.filter(({ key }) => !outcomes.has(key));
      const added = rest.length === 0 ? [] : await waiting.add(rest, (key) => !waits.has(key));
      for (const [key, outcome] of added) outcomes.set(key, outcome);
      await this.#noteSources(unknown.filter(({ key }) => known.has(key)));
    }
    const seen = new Set<ItemKey>();
    return sightings.map((sighting): AdmitOutcome => {
      if (sightingProblem(sighting) !== null) return 'refused';
      const outcome = outcomes.get(sighting.key) ?? 'known';
      // A key that occurs twice in one call is new once.
      const isFirst = !seen.has(sighting.key);
      seen.add(sighting.key);
      return isFirst || outcome === 'swept' ? outcome : 'known';
    });
  }

  /** Which of these have a document, or are in a digest. */
  async #knownAmong(keys: readonly ItemKey[], urls: UrlsOf = new Map()): Promise<Set<ItemKey>> {
    if (keys.length === 0) return new Set();
    const { articles, digests } = this.#deps;
    const recorded = await articles.recorded(keys, urls);
    for (const key of recorded.keys()) this.#noteRecorded(key);
    const rest = keys.filter((key) => !recorded.has(key));
    const [candidates, inDigests] = await Promise.all([articles.candidates(rest), digests.ofItems(rest)]);
    const named = new Set(inDigests.flatMap((digest) => [...keysOf(digest)]));
    return new Set(keys.filter((key) => recorded.has(key) || candidates.has(key) || named.has(key)));
  }

  /** Adds a source to candidates that another source has too; what is recorded or in a digest stays unchanged. */
  async #noteSources(sightings: readonly Sighting[]): Promise<void> {
    const { articles, clock } = this.#deps;
    const open = sightings.filter(({ key }) => !this.#isRecorded(key));
    const found = await articles.candidates(open.map(({ key }) => key));
    for (const sighting of open) {
      const placed = found.get(sighting.key);
      if (placed === undefined) continue;
      const next = seenAgain(placed.stored, sighting, clock.now());
      if (next !== null) await articles.move(placed, next);
    }
  }

  async hasSeenSource(sourceId: string): Promise<boolean> {
    const { connection, queries, seenSources } = this.#deps;
    const { open, baselines } = await this.#unrecorded();
    for (const { item, sightings } of [...open, ...baselines])
      if (item.sourceId === sourceId || sightings.some((sighted) => sighted.sourceId === sourceId))
        return true;
    for (const home of ['notified', 'rejected'] as const) {
      const ask = { where: [sourceId], limit: 1 };
      if ((await connection.query(queries[home].listedBySource, ask)).length > 0) return true;
    }
    return seenSources.has(sourceId);
  }

  async known(keys: readonly ItemKey[]): Promise<ReadonlySet<ItemKey>> {
    const { remembered, waiting } = this.#deps;
    const unknown = [...new Set(keys)].filter((key) => !this.#isRecorded(key));
    if (unknown.length === 0) return new Set(keys);
    const old = await remembered.read();
    const waits = new Set((await waiting.all()).map(({ item }) => item.key));
    const isUnrecorded = (key: ItemKey): boolean =>
      waits.has(key) || old.baselines.has(key) || old.tombstoneOf(key) !== undefined;
    const found = await this.#knownAmong(unknown.filter((key) => !isUnrecorded(key)));
    return new Set(keys.filter((key) => !unknown.includes(key) || found.has(key) || isUnrecorded(key)));
  }

  async pending(limit: number, since: number): Promise<readonly Article[]> {
    const { articles, waiting, clock } = this.#deps;
    if (limit <= 0) return [];
    const isDue = ({ item }: ItemRecord): boolean => (item.dueAt ?? 0) <= clock.now();
    const reopened = await articles.allCandidates(['waiting', 'deferred']);
    const queue: DigestArticle[] = [
      ...reopened.filter(({ stored }) => isDue(stored)),
      ...(await waiting.all()).filter(isDue).map((stored) => ({ stored, at: null })),
    ].sort((a, b) => byCheckTime(a.stored, b.stored));
    const found: Article[] = [];
    const left = new Set<ItemKey>();
    for (let from = 0; found.length < limit && from < queue.length; ) {
      const some = queue.slice(from, from + limit - found.length);
      from += some.length;
      const asked = some.filter(({ stored, at }) => at === null && stored.item.createdAt < since);
      const urls = urlsOf(asked.map(({ stored }) => stored.item));
      const judged = await this.#knownAmong([...urls.keys()], urls);
      for (const candidate of some) {
        const { key } = candidate.stored.item;
        if (candidate.at === null && judged.has(key)) left.add(key);
        else found.push(articleOf(candidate));
      }
    }
    // A run that died stored their verdicts and did not remove them from the waiting articles.
    if (left.size > 0) await this.#counts.invalidateAfter(waiting.update(left, []));
    return found;
  }

  async article(key: ItemKey): Promise<Article | null> {
    const found = await this.#find(key);
    if (found === null || found.in === 'digest' || found.in === 'remembered') return null;
    const { stored } = found;
    const at = found.in === 'document' ? found.at : null;
    return OPEN_STATES.includes(stored.item.state) ? articleOf({ stored, at }) : null;
  }

  async candidates(): Promise<readonly Article[]> {
    const { free } = await this.#accepted();
    return free.map(articleOf);
  }

  async openDigests(): Promise<readonly OpenDigest[]> {
    const open = (await this.#deps.digests.open()).filter(({ articles }) => articles.length > 0);
    const { inDigests } = await this.#accepted();
    const all = new Map(open.map((digest) => [digest.id, toOpenDigest(digest)]));
    // A person reopened them and has not decided on their messages yet, or an earlier version left out a message.
    for (const { placed, digest } of inDigests) {
      const known = all.get(digest.id) ?? toOpenDigest(digest);
      all.set(digest.id, { ...known, articles: [...known.articles, placed.stored.item] });
    }
    return [...all.values()];
  }

  /** Accepted articles with a document of their own, by whether a digest names them. */
  async #accepted() {
    const accepted = await this.#deps.articles.allCandidates(['accepted']);
    const digests = await this.#deps.digests.ofItems(accepted.map(({ stored }) => stored.item.key));
    const free: PlacedArticle[] = [];
    const inDigests: { placed: PlacedArticle; digest: Digest }[] = [];
    for (const placed of accepted) {
      const { key } = placed.stored.item;
      const digest = digests.findLast((one) =>
        deliveriesOf(one, key).some(({ state }) => state !== 'dropped'),
      );
      if (digest === undefined) free.push(placed);
      else inDigests.push({ placed, digest });
    }
    return { free, inDigests };
  }

  saveVerdict(article: Article, transition: Transition, step: Step = {}): Promise<SavedVerdict> {
    return this.#counts.invalidateAfter(this.#saveNow(recordOf(article), transition, step));
  }

  async #saveNow(record: DigestArticle, transition: Transition, step: Step): Promise<SavedVerdict> {
    checkTransition(transition);
    const { stored, at } = record;
    if (stored.item.state !== transition.from) return { outcome: 'lost' };
    const who = { item: stored.item, owner: 'curator', token: stored.token, until: 0 };
    const next = stepped({ ...stored, token: stored.token + 1 }, who, transition, step);
    if (at === null && OPEN_STATES.includes(next.item.state))
      return { outcome: 'kept', article: articleOf({ stored: next, at: null }) };
    const { articles } = this.#deps;
    // A person decided on it since it was read.
    if (at === null && (await articles.isCandidate(stored.item.key))) return { outcome: 'lost' };
    const written = at === null ? await articles.create(next) : await articles.move({ stored, at }, next);
    return { outcome: written === 'written' ? 'saved' : 'lost' };
  }

  async saveCandidates(articles: readonly Article[]): Promise<void> {
    const records = articles.map(recordOf);
    const urls = urlsOf(records.map(({ stored }) => stored.item));
    const recorded = await this.#deps.articles.recorded([...urls.keys()], urls);
    for (const { stored, at } of records)
      if (at === null && !recorded.has(stored.item.key)) await this.#deps.articles.create(stored);
    await this.#counts.invalidateAfter(Promise.resolve());
  }

  async updatePending({ judged, postponed }: PendingChanges): Promise<void> {
    const changed = postponed.map((article) => recordOf(article).stored);
    await this.#counts.invalidateAfter(this.#deps.waiting.update(new Set(judged), changed));
  }

  createDigest({ articles, messages, sender }: NewDigest): Promise<CreatedDigest> {
    return this.#counts.invalidateAfter(
      this.#deps.digests.create({ messages, sender }, articles.map(recordOf)),
    );
  }

  updateDigest(id: string, messages: readonly NewMessage[]): Promise<void> {
    return this.#counts.invalidateAfter(this.#deps.digests.add(id, messages));
  }

  intervene(key: ItemKey, event: LifecycleEvent, who: string): Promise<Intervention> {
    return this.#counts.invalidateAfter(this.#interveneNow(key, event, who));
  }

  async #interveneNow(key: ItemKey, event: LifecycleEvent, who: string): Promise<Intervention> {
    const { clock, policy } = this.#deps;
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const found = await this.#find(key);
      if (found === null) return { done: false, why: `there is no item ${key}` };
      const decided = intervene(found.stored, event, who, clock.now(), policy);
      if (decided.next === undefined) return decided.value;
      if (await this.#rewrite(found, decided.next)) return decided.value;
    }
    return { done: false, why: 'other processes keep changing it; try again' };
  }

  async #rewrite(found: Found, next: ItemRecord): Promise<boolean> {
    const { articles, digests, waiting } = this.#deps;
    const { key } = next.item;
    const deliveries = (await digests.ofItems([key])).flatMap((digest) => deliveriesOf(digest, key));
    const messageId = digests.messageIdFor(next, deliveries);
    switch (found.in) {
      case 'document':
        this.#recorded.delete(key);
        return (await articles.move(found, next, { messageId })) === 'written';
      case 'digest':
        return digests.moveOut(found.digest.id, found.stored, (reads) =>
          articles.record(next, { messageId }, reads),
        );
      case 'waiting': {
        const removal = await waiting.removal(key);
        if (removal === null) return false;
        return (await articles.create(next, { messageId }, [removal])) === 'written';
      }
      case 'remembered':
        return false;
    }
  }

  async find(key: ItemKey): Promise<Item | null> {
    return (await this.#stored(key))?.item ?? null;
  }

  async list(filter: ItemFilter): Promise<ItemPage> {
    checkLimit(filter.limit);
    await this.#adopt();
    return listArticles(this.#deps, filter, () => this.#unrecorded());
  }

  async history(key: ItemKey): Promise<readonly HistoryEntry[]> {
    const stored = await this.#stored(key);
    if (stored !== null) return publicHistory(stored);
    const tombstone = (await this.#deps.remembered.read()).tombstoneOf(key);
    return tombstone === undefined ? [] : [sweepLine(tombstone.state, tombstone.sweptAt)];
  }

  async sightings(key: ItemKey): Promise<readonly RecordedSighting[]> {
    return (await this.#stored(key))?.sightings ?? [];
  }

  async unusable(): Promise<readonly UnusableRecord[]> {
    return [];
  }

  counts(): Promise<LedgerCounts> {
    return this.#counts.get(async () => {
      await this.#adopt();
      return this.#countNow();
    });
  }

  async #countNow(): Promise<LedgerCounts> {
    const { connection, queries } = this.#deps;
    const byState = Object.fromEntries(STATES.map((state) => [state, 0])) as Record<State, number>;
    const byReason: Partial<Record<(typeof REASONS)[number], number>> = {};
    const count = (state: State | null, reason: (typeof REASONS)[number] | null, n: number): void => {
      if (state !== null) byState[state] += n;
      if (reason !== null && n > 0) byReason[reason] = (byReason[reason] ?? 0) + n;
    };
    const { open, baselines, remembered } = await this.#unrecorded();
    for (const { item } of [...open, ...baselines]) count(item.state, item.reason, 1);
    const [published, refused, rejected, failed, ...reasons] = await Promise.all([
      connection.count(queries.notified.ofState, ['published']),
      connection.count(queries.notified.ofState, ['failed']),
      connection.count(queries.rejected.ofState, ['rejected']),
      connection.count(queries.rejected.ofState, ['failed']),
      ...REASONS.map((reason) => connection.count(queries.rejected.ofReason, [reason])),
    ]);
    count('published', 'none', published);
    count('failed', 'delivery_refused', refused);
    count('rejected', null, rejected);
    count('failed', null, failed);
    for (const [index, reason] of REASONS.entries()) count(null, reason, reasons[index] ?? 0);
    const times = open
      .filter(({ item }) => OPEN_STATES.includes(item.state))
      .map(({ item }) => item.checkedAt);
    return {
      byState,
      byReason,
      leased: 0,
      oldestOpen: times.length === 0 ? null : Math.min(...times),
      tombstones: remembered.tombstones.size,
    };
  }

  async sweep(plan: SweepPlan): Promise<SweepReport> {
    await this.#adopt('now');
    this.#recorded.clear();
    return this.#counts.invalidateAfter(sweepArticles(this.#deps, plan));
  }

  async *dump(): AsyncGenerator<LedgerRecord, void, void> {
    await this.#adopt('now');
    const { open, baselines, remembered } = await this.#unrecorded();
    yield* dumpArticles(this.#deps, [...open, ...baselines], remembered);
  }

  load(records: readonly LedgerRecord[]): Promise<readonly LoadOutcome[]> {
    return this.#counts.invalidateAfter(loadArticles(this.#deps, this, records));
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  async #stored(key: ItemKey): Promise<ItemRecord | null> {
    return (await this.#find(key))?.stored ?? null;
  }

  async #find(key: ItemKey): Promise<Found | null> {
    const { articles, digests, waiting, remembered } = this.#deps;
    const placed =
      (await articles.recorded([key])).get(key) ?? (await articles.candidates([key])).get(key) ?? null;
    if (placed !== null) return { in: 'document', ...placed };
    for (const digest of await digests.ofItems([key])) {
      const stored = digest.articles.find(({ item }) => item.key === key);
      if (stored !== undefined) return { in: 'digest', digest, stored };
    }
    const waits = (await waiting.all()).find(({ item }) => item.key === key);
    if (waits !== undefined) return { in: 'waiting', stored: waits };
    const baseline = (await remembered.read()).baselines.get(key);
    return baseline === undefined ? null : { in: 'remembered', stored: baseline };
  }

  /** Everything that is in neither of the contract's collections. */
  async #unrecorded(): Promise<UnrecordedArticles> {
    const { articles, digests, waiting, remembered } = this.#deps;
    const [old, waits, candidates, open] = await Promise.all([
      remembered.read(),
      waiting.all(),
      articles.allCandidates(),
      digests.open(),
    ]);
    const all = new Map<ItemKey, ItemRecord>();
    for (const stored of waits) all.set(stored.item.key, stored);
    for (const stored of open.flatMap((digest) => digest.articles)) all.set(stored.item.key, stored);
    for (const { stored } of candidates) all.set(stored.item.key, stored);
    const baselines = [...old.baselines.values()].filter(({ item }) => !all.has(item.key));
    return { open: [...all.values()], baselines, remembered: old };
  }

  /** Adds the fields that lists, counts and the sweep query to what another program recorded. */
  async #adopt(when: 'aged' | 'now' = 'aged'): Promise<void> {
    const now = this.#deps.clock.monotonic();
    if (when === 'aged' && this.#adoptedAt !== null && now - this.#adoptedAt < ADOPT_INTERVAL_MS) return;
    this.#adoptedAt = now;
    await this.#deps.articles.adoptOriginals();
  }

  #isRecorded(key: ItemKey): boolean {
    return (this.#recorded.get(key) ?? 0) > this.#deps.clock.monotonic();
  }

  #noteRecorded(key: ItemKey): void {
    this.#recorded.delete(key);
    this.#recorded.set(key, this.#deps.clock.monotonic() + CACHE_TTL_MS);
    const oldest = this.#recorded.keys().next();
    if (this.#recorded.size > MAX_CACHED && oldest.done === false) this.#recorded.delete(oldest.value);
  }
}

export interface UnrecordedArticles {
  /** Waiting, candidates, and in open digests. */
  readonly open: readonly ItemRecord[];
  readonly baselines: readonly ItemRecord[];
  readonly remembered: Remembered;
}

function articleOf({ stored, at }: DigestArticle): Article {
  return { item: stored.item, record: { stored, at } satisfies DigestArticle };
}

function recordOf({ record }: Article): DigestArticle {
  return record as DigestArticle;
}

function toOpenDigest({ id, articles, messages }: Digest): OpenDigest {
  return {
    id,
    articles: articles.map(({ item }) => item),
    messages: messages.map(({ delivery }) => delivery),
  };
}

/** Two sources may give two forms of one article's URL. */
function urlsOf(sightings: readonly Pick<Sighting, 'key' | 'url'>[]): UrlsOf {
  const urls = new Map<ItemKey, readonly string[]>();
  for (const sighting of sightings)
    urls.set(sighting.key, [...new Set([...(urls.get(sighting.key) ?? []), recordedUrl(sighting)])]);
  return urls;
}

/** The oldest check first (B6). */
function byCheckTime(a: ItemRecord, b: ItemRecord): number {
  return a.item.checkedAt - b.item.checkedAt || a.nth - b.nth;
}
