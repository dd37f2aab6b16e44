import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import { ledgerIdOf } from '../pipelines/renamed-pipelines.ts';
import { LedgerQueue } from '../queue/ledger-queue.ts';
import { SqliteAccountStore } from '../storage/sqlite/account-store.ts';
import { SqliteCountsLog } from '../storage/sqlite/counts-log.ts';
import { recordProgram } from '../storage/sqlite/data-folder.ts';
import { SqliteLeaseStore } from '../storage/sqlite/lease-store.ts';
import { openSqliteLedger } from '../storage/sqlite/ledger/ledger.ts';
import { SqlitePipelineSettingsStore } from '../storage/sqlite/pipeline-settings-store.ts';
import { SqliteReactionStore } from '../storage/sqlite/reaction-store.ts';
import { SqliteEntryStore } from '../storage/sqlite/reader/entry-store.ts';
import { SqliteStoryEditStore } from '../storage/sqlite/reader/story-edit-store.ts';
import { readRestoredPeriod } from '../storage/sqlite/restore.ts';
import { SqliteRunStore } from '../storage/sqlite/run-store.ts';
import { SqliteSourceCatalogueStore } from '../storage/sqlite/source-catalogue-store.ts';
import { SqliteSourceIconStore } from '../storage/sqlite/source-icon-store.ts';
import { SqliteSourceStore } from '../storage/sqlite/source-store.ts';
import type { StoryFile } from '../storage/sqlite/story-file.ts';
import type { Clock } from '../time/clock.ts';
import type { AppOptions } from './app.ts';
import { type Engine, lifecyclePolicyOf } from './engine.ts';
import { openSocialStore, openTimelineStores } from './timelines.ts';

/** All stores as SQLite files in the data folder: one per pipeline and one per shared store. */
export async function openEmbedded(
  config: Config,
  clock: Clock,
  { telemetry, version }: Pick<AppOptions, 'telemetry' | 'version'>,
): Promise<Engine> {
  const stack = new AsyncDisposableStack();
  const file = (name: string): string => join(config.data, name);
  let stories: StoryFile | null = null;
  try {
    const runs = stack.use(new SqliteRunStore(file('runs.db'), clock));
    const leases = stack.use(new SqliteLeaseStore(file('runs.db'), clock));
    const countsLog = stack.use(new SqliteCountsLog(file('counts.db')));
    const pipelineSettings = stack.use(new SqlitePipelineSettingsStore(file('runs.db'), clock));
    const sources = stack.use(new SqliteSourceStore(file('sources.db')));
    const sourceCatalogue = stack.use(new SqliteSourceCatalogueStore(file('sources.db'), clock));
    const sourceIcons = stack.use(new SqliteSourceIconStore(file('sources.db')));
    const entries = stack.use(new SqliteEntryStore(file('reader.db')));
    const reactions = stack.use(new SqliteReactionStore(file('learning.db')));
    const storyEdits = stack.use(new SqliteStoryEditStore(file('reader.db')));
    const social = stack.use(await openSocialStore(config, clock, telemetry));
    const accounts = stack.use(new SqliteAccountStore(file('accounts.db')));
    const timelines = stack.use(await openTimelineStores(config, clock, telemetry));
    await recordProgram(config.data, version, clock.now());
    return {
      kind: 'embedded',
      restored: readRestoredPeriod(config.data),
      runs,
      leases,
      countsLog,
      pipelineSettings,
      sources,
      sourceCatalogue,
      sourceIcons,
      entries,
      reactions,
      storyEdits,
      social,
      changes: social.changes,
      accounts,
      timelines,
      async judgeStores() {
        const { openSqliteJudgeStores } = await import('../storage/sqlite/judge-stores.ts');
        return openSqliteJudgeStores(file('judges.db'));
      },
      async storyStore(set) {
        const { StoryFile } = await import('../storage/sqlite/story-file.ts');
        stories ??= stack.use(StoryFile.open(file('stories.db'), clock));
        return stories.storeOf(set);
      },
      async publishingStores() {
        const { openSqlitePublishingStores } = await import('../storage/sqlite/publishing-stores.ts');
        return openSqlitePublishingStores(file('press.db'), clock);
      },
      queueFor: async (_pipeline, ledger) => new LedgerQueue({ ledger, clock }),
      async pipelineStores(pipeline) {
        const policy = lifecyclePolicyOf(pipeline);
        const name = `the ledger of ${pipeline.id}`;
        const stores = openSqliteLedger(file(`pipeline-${ledgerIdOf(pipeline)}.db`), { clock, policy, name });
        stack.use(stores);
        return { ledger: stores.ledger, outbox: stores.outbox, policy };
      },
      [Symbol.asyncDispose]: () => stack.disposeAsync(),
    };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}
