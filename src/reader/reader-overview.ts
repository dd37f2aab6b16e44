import type { IconPlace } from '../sources/icons/find-icon.ts';
import type { SourceIcons } from '../sources/icons/source-icons.ts';
import type { SourceRecord, SourceStore } from '../sources/source.ts';
import type { Clock } from '../time/clock.ts';
import { SECOND } from '../time/duration.ts';
import type { EntryId, EntryStore, SavedSearch, UnreadCounts } from './entry-store.ts';
import type { ReaderLists, ReaderSource, ReaderSources } from './reader-lists.ts';

export interface OverviewDependencies {
  readonly entries: Pick<
    EntryStore,
    'newestId' | 'unreadCounts' | 'unreadOfGroups' | 'markedCounts' | 'savedSearches'
  >;
  readonly lists: ReaderLists;
  readonly sources: ReaderSources;
  /** The user of a source; `null` if it cannot be followed. */
  readonly users: { cached(sourceId: string): string | null };
  readonly records: Pick<SourceStore, 'list'>;
  /** `null`: icons are off. */
  readonly icons: Pick<SourceIcons, 'hashes'> | null;
  readonly clock: Clock;
}

/** All lists of the reader with their counts. */
export interface Overview {
  readonly newestId: EntryId;
  readonly unread: { readonly all: number; readonly home: number };
  readonly starred: number;
  readonly later: number;
  readonly folders: readonly { readonly path: readonly string[]; readonly unread: number }[];
  readonly sources: readonly OverviewSource[];
  readonly searches: readonly SavedSearch[];
}

export interface OverviewSource extends Omit<ReaderSource, 'site'> {
  /** Hash of its icon. */
  readonly icon: string | null;
  readonly unread: number;
  readonly health: SourceHealth;
  readonly userId: string | null;
  readonly followed: boolean;
}

export type SourceHealth = 'ok' | 'failing' | 'never_checked' | 'paused';

/** Open pages ask often; the store of the records may bill each one. */
const RECORDS_CACHE_MS = 10 * SECOND;
const NO_UNREAD: UnreadCounts = { all: 0, bySource: {} };

/** Counts lists for a person. For a guest all counts are 0. */
export class ReaderOverview {
  readonly #deps: OverviewDependencies;
  #records: { readonly readAt: number; readonly list: Promise<readonly SourceRecord[]> } | null = null;

  constructor(deps: OverviewDependencies) {
    this.#deps = deps;
  }

  async read(person: string | null): Promise<Overview> {
    const { entries, lists, sources, users, icons: iconsOf } = this.#deps;
    const all = sources.all();
    const ids = all.map(({ id }) => id);
    const folders = lists.folders();
    // Before the counts: what arrives meanwhile is counted, and announced as newer than this.
    const newestId = await entries.newestId();
    const [records, followed, unread, marked, searches] = await Promise.all([
      this.#readRecords(),
      lists.followedSources(person),
      person === null ? NO_UNREAD : entries.unreadCounts(person, ids),
      person === null ? { starred: 0, later: 0 } : entries.markedCounts(person),
      person === null ? [] : entries.savedSearches(person),
    ]);
    const icons = await iconsOf?.hashes(
      all.map(({ id, site }) => ({ id, place: iconPlace(site, records.get(id)) })),
    );
    const groups = [[...followed], ...folders.map(({ sourceIds }) => sourceIds)];
    const [home = 0, ...ofFolders] = person === null ? [] : await entries.unreadOfGroups(person, groups);
    return {
      newestId,
      unread: { all: unread.all, home },
      ...marked,
      folders: folders.map(({ path }, n) => ({ path, unread: ofFolders[n] ?? 0 })),
      sources: all.map(({ id, name, kind, folders: path, enabled }) => ({
        id,
        name,
        kind,
        folders: path,
        enabled,
        icon: icons?.get(id) ?? null,
        unread: unread.bySource[id] ?? 0,
        health: healthOf(enabled, records.get(id)),
        userId: users.cached(id),
        followed: followed.has(id),
      })),
      searches,
    };
  }

  async #readRecords(): Promise<ReadonlyMap<string, SourceRecord>> {
    const { records, clock } = this.#deps;
    const now = clock.monotonic();
    if (this.#records === null || now - this.#records.readAt >= RECORDS_CACHE_MS) {
      const list = records.list();
      this.#records = { readAt: now, list };
      list.catch(() => {
        this.#records = null;
      });
    }
    return new Map((await this.#records.list).map((record) => [record.sourceId, record]));
  }
}

/** `null` before the first reading, which tells what the source names itself. */
function iconPlace(site: string | null, record: SourceRecord | undefined): IconPlace | null {
  if (record === undefined || record.lastSuccessAt === null) return null;
  const { feedIcon, channelPicture, feedHome } = record.memory;
  const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);
  return { named: text(feedIcon) ?? text(channelPicture), home: text(feedHome), site };
}

function healthOf(enabled: boolean, record: SourceRecord | undefined): SourceHealth {
  if (!enabled) return 'paused';
  if (record === undefined || record.lastTriedAt === null) return 'never_checked';
  return record.failuresInARow > 0 ? 'failing' : 'ok';
}
