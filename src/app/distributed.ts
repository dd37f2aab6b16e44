import type { Config } from '../config/config.ts';
import type { PipelineConfig } from '../config/resolve.ts';
import { ledgerIdOf } from '../pipelines/renamed-pipelines.ts';
import { LedgerQueue } from '../queue/ledger-queue.ts';
import { FirestoreAccountStore } from '../storage/firestore/account-store.ts';
import { FirestoreCountsLog } from '../storage/firestore/counts-log.ts';
import { openFirestoreCurator } from '../storage/firestore/curator/store.ts';
import { claimFormat } from '../storage/firestore/data-format.ts';
import type { FirestoreHiddenStories } from '../storage/firestore/hidden-stories.ts';
import { FIRESTORE_LAYOUTS } from '../storage/firestore/index-definitions.ts';
import { openFirestoreJudgeStores } from '../storage/firestore/judge-stores.ts';
import { FirestoreLeaseStore } from '../storage/firestore/lease-store.ts';
import { collectionPrefix, openFirestoreLedger } from '../storage/firestore/ledger/open-ledger.ts';
import { FirestorePipelineSettingsStore } from '../storage/firestore/pipeline-settings-store.ts';
import { openFirestorePublishingStores } from '../storage/firestore/publishing-stores.ts';
import { FirestoreReactionStore } from '../storage/firestore/reaction-store.ts';
import { FirestoreEntryStore } from '../storage/firestore/reader/entry-store.ts';
import { FirestoreReceivedDrops } from '../storage/firestore/received-drops.ts';
import { FirestoreRunStore } from '../storage/firestore/run-store.ts';
import { FirestoreSocialStore } from '../storage/firestore/social-store.ts';
import { FirestoreSourceCatalogueStore } from '../storage/firestore/source-catalogue-store.ts';
import { FirestoreSourceIconStore } from '../storage/firestore/source-icon-store.ts';
import { FirestoreSourceStore } from '../storage/firestore/source-store.ts';
import { environmentPrefix } from '../storage/firestore/story-documents.ts';
import { FirestoreStoryEditStore } from '../storage/firestore/story-edit-store.ts';
import { FREE_TIER, measureUsage } from '../storage/firestore/usage.ts';
import { PubSubQueue } from '../storage/pubsub/pubsub-queue.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { Clock } from '../time/clock.ts';
import { MINUTE, SECOND } from '../time/duration.ts';
import { type Engine, lifecyclePolicyOf } from './engine.ts';
import { connectFirestore } from './firestore.ts';
import { openSocialStore, openTimelineStores } from './timelines.ts';

/** Open pages poll counts every few seconds; each count costs some thirty reads. */
const COUNTS_CACHE_MS = { changed: 30 * SECOND, unchanged: 10 * MINUTE };
/** Each poll costs two reads, and the item of a dead worker must be found within a minute (X21). */
const QUEUE_POLL_INTERVAL_MS = 45 * SECOND;

const DISCORD_KINDS: readonly string[] = ['discord-webhook', 'discord-bot'];

/** It always reports its usage. */
export type DistributedEngine = Required<Engine>;

/**
 * Items, messages, runs, sources, users and drops in Firestore, timelines in Redis, and Pub/Sub as the queue of
 * pipelines that are configured so.
 */
export async function openDistributed(
  config: Config,
  clock: Clock,
  telemetry: Telemetry,
): Promise<DistributedEngine> {
  const { engine } = config;
  const { logger: log, events } = telemetry;
  if (engine.kind !== 'distributed') throw new Error('The configured engine is not the distributed one.');
  const { project, firestore, pubsub } = engine;
  const credentials = firestore.credentials?.reveal();
  const stack = new AsyncDisposableStack();
  const discord = new Set(
    Object.keys(config.publishers).filter((id) => DISCORD_KINDS.includes(config.publishers[id]?.kind ?? '')),
  );
  let hidden: FirestoreHiddenStories | null = null;
  try {
    const connection = stack.use(connectFirestore(engine, clock, events));
    const social = stack.use(
      await openSocialStore(config, clock, telemetry, () => new FirestoreSocialStore({ connection, clock })),
    );
    const { cap, userService } = config.timelines;
    // With remote user and post services timelines need nothing of Firestore.
    const received =
      userService === undefined ? new FirestoreReceivedDrops({ connection, clock, cap }) : undefined;
    const timelines = stack.use(await openTimelineStores(config, clock, telemetry, received));
    const queueFor = (pipeline: PipelineConfig): PubSubQueue =>
      new PubSubQueue({
        project,
        name: `${pubsub.topicPrefix}-${pipeline.id}`,
        ...(pubsub.emulator !== undefined && { emulator: pubsub.emulator }),
        ...(credentials !== undefined && { credentials }),
        setUp: { create: pubsub.createTopics },
        onError: (item, error) =>
          log.error('Failed to handle a video, it will be redelivered', { item, error }),
        onMalformed: ({ id: messageId, why: detail }) =>
          events.messageMalformed({ pipeline: pipeline.id, messageId, detail }),
      });
    return {
      kind: 'distributed',
      // Backups exist for the embedded engine only.
      restored: null,
      runs: new FirestoreRunStore(connection, clock),
      leases: new FirestoreLeaseStore(connection, clock),
      countsLog: new FirestoreCountsLog(connection),
      pipelineSettings: new FirestorePipelineSettingsStore(connection),
      sources: new FirestoreSourceStore(connection, clock),
      sourceCatalogue: new FirestoreSourceCatalogueStore(connection, clock),
      sourceIcons: new FirestoreSourceIconStore(connection),
      entries: new FirestoreEntryStore({ connection, clock }),
      reactions: new FirestoreReactionStore(connection),
      storyEdits: new FirestoreStoryEditStore(connection),
      social,
      changes: social.changes,
      accounts: new FirestoreAccountStore(connection),
      timelines,
      judgeStores: async () => openFirestoreJudgeStores(connection),
      async storyStore(set) {
        const { FirestoreStoryStore, openHiddenStories } = await import(
          '../storage/firestore/story-store.ts'
        );
        const prefix = environmentPrefix(config.stories.environment ?? process.env.NODE_ENV);
        hidden ??= openHiddenStories(connection, prefix, clock);
        return new FirestoreStoryStore({ connection, prefix, set, clock, hidden });
      },
      measureUsage,
      claimFormat: (program) => claimFormat(connection, program),
      stopWithin: (ms) => connection.stopWithin(ms),
      publishingStores: async () => openFirestorePublishingStores(connection, clock),
      async queueFor(pipeline, ledger) {
        if (pipeline.kind !== 'process' || pipeline.queue === 'ledger')
          return new LedgerQueue({ ledger, clock, pollMs: QUEUE_POLL_INTERVAL_MS });
        return stack.use(queueFor(pipeline));
      },
      async pipelineStores(pipeline, signal) {
        const policy = lifecyclePolicyOf(pipeline);
        const layout = FIRESTORE_LAYOUTS[pipeline.kind];
        const prefix = await collectionPrefix(connection, layout, ledgerIdOf(pipeline));
        const stores =
          layout === 'articles'
            ? openFirestoreCurator({
                connection,
                clock,
                policy,
                prefix,
                discord,
                countsFor: COUNTS_CACHE_MS,
                onStep: (item, { from, to }) =>
                  events.itemFinished({
                    pipeline: pipeline.id,
                    item,
                    from,
                    to: to.state,
                    reason: to.reason,
                    detail: to.detail,
                  }),
              })
            : openFirestoreLedger({ connection, layout, clock, policy, prefix, countsTtl: COUNTS_CACHE_MS });
        const adopted = await stores.adopt(signal);
        if (adopted > 0)
          log.info('Adopted items that another program recorded or changed', {
            pipeline: pipeline.id,
            items: adopted,
          });
        return { ...stores, policy };
      },
      usageToday: async () => ({ used: await connection.usageToday(), free: FREE_TIER }),
      [Symbol.asyncDispose]: () => stack.disposeAsync(),
    };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}
