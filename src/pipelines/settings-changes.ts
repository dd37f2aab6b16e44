import type { PipelineConfig } from '../config/resolve.ts';
import { WakeUpSignal } from '../outbox/wake-up.ts';
import { type LoopDependencies, runLoop } from '../scheduler/loop.ts';
import type { Clock } from '../time/clock.ts';
import type { PipelineSettingsStore, StoredPipelineSettings } from './pipeline-settings-store.ts';

const MAX_CONFLICTS = 5;

export interface SettingsChangesDependencies {
  readonly store: PipelineSettingsStore;
  readonly clock: Clock;
  /** A pipeline under a new ID has the changes of its earlier one until its own are stored. */
  readonly pipelines: Readonly<Record<string, Pick<PipelineConfig, 'renamedFrom'>>>;
}

/**
 * The stored changes of settings. While `follow` runs they are cached, and a change by another process counts as soon as the
 * store reports it.
 */
export class SettingsChanges {
  readonly #store: PipelineSettingsStore;
  readonly #clock: Clock;
  readonly #pipelines: SettingsChangesDependencies['pipelines'];
  readonly #wakeUps = new Map<string, WakeUpSignal>();
  #isFollowing = false;
  #cached: Promise<readonly StoredPipelineSettings[]> | null = null;

  constructor({ store, clock, pipelines }: SettingsChangesDependencies) {
    this.#store = store;
    this.#clock = clock;
    this.#pipelines = pipelines;
  }

  async find(name: string): Promise<StoredPipelineSettings | null> {
    const stored = this.#cached ?? this.#store.list();
    if (this.#isFollowing && this.#cached === null) {
      this.#cached = stored;
      stored.catch(() => {
        if (this.#cached === stored) this.#cached = null;
      });
    }
    return this.#of(name, await stored);
  }

  /** In force at once in this process, and in the others shortly after. A change that is `null` changes nothing. */
  async update(
    name: string,
    change: (
      stored: StoredPipelineSettings | null,
      now: number,
    ) => Omit<StoredPipelineSettings, 'pipeline' | 'version'> | null,
  ): Promise<void> {
    for (let tries = 0; tries < MAX_CONFLICTS; tries++) {
      const stored = this.#of(name, await this.#store.list());
      const next = change(stored, this.#clock.now());
      if (next === null) return;
      const version = stored?.pipeline === name ? stored.version : null;
      if (!(await this.#store.put({ ...next, pipeline: name }, version))) continue;
      this.#changed();
      return;
    }
    throw new Error(`the settings of ${name} are being changed by others all the time`);
  }

  /** Until the time has passed, any settings changed, or the signal. */
  async wait(name: string, ms: number, signal: AbortSignal): Promise<void> {
    const known = this.#wakeUps.get(name) ?? new WakeUpSignal(this.#clock);
    this.#wakeUps.set(name, known);
    await known.wait(ms, signal);
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

  #of(name: string, stored: readonly StoredPipelineSettings[]): StoredPipelineSettings | null {
    const under = (id: string | undefined) => stored.find(({ pipeline }) => pipeline === id);
    return under(name) ?? under(this.#pipelines[name]?.renamedFrom) ?? null;
  }

  #changed(): void {
    this.#cached = null;
    for (const wakeUp of this.#wakeUps.values()) wakeUp.wake();
  }
}
