import type { ItemKey } from '../src/item/item.ts';
import type { LifecycleEvent } from '../src/item/lifecycle.ts';
import { keyOf, LEASE_MS, POLICY, present, sighting, transition } from '../src/ledger/contract/subject.ts';
import type { Claim, Step } from '../src/ledger/ledger.ts';
import type { Article, CreatedDigest, SavedVerdict } from '../src/pipelines/curator-store.ts';
import { newSourceRecord } from '../src/sources/source.ts';
import { FirestoreAccountStore } from '../src/storage/firestore/account-store.ts';
import type { FirestoreConnection } from '../src/storage/firestore/connection.ts';
import { FirestoreCountsLog } from '../src/storage/firestore/counts-log.ts';
import { type FirestoreCurator, openFirestoreCurator } from '../src/storage/firestore/curator/store.ts';
import { openFirestoreJudgeStores } from '../src/storage/firestore/judge-stores.ts';
import { FirestoreLeaseStore } from '../src/storage/firestore/lease-store.ts';
import {
  type FirestorePipelineStores,
  openFirestoreLedger,
} from '../src/storage/firestore/ledger/open-ledger.ts';
import { openFirestorePublishingStores } from '../src/storage/firestore/publishing-stores.ts';
import { FirestoreRunStore } from '../src/storage/firestore/run-store.ts';
import { FirestoreSocialStore } from '../src/storage/firestore/social-store.ts';
import { FirestoreSourceCatalogueStore } from '../src/storage/firestore/source-catalogue-store.ts';
import { FirestoreSourceStore } from '../src/storage/firestore/source-store.ts';
import { FirestoreStoryStore, openHiddenStories } from '../src/storage/firestore/story-store.ts';
import { sampleStory } from '../src/stories/contract/sample-stories.ts';
import { EMPTY_SYNC_STATE } from '../src/stories/story-store.ts';
import { calendarDay } from '../src/time/calendar-day.ts';
import { systemClock } from '../src/time/clock.ts';

const NOW = Date.UTC(2026, 0, 1);
const clock = systemClock;

/** Every store of the distributed engine on one connection. */
export function storesOn(connection: FirestoreConnection) {
  const prefix = 'dev-';
  return {
    accounts: new FirestoreAccountStore(connection),
    stories: new FirestoreStoryStore({
      connection,
      prefix,
      set: 'hackernews',
      clock,
      hidden: openHiddenStories(connection, prefix, clock),
    }),
    sources: new FirestoreSourceStore(connection),
    catalogue: new FirestoreSourceCatalogueStore(connection, clock),
    social: new FirestoreSocialStore({ connection, clock }),
    runs: new FirestoreRunStore(connection, clock),
    leases: new FirestoreLeaseStore(connection, clock),
    countsLog: new FirestoreCountsLog(connection),
    judge: openFirestoreJudgeStores(connection),
    publishing: openFirestorePublishingStores(connection, clock),
    items: openFirestoreLedger({ connection, layout: 'items', clock, policy: POLICY }),
    articles: openFirestoreCurator({ connection, clock, policy: POLICY }),
  };
}

export type Stores = ReturnType<typeof storesOn>;

/** One kind of write: what is done before, the write whose first commit is aborted, and what a fresh reader finds. */
interface AbortedWrite {
  readonly what: string;
  given?(stores: Stores): Promise<unknown>;
  write(stores: Stores, given: unknown): Promise<unknown>;
  readonly answers?: unknown;
  there(stores: Stores, given: unknown): Promise<unknown>;
  readonly is: unknown;
}

const ann = {
  userId: 'u-ann',
  name: 'Ann',
  role: 'owner',
  passwordHash: 'scrypt$1',
  createdAt: NOW,
  passwordChangedAt: NOW,
} as const;
const addedSource = {
  id: 'news',
  settings: { feed: 'https://news.example/feed' },
  name: null,
  enabled: null,
  folders: null,
  pipelines: [],
  addedBy: 'page',
  addedAt: NOW,
} as const;
const session = {
  id: 's',
  userId: 'u-ann',
  createdAt: NOW,
  seenAt: NOW,
  expiresAt: NOW + 1,
  device: 'Firefox',
};
const day = calendarDay(NOW, 'UTC');
const verdictKey = {
  question: 'evaluate',
  textHash: 't',
  interestsVersion: 'i',
  model: 'm',
  promptVersion: 'p',
} as const;
const usage = { calls: 1, inputTokens: 1, outputTokens: 1, microUsd: 1, ms: 1 };
const by = { judge: 'j', model: 'm', promptVersion: 'p', provisional: false, usage };
const counts = { byState: { waiting: 3 }, byReason: {} } as never;
const a = keyOf('a');

async function claimed({ ledger }: FirestorePipelineStores, name = 'a'): Promise<Claim> {
  await ledger.admit([sighting(name)], {});
  return present(await ledger.claim(keyOf(name), { owner: 'w', leaseMs: LEASE_MS }));
}

async function recorded(
  stores: FirestorePipelineStores,
  event: LifecycleEvent,
  step: Step = {},
): Promise<ItemKey> {
  const claim = await claimed(stores);
  await stores.ledger.record(claim, transition(claim.item, event, clock.now()), step);
  return claim.item.key;
}

const stepOf = (
  { ledger }: FirestorePipelineStores,
  given: unknown,
  event: LifecycleEvent,
  step: Step = {},
) => ledger.record(given as Claim, transition((given as Claim).item, event, clock.now()), step);

async function pending({ ledger, curator }: FirestoreCurator): Promise<Article> {
  await ledger.admit([sighting('a')], {});
  const [article] = await curator.pending(1, 0);
  return present(article);
}

async function judge(stores: FirestoreCurator, event: LifecycleEvent): Promise<SavedVerdict> {
  const article = await pending(stores);
  const saved = await stores.curator.saveVerdict(article, transition(article.item, event, clock.now()));
  await stores.curator.updatePending({ judged: [article.item.key], postponed: [] });
  return saved;
}

async function accepted(stores: FirestoreCurator): Promise<Article> {
  const saved = await judge(stores, { type: 'accept' });
  if (saved.outcome !== 'kept') throw new Error('An accepted article is kept until the choice.');
  return saved.article;
}

const sender = { owner: 'w', leaseMs: LEASE_MS, destinations: ['d'] };
const messages = [{ key: 'k', itemKeys: [a], destination: 'd', body: 'b' }];

export const ABORTED_WRITES: readonly AbortedWrite[] = [
  {
    what: 'hiding a story',
    write: ({ stories }) => stories.hide('ann', [1, 2], NOW),
    there: async ({ stories }) => [...(await stories.hiddenAmong('ann', [1, 2, 3]))],
    is: [1, 2],
  },
  {
    what: 'unhiding a story',
    given: ({ stories }) => stories.hide('ann', [1, 2], NOW),
    write: ({ stories }) => stories.unhide('ann', [1]),
    there: async ({ stories }) => [...(await stories.hiddenAmong('ann', [1, 2, 3]))],
    is: [2],
  },
  {
    what: 'a story',
    given: ({ stories }) => stories.head(),
    write: ({ stories }) => stories.upsert([{ story: sampleStory(7) }]),
    there: async ({ stories }, head) => [
      (await stories.find([7])).length,
      (await stories.changesSince(String(head)))?.changes.length,
    ],
    is: [1, 1],
  },
  {
    what: 'a removed story',
    given: ({ stories }) => stories.upsert([{ story: sampleStory(7) }]),
    write: ({ stories }) => stories.remove([7]),
    there: ({ stories }) => stories.find([7]),
    is: [],
  },
  {
    what: 'a cached list',
    write: ({ stories }) => present(stories.abilities.cache).set('Day', { stories: [], rankedAt: NOW }),
    there: async ({ stories }) => (await present(stories.abilities.cache).get('Day'))?.rankedAt,
    is: NOW,
  },
  {
    what: 'the state of the story worker',
    write: ({ stories }) => stories.saveSyncState({ ...EMPTY_SYNC_STATE, retry: [5] }),
    there: async ({ stories }) => (await stories.loadSyncState())?.retry,
    is: [5],
  },
  {
    what: 'the usage of stories',
    write: ({ stories }) => stories.addUsage('2026-01-01', { requests: 1, reads: 2, writes: 3 }),
    there: ({ stories }) => stories.usageOf('2026-01-01'),
    is: { requests: 1, reads: 2, writes: 3 },
  },
  {
    what: 'the state of a source',
    write: ({ sources }) => sources.save({ ...newSourceRecord('news'), itemsSeen: 3 }),
    there: async ({ sources }) => (await sources.load('news'))?.itemsSeen,
    is: 3,
  },
  {
    what: 'a claim on a source',
    write: ({ sources }) => sources.claim('news', 'w', LEASE_MS),
    answers: { record: null },
    there: ({ sources }) => sources.claim('news', 'v', LEASE_MS),
    is: null,
  },
  {
    what: 'a removed source',
    given: ({ sources }) => sources.save(newSourceRecord('news')),
    write: ({ sources }) => sources.remove('news'),
    there: ({ sources }) => sources.load('news'),
    is: null,
  },
  {
    what: 'an added source',
    write: ({ catalogue }) => catalogue.add([addedSource]),
    answers: true,
    there: ({ catalogue }) => catalogue.list(),
    is: [{ ...addedSource, version: 1 }],
  },
  {
    what: 'a changed source',
    given: ({ catalogue }) => catalogue.add([addedSource]),
    write: ({ catalogue }) => catalogue.put({ ...addedSource, enabled: false }, 1),
    answers: true,
    there: ({ catalogue }) => catalogue.list(),
    is: [{ ...addedSource, enabled: false, version: 2 }],
  },
  {
    what: 'a source removed from the catalogue',
    given: ({ catalogue }) => catalogue.add([addedSource]),
    write: ({ catalogue }) => catalogue.remove('news'),
    answers: true,
    there: ({ catalogue }) => catalogue.list(),
    is: [],
  },
  {
    what: 'an account',
    write: ({ accounts }) => accounts.addAccount(ann),
    answers: 'added',
    there: ({ accounts }) => accounts.findAccount({ name: 'ann' }),
    is: ann,
  },
  {
    what: 'a new password',
    given: ({ accounts }) => accounts.addAccount(ann),
    write: ({ accounts }) => accounts.setPassword('u-ann', 'scrypt$2', NOW),
    answers: true,
    there: async ({ accounts }) => (await accounts.findAccount({ name: 'ann' }))?.passwordHash,
    is: 'scrypt$2',
  },
  {
    what: 'a session',
    write: ({ accounts }) => accounts.addSession(session),
    there: ({ accounts }) => accounts.findSession('s'),
    is: session,
  },
  {
    what: 'the end of sessions',
    given: ({ accounts }) => accounts.addSession(session),
    write: ({ accounts }) => accounts.endSessions('u-ann'),
    there: ({ accounts }) => accounts.findSession('s'),
    is: null,
  },
  {
    what: 'a user, by name',
    write: ({ social }) => social.addUser({ name: 'ann', displayName: 'Ann', kind: 'person' }),
    there: async ({ social }) => (await social.findUser('ann'))?.displayName,
    is: 'Ann',
  },
  {
    what: 'a drop',
    given: ({ social }) => social.addUser({ name: 'ann', displayName: 'Ann', kind: 'person' }),
    write: async ({ social }, user) =>
      (await social.post({ userId: idIn(user), visibility: 'public', text: 'hello' })).created,
    answers: true,
    there: async ({ social }, user) => (await social.getDropsByUserId(idIn(user), { limit: 9 })).length,
    is: 1,
  },
  {
    what: 'a run',
    write: async ({ runs }) => (await runs.begin('p', 'o', LEASE_MS))?.id,
    answers: 1,
    there: async ({ runs }) => (await runs.last('p'))?.outcome,
    is: 'running',
  },
  {
    what: 'the end of a run',
    given: ({ runs }) => runs.begin('p', 'o', LEASE_MS),
    write: ({ runs }, run) => runs.end(run as never, { outcome: 'done', summary: 's', counts: {} }),
    there: async ({ runs }) => (await runs.last('p'))?.outcome,
    is: 'done',
  },
  {
    what: 'a lease',
    write: async ({ leases }) => (await leases.acquire('l', 'o', LEASE_MS))?.token,
    answers: 1,
    there: async ({ leases }) => (await leases.holder('l'))?.owner,
    is: 'o',
  },
  {
    what: 'the counts of an hour',
    write: ({ countsLog }) => countsLog.put('p', NOW, counts),
    there: async ({ countsLog }) => (await countsLog.read('p', NOW, NOW))[0]?.byState.waiting,
    is: 3,
  },
  {
    what: 'a reserved budget',
    write: async ({ judge }) =>
      (await judge.budgets.reserve('p', { calls: 1, tokens: 2, microUsd: 3 }, {}, NOW, day)).reserved,
    answers: true,
    there: async ({ judge }) => (await judge.budgets.spent('p', NOW, day)).today,
    is: { calls: 1, tokens: 2, microUsd: 3 },
  },
  {
    what: 'a verdict',
    write: ({ judge }) => judge.verdicts.put(verdictKey, { value: 1, by, madeAt: NOW }),
    there: async ({ judge }) => (await judge.verdicts.get(verdictKey))?.value,
    is: 1,
  },
  {
    what: 'the daily message counter',
    write: ({ publishing }) => publishing.counter.tryIncrement('d', NOW, 1),
    answers: true,
    there: ({ publishing }) => publishing.counter.tryIncrement('d', NOW, 1),
    is: false,
  },
  {
    what: 'a requested revision',
    write: ({ publishing }) =>
      publishing.revisions.request(
        { pipeline: 'p', destination: 'd', message: 'm', remoteId: '1', body: 'b' },
        0,
      ),
    answers: 'wanted',
    there: async ({ publishing }) => (await publishing.revisions.of('p', ['m'])).get('m')?.body,
    is: 'b',
  },
  ...(['items', 'articles'] as const).flatMap((layout): AbortedWrite[] => [
    {
      what: `a baseline of ${layout}`,
      write: ({ [layout]: { ledger } }) => ledger.admit([sighting('a')], { baseline: () => true }),
      answers: ['baseline'],
      there: async ({ [layout]: { ledger } }) => [...(await ledger.known([a]))],
      is: [a],
    },
    {
      what: `a person's decision on an item of ${layout}`,
      given: async ({ items, articles }) =>
        layout === 'items'
          ? recorded(items, { type: 'park', reason: 'delivery_unknown' })
          : judge(articles, { type: 'park', reason: 'delivery_unknown' }),
      write: async ({ [layout]: { ledger } }) =>
        (await ledger.intervene(a, { type: 'markSent' }, 'ann')).done,
      answers: true,
      there: async ({ [layout]: { ledger } }) => {
        await ledger.known([a]);
        return (await ledger.find(a))?.state;
      },
      is: 'published',
    },
    {
      what: `a loaded delivery of ${layout}`,
      write: ({ [layout]: { ledger } }) =>
        ledger.load([
          {
            kind: 'delivery',
            delivery: {
              key: 'k',
              itemKeys: [a],
              destination: 'd',
              body: 'b',
              state: 'sent',
              remoteId: '1',
              attempts: 1,
              detail: null,
              dueAt: null,
              createdAt: NOW,
              updatedAt: NOW,
            } as never,
          },
        ]),
      answers: ['loaded'],
      there: async ({ [layout]: { outbox } }) => (await outbox.list({ limit: 9 })).deliveries.length,
      is: 1,
    },
  ]),
  {
    what: 'a recorded step of items',
    given: ({ items }) => claimed(items),
    write: ({ items }, claim) => stepOf(items, claim, { type: 'reject', reason: 'low_relevance' }),
    answers: 'recorded',
    there: async ({ items }) => [...(await items.ledger.known([a]))],
    is: [a],
  },
  {
    what: 'a pending article',
    write: ({ articles }) => articles.ledger.admit([sighting('a')], {}),
    answers: ['new'],
    there: async ({ articles }) => (await articles.curator.pending(9, 0)).map(({ item }) => item.key),
    is: [a],
  },
  {
    what: 'the verdict of an article',
    given: ({ articles }) => pending(articles),
    write: ({ articles }, given) => {
      const article = given as Article;
      const reject = transition(article.item, { type: 'reject', reason: 'low_relevance' }, clock.now());
      return articles.curator.saveVerdict(article, reject);
    },
    answers: { outcome: 'saved' },
    there: async ({ articles }) => (await articles.ledger.find(a))?.state,
    is: 'rejected',
  },
  {
    what: 'a digest',
    given: ({ articles }) => accepted(articles),
    write: async ({ articles }, given) =>
      (await articles.curator.createDigest({ articles: [given as Article], messages, sender })).outcome,
    answers: 'created',
    there: async ({ articles }) => (await articles.outbox.ofItem(a)).map(({ state }) => state),
    is: ['sending'],
  },
  {
    what: 'the outcome of a message of a digest, with its article',
    given: async ({ articles }) =>
      articles.curator.createDigest({ articles: [await accepted(articles)], messages, sender }),
    write: async ({ articles }, given) => {
      const [claim] = (given as CreatedDigest).held;
      return articles.outbox.finishAndClaimNext(present(claim), { state: 'sent', remoteId: '1' }, LEASE_MS);
    },
    answers: { finished: 'finished', next: null },
    there: async ({ articles }) => [
      (await articles.outbox.ofItem(a)).map(({ state }) => state),
      (await articles.ledger.find(a))?.state,
    ],
    is: [['sent'], 'published'],
  },
  {
    what: 'a swept article',
    given: ({ articles }) => judge(articles, { type: 'reject', reason: 'low_relevance' }),
    write: async ({ articles: { ledger } }) =>
      (await ledger.sweep({ keep: { rejected: 0 }, keepTombstones: 1e9, dryRun: false })).swept,
    answers: { rejected: 1 },
    there: async ({ articles: { ledger } }) => [[...(await ledger.known([a]))], await ledger.find(a)],
    is: [[a], null],
  },
  {
    what: 'new items',
    write: ({ items }) => items.ledger.admit([sighting('a'), sighting('b')], {}),
    answers: ['new', 'new'],
    there: async ({ items }) => (await items.ledger.known([a, keyOf('b')])).size,
    is: 2,
  },
  {
    what: 'a claim on an item',
    given: ({ items }) => items.ledger.admit([sighting('a')], {}),
    write: async ({ items }) => (await items.ledger.claimNext({ owner: 'w', leaseMs: LEASE_MS }))?.token,
    answers: 1,
    there: async ({ items }) => (await items.ledger.claimNext({ owner: 'v', leaseMs: LEASE_MS }))?.token,
    is: undefined,
  },
  {
    what: 'a handed-over item',
    given: ({ items }) => items.ledger.admit([sighting('a')], { handOver: true }),
    write: ({ items }) => items.ledger.markHandedOver([a]),
    there: ({ items }) => items.ledger.pendingHandOver({ limit: 9 }),
    is: [],
  },
  {
    what: 'a step with its message',
    given: ({ items }) => claimed(items),
    write: ({ items }, claim) => stepOf(items, claim, { type: 'publish' }, { messages }),
    answers: 'recorded',
    there: async ({ items }) => (await items.outbox.ofItem(a)).length,
    is: 1,
  },
  {
    what: 'a claimed message',
    given: ({ items }) => items.outbox.enqueue(messages),
    write: async ({ items }) => (await items.outbox.claimNext('d', 'w', LEASE_MS))?.token,
    answers: 1,
    there: ({ items }) => items.outbox.claimNext('d', 'v', LEASE_MS),
    is: null,
  },
];

function idIn(user: unknown): string {
  return (user as { id: string }).id;
}
