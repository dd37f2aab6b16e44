import { randomUUID } from 'node:crypto';
import { DETAIL_TEXTS } from '../item/detail-texts.ts';
import type { Pipeline } from '../pipelines/pipeline.ts';

import type { Logger } from '../telemetry/logger.ts';
import type { Clock } from '../time/clock.ts';

/** Current and recent runs that were started by hand. */
export interface Jobs {
  start(pipeline: string, options: JobOptions, who: string): 'unknown' | 'busy' | Job;
  find(id: string): Job | null;
  /** Newest first. */
  list(): readonly Job[];
  /** False if it is not running. */
  stop(id: string): boolean;
}

export interface JobOptions {
  /** Show what a run would do, without writing or sending. */
  readonly dryRun: boolean;
  /** Poll the pipeline's sources first, including those that are not due. */
  readonly fresh: boolean;
}

export interface Job {
  readonly id: string;
  readonly pipeline: string;
  readonly dryRun: boolean;
  readonly startedBy: string;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly state: 'running' | 'done' | 'refused' | 'failed' | 'stopped';
  readonly progress: { readonly stage: 'sources' | 'items'; readonly done: number } | null;
  /** A sentence if it did not succeed. */
  readonly detail: string | null;
  readonly report: unknown;
  /** Of a dry run: the messages as they would be sent. */
  readonly messages: readonly { readonly destination: string; readonly body: string }[];
}

const MAX_JOBS_KEPT = 50;

export interface JobDependencies {
  readonly pipelines: ReadonlyMap<string, Pipeline>;
  readonly clock: Clock;
  readonly log: Logger;
}

type MutableJob = { -readonly [Key in keyof Job]: Job[Key] };

/** Runs by hand, one at a time for each pipeline; the recent ones are kept in memory. */
export class RunJobs implements Jobs, AsyncDisposable {
  readonly #deps: JobDependencies;
  readonly #jobs = new Map<
    string,
    { readonly job: MutableJob; readonly stop: AbortController; ended: Promise<void> }
  >();

  constructor(deps: JobDependencies) {
    this.#deps = deps;
  }

  start(id: string, { dryRun, fresh }: JobOptions, who: string): 'unknown' | 'busy' | Job {
    const pipeline = this.#deps.pipelines.get(id);
    if (pipeline === undefined) return 'unknown';
    if (this.list().some((job) => job.pipeline === id && job.state === 'running')) return 'busy';
    const job: MutableJob = {
      id: randomUUID(),
      pipeline: id,
      dryRun,
      startedBy: who,
      startedAt: this.#deps.clock.now(),
      endedAt: null,
      state: 'running',
      progress: null,
      detail: null,
      report: null,
      messages: [],
    };
    const stop = new AbortController();
    this.#jobs.set(job.id, { job, stop, ended: this.#run(job, pipeline, fresh, stop.signal) });
    for (const [old, { job: other }] of this.#jobs)
      if (this.#jobs.size > MAX_JOBS_KEPT && other.state !== 'running') this.#jobs.delete(old);
    return { ...job };
  }

  find(id: string): Job | null {
    const found = this.#jobs.get(id);
    return found === undefined ? null : { ...found.job };
  }

  list(): readonly Job[] {
    return [...this.#jobs.values()].map(({ job }) => ({ ...job })).reverse();
  }

  stop(id: string): boolean {
    const found = this.#jobs.get(id);
    if (found?.job.state !== 'running') return false;
    found.stop.abort();
    return true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { stop } of this.#jobs.values()) stop.abort();
    await Promise.all([...this.#jobs.values()].map(({ ended }) => ended));
  }

  async #run(job: MutableJob, pipeline: Pipeline, fresh: boolean, signal: AbortSignal): Promise<void> {
    const watch = ({ stage, done }: { stage: 'sources' | 'items'; done: number }): void => {
      job.progress = { stage, done };
    };
    try {
      if (job.dryRun) {
        const { report, messages } = await pipeline.preview(signal, watch);
        Object.assign(job, { state: signal.aborted ? 'stopped' : 'done', report, messages });
      } else {
        const result = await pipeline.run(signal, watch, { fresh });
        if (result.ran)
          Object.assign(job, { state: signal.aborted ? 'stopped' : 'done', report: result.report });
        else Object.assign(job, { state: 'refused', detail: result.why });
      }
    } catch (error) {
      job.state = signal.aborted ? 'stopped' : 'failed';
      job.detail = signal.aborted ? null : DETAIL_TEXTS.log_has_details;
      if (!signal.aborted) this.#deps.log.error('Manual run failed', { pipeline: job.pipeline, error });
    } finally {
      job.endedAt = this.#deps.clock.now();
    }
  }
}
