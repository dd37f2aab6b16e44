import type { PipelineConfig } from '../config/resolve.ts';
import type { LiveSchedule, Schedule } from '../scheduler/schedule.ts';
import type { StoredPipelineSettings } from './pipeline-settings-store.ts';
import type { SettingsChanges } from './settings-changes.ts';

/** Settings of a pipeline that can be changed while the program runs. */
export interface PipelineSettings {
  readonly schedule: Schedule;
  /** `null` for a pipeline that does not score. */
  readonly minScore: number | null;
  /** A paused pipeline runs only by hand. */
  readonly enabled: boolean;
}

/** `undefined`: unchanged. `null`: as in the configuration file again. */
export interface PipelineSettingsChange {
  readonly schedule?: Schedule | null;
  readonly minScore?: number | null;
  readonly enabled?: boolean | null;
}

export interface PipelineSettingsReport {
  readonly configured: PipelineSettings;
  readonly effective: PipelineSettings;
  /** The last change; `null` if everything is as in the configuration file. */
  readonly changed: { readonly by: string; readonly at: number } | null;
}

/** The settings in force: those of the configuration file with the stored changes. Runs and the scheduler read them each time. */
export class LivePipelineSettings {
  readonly #configured: Readonly<Record<string, PipelineConfig>>;
  readonly #changes: SettingsChanges;

  constructor(deps: {
    readonly pipelines: Readonly<Record<string, PipelineConfig>>;
    readonly changes: SettingsChanges;
  }) {
    this.#configured = deps.pipelines;
    this.#changes = deps.changes;
  }

  async effective(pipeline: string): Promise<PipelineSettings> {
    return withChanges(this.#configuredOf(pipeline), await this.#changes.find(pipeline));
  }

  async report(pipeline: string): Promise<PipelineSettingsReport> {
    const configured = this.#configuredOf(pipeline);
    const stored = await this.#changes.find(pipeline);
    return {
      configured,
      effective: withChanges(configured, stored),
      changed: stored === null || !hasChanges(stored) ? null : { by: stored.changedBy, at: stored.changedAt },
    };
  }

  schedule(pipeline: string): LiveSchedule {
    return {
      read: async () => {
        const stored = await this.#changes.find(pipeline);
        const { schedule, enabled } = withChanges(this.#configuredOf(pipeline), stored);
        return enabled ? { schedule, since: stored?.scheduledSince ?? null } : null;
      },
      wait: async (ms, signal) => {
        await this.#changes.wait(pipeline, ms, signal);
        return !signal.aborted;
      },
    };
  }

  /** In force at once in this process, and in the others shortly after. */
  async change(pipeline: string, change: PipelineSettingsChange, who: string): Promise<void> {
    const configured = this.#configuredOf(pipeline);
    await this.#changes.update(pipeline, (stored, now) => {
      const next = {
        schedule: change.schedule === undefined ? (stored?.schedule ?? null) : change.schedule,
        minScore: change.minScore === undefined ? (stored?.minScore ?? null) : change.minScore,
        enabled: change.enabled === undefined ? (stored?.enabled ?? null) : change.enabled,
      };
      const before = withChanges(configured, stored);
      const after = withChanges(configured, next);
      const isRescheduled =
        JSON.stringify(before.schedule) !== JSON.stringify(after.schedule) ||
        (after.enabled && !before.enabled);
      return {
        ...next,
        ...(stored?.aliases !== undefined && { aliases: stored.aliases }),
        scheduledSince: isRescheduled ? now : (stored?.scheduledSince ?? 0),
        changedBy: who,
        changedAt: now,
      };
    });
  }

  #configuredOf(pipeline: string): PipelineSettings {
    const configured = this.#configured[pipeline];
    if (configured === undefined) throw new Error(`there is no pipeline ${pipeline}`);
    const { schedule, enabled } = configured;
    return {
      schedule,
      enabled,
      minScore: configured.kind === 'curate' ? configured.minRelevanceScore : null,
    };
  }
}

/** A record in which everything was reset stays, for its `scheduledSince`. */
function hasChanges({ schedule, minScore, enabled }: StoredPipelineSettings): boolean {
  return schedule !== null || minScore !== null || enabled !== null;
}

function withChanges(
  configured: PipelineSettings,
  stored: Pick<StoredPipelineSettings, 'schedule' | 'minScore' | 'enabled'> | null,
): PipelineSettings {
  return {
    schedule: stored?.schedule ?? configured.schedule,
    minScore: configured.minScore === null ? null : (stored?.minScore ?? configured.minScore),
    enabled: stored?.enabled ?? configured.enabled,
  };
}
