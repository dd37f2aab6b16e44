import { readFile } from 'node:fs/promises';
import { type Config, parseConfig } from '../../config/config.ts';
import { effectiveSettings } from '../../config/resolve.ts';
import { readConfigFile } from '../../config/yaml-document.ts';
import type { CountsLog } from '../../ledger/counts-log.ts';
import { decideItem } from '../../pipelines/decide-item.ts';
import type { LiveInterests } from '../../pipelines/live-interests.ts';
import type { Pipeline } from '../../pipelines/pipeline.ts';
import type { LivePipelineSettings } from '../../pipelines/pipeline-settings.ts';
import { reportInterests } from '../../pipelines/suggest-aliases.ts';
import type { EntryStore } from '../../reader/entry-store.ts';
import type { Jobs } from '../../scheduler/jobs.ts';
import type { LiveEntryRetention } from '../../scheduler/retention-settings.ts';
import type { RunStore } from '../../scheduler/run-store.ts';
import { ServiceUnavailableError, UserError } from '../../social/rules.ts';
import { exportSourcesYaml } from '../../sources/export-yaml.ts';
import type { SourceIconStore } from '../../sources/icons/source-icon-store.ts';
import type { Poller } from '../../sources/poller.ts';
import type { SourceStore } from '../../sources/source.ts';
import type { SourceCatalogue } from '../../sources/source-catalogue.ts';
import { SourceEditing } from '../../sources/source-editing.ts';
import type { SourceFollows } from '../../sources/source-follows.ts';
import type { SourceUsers } from '../../sources/source-users.ts';
import type { Clock } from '../../time/clock.ts';
import type { ControlRoom, StoreUsage } from './control-room.ts';

/** More than a store keeps. */
const MAX_RUNS = 500;

export interface ControlRoomDependencies {
  readonly config: Config;
  readonly pipelines: ReadonlyMap<string, Pipeline>;
  readonly runs: RunStore;
  readonly countsLog: CountsLog;
  readonly pipelineSettings: LivePipelineSettings;
  readonly interests: LiveInterests;
  readonly entryRetention: LiveEntryRetention;
  readonly catalogue: SourceCatalogue;
  readonly sources: SourceStore;
  readonly entries: Pick<EntryStore, 'removeSource'>;
  readonly icons: Pick<SourceIconStore, 'remove'>;
  readonly sourceUsers: Pick<SourceUsers, 'findOrCreate'>;
  readonly poller: Pick<Poller, 'pollNow'>;
  readonly follows: Pick<SourceFollows, 'follow'>;
  readonly clock: Clock;
  readonly jobs: Jobs;
  readonly usageToday?: () => Promise<{ readonly used: StoreUsage; readonly free: StoreUsage }>;
  readonly env?: NodeJS.ProcessEnv;
}

/** The control room over the running program. */
export function createControlRoom(deps: ControlRoomDependencies): ControlRoom {
  const { config, catalogue, pipelines, jobs, clock, env = process.env } = deps;
  const effectiveConfiguration = readEffectiveSettings(config, env);
  return {
    jobs,
    sources: new SourceEditing({
      config,
      catalogue,
      records: deps.sources,
      entries: deps.entries,
      icons: deps.icons,
      by: 'page',
      clock,
    }),
    exportSourcesYaml: async () => exportSourcesYaml(await readFile(config.file, 'utf8'), catalogue.all()),
    pollSource(id) {
      if (catalogue.get(id) === null) return 'unknown';
      return deps.poller.pollNow(id) ? 'started' : 'paused';
    },
    async followSource(personId, sourceId) {
      const userId = await deps.sourceUsers.findOrCreate(sourceId);
      if (userId === null) return false;
      try {
        await deps.follows.follow(personId, userId);
        return true;
      } catch (error) {
        if (error instanceof UserError || error instanceof ServiceUnavailableError) return false;
        throw error;
      }
    },
    pipelineSettings: async (id) => (pipelines.has(id) ? deps.pipelineSettings.report(id) : null),
    async changePipelineSettings(id, change, who) {
      if (!pipelines.has(id)) return null;
      await deps.pipelineSettings.change(id, change, who);
      return deps.pipelineSettings.report(id);
    },
    interests: (id) => reportInterests(id, deps.interests, pipelines.get(id)?.ledger),
    async decideAliases(id, change, who) {
      const outcome = await deps.interests.decide(id, change, who);
      const interests = await deps.interests.report(id);
      return interests === null ? null : { outcome, interests };
    },
    entryRetention: () => deps.entryRetention.report(),
    async changeEntryRetention(change, who) {
      await deps.entryRetention.change(change, who);
      return deps.entryRetention.report();
    },
    async decide(id, key, decision, who) {
      const pipeline = pipelines.get(id);
      return pipeline === undefined
        ? { done: false, why: 'unknown' }
        : decideItem(pipeline, key, decision, who);
    },
    deliveries: async (id, filter) => (await pipelines.get(id)?.outbox.list(filter)) ?? null,
    async decideDelivery(id, key, decision, who) {
      const pipeline = pipelines.get(id);
      if (pipeline === undefined) return 'unknown';
      return (await pipeline.decideMessage(key, decision, who)) ? 'done' : 'refused';
    },
    async runs(id, limit, before) {
      if (!pipelines.has(id)) return null;
      if (before === undefined) return deps.runs.recent(id, limit);
      const all = await deps.runs.recent(id, MAX_RUNS);
      return all.filter((run) => run.id < before).slice(0, limit);
    },
    counts: async (id, from, to) => (pipelines.has(id) ? deps.countsLog.read(id, from, to) : null),
    configuration: () => ({ file: config.file, settings: effectiveConfiguration() }),
    storeUsage: async () => (await deps.usageToday?.()) ?? null,
  };
}

/**
 * The configuration file with its defaults. It is read now, since later changes of the file are not in force; the defaults, which take a
 * while, are found at the first question.
 */
function readEffectiveSettings(config: Config, env: NodeJS.ProcessEnv): () => unknown {
  const file = readConfigFile(config.file);
  let settings: unknown;
  const find = (): unknown => {
    const loaded = file.ok ? parseConfig(file.text, config.file, env, { secrets: 'ignore' }) : null;
    return loaded?.ok ? effectiveSettings(loaded.document) : (JSON.parse(JSON.stringify(config)) as unknown);
  };
  return () => {
    settings ??= find();
    return settings;
  };
}
