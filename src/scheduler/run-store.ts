/** Current and past runs of each pipeline. Shared by all replicas. */
export interface RunStore extends AsyncDisposable {
  /**
   * Starts a run under a lease; `null` while another run of the pipeline is alive, in any process. A run that stopped
   * renewing its lease counts as dead. A scheduler passes the fencing token of its lease as `fence`: once a later
   * leader has begun a run, an earlier one gets `null`. A run by hand has none.
   */
  begin(pipeline: string, owner: string, leaseMs: number, fence?: number | null): Promise<ActiveRun | null>;
  /** False if the lease was lost. */
  renew(ticket: ActiveRun, leaseMs: number): Promise<boolean>;
  /** When the lease of the current run expires; 0 if there is none. */
  leasedUntil(pipeline: string): Promise<number>;
  end(ticket: ActiveRun, ending: RunEnding): Promise<void>;
  last(pipeline: string): Promise<RunRecord | null>;
  /** IDs of all pipelines that have ever run. */
  pipelines(): Promise<readonly string[]>;
  /** Newest first. */
  recent(pipeline: string, limit: number): Promise<readonly RunRecord[]>;
}

export interface ActiveRun {
  readonly id: number;
  readonly pipeline: string;
  readonly owner: string;
}

/** The lease of a run, as seen by its own process. */
export interface RunLease {
  /** When it expires; from then on another process may run the pipeline. Infinity once the run is over. */
  until(): number;
  /** Marks the run as incomplete, because work was skipped after the lease expired. */
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
  /** Started by a scheduler, not by a person. */
  readonly scheduled: boolean;
  readonly counts: Readonly<Record<string, number>>;
}
