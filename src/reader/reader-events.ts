import type { EntryId, StateChange } from './entry-store.ts';
import type { View } from './reader-lists.ts';

/** What open pages of the reader are told, so that they show the same without asking (R6). */
export type ReaderEvent =
  | { readonly type: 'entries'; readonly newestId: EntryId }
  | { readonly type: 'state'; readonly change: ShownChange }
  | { readonly type: 'sources' }
  /** A person split or joined the stories of these entries. */
  | { readonly type: 'stories'; readonly ids: readonly EntryId[] };

/**
 * A change of a person's state as another page of the same person applies it. `undo`: an earlier change was taken back; only
 * the store knows the states before, so they are to be read again.
 */
export type ShownChange =
  | { readonly kind: Exclude<StateChange['kind'], 'readAll'>; readonly ids: readonly EntryId[] }
  | ({ readonly kind: 'readAll'; readonly undo?: true } & ReadAllScope);

/** What "mark all as read" covers. */
export interface ReadAllScope {
  readonly source?: string;
  readonly folder?: string;
  readonly view?: Extract<View, 'home'>;
  /** The newest entry that the person could see. */
  readonly upTo: EntryId;
  /** Only what was published before. */
  readonly before?: number;
}

export interface ReaderEventListener {
  onEvent(event: ReaderEvent): void;
  /** Events may have been lost. */
  onGap(): void;
}

/**
 * Delivers events to the open pages of all replicas. Nothing is stored: who was not connected reads the current state
 * after connecting.
 */
export interface ReaderEvents extends AsyncDisposable {
  /** To the pages of one person, or of everyone (`null`). Never fails: pages notice a lost event at their next request. */
  publish(person: string | null, event: ReaderEvent): Promise<void>;
  /** Events for this person and for everyone; a guest (`null`) gets only the latter. Returns a function that unsubscribes. */
  subscribe(person: string | null, listener: ReaderEventListener): Promise<() => void>;
}

/** For a single process. */
export class LocalReaderEvents implements ReaderEvents {
  readonly #listeners = new Map<ReaderEventListener, string | null>();

  async publish(person: string | null, event: ReaderEvent): Promise<void> {
    for (const [listener, subscriber] of this.#listeners)
      if (person === null || person === subscriber) listener.onEvent(event);
  }

  async subscribe(person: string | null, listener: ReaderEventListener): Promise<() => void> {
    this.#listeners.set(listener, person);
    return () => this.#listeners.delete(listener);
  }

  /** Tells all subscribers that events may have been lost. */
  reportGap(): void {
    for (const listener of this.#listeners.keys()) listener.onGap();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listeners.clear();
  }
}
