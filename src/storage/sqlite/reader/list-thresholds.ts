/** Where one way to a list becomes cheaper than another. The list is the same. */
export interface ListThresholds {
  /** Up to so many unread stories are collected and sorted; of more, the sources are walked. */
  readonly collectedUnread: number;
  /** Entries that a list of the unread of all sources looks at before it goes by source. */
  readonly walkedUnread: number;
  /** Up to so many sources are part of a search; of more, each result is checked. */
  readonly searchedSources: number;
  /** With more marked sources or shared stories, unread stories are counted again instead of following each. */
  readonly recountedSources: number;
  readonly recountedStories: number;
}

export const LIST_THRESHOLDS: ListThresholds = {
  collectedUnread: 3_000,
  walkedUnread: 600,
  searchedSources: 64,
  recountedSources: 200,
  recountedStories: 20_000,
};
