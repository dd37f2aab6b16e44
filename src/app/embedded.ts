import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import { openSqliteLedger } from '../ledger/sqlite/open.ts';
import { SqliteLeaseStore } from '../pipelines/sqlite/lease-store.ts';
import { SqliteRunStore } from '../pipelines/sqlite/run-store.ts';
import { LedgerQueue } from '../queue/ledger-queue.ts';
import { SqliteSourceStore } from '../sources/sqlite/sqlite-source-store.ts';
import { FAN_OUT } from '../stream/timeline-service.ts';
import type { Events } from '../telemetry/events.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Clock } from '../time/clock.ts';
import { MemoryEventLog } from '../timeline/memory/memory-event-log.ts';
import { MemoryTimelineStore } from '../timeline/memory/memory-timeline-store.ts';
import { Closing } from './closing.ts';
import { type Engine, policyOf } from './engine.ts';
import { openSocial } from './social.ts';

/** Everything in files in the data folder, one for each pipeline and one for each thing that all share. */
export async function openEmbedded(
  config: Config,
  clock: Clock,
  log: Logger,
  happenings: Events,
): Promise<Engine> {
  const closing = new Closing();
  const file = (name: string): string => join(config.data, name);
  try {
    const runs = closing.add('the record of runs', new SqliteRunStore(file('runs.db'), clock));
    const leases = closing.add('the leases', new SqliteLeaseStore(file('runs.db'), clock));
    const sources = closing.add('the source store', new SqliteSourceStore(file('sources.db')));
    const social = closing.add('the social store', await openSocial(config, clock, happenings));
    const timelines = closing.add(
      'the timelines',
      new MemoryTimelineStore({ clock, cap: config.timelines.cap }),
    );
    const events = closing.add('the event log', new MemoryEventLog({ clock, log, groups: [FAN_OUT] }));
    return {
      kind: 'embedded',
      runs,
      leases,
      sources,
      social,
      timelines,
      events,
      async judgeMemory() {
        const { openSqliteJudgeMemory } = await import('../judge/sqlite/open.ts');
        return openSqliteJudgeMemory(file('judges.db'));
      },
      queueOf: async (_pipeline, ledger) => new LedgerQueue({ ledger, clock }),
      async memoryOf(pipeline) {
        const policy = policyOf(pipeline);
        const name = `the ledger of ${pipeline.id}`;
        const memory = openSqliteLedger(file(`pipeline-${pipeline.id}.db`), { clock, policy, name });
        closing.add(name, memory);
        return { ledger: memory.ledger, outbox: memory.outbox, policy };
      },
      [Symbol.asyncDispose]: () => closing[Symbol.asyncDispose](),
    };
  } catch (error) {
    await closing[Symbol.asyncDispose]();
    throw error;
  }
}
