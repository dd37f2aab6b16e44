import type { PipelineConfig } from '../config/resolve.ts';
import { WakeUpSignal } from '../outbox/wake-up.ts';
import { type LoopDependencies, runLoop } from '../scheduler/loop.ts';
import type { LiveSchedule, Schedule } from '../scheduler/schedule.ts';
import type { Clock } from '../time/clock.ts';
import type { PipelineSettingsStore, StoredPipelineSettings } from './pipeline-settings-store.ts';

const MAX_CONFLICTS = 5;

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

/**
 * The settings in force: those of the configuration file with the stored changes. Runs and the scheduler read them each time;
 * while `follow` runs they are cached, and a change by another process counts as soon as the store reports it.
 */
export class LivePipelineSettings {
  readonly #configured: Readonly<Record<string, PipelineConfig>>;
  readonly #store: PipelineSettingsStore;
  readonly #clock: Clock;
  readonly #wakeUps = new Map<string, WakeUpSignal>();
  #isFollowing = false;
  #cached: Promise<readonly StoredPipelineSettings[]> | null = null;

  constructor(deps: {
    readonly pipelines: Readonly<Record<string, PipelineConfig>>;
    readonly store: PipelineSettingsStore;
    readonly clock: Clock;
  }) {
    this.#configured = deps.pipelines;
    this.#store = deps.store;
    this.#clock = deps.clock;
  }

  async effective(pipeline: string): Promise<PipelineSettings> {
    return withChanges(this.#configuredOf(pipeline), await this.#storedOf(pipeline));
  }

  async report(pipeline: string): Promise<PipelineSettingsReport> {
    const configured = this.#configuredOf(pipeline);
    const stored = await this.#storedOf(pipeline);
    return {
      configured,
      effective: withChanges(configured, stored),
      changed: stored === null || !hasChanges(stored) ? null : { by: stored.changedBy, at: stored.changedAt },
    };
  }

  schedule(pipeline: string): LiveSchedule {
    return {
      read: async () => {
        const stored = await this.#storedOf(pipeline);
        const { schedule, enabled } = withChanges(this.#configuredOf(pipeline), stored);
        return enabled ? { schedule, since: stored?.scheduledSince ?? null } : null;
      },
      wait: async (ms, signal) => {
        await this.#wakeUpOf(pipeline).wait(ms, signal);
        return !signal.aborted;
      },
    };
  }

  /** In force at once in this process, and in the others shortly after. */
  async change(pipeline: string, change: PipelineSettingsChange, who: string): Promise<void> {
    const configured = this.#configuredOf(pipeline);
    for (let tries = 0; tries < MAX_CONFLICTS; tries++) {
      const stored = (await this.#store.list()).find((each) => each.pipeline === pipeline) ?? null;
      const now = this.#clock.now();
      const next = {
        pipeline,
        schedule: change.schedule === undefined ? (stored?.schedule ?? null) : change.schedule,
        minScore: change.minScore === undefined ? (stored?.minScore ?? null) : change.minScore,
        enabled: change.enabled === undefined ? (stored?.enabled ?? null) : change.enabled,
        changedBy: who,
        changedAt: now,
      };
      const before = withChanges(configured, stored);
      const after = withChanges(configured, next);
      const isRescheduled =
        JSON.stringify(before.schedule) !== JSON.stringify(after.schedule) ||
        (after.enabled && !before.enabled);
      const scheduledSince = isRescheduled ? now : (stored?.scheduledSince ?? 0);
      if (!(await this.#store.put({ ...next, scheduledSince }, stored?.version ?? null))) continue;
      this.#changed();
      return;
    }
    throw new Error(`the settings of ${pipeline} are being changed by others all the time`);
  }

  /** Learns of changes by other processes, until the signal. */
  async follow(events: LoopDependencies['events'], signal: AbortSignal): Promise<void> {
    const iterate = async (): Promise<'again'> => {
      try {
        await this.#store.watch(() => {
          this.#isFollowing = true;
          this.#changed();
        }, signal);
      } finally {
        this.#isFollowing = false;
        this.#cached = null;
      }
      return 'again';
    };
    await runLoop(iterate, { pipeline: 'all', loop: 'settings', clock: this.#clock, events }, signal);
  }

  #changed(): void {
    this.#cached = null;
    for (const wakeUp of this.#wakeUps.values()) wakeUp.wake();
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

  async #storedOf(pipeline: string): Promise<StoredPipelineSettings | null> {
    const stored = this.#cached ?? this.#store.list();
    if (this.#isFollowing && this.#cached === null) {
      this.#cached = stored;
      stored.catch(() => {
        if (this.#cached === stored) this.#cached = null;
      });
    }
    return (await stored).find((each) => each.pipeline === pipeline) ?? null;
  }

  #wakeUpOf(pipeline: string): WakeUpSignal {
    const known = this.#wakeUps.get(pipeline);
    if (known !== undefined) return known;
    const made = new WakeUpSignal(this.#clock);
    this.#wakeUps.set(pipeline, made);
    return made;
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
