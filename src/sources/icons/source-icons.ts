import pLimit from 'p-limit';
import type { Fetcher } from '../../fetch/fetcher.ts';
import type { Logger } from '../../telemetry/logger.ts';
import type { Clock } from '../../time/clock.ts';
import { DAY, HOUR } from '../../time/duration.ts';
import { type FoundIcon, findIcon, type IconPlace } from './find-icon.ts';
import type { IconPicture, IconRecord, SourceIconStore } from './source-icon-store.ts';

export interface SourceIconsOptions {
  readonly store: SourceIconStore;
  /** The guarded fetcher, which cannot reach internal addresses. */
  readonly fetcher: Pick<Fetcher, 'fetch'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** Called when icons were found or changed, once for all that were looked for together. */
  readonly onFound?: () => void;
}

export interface IconSource {
  readonly id: string;
  /** `null`: it was never read, so its place is not known yet. */
  readonly place: IconPlace | null;
}

const CONCURRENCY = 4;
const MAX_CACHED_BYTES = 5_000_000;
const FOUND_TTL_MS = 7 * DAY;
const MISSING_TTL_MS = DAY;
const INCOMPLETE_TTL_MS = HOUR;

/**
 * Icons of sources, looked for in the background and kept in the store, so that no other server learns who reads what. A source
 * whose icon is not known yet has none: a page never asks for an icon in vain.
 */
export class SourceIcons implements AsyncDisposable {
  readonly #options: SourceIconsOptions;
  readonly #limit = pLimit(CONCURRENCY);
  readonly #known = new Map<string, IconRecord>();
  /** By source, the oldest first. */
  readonly #pictures = new Map<string, IconPicture>();
  readonly #pending = new Map<string, Promise<void>>();
  /** Searches of the sources that are looked for together: many are at the same place. */
  readonly #byPlace = new Map<string, Promise<FoundIcon>>();
  readonly #stop = new AbortController();
  /** The sources that exist. */
  #ids: ReadonlySet<string> = new Set();
  #hasFound = false;

  constructor(options: SourceIconsOptions) {
    this.#options = options;
  }

  /** The hashes of the icons of all sources, as far as they are known; looks for the others in the background. */
  async hashes(all: readonly IconSource[]): Promise<ReadonlyMap<string, string>> {
    const { store, clock, log } = this.#options;
    this.#ids = new Set(all.map(({ id }) => id));
    for (const id of this.#known.keys()) if (!this.#ids.has(id)) this.#forget(id);
    try {
      const unknown = all
        .filter(({ id, place }) => place !== null && !this.#known.has(id) && !this.#pending.has(id))
        .map(({ id }) => id);
      if (unknown.length > 0)
        for (const [id, record] of await store.load(unknown)) this.#known.set(id, record);
    } catch (error) {
      log.warn('Failed to load the icons of sources', { error });
      return new Map();
    }
    const now = clock.now();
    for (const { id, place } of all)
      if (place !== null && (this.#known.get(id)?.expiresAt ?? 0) <= now) this.#lookFor(id, place);
    return new Map(
      [...this.#known].flatMap(([id, { hash }]) => (hash === null ? [] : [[id, hash] as const])),
    );
  }

  /** `null` if the source has no such icon. */
  async picture(sourceId: string, hash: string): Promise<IconPicture | null> {
    const cached = this.#pictures.get(sourceId);
    if (cached?.hash === hash) return cached;
    const picture = await this.#options.store.picture(sourceId);
    if (picture?.hash !== hash) return null;
    this.#cache(sourceId, picture);
    return picture;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#pending.values());
  }

  #lookFor(id: string, place: IconPlace): void {
    const { signal } = this.#stop;
    if (signal.aborted || this.#pending.has(id)) return;
    const work = this.#limit(() => this.#update(id, place))
      .catch((error: unknown) => {
        if (!signal.aborted)
          this.#options.log.warn('Failed to store the icon of a source', { source: id, error });
      })
      .finally(() => {
        this.#pending.delete(id);
        if (this.#pending.size === 0) this.#finish();
      });
    this.#pending.set(id, work);
  }

  #finish(): void {
    this.#byPlace.clear();
    if (this.#hasFound && !this.#stop.signal.aborted) this.#options.onFound?.();
    this.#hasFound = false;
  }

  async #update(id: string, place: IconPlace): Promise<void> {
    const { store, fetcher, clock } = this.#options;
    const { signal } = this.#stop;
    signal.throwIfAborted();
    const key = JSON.stringify([place.named, place.home, place.site]);
    const search = this.#byPlace.get(key) ?? findIcon(fetcher, place, signal);
    this.#byPlace.set(key, search);
    const { picture, isIncomplete } = await search;
    if (!this.#ids.has(id)) return;
    const before = this.#known.get(id)?.hash ?? null;
    // A server that is away for a while does not take the icon away.
    const hash = picture?.hash ?? (isIncomplete ? before : null);
    const ttlMs = picture !== null ? FOUND_TTL_MS : isIncomplete ? INCOMPLETE_TTL_MS : MISSING_TTL_MS;
    const record = { hash, expiresAt: clock.now() + ttlMs };
    const isNew = picture !== null && hash !== before;
    try {
      await store.save(id, record, ...(isNew ? [picture] : []));
      this.#known.set(id, record);
      this.#hasFound ||= isNew;
    } catch (error) {
      this.#known.set(id, { hash: before, expiresAt: clock.now() + INCOMPLETE_TTL_MS });
      throw error;
    }
  }

  #cache(sourceId: string, picture: IconPicture): void {
    this.#pictures.delete(sourceId);
    this.#pictures.set(sourceId, picture);
    let bytes = [...this.#pictures.values()].reduce((sum, each) => sum + each.bytes.length, 0);
    for (const [oldest, { bytes: freed }] of this.#pictures) {
      if (bytes <= MAX_CACHED_BYTES) break;
      this.#pictures.delete(oldest);
      bytes -= freed.length;
    }
  }

  #forget(id: string): void {
    this.#known.delete(id);
    this.#pictures.delete(id);
  }
}
