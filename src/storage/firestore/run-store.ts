import { createHash, randomUUID } from 'node:crypto';
import { StalledLeaseDetector } from '../../scheduler/lease.ts';
import type { ActiveRun, RunEnding, RunRecord, RunStore } from '../../scheduler/run-store.ts';
import type { Clock } from '../../time/clock.ts';
import type { DocumentPath, FirestoreConnection, Mutation, Write } from './connection.ts';
import type { QueryForm } from './query.ts';
import { createOrReplace } from './query.ts';

/** One document for each pipeline: its run lease. */
const RUN_LEASES = 'run_leases';
/** One document for each run. */
const RUNS = 'runs';
/** Runs stored of each pipeline. */
const MAX_RUNS = 500;

export const RUN_QUERIES: Readonly<Record<'recent' | 'pipelines', QueryForm>> = {
  pipelines: { collection: RUN_LEASES, where: [], orderBy: [] },
  recent: { collection: RUNS, where: [['pipeline', '==']], orderBy: [['id', 'desc']] },
};

interface StoredRunLease {
  readonly id: number;
  readonly owner: string;
  readonly until: number;
  readonly ended: boolean;
  /** Names the call that acquired the lease, so that a lost reply is recognised. */
  readonly attempt: string;
  /** The last scheduler that started a run. */
  readonly fence?: number;
}

/** Run history and run leases, shared by all replicas. */
export class FirestoreRunStore implements RunStore {
  readonly #connection: FirestoreConnection;
  readonly #clock: Clock;
  readonly #maxRuns: number;
  readonly #stalled: StalledLeaseDetector;

  /** The caller owns the connection. */
  constructor(connection: FirestoreConnection, clock: Clock, maxRuns = MAX_RUNS) {
    this.#connection = connection;
    this.#clock = clock;
    this.#maxRuns = maxRuns;
    this.#stalled = new StalledLeaseDetector(clock);
  }

  async begin(
    pipeline: string,
    owner: string,
    leaseMs: number,
    fence: number | null = null,
  ): Promise<ActiveRun | null> {
    const attempt = randomUUID();
    return this.#change<ActiveRun | null>(pipeline, (lease) => {
      const now = this.#clock.now();
      if (lease?.attempt === attempt) return { value: { id: lease.id, pipeline, owner } };
      if (lease !== null && !lease.ended && !this.#stalled.isOver(pipeline, lease.until, leaseMs))
        return { value: null };
      const seen = lease?.fence ?? 0;
      if (fence !== null && fence < seen) return { value: null };
      const id = (lease?.id ?? 0) + 1;
      const row = {
        id,
        pipeline,
        owner,
        started_at: now,
        ended_at: null,
        outcome: null,
        summary: null,
        counts: '{}',
        fence,
      };
      const rows: Write[] = [{ do: 'set', at: runPath(pipeline, id), data: row }];
      if (id > this.#maxRuns) rows.push({ do: 'delete', at: runPath(pipeline, id - this.#maxRuns) });
      const next = { id, owner, until: now + leaseMs, ended: false, attempt, fence: fence ?? seen };
      return { value: { id, pipeline, owner }, next, rows };
    });
  }

  renew(ticket: ActiveRun, leaseMs: number): Promise<boolean> {
    return this.#change<boolean>(ticket.pipeline, (lease) => {
      const now = this.#clock.now();
      if (lease === null || !isHeldBy(lease, ticket) || lease.ended || lease.until <= now)
        return { value: false };
      return { value: true, next: { ...lease, until: now + leaseMs } };
    });
  }

  async leasedUntil(pipeline: string): Promise<number> {
    const lease = (await this.#connection.get([RUN_LEASES, documentIdOf(pipeline)])).data() as
      | StoredRunLease
      | undefined;
    return lease === undefined || lease.ended ? 0 : lease.until;
  }

  async end(ticket: ActiveRun, { outcome, summary, counts }: RunEnding): Promise<void> {
    const ended_at = this.#clock.now();
    const data = { ended_at, outcome, summary: summary.toWellFormed(), counts: JSON.stringify(counts) };
    const row: Write = { do: 'patch', at: runPath(ticket.pipeline, ticket.id), data };
    await this.#change<null>(ticket.pipeline, (lease) => {
      if (lease === null || lease.ended || !isHeldBy(lease, ticket)) return { value: null };
      return { value: null, next: { ...lease, ended: true }, rows: [row] };
    });
  }

  async last(pipeline: string): Promise<RunRecord | null> {
    return (await this.recent(pipeline, 1))[0] ?? null;
  }

  async pipelines(): Promise<readonly string[]> {
    return (await this.#connection.query(RUN_QUERIES.pipelines, { where: [] })).map(({ id }) => id);
  }

  async recent(pipeline: string, limit: number): Promise<readonly RunRecord[]> {
    const found = await this.#connection.query(RUN_QUERIES.recent, { where: [pipeline], limit });
    return found.map((snapshot) => {
      const row = snapshot.data() as {
        id: number;
        started_at: number;
        ended_at: number | null;
        outcome: RunRecord['outcome'] | null;
        summary: string | null;
        counts: string;
        fence?: number | null;
      };
      return {
        id: row.id,
        pipeline,
        startedAt: row.started_at,
        endedAt: row.ended_at,
        outcome: row.outcome ?? 'running',
        summary: row.summary,
        scheduled: (row.fence ?? null) !== null,
        counts: JSON.parse(row.counts) as Record<string, number>,
      };
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  #change<T>(
    pipeline: string,
    decide: (lease: StoredRunLease | null) => { value: T; next?: StoredRunLease; rows?: readonly Write[] },
  ): Promise<T> {
    const at: DocumentPath = [RUN_LEASES, documentIdOf(pipeline)];
    return this.#connection.mutate(at, (snapshot): Mutation<T> => {
      const { value, next, rows = [] } = decide((snapshot.data() as StoredRunLease | undefined) ?? null);
      if (next === undefined) return { value, writes: [] };
      return { value, writes: [createOrReplace(snapshot, at, next), ...rows] };
    });
  }
}

function isHeldBy(lease: StoredRunLease, { id, owner }: ActiveRun): boolean {
  return lease.id === id && lease.owner === owner;
}

function runPath(pipeline: string, id: number): DocumentPath {
  return [RUNS, `${documentIdOf(pipeline)}~${id}`];
}

/** The pipeline's own name where it is a usable ID, as all configured ones are. */
function documentIdOf(pipeline: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9_.-]{0,200}$/.test(pipeline)) return pipeline;
  return `~${createHash('sha256').update(pipeline).digest('hex')}`;
}
