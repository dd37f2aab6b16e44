import { FirestoreAccountStore } from '../auth/firestore/firestore-account-store.ts';
import type { Config } from '../config/config.ts';
import type { PipelineConfig } from '../config/settle.ts';
import { FREE_TIER, measured } from '../firestore/usage.ts';
import { openFirestoreJudgeMemory } from '../judge/firestore/open.ts';
import { openFirestoreLedger } from '../ledger/firestore/open.ts';
import { prefixFor } from '../ledger/firestore/prefix.ts';
import { FirestoreCountsLog } from '../pipelines/firestore/counts-log.ts';
import { FirestoreLeaseStore } from '../pipelines/firestore/lease-store.ts';
import { FirestoreRunStore } from '../pipelines/firestore/run-store.ts';
import { openFirestorePressMemory } from '../press/firestore/open.ts';
import { LedgerQueue } from '../queue/ledger-queue.ts';
import { PubSubQueue } from '../queue/pubsub/pubsub-queue.ts';
import { FirestoreSocialStore } from '../social/firestore/firestore-social-store.ts';
import { FirestoreSourceStore } from '../sources/firestore/firestore-source-store.ts';
import { openFirestoreCurator } from '../storage/firestore/curator-store.ts';
import { environmentPrefix } from '../stories/firestore/collections.ts';
import type { FirestoreHidden } from '../stories/firestore/hidden.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { Clock } from '../time/clock.ts';
import { MINUTE, SECOND } from '../time/duration.ts';
import { FirestoreReceivedDrops } from '../timeline/firestore/firestore-received-drops.ts';
import { type Engine, policyOf } from './engine.ts';
import { firestoreConnection } from './firestore-connection.ts';
import { LAYOUTS } from './firestore-indexes.ts';
import { memoryIdOf } from './renamed-pipelines.ts';
import { openSocial } from './social.ts';
import { openTimelines } from './timelines.ts';

/** Counts are asked for by pages that look every few seconds, perhaps all day long; each costs some thirty reads. */
const COUNTS_FOR = { changed: 30 * SECOND, unchanged: 10 * MINUTE };
/** Each look costs two reads, and a dead worker's item must be found within a minute (X21). */
const LOOK_EVERY = 45 * SECOND;

const DISCORD_KINDS: readonly string[] = ['discord-webhook', 'discord-bot'];

/** Of this one it is always known what it costs. */
export type DistributedEngine = Required<Engine>;

/**
 * Items, messages, runs, sources, people and drops in Firestore, videos handed over by Pub/Sub where the pipeline says so.
 * Timelines are in Redis.
 */
export async function openDistributed(
  config: Config,
  clock: Clock,
  telemetry: Telemetry,
): Promise<DistributedEngine> {
  const { engine } = config;
  const { logger: log, events } = telemetry;
  if (engine.kind !== 'distributed')
    throw new Error('The configuration does not ask for the distributed engine.');
  const { project, firestore, pubsub } = engine;
  const credentials = firestore.credentials?.reveal();
  const stack = new AsyncDisposableStack();
  const discord = new Set(
    Object.keys(config.publishers).filter((id) => DISCORD_KINDS.includes(config.publishers[id]?.kind ?? '')),
  );
  let hidden: FirestoreHidden | null = null;
  try {
    const connection = stack.use(firestoreConnection(engine, clock, events));
    const social = stack.use(
      await openSocial(config, clock, events, () => new FirestoreSocialStore({ connection, clock })),
    );
    const { cap, userService } = config.timelines;
    // Where people and drops are elsewhere, timelines need nothing of Firestore.
    const received =
      userService === undefined ? new FirestoreReceivedDrops({ connection, clock, cap }) : undefined;
    const timelines = stack.use(await openTimelines(config, clock, telemetry, received));
    const queueFor = (pipeline: PipelineConfig): PubSubQueue =>
      new PubSubQueue({
        project,
        name: `${pubsub.topicPrefix}-${pipeline.id}`,
        ...(pubsub.emulator !== undefined && { emulator: pubsub.emulator }),
        ...(credentials !== undefined && { credentials }),
        setUp: { create: pubsub.createTopics },
        onError: (item, error) => log.error('A video could not be handled; it comes again', { item, error }),
        onMalformed: ({ id: messageId, why: detail }) =>
          events.messageMalformed({ pipeline: pipeline.id, messageId, detail }),
      });
    return {
      kind: 'distributed',
      // A backup is of the embedded engine's files.
      restored: null,
      runs: new FirestoreRunStore(connection, clock),
      leases: new FirestoreLeaseStore(connection, clock),
      countsLog: new FirestoreCountsLog(connection),
      sources: new FirestoreSourceStore(connection, clock),
      social,
      changes: social.changes,
      accounts: new FirestoreAccountStore(connection),
      timelines,
      judgeMemory: async () => openFirestoreJudgeMemory(connection),
      async storiesOf(set) {
        const { FirestoreStoryStore, hiddenOn } = await import(
          '../stories/firestore/firestore-story-store.ts'
        );
        const prefix = environmentPrefix(config.stories.environment ?? process.env.NODE_ENV);
        hidden ??= hiddenOn(connection, prefix, clock);
        return new FirestoreStoryStore({ connection, prefix, set, clock, hidden });
      },
      measured,
      stopWithin: (ms) => connection.stopWithin(ms),
      pressMemory: async () => openFirestorePressMemory(connection, clock),
      async queueOf(pipeline, ledger) {
        if (pipeline.kind !== 'process' || pipeline.queue === 'ledger')
          return new LedgerQueue({ ledger, clock, pollMs: LOOK_EVERY });
        return stack.use(queueFor(pipeline));
      },
      async memoryOf(pipeline, signal) {
        const policy = policyOf(pipeline);
        const layout = LAYOUTS[pipeline.kind];
        const prefix = await prefixFor(connection, layout, memoryIdOf(pipeline));
        const memory =
          layout === 'articles'
            ? openFirestoreCurator({
                connection,
                clock,
                policy,
                prefix,
                discord,
                countsFor: COUNTS_FOR,
                onStep: (item, { from, to }) =>
                  events.itemSettled({
                    pipeline: pipeline.id,
                    item,
                    from,
                    to: to.state,
                    reason: to.reason,
                    detail: to.detail,
                  }),
              })
            : openFirestoreLedger({ connection, layout, clock, policy, prefix, countsFor: COUNTS_FOR });
        const adopted = await memory.adopt(signal);
        if (adopted > 0)
          log.info('Adopted items that another program recorded or changed', {
            pipeline: pipeline.id,
            items: adopted,
          });
        return { ...memory, policy };
      },
      usageToday: async () => ({ used: await connection.usageToday(), free: FREE_TIER }),
      [Symbol.asyncDispose]: () => stack.disposeAsync(),
    };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}
