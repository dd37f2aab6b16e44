/** The icons of the sources, one of each at most; shared by all replicas. */
export interface SourceIconStore {
  /** What was found for these sources; absent where nothing was looked for yet. */
  load(sourceIds: readonly string[]): Promise<ReadonlyMap<string, IconRecord>>;
  /** The picture of a source; `null` if it has none. */
  picture(sourceId: string): Promise<IconPicture | null>;
  /** Replaces the record. `picture`: the one of the hash; absent if it is stored already. A record without a hash removes the picture. */
  save(sourceId: string, record: IconRecord, picture?: IconPicture): Promise<void>;
  remove(sourceId: string): Promise<void>;
}

export interface IconRecord {
  /** Hash of the picture; `null`: none was found. */
  readonly hash: string | null;
  /** When it is looked for again. */
  readonly expiresAt: number;
}

export interface IconPicture {
  readonly hash: string;
  /** Media type. */
  readonly type: string;
  /** At most `MAX_ICON_BYTES`. */
  readonly bytes: Uint8Array;
}

export const MAX_ICON_BYTES = 100_000;
