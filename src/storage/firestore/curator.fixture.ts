import { expect } from 'vitest';
import type { ItemKey } from '../../item/item.ts';
import { OPEN_STATES } from '../../item/lifecycle.ts';
import { LEASE_MS, POLICY, present, transition, verdict } from '../../ledger/contract/subject.ts';
import type { Claim, ClaimRequest, Ledger, NewMessage } from '../../ledger/ledger.ts';
import { checkLeaseMs, checkLimit } from '../../ledger/validation.ts';
import type { Outbox } from '../../outbox/outbox.ts';
import type { Article } from '../../pipelines/curator-store.ts';
import { createEvents } from '../../telemetry/events.ts';
import { silentLogger } from '../../telemetry/logger.ts';
import type { ManualClock } from '../../time/manual-clock.ts';
import { FirestoreConnection } from './connection.ts';
import { type FirestoreCurator, openFirestoreCurator } from './curator/store.ts';

/** The curator's store of one process, with its reads and writes counted. */
export function openCurator(project: string, clock: ManualClock, emulator: string) {
  const counted: Record<string, Record<string, number>> = {};
  const events = createEvents(silentLogger, {
    add: (name: string, n: number, labels?: Readonly<Record<string, string>>) => {
      const collection = labels?.collection ?? '';
      const of = counted[collection] ?? {};
      counted[collection] = { ...of, [name]: (of[name] ?? 0) + n };
    },
    record: () => {},
  } as never);
  const connection = new FirestoreConnection({ project, emulator, clock, events });
  // Firestore's server time follows the clock.
  connection.serverTime = async () => new Date(clock.now());
  const discord = new Set(['discord']);
  const { curator, outbox, adopt } = openFirestoreCurator({ connection, clock, policy: POLICY, discord });
  const enqueue = async (messages: readonly NewMessage[]) => enqueueWith(curator, messages);
  return {
    store: curator,
    outbox: withEnqueue(outbox, enqueue),
    ledger: claimsOver(curator, clock),
    /** One verdict, as a run stores it. */
    save: (article: Article, event: Parameters<typeof transition>[1], score: number) =>
      curator.saveVerdict(article, transition(article.item, event, clock.now()), {
        verdict: verdict({ score }),
      }),
    adopt,
    connection,
    counted,
    close: () => connection[Symbol.asyncDispose](),
  };
}

export type OpenCurator = ReturnType<typeof openCurator>;

/** Stores one verdict as a run that ends at once. */
export async function judge(
  { store }: Pick<OpenCurator, 'store'>,
  key: ItemKey,
  clock: ManualClock,
  event: Parameters<typeof transition>[1],
  score: number,
): Promise<void> {
  const article = present(await store.article(key));
  expect(
    await step(store, article, transition(article.item, event, clock.now()), { verdict: verdict({ score }) }),
  ).toBe('recorded');
}

/** An article that was accepted in this run and is not stored yet. */
export async function accepted(
  { store, save }: Pick<OpenCurator, 'store' | 'save'>,
  key: ItemKey,
  clock: ManualClock,
  score = 80,
): Promise<Article> {
  const pending = await store.pending(1_000, clock.now());
  const article = pending.find(({ item }) => item.key === key);
  const saved = await save(present(article), { type: 'accept' }, score);
  if (saved.outcome !== 'kept') throw new Error(`The verdict of ${key} is ${saved.outcome}.`);
  return saved.article;
}

export const digest = (keys: readonly ItemKey[]) => [
  { key: 'digest-1', itemKeys: keys, destination: 'discord', body: '{}' },
];

export const messageTo = (destination: string, itemKeys: readonly ItemKey[]): NewMessage => ({
  key: `${destination} ${itemKeys.join(' ')}`,
  itemKeys,
  destination,
  body: '{}',
});

export const sender = (...destinations: string[]) => ({ owner: 'w', leaseMs: LEASE_MS, destinations });

type Store = FirestoreCurator['curator'];

async function step(
  store: Store,
  article: Article,
  next: Parameters<Store['saveVerdict']>[1],
  more: NonNullable<Parameters<Store['saveVerdict']>[2]>,
): Promise<'recorded' | 'lost'> {
  const saved = await store.saveVerdict(article, next, more);
  const { key } = article.item;
  if (saved.outcome === 'kept' && saved.article.item.state === 'accepted') {
    await store.saveCandidates([saved.article]);
    await store.updatePending({ judged: [key], postponed: [] });
  } else if (saved.outcome === 'kept') await store.updatePending({ judged: [], postponed: [saved.article] });
  else if (saved.outcome === 'saved') await store.updatePending({ judged: [key], postponed: [] });
  return saved.outcome === 'lost' ? 'lost' : 'recorded';
}

async function enqueueWith(
  store: Store,
  messages: readonly NewMessage[],
): Promise<'written' | 'there' | 'taken'> {
  const keys = new Set(messages.flatMap(({ itemKeys }) => itemKeys));
  const found = await Promise.all([...keys].map((key) => store.article(key)));
  const articles = found.flatMap((article) => (article?.item.state === 'accepted' ? [article] : []));
  const sender = { owner: '', leaseMs: LEASE_MS, destinations: [] };
  const { outcome } = await store.createDigest({ articles, messages, sender });
  return outcome === 'created' ? 'written' : outcome;
}

function withEnqueue(outbox: FirestoreCurator['outbox'], enqueue: Outbox['enqueue']): Outbox {
  return {
    abilities: outbox.abilities,
    enqueue,
    claimNext: (...ask) => outbox.claimNext(...ask),
    nextDue: (destinations) => outbox.nextDue(destinations),
    markSending: (claim) => outbox.markSending(claim),
    finish: (claim, outcome) => outbox.finish(claim, outcome),
    finishAndClaimNext: (...ask) => outbox.finishAndClaimNext(...ask),
    decide: (...decision) => outbox.decide(...decision),
    correctFutureTimes: (...ask) => outbox.correctFutureTimes(...ask),
    list: (filter) => outbox.list(filter),
    ofItem: (key) => outbox.ofItem(key),
    counts: () => outbox.counts(),
  };
}

/**
 * The store with claims that exist only in the test, for the suites of the ledger contract that use them to advance items.
 * What those suites prove about claims does not apply to the curator.
 */
function claimsOver(store: Store, clock: ManualClock): Ledger {
  const claims = new Map<ItemKey, { claim: Claim; article: Article; attempt: string | undefined }>();
  const isClaimed = (key: ItemKey): boolean => (claims.get(key)?.claim.until ?? 0) > clock.now();
  const claimArticle = (article: Article, { owner, leaseMs, attempt }: ClaimRequest): Claim => {
    const token = (claims.get(article.item.key)?.claim.token ?? 0) + 1;
    const claim = { item: article.item, owner, token, until: clock.now() + leaseMs };
    claims.set(article.item.key, { claim, article, attempt });
    return claim;
  };
  const open = async (): Promise<Article[]> => {
    const found: Article[] = [];
    for (const state of OPEN_STATES) {
      const { items } = await store.list({ states: [state], limit: 1_000 });
      for (const { key } of items) found.push(...[await store.article(key)].flatMap((one) => one ?? []));
    }
    const position = ({ item }: Article): number =>
      item.state === 'accepted' ? item.publishedAt : item.checkedAt;
    const lane = ({ item }: Article): number => Number(item.state !== 'accepted');
    return found
      .filter(({ item }) => (item.dueAt ?? 0) <= clock.now() && !isClaimed(item.key))
      .sort((a, b) => lane(a) - lane(b) || position(a) - position(b));
  };
  const extra: Partial<Ledger> = {
    async claimNext(ask) {
      checkLeaseMs(ask.leaseMs);
      const next = (await open()).find(({ item }) => ask.states?.includes(item.state) ?? true);
      return next === undefined ? null : claimArticle(next, ask);
    },
    async claim(key, ask) {
      checkLeaseMs(ask.leaseMs);
      const article = isClaimed(key) ? null : await store.article(key);
      const isDue = ask.early === true || (article?.item.dueAt ?? 0) <= clock.now();
      return article === null || !isDue ? null : claimArticle(article, ask);
    },
    async upcoming(limit) {
      checkLimit(limit);
      return (await open()).slice(0, limit).map(({ item }) => item.key);
    },
    async record(claim, next, more = {}) {
      const current = claims.get(claim.item.key);
      if (current?.claim !== claim || !isClaimed(claim.item.key)) return 'lost';
      const done = await step(store, current.article, next, more);
      if (done === 'lost') return 'lost';
      claims.set(claim.item.key, { ...current, claim: { ...claim, until: 0 } });
      if (more.messages !== undefined) await enqueueWith(store, more.messages);
      return 'recorded';
    },
    async release({ item }) {
      claims.delete(item.key);
    },
    pendingHandOver: async () => [],
    markHandedOver: async () => {},
  };
  return new Proxy(store as unknown as Ledger, {
    get(target, name) {
      const from = name in extra ? extra : target;
      const value: unknown = Reflect.get(from, name, from);
      return typeof value === 'function' ? value.bind(from) : value;
    },
  });
}
