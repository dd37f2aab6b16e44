/**
 * Sources that people added on the page or by a command, and changes that they made to sources of the configuration file.
 * The file itself is never changed by them.
 */
export interface SourceCatalogueStore {
  list(): Promise<readonly StoredSource[]>;
  /** Replaces the record with this ID if it still has the expected version (`null`: there is none yet); false if not. */
  put(source: Omit<StoredSource, 'version'>, expectedVersion: number | null): Promise<boolean>;
  /** False if there was none. */
  remove(id: string): Promise<boolean>;
  /** Changes with every change of any record, by any process; cheap enough to be asked every few seconds. */
  revision(): Promise<string>;
}

export interface StoredSource {
  readonly id: string;
  /** Grows by one with each change. */
  readonly version: number;
  /**
   * As in `sources` of the configuration file (`{ feed: … }`, `{ youtube: … }`, `{ hackernews: … }`), checked by the same schema.
   * `null`: the source is declared in the file, and this record only changes it.
   */
  readonly settings: Readonly<Record<string, unknown>> | null;
  /** `null`: as in `settings` or in the file. */
  readonly name: string | null;
  readonly enabled: boolean | null;
  /** Folder names, outermost first; `null`: as in `settings` or in the file. */
  readonly folders: readonly string[] | null;
  /** IDs of pipelines that use it, besides those whose configuration names it or one of its folders. */
  readonly pipelines: readonly string[];
  readonly addedBy: 'page' | 'command' | 'opml';
  readonly addedAt: number;
}
