import { WakeUpSignal } from '../outbox/wake-up.ts';
import { type LoopDependencies, runLoop } from '../scheduler/loop.ts';
import type { Clock } from '../time/clock.ts';
import type { PipelineSettingsStore, StoredPipelineSettings } from './pipeline-settings-store.ts';

const MAX_CONFLICTS = 5;

/**
 * The stored changes of settings. While `follow` runs they are cached, and a change by another process counts as soon as the
 * store reports it.
 */
export class SettingsChanges {
  readonly #store: PipelineSettingsStore;
  readonly #clock: Clock;
  readonly #wakeUps = new Map<string, WakeUpSignal>();
  #isFollowing = false;
  #cached: Promise<readonly StoredPipelineSettings[]> | null = null;

  constructor(deps: { readonly store: PipelineSettingsStore; readonly clock: Clock }) {
    this.#store = deps.store;
    this.#clock = deps.clock;
  }

  async find(name: string): Promise<StoredPipelineSettings | null> {
    const stored = this.#cached ?? this.#store.list();
    if (this.#isFollowing && this.#cached === null) {
      this.#cached = stored;
      stored.catch(() => {
        if (this.#cached === stored) this.#cached = null;
      });
    }
    return (await stored).find((each) => each.pipeline === name) ?? null;
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
      const stored = (await this.#store.list()).find((each) => each.pipeline === name) ?? null;
      const next = change(stored, this.#clock.now());
      if (next === null) return;
      if (!(await this.#store.put({ ...next, pipeline: name }, stored?.version ?? null))) continue;
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

  #changed(): void {
    this.#cached = null;
    for (const wakeUp of this.#wakeUps.values()) wakeUp.wake();
  }
}
