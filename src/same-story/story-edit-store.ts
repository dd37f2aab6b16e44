import type { ItemKey } from '../item/item.ts';

/** What a person decided about stories (Q15). */
export interface StoryEdit {
  readonly id: string;
  /** `split`: none of `items` is about the same story as one of `others`. `join`: all of them are. */
  readonly kind: 'split' | 'join';
  readonly items: readonly ItemKey[];
  readonly others: readonly ItemKey[];
  /** Name of the person. */
  readonly by: string;
  readonly at: number;
  /** When it was taken back; `null`: it holds. */
  readonly undoneAt: number | null;
}

/** The decisions of people about stories, shared by all processes. They are never removed: later runs must not undo them. */
export interface StoryEditStore {
  /** Adding the same one again changes nothing. */
  add(edit: StoryEdit): Promise<void>;
  get(id: string): Promise<StoryEdit | null>;
  /** Takes an edit back. False if it is unknown or was taken back before. */
  undo(id: string, at: number): Promise<boolean>;
  /** Edits that were made or taken back at this time or later, by that time. */
  changedSince(at: number): Promise<readonly StoryEdit[]>;
}

/** Time of the last change of an edit. */
export function changedAt({ at, undoneAt }: StoryEdit): number {
  return Math.max(at, undoneAt ?? at);
}
