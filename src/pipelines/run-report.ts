import type { ItemKey } from '../item/item.ts';

/** What a run did, item by item; shown by `run`, kept for the page. */
export interface RunReport {
  readonly pipeline: string;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly dryRun: boolean;
  readonly sourcesRead: number;
  readonly sourcesFailed: number;
  readonly admitted: number;
  /** In the order in which they were decided. */
  readonly items: readonly ItemOutcome[];
  /** Sentences for people: why nothing was posted, what waits. */
  readonly notes: readonly string[];
  /** Figures of work that has no items; kept with the run. */
  readonly numbers?: Readonly<Record<string, number>>;
}

export interface ItemOutcome {
  readonly key: ItemKey;
  readonly title: string;
  readonly outcome:
    | 'published'
    | 'accepted'
    | 'rejected'
    | 'deferred'
    | 'postponed'
    | 'failed'
    | 'parked'
    | 'lost';
  readonly why: string;
  readonly score: number | null;
}

/** The report of work that reads no source and has no items: what it did, in words. */
export function upkeepReport(
  did: Pick<RunReport, 'pipeline' | 'startedAt' | 'endedAt' | 'notes' | 'numbers'>,
): RunReport {
  return { ...did, dryRun: false, sourcesRead: 0, sourcesFailed: 0, admitted: 0, items: [] };
}

/** Gathers a report while a run goes on, and says each step to whoever watches. */
export class RunRecorder {
  readonly #pipeline: string;
  readonly #startedAt: number;
  readonly #dryRun: boolean;
  readonly #watch: (progress: RunProgress) => void;
  readonly #items: ItemOutcome[] = [];
  readonly #notes: string[] = [];
  #sourcesRead = 0;
  #sourcesFailed = 0;
  #admitted = 0;

  constructor(
    pipeline: string,
    now: number,
    dryRun: boolean,
    watch: (progress: RunProgress) => void = () => {},
  ) {
    this.#pipeline = pipeline;
    this.#startedAt = now;
    this.#dryRun = dryRun;
    this.#watch = watch;
  }

  sources(read: number, failed: number, admitted: number): void {
    this.#sourcesRead += read;
    this.#sourcesFailed += failed;
    this.#admitted += admitted;
    this.#watch({ stage: 'sources', done: read + failed });
  }

  item(outcome: ItemOutcome): void {
    this.#items.push(outcome);
    this.#watch({ stage: 'items', done: this.#items.length, item: outcome });
  }

  /** How many items ended this way so far. */
  count(outcome: ItemOutcome['outcome']): number {
    return this.#items.filter((item) => item.outcome === outcome).length;
  }

  note(sentence: string): void {
    this.#notes.push(sentence);
  }

  finish(now: number): RunReport {
    return {
      pipeline: this.#pipeline,
      startedAt: this.#startedAt,
      endedAt: now,
      dryRun: this.#dryRun,
      sourcesRead: this.#sourcesRead,
      sourcesFailed: this.#sourcesFailed,
      admitted: this.#admitted,
      items: this.#items,
      notes: this.#notes,
    };
  }
}

export interface RunProgress {
  readonly stage: 'sources' | 'items';
  readonly done: number;
  readonly item?: ItemOutcome;
}
