import type { DayCounter } from './day-counter.ts';
import type { RevisionStore } from './revisions.ts';

/** What the press remembers beside the outboxes, for all pipelines and all copies of the program together. */
export interface PressMemory extends AsyncDisposable {
  readonly revisions: RevisionStore;
  readonly counter: DayCounter;
}
