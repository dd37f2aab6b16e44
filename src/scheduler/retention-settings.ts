import type { Config } from '../config/config.ts';
import type { SettingsChanges } from '../pipelines/settings-changes.ts';
import type { EntryRetention } from '../reader/entry-store.ts';

/** Name of the sweep's runs in the run store, and of its changed settings; reserved, no pipeline may have it. */
export const RETENTION_RUN = 'retention';

const LIMITS = ['entriesMs', 'textsMs', 'keepPerSource'] as const;

/** `undefined`: unchanged. `reset`: as in the configuration file again. `null` keeps for ever. */
export type EntryRetentionChange = {
  readonly [Limit in keyof EntryRetention]?: EntryRetention[Limit] | 'reset';
};

export interface EntryRetentionReport {
  readonly configured: EntryRetention;
  readonly effective: EntryRetention;
  /** The last change; `null` if everything is as in the configuration file. */
  readonly changed: { readonly by: string; readonly at: number } | null;
}

/** How long the reader keeps articles: the configuration file with the changes of the owner. Each sweep reads it. */
export class LiveEntryRetention {
  readonly #configured: EntryRetention;
  readonly #changes: SettingsChanges;

  constructor(deps: { readonly config: Config; readonly changes: SettingsChanges }) {
    const { entries, texts, keepPerSource } = deps.config.retention.reader;
    this.#configured = { entriesMs: entries, textsMs: texts, keepPerSource };
    this.#changes = deps.changes;
  }

  async effective(): Promise<EntryRetention> {
    return (await this.report()).effective;
  }

  async report(): Promise<EntryRetentionReport> {
    const stored = await this.#changes.find(RETENTION_RUN);
    const limits = stored?.readerRetention ?? {};
    return {
      configured: this.#configured,
      effective: { ...this.#configured, ...limits },
      changed:
        stored === null || Object.keys(limits).length === 0
          ? null
          : { by: stored.changedBy, at: stored.changedAt },
    };
  }

  /** In force at the next sweep, in every process. */
  async change(change: EntryRetentionChange, who: string): Promise<void> {
    await this.#changes.update(RETENTION_RUN, (stored, now) => ({
      schedule: stored?.schedule ?? null,
      minScore: null,
      enabled: stored?.enabled ?? null,
      scheduledSince: stored?.scheduledSince ?? 0,
      readerRetention: changed(stored?.readerRetention ?? {}, change),
      changedBy: who,
      changedAt: now,
    }));
  }
}

function changed(stored: Partial<EntryRetention>, change: EntryRetentionChange): Partial<EntryRetention> {
  const limits = LIMITS.map((limit) => [limit, change[limit] === undefined ? stored[limit] : change[limit]]);
  return Object.fromEntries(limits.filter(([, value]) => value !== undefined && value !== 'reset'));
}
