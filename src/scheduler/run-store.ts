/** When each pipeline ran, is running, and what came of it. Shared by all copies. */
export interface RunStore extends AsyncDisposable {
  /**
   * Takes the right to run a pipeline; `null` while another run of it is alive, here or elsewhere. A run that stopped
   * renewing its lease counts as dead. A scheduler shows the token of its lease as `fence`: once a later one has begun a run,
   * an earlier one that was asleep meanwhile gets `null`. Who runs a pipeline by hand shows none.
   */
  begin(pipeline: string, owner: string, leaseMs: number, fence?: number | null): Promise<ActiveRun | null>;
  /** False when the right was lost. */
  renew(ticket: ActiveRun, leaseMs: number): Promise<boolean>;
  /** When the lease of the run under way ends, unless it is renewed; 0 where there is none. */
  leasedUntil(pipeline: string): Promise<number>;
  end(ticket: ActiveRun, ending: RunEnding): Promise<void>;
  last(pipeline: string): Promise<RunRecord | null>;
  /** IDs of all that have run, here or elsewhere. */
  pipelines(): Promise<readonly string[]>;
  /** Newest first. */
  recent(pipeline: string, limit: number): Promise<readonly RunRecord[]>;
}

export interface ActiveRun {
  readonly id: number;
  readonly pipeline: string;
  readonly owner: string;
}

/** The lease of a run, as its own process knows it. */
export interface RunLease {
  /**
   * When it ends unless it is renewed; from then on another process may run the pipeline. Infinity once the run is over, which
   * bounds nothing any more.
   */
  until(): number;
  /** Something was left undone because it has expired: the run is not complete. */
  leaveUndone(): void;
}

export interface RunEnding {
  readonly outcome: 'done' | 'failed' | 'stopped';
  /** One sentence for people. */
  readonly summary: string;
  readonly counts: Readonly<Record<string, number>>;
}

export interface RunRecord {
  readonly id: number;
  readonly pipeline: string;
  readonly startedAt: number;
  /** `null` while it runs, or when its process died. */
  readonly endedAt: number | null;
  readonly outcome: RunEnding['outcome'] | 'running';
  readonly summary: string | null;
  /** A scheduler began it, and not a person. */
  readonly scheduled: boolean;
  readonly counts: Readonly<Record<string, number>>;
}
