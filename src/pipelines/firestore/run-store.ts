import { createHash, randomUUID } from 'node:crypto';
import type { FirestoreConnection, Mutation, Place, Write } from '../../firestore/connection.ts';
import { put } from '../../firestore/put.ts';
import type { QueryForm } from '../../firestore/query.ts';
import type { Clock } from '../../time/clock.ts';
import type { RunEnding, RunRow, RunStore, RunTicket } from '../run-store.ts';
import { StalledLeases } from '../stalled-leases.ts';

/** One document for each pipeline: who may run it. */
const LEASES = 'run_leases';
/** One document for each run. */
const RUNS = 'runs';
/** How many runs are remembered of each pipeline. */
const KEPT = 500;

export const RUN_QUERIES: Readonly<Record<'recent' | 'pipelines', QueryForm>> = {
  pipelines: { collection: LEASES, where: [], orderBy: [] },
  recent: { collection: RUNS, where: [['pipeline', '==']], orderBy: [['id', 'desc']] },
};

interface Lease {
  readonly id: number;
  readonly owner: string;
  readonly until: number;
  readonly ended: boolean;
  /** Names the call that took it, so that a lost reply is recognised. */
  readonly attempt: string;
  /** The latest scheduler that began a run. */
  readonly fence?: number;
}

/** When each pipeline ran, for all copies of the program together. */
export class FirestoreRunStore implements RunStore {
  readonly #connection: FirestoreConnection;
  readonly #clock: Clock;
  readonly #kept: number;
  readonly #stalled: StalledLeases;

  /** The connection belongs to whoever made it. */
  constructor(connection: FirestoreConnection, clock: Clock, kept = KEPT) {
    this.#connection = connection;
    this.#clock = clock;
    this.#kept = kept;
    this.#stalled = new StalledLeases(clock);
  }

  async begin(
    pipeline: string,
    owner: string,
    leaseMs: number,
    fence: number | null = null,
  ): Promise<RunTicket | null> {
    const attempt = randomUUID();
    return this.#change<RunTicket | null>(pipeline, (lease) => {
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
      const rows: Write[] = [{ do: 'set', at: placeOf(pipeline, id), data: row }];
      if (id > this.#kept) rows.push({ do: 'delete', at: placeOf(pipeline, id - this.#kept) });
      const next = { id, owner, until: now + leaseMs, ended: false, attempt, fence: fence ?? seen };
      return { value: { id, pipeline, owner }, next, rows };
    });
  }

  renew(ticket: RunTicket, leaseMs: number): Promise<boolean> {
    return this.#change<boolean>(ticket.pipeline, (lease) => {
      const now = this.#clock.now();
      if (lease === null || !isOurs(lease, ticket) || lease.ended || lease.until <= now)
        return { value: false };
      return { value: true, next: { ...lease, until: now + leaseMs } };
    });
  }

  async leasedUntil(pipeline: string): Promise<number> {
    const lease = (await this.#connection.get([LEASES, idOf(pipeline)])).data() as Lease | undefined;
    return lease === undefined || lease.ended ? 0 : lease.until;
  }

  async end(ticket: RunTicket, { outcome, summary, counts }: RunEnding): Promise<void> {
    const ended_at = this.#clock.now();
    const data = { ended_at, outcome, summary: summary.toWellFormed(), counts: JSON.stringify(counts) };
    const row: Write = { do: 'patch', at: placeOf(ticket.pipeline, ticket.id), data };
    await this.#change<null>(ticket.pipeline, (lease) => {
      if (lease === null || lease.ended || !isOurs(lease, ticket)) return { value: null };
      return { value: null, next: { ...lease, ended: true }, rows: [row] };
    });
  }

  async last(pipeline: string): Promise<RunRow | null> {
    return (await this.recent(pipeline, 1))[0] ?? null;
  }

  async pipelines(): Promise<readonly string[]> {
    return (await this.#connection.query(RUN_QUERIES.pipelines, { where: [] })).map(({ id }) => id);
  }

  async recent(pipeline: string, limit: number): Promise<readonly RunRow[]> {
    const found = await this.#connection.query(RUN_QUERIES.recent, { where: [pipeline], limit });
    return found.map((snapshot) => {
      const row = snapshot.data() as {
        id: number;
        started_at: number;
        ended_at: number | null;
        outcome: RunRow['outcome'] | null;
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
    decide: (lease: Lease | null) => { value: T; next?: Lease; rows?: readonly Write[] },
  ): Promise<T> {
    const at: Place = [LEASES, idOf(pipeline)];
    return this.#connection.mutate(at, (snapshot): Mutation<T> => {
      const { value, next, rows = [] } = decide((snapshot.data() as Lease | undefined) ?? null);
      if (next === undefined) return { value, writes: [] };
      return { value, writes: [put(snapshot, at, next), ...rows] };
    });
  }
}

function isOurs(lease: Lease, { id, owner }: RunTicket): boolean {
  return lease.id === id && lease.owner === owner;
}

function placeOf(pipeline: string, id: number): Place {
  return [RUNS, `${idOf(pipeline)}~${id}`];
}

/** A pipeline's own name where it is a usable ID, as all configured ones are. */
function idOf(pipeline: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9_.-]{0,200}$/.test(pipeline)) return pipeline;
  return `~${createHash('sha256').update(pipeline).digest('hex')}`;
}
