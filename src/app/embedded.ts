import { join } from 'node:path';
import { SqliteAccountStore } from '../auth/sqlite/sqlite-account-store.ts';
import type { Config } from '../config/config.ts';
import { openSqliteLedger } from '../ledger/sqlite/open.ts';
import { SqliteCountsLog } from '../pipelines/sqlite/counts-log.ts';
import { SqliteLeaseStore } from '../pipelines/sqlite/lease-store.ts';
import { SqliteRunStore } from '../pipelines/sqlite/run-store.ts';
import { LedgerQueue } from '../queue/ledger-queue.ts';
import { SqliteSourceStore } from '../sources/sqlite/sqlite-source-store.ts';
import type { StoryFile } from '../stories/sqlite/story-file.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { Clock } from '../time/clock.ts';
import { type Engine, policyOf } from './engine.ts';
import { memoryIdOf } from './renamed-pipelines.ts';
import { restoredPeriod } from './restored.ts';
import { openSocial } from './social.ts';
import { openTimelines } from './timelines.ts';

/** Everything in files in the data folder, one for each pipeline and one for each thing that all share. */
export async function openEmbedded(config: Config, clock: Clock, telemetry: Telemetry): Promise<Engine> {
  const stack = new AsyncDisposableStack();
  const file = (name: string): string => join(config.data, name);
  let stories: StoryFile | null = null;
  try {
    const runs = stack.use(new SqliteRunStore(file('runs.db'), clock));
    const leases = stack.use(new SqliteLeaseStore(file('runs.db'), clock));
    const countsLog = stack.use(new SqliteCountsLog(file('counts.db')));
    const sources = stack.use(new SqliteSourceStore(file('sources.db')));
    const social = stack.use(await openSocial(config, clock, telemetry.events));
    const accounts = stack.use(new SqliteAccountStore(file('accounts.db')));
    const timelines = stack.use(await openTimelines(config, clock, telemetry));
    return {
      kind: 'embedded',
      restored: restoredPeriod(config.data),
      runs,
      leases,
      countsLog,
      sources,
      social,
      changes: social.changes,
      accounts,
      timelines,
      async judgeMemory() {
        const { openSqliteJudgeMemory } = await import('../judge/sqlite/open.ts');
        return openSqliteJudgeMemory(file('judges.db'));
      },
      async storiesOf(set) {
        const { StoryFile } = await import('../stories/sqlite/story-file.ts');
        stories ??= stack.use(StoryFile.open(file('stories.db'), clock));
        return stories.of(set);
      },
      async pressMemory() {
        const { openSqlitePressMemory } = await import('../press/sqlite/open.ts');
        return openSqlitePressMemory(file('press.db'), clock);
      },
      queueOf: async (_pipeline, ledger) => new LedgerQueue({ ledger, clock }),
      async memoryOf(pipeline) {
        const policy = policyOf(pipeline);
        const name = `the ledger of ${pipeline.id}`;
        const memory = openSqliteLedger(file(`pipeline-${memoryIdOf(pipeline)}.db`), { clock, policy, name });
        stack.use(memory);
        return { ledger: memory.ledger, outbox: memory.outbox, policy };
      },
      [Symbol.asyncDispose]: () => stack.disposeAsync(),
    };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}
