import { signal } from '@preact/signals';
import { onPersonChange } from '../session.ts';
import type { StatefulEntry } from './states.ts';

/** The list from which articles are opened: "next" and "previous" follow it. */
export interface ReadingOrder {
  /** Address of the list. */
  readonly href: string;
  readonly title: string;
  entries(): readonly StatefulEntry[];
  loadMore(): Promise<void>;
}

export const readingOrder = signal<ReadingOrder | null>(null);

/** The entry that was opened last: Back puts the focus there. */
export const lastOpened = signal<number | null>(null);

onPersonChange(() => {
  readingOrder.value = null;
  lastOpened.value = null;
});
