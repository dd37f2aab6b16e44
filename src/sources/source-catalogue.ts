import { isDeepStrictEqual } from 'node:util';
import type { Config } from '../config/config.ts';
import type { SourceConfig } from '../config/schema/sources.ts';
import { runLoop } from '../scheduler/loop.ts';
import type { Events } from '../telemetry/events.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Clock } from '../time/clock.ts';
import {
  MAX_ADDED_SOURCES,
  type NewStoredSource,
  type SourceCatalogueStore,
  type StoredSource,
} from './source-catalogue-store.ts';
import { applyStoredSource, SourceIndex } from './stored-source.ts';

/** One source of the newsroom, with what people changed. */
export interface CatalogueSource {
  readonly settings: SourceConfig;
  readonly origin: 'file' | StoredSource['addedBy'];
  /** IDs of the pipelines that it was assigned to. */
  readonly assignedPipelines: readonly string[];
  /** What people added or changed; `null` if it is as in the configuration file. */
  readonly record: StoredSource | null;
}

/** New values; absent ones stay. */
export interface SourceChange {
  readonly name?: string;
  readonly enabled?: boolean;
  readonly folders?: readonly string[];
  readonly pipelines?: readonly string[];
}

export interface SourceCatalogueDependencies {
  readonly config: Pick<Config, 'sources' | 'pipelines'>;
  readonly store: SourceCatalogueStore;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Attempts of a change while other processes change the same source. */
const MAX_CHANGE_ATTEMPTS = 10;

export class SourceContentionError extends Error {
  override readonly name = 'SourceContentionError';
  constructor(sourceId: string) {
    super(`Failed to change the source "${sourceId}": it is being changed by others. Try again.`);
  }
}

/**
 * All sources: those of the configuration file, with the changes that people made to them, and those that people added. Changes
 * of this process apply at once; `follow` applies those of others (R2).
 */
export class SourceCatalogue {
  readonly #deps: SourceCatalogueDependencies;
  readonly #listeners = new Set<() => void>();
  #index: SourceIndex;
  #list: readonly CatalogueSource[];
  /** IDs of all stored records, also of those that cannot be used. */
  #recordIds: ReadonlySet<string> = new Set();
  #revision: string | null = null;
  #refreshing: Promise<void> = Promise.resolve();
  /** Problems of stored records that were logged, by ID. */
  readonly #logged = new Map<string, string>();

  constructor(deps: SourceCatalogueDependencies) {
    this.#deps = deps;
    this.#list = Object.values(deps.config.sources).map(ofFile);
    this.#index = new SourceIndex(this.#list);
  }

  /** Those of the file first, in its order, then the added ones by ID. The same array until something changes. */
  all(): readonly CatalogueSource[] {
    return this.#list;
  }

  get(id: string): CatalogueSource | null {
    return this.#index.get(id) ?? null;
  }

  /** Whether an ID is in use, also by a stored record that cannot be used. */
  isTaken(id: string): boolean {
    return this.get(id) !== null || this.#recordIds.has(id);
  }

  /** ID of the source that reads the same place. */
  sameAs(settings: SourceConfig): string | null {
    return this.#index.sameAs(settings);
  }

  /** Calls the listener after every change; returns a function that ends this. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Loads the stored sources. Concurrent calls load one after the other, so that the last one has the newest. */
  refresh(): Promise<void> {
    const work = this.#refreshing.then(() => this.#load());
    this.#refreshing = work.catch(() => {});
    return work;
  }

  /** Whether a source exists according to the store, also if another process has just removed or added it. */
  async exists(id: string): Promise<boolean> {
    if ((await this.#deps.store.revision()) !== this.#revision) await this.refresh();
    return this.get(id) !== null;
  }

  /** Applies the changes of other processes, until the signal. */
  async follow(events: Pick<Events, 'loopFailed'>, signal: AbortSignal): Promise<void> {
    const { store, clock } = this.#deps;
    const iterate = async (): Promise<'again'> => {
      await store.waitForChange(this.#revision ?? '', signal);
      if (!signal.aborted) await this.refresh();
      return 'again';
    };
    await runLoop(iterate, { pipeline: 'sources', loop: 'catalogue', clock, events }, signal);
  }

  /** Adds sources in their order; returns how many. Fewer than all if another process took an ID meanwhile. */
  async add(sources: readonly NewStoredSource[]): Promise<number> {
    let added = 0;
    while (added < sources.length) {
      const some = sources.slice(added, added + MAX_ADDED_SOURCES);
      if (!(await this.#deps.store.add(some))) break;
      added += some.length;
    }
    await this.refresh();
    return added;
  }

  /** Changes a source, whether the file declares it or not; `null` if there is none. */
  async change(id: string, change: SourceChange, by: 'page' | 'command'): Promise<CatalogueSource | null> {
    const { store, clock } = this.#deps;
    for (let attempt = 0; attempt < MAX_CHANGE_ATTEMPTS; attempt++) {
      const source = this.get(id);
      if (source === null) return null;
      const { record } = source;
      const { version: _, ...before } = record ?? { ...unchanged(id), addedBy: by, addedAt: clock.now() };
      const done = await store.put({ ...before, ...change }, record?.version ?? null);
      await this.refresh();
      if (done) return this.get(id);
    }
    throw new SourceContentionError(id);
  }

  /** Removes an added source; false if there is none. One that the file declares loses only its changes. */
  async remove(id: string): Promise<boolean> {
    const removed = await this.#deps.store.remove(id);
    await this.refresh();
    return removed;
  }

  async #load(): Promise<void> {
    const { config, store } = this.#deps;
    // The revision first: a change between the two calls is loaded the next time.
    const revision = await store.revision();
    const records = await store.list();
    const index = new SourceIndex(Object.values(config.sources).map(ofFile));
    for (const record of records) {
      const source = applyStoredSource(record, index, config);
      if (typeof source === 'string') this.#logOnce(record.id, source);
      else if (source !== null) index.set(source);
    }
    this.#revision = revision;
    this.#recordIds = new Set(records.map(({ id }) => id));
    // Unchanged sources stay the same objects.
    const list = [...index.values()].map((source) => {
      const before = this.get(source.settings.id);
      return before !== null && isDeepStrictEqual(before.record, source.record) ? before : source;
    });
    if (list.length === this.#list.length && list.every((each, n) => each === this.#list[n])) return;
    this.#list = list;
    this.#index = new SourceIndex(list);
    for (const listener of this.#listeners) listener();
  }

  #logOnce(id: string, problem: string): void {
    if (this.#logged.get(id) === problem) return;
    this.#logged.set(id, problem);
    this.#deps.log.warn('Stored source cannot be used, ignoring it', { source: id, detail: problem });
  }
}

function ofFile(settings: SourceConfig): CatalogueSource {
  return { settings, origin: 'file', assignedPipelines: [], record: null };
}

function unchanged(id: string): Omit<StoredSource, 'addedBy' | 'addedAt'> {
  return { id, version: 0, settings: null, name: null, enabled: null, folders: null, pipelines: [] };
}
