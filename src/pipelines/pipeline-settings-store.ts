import type { EntryRetention } from '../reader/entry-store.ts';
import type { Schedule } from '../scheduler/schedule.ts';

/** Settings of pipelines (aliases of their interests included) and of the sweep that an owner changed while the program runs. The configuration file has the defaults. */
export interface PipelineSettingsStore {
  /** Of all pipelines with a change, and of the sweep. */
  list(): Promise<readonly StoredPipelineSettings[]>;
  /** Replaces the record of this pipeline if it still has the expected version (`null`: there is none yet); false if not. */
  put(settings: Omit<StoredPipelineSettings, 'version'>, expectedVersion: number | null): Promise<boolean>;
  /** Calls the listener at the beginning and after each change by any process, until the signal. Rejects when the store fails. */
  watch(listener: () => void, signal: AbortSignal): Promise<void>;
}

/** `null`: as in the configuration file. */
export interface StoredPipelineSettings {
  /** Or the name of the sweep's runs, which no pipeline may have. */
  readonly pipeline: string;
  /** Grows by one with each change. */
  readonly version: number;
  readonly schedule: Schedule | null;
  readonly minScore: number | null;
  readonly enabled: boolean | null;
  /** Of the sweep only. A limit that is absent is as in the configuration file; `null` keeps for ever. */
  readonly readerRetention?: Partial<EntryRetention>;
  /** What owners decided about words for its interests, oldest first; absent: nothing. */
  readonly aliases?: readonly DecidedAlias[];
  /** When the schedule was last changed, or resumed: earlier starts are not caught up. */
  readonly scheduledSince: number;
  /** Of the schedule, the minimum score, the pause or the retention. */
  readonly changedBy: string;
  readonly changedAt: number;
}

/** A word that counts as an alias of an interest, or that is not proposed as one any more. */
export interface DecidedAlias {
  readonly topic: string;
  readonly word: string;
  readonly decision: 'accepted' | 'refused';
  readonly by: string;
  readonly at: number;
}
