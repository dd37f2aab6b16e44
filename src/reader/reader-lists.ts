import type { SocialStore } from '../social/social-store.ts';
import type { EntryFilter } from './entry-store.ts';

/** A source as the reader sees it. */
export interface ReaderSource {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  /** Names of folders, outermost first; empty: in no folder. */
  readonly folders: readonly string[];
  readonly enabled: boolean;
  /** Address of its site, whose icon is shown; `null` if unknown. */
  readonly site: string | null;
}

/** The current list of sources. */
export interface ReaderSources {
  all(): readonly ReaderSource[];
}

export const VIEWS = ['all', 'unread', 'starred', 'later', 'home'] as const;
export type View = (typeof VIEWS)[number];

/** A list that a person opens; all conditions together. */
export interface EntryList {
  /** `home`: the entries of the sources that the person follows. */
  readonly view: View;
  readonly source?: string;
  /** Names of folders, joined by "/". Includes the folders in it. */
  readonly folder?: string;
  /** Full-text search. */
  readonly text?: string;
  /** Bounds of the publication time. */
  readonly since?: number;
  readonly before?: number;
}

export interface ListDependencies {
  readonly sources: ReaderSources;
  /** The user of a source; `null` if it cannot be followed. */
  readonly users: { cached(sourceId: string): string | null };
  readonly social: Pick<SocialStore, 'getFollowingList'>;
}

/** Resolves lists to the sources that they show. */
export class ReaderLists {
  readonly #deps: ListDependencies;

  constructor(deps: ListDependencies) {
    this.#deps = deps;
  }

  /** `null`: there is no such source or folder. A guest follows no source. */
  async filterOf(person: string | null, list: EntryList): Promise<EntryFilter | null> {
    const sourceIds = await this.sourceIds(person, list);
    if (sourceIds === null) return null;
    const { view, text, since, before } = list;
    return {
      ...(sourceIds !== undefined && { sourceIds }),
      ...(view === 'unread' && { unread: true }),
      ...(view === 'starred' && { starred: true }),
      ...(view === 'later' && { later: true }),
      ...(text !== undefined && { text, sourceNames: this.#names() }),
      ...(since !== undefined && { since }),
      ...(before !== undefined && { before }),
    };
  }

  /** `undefined`: all sources. `null`: there is no such source or folder. */
  async sourceIds(
    person: string | null,
    { view, source, folder }: Pick<EntryList, 'source' | 'folder'> & { readonly view?: View | undefined },
  ): Promise<readonly string[] | undefined | null> {
    const all = this.#deps.sources.all();
    if (source !== undefined && !all.some(({ id }) => id === source)) return null;
    if (folder !== undefined && !all.some((each) => isIn(each, folder))) return null;
    if (source === undefined && folder === undefined && view !== 'home') return undefined;
    const followed = view === 'home' ? await this.followedSources(person) : null;
    return all
      .filter(
        (each) =>
          (source === undefined || each.id === source) &&
          (folder === undefined || isIn(each, folder)) &&
          followed?.has(each.id) !== false,
      )
      .map(({ id }) => id);
  }

  /** IDs of the sources that the person follows. */
  async followedSources(person: string | null): Promise<ReadonlySet<string>> {
    if (person === null) return new Set();
    const users = new Set(await this.#deps.social.getFollowingList(person));
    const { sources, users: usersOfSources } = this.#deps;
    const followed = sources.all().filter(({ id }) => users.has(usersOfSources.cached(id) ?? ''));
    return new Set(followed.map(({ id }) => id));
  }

  /** Every folder, also those that only contain folders, ordered by path. */
  folders(): readonly Folder[] {
    const found = new Map<string, { path: readonly string[]; sourceIds: string[] }>();
    for (const { id, folders } of this.#deps.sources.all())
      for (let depth = 1; depth <= folders.length; depth++) {
        const path = folders.slice(0, depth);
        const folder = found.get(path.join('/')) ?? { path, sourceIds: [] };
        folder.sourceIds.push(id);
        found.set(path.join('/'), folder);
      }
    return [...found.entries()].toSorted(([a], [b]) => a.localeCompare(b)).map(([, folder]) => folder);
  }

  /** Names of sources; a source that was removed meanwhile has its ID as its name. */
  named(ids: readonly string[]): readonly NamedSource[] {
    const names = this.#names();
    return ids.map((id) => ({ id, name: names.get(id) ?? id }));
  }

  #names(): ReadonlyMap<string, string> {
    return new Map(this.#deps.sources.all().map(({ id, name }) => [id, name]));
  }
}

export interface Folder {
  readonly path: readonly string[];
  /** Sources in it and in the folders in it. */
  readonly sourceIds: readonly string[];
}

export interface NamedSource {
  readonly id: string;
  readonly name: string;
}

function isIn({ folders }: ReaderSource, folder: string): boolean {
  const path = folders.join('/');
  return path === folder || path.startsWith(`${folder}/`);
}
