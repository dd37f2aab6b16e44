/**
 * Where programs that share one social store tell each other what they did, so that what is posted on the command line
 * reaches the timelines of the newsroom that is running. A remote store and a log of events need none.
 */
export interface Noticeboard {
  /** What other programs pinned since the last call; the first call begins at the opening of the store. */
  read(): Promise<readonly Notice[]>;
  /** For whoever runs the newsroom: asks the running program to let go of timelines, and to read them anew at once. */
  askToClear(timelines: readonly string[], rebuild: boolean): Promise<void>;
}

export type Notice =
  | { readonly kind: 'posted'; readonly dropId: string }
  | { readonly kind: 'deleted'; readonly dropId: string; readonly userId: string }
  | { readonly kind: 'followed' | 'unfollowed'; readonly userId: string; readonly authorId: string }
  | { readonly kind: 'clear'; readonly timelines: readonly string[]; readonly rebuild: boolean };
