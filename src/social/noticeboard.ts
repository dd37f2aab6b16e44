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

/**
 * Changes that are not known to stand in the log of events: somebody is about to announce them, or died before that. Each is
 * written together with the change itself.
 */
export interface Unannounced {
  /** How often it is looked for what a killed program left behind; a look may cost something. */
  readonly looksEveryMs: number;
  /** Oldest first. Announcing twice changes nothing. */
  waiting(): Promise<readonly Change[]>;
  /** It stands in the log of events now. */
  announced(change: Change): Promise<void>;
}

/** What the timelines have to hear of. */
export type Change =
  | { readonly kind: 'posted'; readonly dropId: string }
  | { readonly kind: 'deleted'; readonly dropId: string; readonly userId: string }
  | { readonly kind: 'followed' | 'unfollowed'; readonly userId: string; readonly authorId: string };

/** By which a change is known again. */
export function changeKey(change: Change): string {
  return 'dropId' in change
    ? `${change.kind} ${change.dropId}`
    : `${change.kind} ${change.userId} ${change.authorId}`;
}

export type Notice =
  | Change
  | { readonly kind: 'clear'; readonly timelines: readonly string[]; readonly rebuild: boolean };
