/**
 * The authors with so many followers that nobody is written to: their drops are merged in on reading (C11). All copies
 * share the list. Its version changes with it, so that a home notices that its own part of the list is outdated.
 */
export interface AsideAuthors {
  /** May be a moment old. */
  list(): Promise<AsideList>;
  add(authorId: string): Promise<void>;
  remove(authorId: string): Promise<void>;
}

export interface AsideList {
  readonly version: string;
  readonly authors: ReadonlySet<string>;
}
