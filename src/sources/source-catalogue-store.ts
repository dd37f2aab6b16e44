/**
 * Sources that people added on the page or by a command, and changes that they made to sources of the configuration file.
 * The file itself is never changed by them.
 */
export interface SourceCatalogueStore {
  /** In the order of their IDs. What cannot be read is returned with empty settings, which no schema accepts. */
  list(): Promise<readonly StoredSource[]>;
  /** Replaces the record with this ID if it still has the expected version (`null`: there is none yet); false if not. */
  put(source: NewStoredSource, expectedVersion: number | null): Promise<boolean>;
  /** Adds all of these, at most `MAX_ADDED_SOURCES`; or none, and false, if one of the IDs is in use. */
  add(sources: readonly NewStoredSource[]): Promise<boolean>;
  /** False if there was none. */
  remove(id: string): Promise<boolean>;
  /** Changes with every change of any record, by any process. */
  revision(): Promise<string>;
  /** Resolves once the revision is another one, or with the signal. Waiting costs next to nothing. */
  waitForChange(revision: string, signal: AbortSignal): Promise<void>;
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

export type NewStoredSource = Omit<StoredSource, 'version'>;

/** Maximum number of records in one `add`. */
export const MAX_ADDED_SOURCES = 400;

/** The stored form: one JSON text for everything but ID and version. */
export function encodeStoredSource({ id: _, ...content }: NewStoredSource): string {
  return JSON.stringify(content);
}

/** A text that is no JSON object becomes a record with empty settings. */
export function decodeStoredSource(id: string, version: number, text: string): StoredSource {
  return { ...UNREADABLE, ...parsedObject(text), id, version };
}

const UNREADABLE: Omit<StoredSource, 'id' | 'version'> = {
  settings: {},
  name: null,
  enabled: null,
  folders: null,
  pipelines: [],
  addedBy: 'command',
  addedAt: 0,
};

function parsedObject(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
